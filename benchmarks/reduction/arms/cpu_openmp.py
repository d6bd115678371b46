"""Every allowed processor."""

from perfdocs.measure.arm import Context, Prepared

from ..host import OpenMPArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; all threads."""
    return OpenMPArm(problem, context, context.threads)
