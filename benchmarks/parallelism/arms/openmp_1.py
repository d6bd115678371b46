"""C++ over vectors, on one processor."""

from perfdocs.measure.arm import Context, Prepared

from ..host import HostArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; one thread."""
    return HostArm(problem, context, 1)
