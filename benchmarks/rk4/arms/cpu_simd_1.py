"""One thread runs vectors of samples that end together."""

from perfdocs.measure.arm import Context, Prepared

from ..host import SimdArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; one thread."""
    return SimdArm(problem, context, 1)
