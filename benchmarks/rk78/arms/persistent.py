"""Work stealing: one launch of as many warps as keep the SMs busy; a lane that finishes takes the next orbit."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, blocks, kernel
from ..workload import USEFUL_BYTE, Problem

WARPS = 4  # a block
BLOCKS = 4  # an SM: as many as there is room for beside 128 registers a thread
BATCH = 4  # orbits a warp takes from the queue at a time
REFILL = 1  # idle lanes that make a warp hand out orbits


class Arm(DeviceArm):
    """The kernel over one problem. The knobs are warps a block, blocks an SM, and how a warp takes orbits."""

    code = ("arms/persistent.py", "lanes.cu#persistent", "step.cuh")

    def __init__(
        self,
        problem: Problem,
        context: Context,
        *,
        warps: int = WARPS,
        blocks_an_sm: int = BLOCKS,
        batch: int = BATCH,
        refill: int = REFILL,
    ) -> None:
        super().__init__(problem, context)
        self._kernel = kernel(
            "lanes.cu",
            "rk78_persistent",
            f"RK78_WARPS={warps}",
            f"RK78_BLOCKS={blocks_an_sm}",
            f"RK78_BATCH={batch}",
            f"RK78_REFILL={refill}",
        )
        self._queue = self.cupy.zeros(2, dtype=np.uint32)
        self._threads, self._batch = 32 * warps, batch
        # Few orbits spread over the SMs first, then over the warps of a block.
        spread = min(self.sm_count, blocks(self.n, 32))
        self._grid = min(self.sm_count * blocks_an_sm, max(spread, blocks(self.n, self._threads)))

    def launch(self) -> None:
        """A grid from the SM count; fewer blocks where the batch is small."""
        arguments = (np.uint32(self.n), self.start, *self.outputs, self._queue)
        self._kernel((self._grid,), (self._threads,), arguments)

    def counts(self) -> dict[str, float]:
        """Every plane once, and one atomic on the queue a batch of orbits beyond those dealt at the start."""
        drawn = max(0, self.n - self._grid * self._threads)
        return {**super().counts(), "issued_byte": USEFUL_BYTE * self.n + 4 * -(-drawn // self._batch)}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
