"""Every allowed processor steps vectors of orbits whose lanes are refilled."""

from perfdocs.measure.arm import Context, Prepared

from ..host import SimdArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; all threads."""
    return SimdArm(problem, context, context.threads)
