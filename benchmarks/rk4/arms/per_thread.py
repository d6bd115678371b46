"""One launch; each thread runs its sample to the end, its state in registers."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, blocks, kernel
from ..workload import Problem

THREADS = 64  # small, so that a small batch spreads over many SMs


class Arm(DeviceArm):
    """The kernel over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        self._kernel = kernel("rk4_per_thread")

    def launch(self) -> None:
        """A thread for every sample."""
        self._kernel((blocks(self.n, THREADS),), (THREADS,), (self.size, *self.inputs, *self.outputs))


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
