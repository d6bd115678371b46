"""One launch; each block sorts its samples by their known lengths and deals equal parts to its warps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, Launch, blocks, kernel
from ..workload import Problem, warp_steps

# Chosen by a sweep on one H200. A larger tile sorts into groups of more equal length, a smaller one lets one block load
# while another computes; a tile must hold enough steps for every warp to have as many as its longest sample.
THREADS = 384
BLOCKS_AN_SM = 2
TILE = 1920  # samples a block holds in shared memory at a time
UNROLL = 20
TOLL = 4  # what beginning and ending a group costs its warp, in steps
BINS = 1024


def plan(
    n: int,
    sm_count: int,
    real: str,
    *,
    threads: int = THREADS,
    resident: int = BLOCKS_AN_SM,
    unroll: int = UNROLL,
    tile: int = TILE,
    toll: int = TOLL,
) -> Launch:
    """As many blocks as an SM holds; fewer where the batch is small."""
    choices = {"BLOCK": threads, "RESIDENT": resident, "UNROLL": unroll, "TILE": tile, "TOLL": toll}
    defines = [f"RK4_{name}={value}" for name, value in choices.items()]
    function = kernel("lanes.cu", "rk4_longest_first", *defines, real=real)
    # planes, lengths, bins, costs before each group, the longest, two words a warp, and the order in 16 bits
    words = tile + BINS + tile // 32 + 1 + 2 * (threads // 32)
    shared = -8 * (-(4 * np.dtype(real).itemsize * tile + 4 * words + 2 * tile) // 8)
    function.max_dynamic_shared_size_bytes = shared
    grid, size = _grid(n, sm_count, resident), np.int64(n)
    return lambda inputs, outputs: function((grid,), (threads,), (size, *inputs, *outputs), shared_mem=shared)


def _grid(n: int, sm_count: int, resident: int = BLOCKS_AN_SM) -> int:
    return min(sm_count * resident, blocks(n, 32))


def issued_steps(problem: Problem, sm_count: int) -> int:
    """Lanes times steps issued: a group of 32 steps until its longest ends; tiles are cut as the kernel cuts them."""
    rows, grid = blocks(problem.n, 32), _grid(problem.n, sm_count)
    edges: list[int] = []
    for block in range(grid):
        first, last = rows * block // grid, rows * (block + 1) // grid
        tiles = blocks(last - first, TILE // 32)
        edges += [32 * (first + (last - first) * t // tiles) for t in range(tiles)]
    parts = [problem.nstop[a:b] for a, b in pairwise([*edges, problem.n])]
    return sum(warp_steps(np.sort(part)[::-1]) for part in parts)


class Arm(DeviceArm):
    """The kernel over one problem."""

    def __init__(self, problem: Problem, context: Context, **choices: int) -> None:
        super().__init__(problem, context)
        self._plan = plan(self.n, self.sm_count, problem.real, **choices)

    def launch(self) -> None:
        """One kernel."""
        self._plan(self.inputs, self.outputs)

    def counts(self) -> dict[str, float]:
        """The lanes of a group end almost together."""
        return {**super().counts(), "issued_steps": issued_steps(self.problem, self.sm_count)}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
