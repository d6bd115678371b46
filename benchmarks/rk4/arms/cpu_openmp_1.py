"""One thread runs every sample to its end."""

from ..host import HostArm
from ..workload import Problem
from perfdocs.measure.arm import Context, Prepared


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; one thread."""
    return HostArm(problem, context, 1)
