"""Work stealing: one launch of as many warps as keep the SMs busy; a lane that finishes takes the next orbit."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.launch import Launch
from perfdocs.measure.packages import import_cupy

from ..device import KernelArm, blocks, kernel
from ..workload import USEFUL_BYTE, Problem

WARPS = 4  # a block
# An SM's FP64 units are almost busy with two blocks and no busier with four. What is left over at the end, when the
# queue is empty, is the shorter the fewer orbits are on their way: two blocks where each lane has few orbits to do.
BLOCKS, FEW_BLOCKS = 3, 2
FEW = 10  # orbits a lane
BATCH = 4  # orbits a warp takes from the queue at a time
REFILL = 1  # idle lanes that make a warp hand out orbits


def plan(
    n: int,
    sm_count: int,
    *defines: str,
    warps: int = WARPS,
    blocks_an_sm: int | None = None,
    batch: int = BATCH,
    refill: int = REFILL,
) -> Launch:
    """A grid from the SM count; fewer blocks where the batch is small. Its launches share a queue: one at a time."""
    resident = blocks_an_sm or _resident(n, sm_count, warps)
    knobs = {"WARPS": warps, "BLOCKS": resident, "BATCH": batch, "REFILL": refill}
    defines += tuple(f"RK78_{name}={value}" for name, value in knobs.items())
    function = kernel("lanes.cu", "rk78_persistent", *defines)
    queue = import_cupy().zeros(2, dtype=np.uint32)
    grid = _grid(n, sm_count, warps, resident)
    return Launch(function, grid, 32 * warps, before=(np.uint32(n),), after=(queue,))


def _resident(n: int, sm_count: int, warps: int = WARPS) -> int:
    return FEW_BLOCKS if n < FEW * sm_count * BLOCKS * 32 * warps else BLOCKS


def _grid(n: int, sm_count: int, warps: int, resident: int) -> int:
    spread = min(sm_count, blocks(n, 32))  # few orbits spread over the SMs first, then over the warps of a block
    return min(sm_count * resident, max(spread, blocks(n, 32 * warps)))


class Arm(KernelArm):
    """The kernel over one problem."""

    code = ("arms/persistent.py", "lanes.cu#persistent", "step.cuh")

    def __init__(self, problem: Problem, context: Context, **knobs: int) -> None:
        super().__init__(problem, context, plan(problem.n, context.sm_count or 1, **knobs))

    def counts(self) -> dict[str, float]:
        """Every plane once, and one atomic on the queue a batch of orbits beyond those dealt at the start."""
        grid = _grid(self.n, self.sm_count, WARPS, _resident(self.n, self.sm_count))
        drawn = max(0, self.n - grid * 32 * WARPS)
        return {**super().counts(), "issued_byte": USEFUL_BYTE * self.n + 4 * -(-drawn // BATCH)}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
