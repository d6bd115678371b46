"""One thread steps vectors of orbits whose lanes are refilled."""

from perfdocs.measure.arm import Context, Prepared

from ..host import SimdArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; one thread."""
    return SimdArm(problem, context, 1)
