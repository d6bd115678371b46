"""Every thread loads several vectors at once and carries their elements through the chain."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.chains import Sums
from perfdocs.measure.packages import import_cupy

from ..device import THREADS, buffer, kernel
from ..workload import MOST_WORDS, Chains

LOADS = 8  # 16-byte loads that a thread has on their way
BLOCKS = 3  # an SM
PAIRS = 8  # pairs of steps in the loop's body
VECTOR = 4  # words of 16 byte


class Arm(Prepared):
    """One launch over whole rounds, so that no thread ends before another."""

    def __init__(
        self,
        problem: Chains,
        context: Context,
        *,
        loads: int = LOADS,
        blocks: int = BLOCKS,
        threads: int = THREADS,
        pairs: int = PAIRS,
    ) -> None:
        cupy = import_cupy()
        self._problem, self._threads = problem, threads
        self._grid = (context.sm_count or 1) * blocks
        self._stream = cupy.cuda.Stream()
        self._data = buffer(problem.type, max(problem.words, MOST_WORDS))
        self._sums = cupy.zeros(self._grid * threads, np.uint32)
        round_ = self._grid * threads * loads * VECTOR
        self._rounds = max(1, problem.words // round_)
        self._words, self._count = self._rounds * round_, self._rounds * loads
        values = {"TYPE": problem.element.name, "LOADS": loads, "THREADS": threads, "BLOCKS": blocks, "PAIRS": pairs}
        self._kernel = kernel("roofline_fma", *(f"{key}={value}" for key, value in values.items()))

    def run(self) -> None:
        """Launch and wait."""
        numbers = (self._rounds, self._problem.passes, self._problem.chain)
        arguments = (self._data, *map(np.uint32, numbers), *self._problem.element.constants, self._sums)
        with self._stream:
            self._kernel((self._grid,), (self._threads,), arguments)
            self._stream.synchronize()

    def result(self) -> Sums:
        """A sum a thread."""
        sums = self._sums.get()
        return Sums(sums, VECTOR, ((self._count, len(sums)),), ((len(sums), 1),), self._problem.passes)

    def counts(self) -> dict[str, float]:
        """Of every pass."""
        return self._problem.counts(float(self._problem.passes * self._words))

    def close(self) -> None:
        """Let go of the arrays; the buffer is kept for the next point."""
        none: Any = None
        self._data = self._sums = none


def prepare(problem: Chains, context: Context) -> Prepared:
    """Fill the buffer, compile."""
    return Arm(problem, context)
