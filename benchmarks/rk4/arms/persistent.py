"""Work stealing: one launch of as many warps as keep the SMs busy; a lane that finishes takes the next sample."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.launch import Launch
from perfdocs.measure.packages import import_cupy

from ..device import KernelArm, blocks, kernel
from ..workload import Problem

# Twenty warps an SM keep its FP64 units busy: a step is a chain of eight dependent operations, and each warp more is
# one more that runs half empty while its last sample ends. The four were chosen by a sweep on one H200 at N = 1e6.
WARPS_AN_SM = 20
WARPS_A_BLOCK = 4
BATCH = 32  # samples a warp takes from the queue at a time
CHUNK = 4  # steps between two looks at how many lanes idle
REFILL = 4  # idle lanes that make a warp stop and hand out samples


class Arm(KernelArm):
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
        self._defines = (f"RK4_BATCH={batch}", f"RK4_REFILL={refill}", f"RK4_CHUNK={chunk}")
        self._queue = import_cupy().zeros(3, dtype=np.uint32)
        self._batches = blocks(problem.n, batch)
        # From the SM count; fewer blocks where the batch is small.
        self._grid = min((context.sm_count or 1) * warps // WARPS_A_BLOCK, self._batches)
        super().__init__(problem, context, self._plan(problem))

    def _plan(self, problem: Problem, *defines: str) -> Launch:
        function = kernel("lanes.cu", "rk4_persistent", *self._defines, *defines, real=problem.real)
        return Launch(function, self._grid, 32 * WARPS_A_BLOCK, before=(np.int64(problem.n),), after=(self._queue,))

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
        self._queue.fill(0)
        with self.stream:
            self._plan(self.problem, "RK4_COUNT=1")(*self.inputs, *self.outputs)
            self.stream.synchronize()
        return int(self._queue.get()[2])


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
