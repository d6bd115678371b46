"""2²⁰ threads on the GPU."""

from perfdocs.measure.arm import Context, Prepared

from ..device import Walk
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Fill the buffer where it is not yet, and compile."""
    return Walk(problem, context)
