"""One launch; each thread runs its sample to the end, its state in registers."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, blocks
from ..workload import Problem, warp_steps

THREADS = 64  # small, so that a small batch spreads over many SMs
UNROLL = 20


class Arm(DeviceArm):
    """The kernel over one problem."""

    def __init__(self, problem: Problem, context: Context, *, threads: int = THREADS, unroll: int = UNROLL) -> None:
        super().__init__(problem, context)
        self._threads = threads
        self._kernel = self.kernel("lanes.cu", "rk4_per_thread", f"RK4_UNROLL={unroll}")

    def launch(self) -> None:
        """A thread for every sample."""
        grid = blocks(self.n, self._threads)
        self._kernel((grid,), (self._threads,), (self.size, *self.inputs, *self.outputs))

    def counts(self) -> dict[str, float]:
        """A warp steps until its longest sample ends."""
        return {**super().counts(), "issued_steps": warp_steps(self.problem.nstop)}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
