"""CUB's DeviceReduce, as CuPy compiled it, called directly."""

from __future__ import annotations

from perfdocs.measure.arm import Cannot, Context, Prepared

from ..device import DeviceArm
from ..workload import Problem


class Arm(DeviceArm):
    """One call of CUB a sum."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        cub = getattr(self.cupy.cuda, "cub", None)
        if cub is None or not cub.available:
            raise Cannot("unsupported", "this CuPy has no CUB")
        self._cub = cub

    def add_up(self, place: int) -> None:
        """One call."""
        self.totals[place] = self._cub.device_reduce(self.numbers, self._cub.CUPY_CUB_SUM, (0,), ())


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Put the numbers on the device."""
    return Arm(problem)
