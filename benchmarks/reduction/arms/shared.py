"""A tree in shared memory."""

from perfdocs.measure.arm import Context, Prepared

from ..device import KernelArm
from ..workload import Problem


class Arm(KernelArm):
    """The kernel over one problem."""

    def __init__(self, problem: Problem, context: Context, **knobs: int) -> None:
        super().__init__(problem, context, "reduce.cu", "reduction_shared", **knobs)


def prepare(problem: Problem, context: Context) -> Prepared:
    """Put the numbers on the device and compile."""
    return Arm(problem, context)
