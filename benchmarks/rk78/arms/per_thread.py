"""One launch; each thread runs its orbit to the end, its state in registers."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, blocks, kernel
from ..workload import Problem

THREADS = 32  # a block: small, so that a small batch spreads over many SMs
BLOCKS = 16  # an SM: what the registers must leave room for


class Arm(DeviceArm):
    """The kernel over one problem."""

    code = ("arms/per_thread.py", "lanes.cu#per_thread", "step.cuh")

    def __init__(
        self, problem: Problem, context: Context, *, threads: int = THREADS, blocks_an_sm: int = BLOCKS
    ) -> None:
        super().__init__(problem, context)
        self._threads = threads
        self._kernel = kernel(
            "lanes.cu", "rk78_per_thread", f"RK78_THREADS={threads}", f"RK78_THREAD_BLOCKS={blocks_an_sm}"
        )

    def launch(self) -> None:
        """A thread for every orbit."""
        self._kernel((blocks(self.n, self._threads),), (self._threads,), (self.size, self.start, *self.outputs))


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
