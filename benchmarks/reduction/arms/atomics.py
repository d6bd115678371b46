"""An atomic addition of every thread."""

from perfdocs.measure.arm import Context, Prepared

from ..device import KernelArm
from ..workload import Problem


class Arm(KernelArm):
    """The kernel over one problem; each total is cleared before."""

    def __init__(self, problem: Problem, context: Context, **knobs: int) -> None:
        super().__init__(problem, context, "reduce.cu", "reduction_atomics", **knobs)

    def add_up(self, place: int) -> None:
        """Clear, launch."""
        self.totals[place].fill(0)
        super().add_up(place)


def prepare(problem: Problem, context: Context) -> Prepared:
    """Put the numbers on the device and compile."""
    return Arm(problem, context)
