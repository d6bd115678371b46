"""Work stealing: one launch of as many warps as keep the SMs busy; a lane that finishes takes the next sample."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, blocks
from ..workload import Problem

# Twenty warps an SM keep its FP64 units busy: a step is a chain of eight dependent operations, and each warp more is
# one more that runs half empty while its last sample ends. The four were chosen by a sweep on one H200 at N = 1e6.
WARPS_AN_SM = 20
WARPS_A_BLOCK = 4
BATCH = 32  # samples a warp takes from the queue at a time
CHUNK = 4  # steps between two looks at how many lanes idle
REFILL = 4  # idle lanes that make a warp stop and hand out samples


class Arm(DeviceArm):
    """The kernel over one problem."""

    def __init__(
        self,
        problem: Problem,
        context: Context,
        *,
        warps: int = WARPS_AN_SM,
        batch: int = BATCH,
        refill: int = REFILL,
        chunk: int = CHUNK,
    ) -> None:
        super().__init__(problem, context)
        self._defines = (f"RK4_BATCH={batch}", f"RK4_REFILL={refill}", f"RK4_CHUNK={chunk}")
        self._kernel = self.kernel("lanes.cu", "rk4_persistent", *self._defines)
        self._queue = self.cupy.zeros(3, dtype=np.uint32)
        self._batches = blocks(self.n, batch)
        self._grid = min(self.sm_count * warps // WARPS_A_BLOCK, self._batches)

    def launch(self) -> None:
        """A grid from the SM count; fewer blocks where the batch is small."""
        self._kernel((self._grid,), (32 * WARPS_A_BLOCK,), (self.size, *self.inputs, *self.outputs, self._queue))

    def counts(self) -> dict[str, float]:
        """Every plane once, and one atomic on the queue a batch of samples beyond those dealt at the start.

        Which lanes meet in a warp is known only when it runs: the steps that warps issue are counted by a run of the
        same kernel with a counter in it.
        """
        drawn = max(0, self._batches - 2 * self._grid * WARPS_A_BLOCK)
        return {
            **super().counts(),
            "issued_byte": self.problem.useful_byte + 4 * drawn,
            "issued_steps": 32 * self._issued(),
        }

    def _issued(self) -> int:
        kept, self._kernel = self._kernel, self.kernel("lanes.cu", "rk4_persistent", *self._defines, "RK4_COUNT=1")
        self._queue.fill(0)
        self.run()
        self._kernel = kept
        return int(self._queue.get()[2])


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
