"""Eight threads, on cores of their own where there are such, step vectors of orbits whose lanes are refilled."""

from perfdocs.measure.arm import Context, Prepared

from ..host import SimdArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; eight threads."""
    return SimdArm(problem, context, 8)
