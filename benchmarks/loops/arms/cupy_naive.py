"""A thread for every row."""

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm
from ..workload import Problem


class Arm(DeviceArm):
    """As many threads as rows."""

    def __init__(self, problem: Problem, *, block: int = 64, **knobs: int) -> None:
        super().__init__(problem, "loops_naive", problem.limit - 1, block, **knobs)


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Compile."""
    return Arm(problem)
