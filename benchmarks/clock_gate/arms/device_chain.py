"""A chain a thread, four blocks on every SM."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy

from ..surroundings import Surrounded
from ..workload import FACTOR, SUMMAND, Chain, Ends

SOURCE = Path(__file__).parent.parent / "chain.cu"
BLOCKS_AN_SM, THREADS = 4, 256


class Arm(Surrounded):
    """One launch."""

    def __init__(self, problem: Chain, context: Context) -> None:
        super().__init__(problem)
        cupy = import_cupy()
        module = cupy.RawModule(code=inlined(SOURCE), options=("--std=c++17",), backend="nvrtc")
        self._kernel, self._stream = module.get_function("clock_gate_chain"), cupy.cuda.Stream()
        self._grid = BLOCKS_AN_SM * (context.sm_count or 1)
        self._ends = cupy.zeros(self._grid * THREADS, dtype=np.uint32)
        self._arguments = (*map(np.uint32, (problem.steps, FACTOR, SUMMAND)), self._ends)

    def run(self) -> None:
        """Launch and wait."""
        with self._stream:
            self._kernel((self._grid,), (THREADS,), self._arguments)
            self._stream.synchronize()

    def result(self) -> Ends:
        """The first chains; every block has some."""
        return Ends(self._ends.get()[:1024])


def prepare(problem: Chain, context: Context) -> Prepared:
    """Compile."""
    return Arm(problem, context)
