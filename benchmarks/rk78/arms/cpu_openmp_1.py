"""One thread runs every orbit to its end."""

from perfdocs.measure.arm import Context, Prepared

from ..host import HostArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; one thread."""
    return HostArm(problem, context, 1)
