"""One launch; each block sorts its samples by their known lengths and deals equal parts to its warps."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.launch import Launch

from ..device import KernelArm, blocks, kernel, shared_memory
from ..workload import Problem, warp_steps

# Chosen by a sweep on one H200. A larger tile sorts into groups of more equal length, a smaller one lets one block load
# while another computes; a tile must hold enough steps for every warp to have as many as its longest sample.
THREADS = 384
BLOCKS_AN_SM = 2
TILE = 1920  # samples a block holds in shared memory at a time, where there is room
SMALL_TILE = 960  # below it one block an SM with a larger tile is the better
UNROLL = 20
TOLL = 4  # what beginning and ending a group costs its warp, in steps
BINS = 1024
RESERVED = 1024  # bytes of shared memory that the system takes for each block


class Shape(NamedTuple):
    """Blocks an SM, and samples of a tile."""

    resident: int
    tile: int


def shared_bytes(tile: int, real: str, threads: int = THREADS) -> int:
    """Of a block: planes, lengths, bins, costs before each group, the longest, two words a warp, the order."""
    words = tile + BINS + tile // 32 + 1 + 2 * (threads // 32)
    return -8 * (-(4 * np.dtype(real).itemsize * tile + 4 * words + 2 * tile) // 8)


def fit(real: str, a_block: int, an_sm: int) -> Shape:
    """The largest tile that leaves room for two blocks an SM, or for one where that would be a small tile.

    ``a_block`` and ``an_sm`` are the shared memory that a block may ask for and that an SM has, in bytes.
    """
    for resident in range(BLOCKS_AN_SM, 0, -1):
        room = min(a_block, an_sm // resident - RESERVED)
        tile = next((t for t in range(TILE, 0, -32) if shared_bytes(t, real) <= room), 32)
        if tile >= SMALL_TILE:
            break
    return Shape(resident, tile)


def plan(
    n: int,
    sm_count: int,
    real: str,
    *,
    threads: int = THREADS,
    resident: int | None = None,
    unroll: int = UNROLL,
    tile: int | None = None,
    toll: int = TOLL,
) -> Launch:
    """As many blocks as an SM holds; fewer where the batch is small."""
    fitting = fit(real, *shared_memory())
    resident, tile = resident or fitting.resident, tile or fitting.tile
    choices = {"BLOCK": threads, "RESIDENT": resident, "UNROLL": unroll, "TILE": tile, "TOLL": toll}
    defines = [f"RK4_{name}={value}" for name, value in choices.items()]
    function = kernel("lanes.cu", "rk4_longest_first", *defines, real=real)
    shared = shared_bytes(tile, real, threads)
    function.max_dynamic_shared_size_bytes = shared
    return Launch(function, _grid(n, sm_count, resident), threads, before=(np.int64(n),), shared=shared)


def _grid(n: int, sm_count: int, resident: int) -> int:
    return min(sm_count * resident, blocks(n, 32))


def issued_steps(problem: Problem, sm_count: int, shape: Shape | None = None) -> int:
    """Lanes times steps issued: a group of 32 steps until its longest ends; tiles are cut as the kernel cuts them."""
    resident, tile = shape or fit(problem.real, *shared_memory())
    rows, grid = blocks(problem.n, 32), _grid(problem.n, sm_count, resident)
    edges: list[int] = []
    for block in range(grid):
        first, last = rows * block // grid, rows * (block + 1) // grid
        tiles = blocks(last - first, tile // 32)
        edges += [32 * (first + (last - first) * t // tiles) for t in range(tiles)]
    parts = [problem.nstop[a:b] for a, b in pairwise([*edges, problem.n])]
    return sum(warp_steps(np.sort(part)[::-1]) for part in parts)


class Arm(KernelArm):
    """The kernel over one problem."""

    def __init__(self, problem: Problem, context: Context, **choices: int) -> None:
        super().__init__(problem, context, plan(problem.n, context.sm_count or 1, problem.real, **choices))

    def counts(self) -> dict[str, float]:
        """The lanes of a group end almost together."""
        return {**super().counts(), "issued_steps": issued_steps(self.problem, self.sm_count)}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
