"""What the arms share that are one CUDA graph with a WHILE node, and what their launches move."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Context
from perfdocs.measure.while_graph import WhileGraph, import_driver

from .device import DeviceArm, blocks, kernel
from .workload import Problem

THREADS = 64  # a block
BLOCKS = 6  # an SM, one wave: every block of a launch adds its arrival to one counter
EVERY = 16  # attempts between two looks at who has ended
THETA = 0.5  # planes are moved together where less than this part of what they span is live
PROGRESS = 9  # numbers in the kernels' Progress
# Bytes of an orbit: begun, an attempt apart from the look at its step, one that is accepted.
BEGIN_BYTE, ATTEMPT_BYTE, ACCEPT_BYTE = 120, 76, 56
DEFINES = (f"RK78_THREADS={THREADS}", f"RK78_BLOCKS={BLOCKS}")


class GraphArm(DeviceArm):
    """One graph launch over one problem; a subclass fills the graph.

    ``planes`` are eight a set (place, speed, time, step), ``numbers`` the two counts.
    """

    def __init__(self, problem: Problem, context: Context, sets: int = 1) -> None:
        super().__init__(problem, context)
        import_driver()
        self.planes = self.cupy.zeros((8 * sets, self.n))
        self.numbers = self.cupy.zeros((2 * sets, self.n), dtype=np.int32)
        if sets == 1:
            self.outputs = (self.planes[:7], self.numbers[0], self.numbers[1])
        self.progress = self.cupy.zeros(PROGRESS, dtype=np.uint32)
        self.grid = min(blocks(self.n, THREADS), self.sm_count * BLOCKS)
        self.compact_grid = min(blocks(self.n, 256), self.sm_count * 4)
        self.graph: WhileGraph | None = None

    def build(self, begin: Any, body: Any, *entries: str) -> None:
        """Load the kernels, then capture. ``begin`` and ``body`` are given the kernels and put work on the stream."""
        kernels = [kernel("loop.cu", entry, *DEFINES) for entry in entries]
        for one in kernels:  # loaded now, by asking for a property: loading is not for the middle of a capture
            _ = one.num_regs
        self.graph = WhileGraph(self.stream, lambda: begin(*kernels), lambda handle: body(*kernels, handle))

    def launch(self) -> None:
        """One graph launch."""
        assert self.graph is not None
        self.graph.launch()

    def attempts(self) -> npt.NDArray[np.int64]:
        """Attempts of every orbit in the last run (n,)."""
        result = self.result()
        return result.accepted.astype(np.int64) + result.rejected

    def attempt_bytes(self) -> float:
        """Of the attempts of orbits on their way."""
        accepted, rejected = self.taken()
        return ATTEMPT_BYTE * (accepted + rejected) + ACCEPT_BYTE * accepted

    def close(self) -> None:
        """Destroy the graph, drop the arrays."""
        if self.graph is not None:
            self.graph.close()
        none: Any = None
        self.planes = self.numbers = self.progress = none
        super().close()


def live_at(attempts: npt.NDArray[np.int64], every: int = EVERY) -> npt.NDArray[np.int64]:
    """Orbits on their way at the start of each block of so many attempts."""
    ended = np.bincount(-(-attempts // every))  # by the number of blocks an orbit takes part in
    return np.asarray(len(attempts) - np.cumsum(ended)[:-1], dtype=np.int64)


def map_bytes(live: npt.NDArray[np.int64], every: int = EVERY) -> int:
    """Of the map: itself and the steps it names read every attempt; read, looked up and written where it is made."""
    after = np.append(live[1:], 0)
    made = live != after
    return int((12 * every * live).sum() + (12 * live + 4 * after)[made].sum())


def moved(live: npt.NDArray[np.int64], theta: float = THETA) -> int:
    """Orbits that moves take along, over a run."""
    total, span = 0, int(live[0]) if len(live) else 0
    for left in live[1:].tolist():
        if 0 < left < theta * span:
            total, span = total + left, left
    return total
