"""Every thread goes through memory with several vectors on their way."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.chains import Sums

from ..device import BATCH, THREADS, DeviceArm, fill, memory_kernel, room
from ..problems import ARRAYS, FLOAT, SCALE, Memory, Stretches, stretches

BLOCKS = 8  # an SM
PASSES = 2  # a launch, so that a run is long


class Arm(DeviceArm):
    """A pattern over the arrays; a read goes through all three."""

    def __init__(
        self,
        problem: Memory,
        context: Context,
        *,
        batch: int = BATCH,
        blocks: int = BLOCKS,
        threads: int = THREADS,
        passes: int = PASSES,
    ) -> None:
        super().__init__(context)
        self._problem, self._passes, self._threads = problem, passes, threads
        self._grid = self.sm_count * blocks
        self._vectors = max(1, batch // problem.lanes)  # of a thread and round
        self._arrays = room(3 * problem.words)
        fill(self._arrays, FLOAT)
        span = problem.words * (3 if problem.pattern == "read" else 1)
        self._rounds = max(1, span // (self._grid * threads * self._vectors * problem.lanes))
        self._sums = self.cupy.zeros(self._grid * threads, np.uint32)
        self._kernel = memory_kernel(problem.pattern, problem.lanes, batch, threads)

    @property
    def words(self) -> int:
        """That one pass goes through in each of its arrays: whole rounds, so that no thread ends before another."""
        return self._grid * self._threads * self._vectors * self._problem.lanes * self._rounds

    def launch(self) -> None:
        """One kernel."""
        first, second, third = (self._arrays[i * self._problem.words :] for i in range(3))
        often: tuple[Any, ...] = (np.uint32(self._rounds), np.uint32(self._passes))
        arguments = {
            "read": (first, *often, self._sums),
            "copy": (first, third, *often),
            "triad": (first, second, third, SCALE, *often),
        }[self._problem.pattern]
        self._kernel((self._grid,), (self._threads,), arguments)

    def result(self) -> Sums | Stretches:
        """Sums, or stretches of the array that was written."""
        if self._problem.pattern == "read":
            sums = self._sums.get()
            return Sums(sums, self._problem.lanes, self._rounds * self._vectors, len(sums), 1, self._passes)
        written = self._arrays[2 * self._problem.words :][: self.words]
        return Stretches(stretches(written), self.words, self._problem.words)

    def counts(self) -> dict[str, float]:
        """Bytes that are read and written."""
        return {"memory_byte": 4.0 * self._passes * ARRAYS[self._problem.pattern] * self.words}


def prepare(problem: Memory, context: Context) -> Prepared:
    """Fill the arrays, compile."""
    return Arm(problem, context)
