"""One thread of the host."""

from perfdocs.measure.arm import Context, Prepared

from ..host import Walk
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Fill the buffer where it is not yet, and compile."""
    return Walk(problem, context, 1)
