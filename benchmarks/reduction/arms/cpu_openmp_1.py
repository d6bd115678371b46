"""One thread."""

from perfdocs.measure.arm import Context, Prepared

from ..host import OpenMPArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; one thread."""
    return OpenMPArm(problem, context, 1)
