"""One launch; each block sorts its samples by their known lengths and deals equal parts to its warps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, blocks
from ..workload import Problem, warp_steps

THREADS = 384
BLOCKS_AN_SM = 2
TILE = 1920  # samples a block holds in shared memory at a time
UNROLL = 20
BINS = 1024
TOLL = 4  # what beginning and ending a group costs its warp, in steps


class Arm(DeviceArm):
    """The kernel over one problem."""

    def __init__(
        self,
        problem: Problem,
        context: Context,
        *,
        threads: int = THREADS,
        resident: int = BLOCKS_AN_SM,
        unroll: int = UNROLL,
        tile: int = TILE,
        toll: int = TOLL,
    ) -> None:
        super().__init__(problem, context)
        defines = (f"RK4_BLOCK={threads}", f"RK4_RESIDENT={resident}", f"RK4_UNROLL={unroll}", f"RK4_TILE={tile}")
        defines += (f"RK4_TOLL={toll}",)
        self._kernel = self.kernel("lanes.cu", "rk4_longest_first", *defines)
        self._tile, self._threads, self._longest = tile, threads, np.int32(problem.longest)
        self._grid = min(self.sm_count * resident, blocks(self.n, 32))
        # planes, lengths, bins, costs before each group, two words a warp, and the order in 16 bits
        words = tile + BINS + tile // 32 + 2 * (threads // 32)
        self._shared = -8 * (-(4 * problem.real_size * tile + 4 * words + 2 * tile) // 8)
        self._kernel.max_dynamic_shared_size_bytes = self._shared

    def launch(self) -> None:
        """A block an SM."""
        arguments = (self.size, self._longest, *self.inputs, *self.outputs)
        self._kernel((self._grid,), (self._threads,), arguments, shared_mem=self._shared)

    def counts(self) -> dict[str, float]:
        """A group of 32 steps until its longest sample ends; the tiles are cut as the kernel cuts them."""
        rows = blocks(self.n, 32)
        edges: list[int] = []
        for block in range(self._grid):
            first, last = rows * block // self._grid, rows * (block + 1) // self._grid
            tiles = blocks(last - first, self._tile // 32)
            edges += [32 * (first + (last - first) * t // tiles) for t in range(tiles)]
        cuts = [*edges, self.n]
        parts = [self.problem.nstop[a:b] for a, b in pairwise(cuts)]
        issued = sum(warp_steps(np.sort(part)[::-1]) for part in parts)
        return {**super().counts(), "issued_steps": issued}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
