"""CuPy's ``sum`` as it comes: where CuPy has CUB it picks that."""

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm
from ..workload import Problem


class Arm(DeviceArm):
    """The method of the array."""

    def add_up(self, place: int) -> None:
        """One call."""
        self.totals[place] = self.numbers.sum()


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Put the numbers on the device."""
    return Arm(problem)
