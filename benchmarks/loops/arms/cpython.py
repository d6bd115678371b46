"""The two loops as Python runs them."""

from perfdocs.measure.arm import Context, Prepared

from ..host import HostArm
from ..search import search
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Nothing to prepare."""
    return HostArm(problem, search)
