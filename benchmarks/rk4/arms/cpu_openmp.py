"""Every allowed processor runs samples to their end."""

from ..host import HostArm
from ..workload import Problem
from perfdocs.measure.arm import Context, Prepared


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; all threads."""
    return HostArm(problem, context, context.threads)
