"""Every thread goes through memory with several vectors on their way."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.chains import Sums

from ..device import DeviceArm, fill, memory_kernel, room
from ..problems import ARRAYS, FLOAT, SCALE, Memory, Stretches, stretches

PASSES = 2  # a run, so that it is long


class Plan(NamedTuple):
    """Words that a thread has on their way, threads of a block, blocks of an SM.

    Where the blocks are not said there is one for each batch.
    """

    batch: int
    threads: int
    blocks: int | None = None


# A read leaves a sum a thread, so that its threads are few; writes are fastest where a thread ends with its batch.
PLANS = {"read": Plan(16, 512, 4), "copy": Plan(4, 128), "triad": Plan(4, 128)}


class Arm(DeviceArm):
    """A pattern over the arrays, so many passes a run; a read goes through all three."""

    def __init__(self, problem: Memory, context: Context, *, plan: Plan | None = None, passes: int = PASSES) -> None:
        super().__init__(context)
        batch, threads, blocks = plan or PLANS[problem.pattern]
        self._problem, self._passes, self._threads = problem, passes, threads
        self._vectors = max(1, batch // problem.lanes)  # of a thread and round
        self._arrays = room(3 * problem.words)
        fill(self._arrays, FLOAT)
        span = problem.words * (3 if problem.pattern == "read" else 1)
        of_a_block = threads * self._vectors * problem.lanes
        self._grid = self.sm_count * blocks if blocks else span // of_a_block
        self._rounds = max(1, span // (self._grid * of_a_block))
        self._sums = self.cupy.zeros(self._grid * threads if problem.pattern == "read" else 0, np.uint32)
        self._kernel = memory_kernel(problem.pattern, problem.lanes, batch, threads)

    @property
    def words(self) -> int:
        """That one pass goes through in each of its arrays: whole rounds, so that no thread ends before another."""
        return self._grid * self._threads * self._vectors * self._problem.lanes * self._rounds

    def launch(self) -> None:
        """A kernel for every pass that writes, one for all that read."""
        first, second, third = (self._arrays[i * self._problem.words :] for i in range(3))
        rounds = np.uint32(self._rounds)
        arguments: tuple[Any, ...] = {
            "read": (first, rounds, np.uint32(self._passes), self._sums),
            "copy": (first, third, rounds),
            "triad": (first, second, third, SCALE, rounds),
        }[self._problem.pattern]
        for _ in range(1 if self._problem.pattern == "read" else self._passes):
            self._kernel((self._grid,), (self._threads,), arguments)

    def result(self) -> Sums | Stretches:
        """Sums, or stretches of the array that was written."""
        if self._problem.pattern == "read":
            tile = self._threads * self._vectors
            within = (self._rounds, self._grid * tile), (self._vectors, self._threads)
            between = (self._grid, tile), (self._threads, 1)
            return Sums(self._sums.get(), self._problem.lanes, within, between, self._passes)
        written = self._arrays[2 * self._problem.words :][: self.words]
        return Stretches(stretches(written), self.words, self._problem.words)

    def counts(self) -> dict[str, float]:
        """Bytes that are read and written."""
        return {"memory_byte": 4.0 * self._passes * ARRAYS[self._problem.pattern] * self.words}


def prepare(problem: Memory, context: Context) -> Prepared:
    """Fill the arrays, compile."""
    return Arm(problem, context)
