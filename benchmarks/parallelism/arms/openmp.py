"""C++ over vectors, on every allowed processor."""

from perfdocs.measure.arm import Context, Prepared

from ..host import HostArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; all threads."""
    return HostArm(problem, context, context.threads)
