"""A warp for a long row and the short one that makes up for it."""

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm
from ..workload import Problem


class Arm(DeviceArm):
    """A warp for every two rows."""

    def __init__(self, problem: Problem, *, block: int = 128, **knobs: int) -> None:
        super().__init__(problem, "loops_balanced", 32 * (problem.limit // 2), block, **knobs)


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Compile."""
    return Arm(problem)
