"""CuPy's ``sum`` by its own kernel."""

from __future__ import annotations

from perfdocs.measure.arm import Cannot, Context, Prepared

from ..device import DeviceArm
from ..workload import Problem


class Arm(DeviceArm):
    """The method of the array, with what it would pick instead switched off for the run."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        try:
            from cupy._core import _accelerator
        except ImportError:
            raise Cannot("unsupported", "this CuPy does not let CUB be switched off") from None
        self._accelerator = _accelerator

    def run(self) -> None:
        """Add up again and again without CUB."""
        own = self._accelerator
        kept = own.get_reduction_accelerators(), own.get_routine_accelerators()
        own.set_reduction_accelerators([])
        own.set_routine_accelerators([])
        try:
            super().run()
        finally:
            own.set_reduction_accelerators(kept[0])
            own.set_routine_accelerators(kept[1])

    def add_up(self, place: int) -> None:
        """One call."""
        self.totals[place] = self.numbers.sum()


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Put the numbers on the device."""
    return Arm(problem)
