"""Cooperative groups: tiles, blocks and the grid."""

from perfdocs.measure.arm import Context, Prepared

from ..device import KernelArm
from ..workload import Problem


class Arm(KernelArm):
    """The kernel over one problem."""

    def __init__(self, problem: Problem, context: Context, **knobs: int) -> None:
        super().__init__(problem, context, "groups.cu", "reduction_groups", **knobs)


def prepare(problem: Problem, context: Context) -> Prepared:
    """Put the numbers on the device and compile."""
    return Arm(problem, context)
