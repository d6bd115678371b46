"""NumPy's ``sum``."""

from perfdocs.measure.arm import Context, Prepared

from ..host import HostArm, numbers
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Put the numbers into memory."""
    return HostArm(numbers(problem.n, context).sum)
