"""The host's arms: C++ over a number of threads."""

from __future__ import annotations

import ctypes
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.chains import Sums
from perfdocs.measure.hostcc import FLAGS, load
from perfdocs.measure.placement import processors

from .problems import (
    ARRAYS,
    FLOAT,
    SCALE,
    Arithmetic,
    Atomics,
    Counters,
    Ends,
    Latency,
    Memory,
    Problem,
    Stretches,
    Words,
    stretches,
)

HERE = Path(__file__).parent
# Vectors are as wide as the source says; a multiplication and an addition become one instruction where there is one.
MORE = ("-ffp-contract=fast", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-strict-aliasing")
SHARE = 4  # of the GPU's arrays a host goes through so small a part
PART = 2**14  # words that one thread takes at a time
TYPES = {"fp32": 0, "fp64": 1, "int32": 2}
UPDATES = 2**21  # over all threads


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once."""
    lib = load(HERE / "host.cpp", build, (*FLAGS, *MORE))
    plane, long, number = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    lib.peaks_fill.argtypes = [long, long, plane, plane, number, plane]
    lib.peaks_memory.argtypes = [number, number, long, long, *[plane] * 3, ctypes.c_float, plane, number, plane]
    lib.peaks_arithmetic.argtypes = [number, number, ctypes.c_uint, *[plane] * 3, number, plane]
    lib.peaks_regions.argtypes = [number, number]
    lib.peaks_barriers.argtypes = [number, number, plane]
    lib.peaks_add.argtypes = [plane, ctypes.c_uint, long, number, plane]
    lib.peaks_fill.restype = lib.peaks_memory.restype = lib.peaks_add.restype = None
    lib.peaks_arithmetic.restype = lib.peaks_regions.restype = lib.peaks_barriers.restype = number
    return lib


def _address(array: npt.NDArray[Any] | None) -> int | None:
    """Where the array is. The caller keeps it alive."""
    return None if array is None else int(array.ctypes.data)


@lru_cache(maxsize=1)
def arrays(build: Path, words: int, threads: int) -> Words:
    """Three arrays one behind the other, each page first written by a thread that will use it."""
    data = aligned(3 * words)
    cpus = processors(threads)
    bits = FLOAT.bits
    for first in (0, words, 2 * words):
        library(build).peaks_fill(first, words, _address(bits), _address(data[first:]), threads, _address(cpus))
    return data


def aligned(words: int) -> Words:
    """Words that begin where a vector of any width may."""
    room = np.empty(words + 32, np.uint32)
    return room[-(room.ctypes.data // 4) % 32 :][:words]


class HostArm(Prepared):
    """What the arms of a host share: the library, the threads and their processors."""

    on_host = True

    def __init__(self, context: Context, threads: int) -> None:
        self.library: Any = library(context.build)
        self.threads, self.cpus = threads, processors(threads)
        self.team = (threads, _address(self.cpus))


class HostMemory(HostArm):
    """A pattern over the arrays; a read goes through the two that nothing is written to."""

    def __init__(self, problem: Memory, context: Context, threads: int) -> None:
        super().__init__(context, threads)
        self._problem, self._array = problem, problem.words // SHARE
        self._data = arrays(context.build, self._array, context.threads)
        span = self._array * (2 if problem.pattern == "read" else 1)
        self._sums = np.zeros(span // PART, np.uint32)
        self._pattern, self._count = tuple(ARRAYS).index(problem.pattern), PART // problem.lanes

    def run(self) -> None:
        """Go through them once."""
        planes = [_address(self._data[i * self._array :]) for i in range(3)]
        self.library.peaks_memory(
            self._pattern,
            self._problem.lanes,
            len(self._sums),
            self._count,
            *planes,
            SCALE,
            _address(self._sums),
            *self.team,
        )

    def result(self) -> Sums | Stretches:
        """Sums, or stretches of the array that was written."""
        if self._problem.pattern == "read":
            return Sums(self._sums, self._problem.lanes, ((self._count, 1),), ((len(self._sums), self._count),))
        return Stretches(stretches(self._data[2 * self._array :]), self._array, self._array)

    def counts(self) -> dict[str, float]:
        """Bytes that are read and written."""
        return {"memory_byte": 4.0 * ARRAYS[self._problem.pattern] * PART * len(self._sums)}


class HostArithmetic(HostArm):
    """Chains of multiply-adds in vector registers, as many as there are registers for."""

    def __init__(self, problem: Arithmetic, context: Context, threads: int) -> None:
        super().__init__(context, threads)
        self._problem, self._sums = problem, np.zeros(threads, np.uint32)
        self._bits, self._constants = problem.element.bits, np.array(problem.element.constants)
        self._numbers = 0

    def run(self) -> None:
        """Every thread makes its steps."""
        self._numbers = self.library.peaks_arithmetic(
            TYPES[self._problem.type],
            self._problem.lanes,
            self._problem.steps,
            _address(self._bits),
            _address(self._constants),
            _address(self._sums),
            *self.team,
        )

    def result(self) -> Ends:
        """The sum of every thread."""
        return Ends(self._sums, self._numbers, self._problem.steps)

    def counts(self) -> dict[str, float]:
        """Two operations a multiply-add."""
        return self._problem.counts(float(self.threads * self._numbers * self._problem.steps))


class HostLatency(HostArm):
    """Teams of threads formed and ended, or meetings of one."""

    def __init__(self, problem: Latency, context: Context, threads: int) -> None:
        super().__init__(context, threads)
        self._problem, self._done = problem, 0

    def run(self) -> None:
        """Every one of them."""
        if self._problem.way == "region":
            self._done = self.library.peaks_regions(self._problem.repeats, self.threads)
        else:
            self._done = self.library.peaks_barriers(self._problem.repeats, *self.team)

    def result(self) -> int:
        """How many there were."""
        return self._done


class HostAtomics(HostArm):
    """Additions to counters that every thread shares."""

    def __init__(self, problem: Atomics, context: Context, threads: int) -> None:
        super().__init__(context, threads)
        self._counters = np.zeros(problem.addresses, np.uint32)
        self._rounds = UPDATES // threads

    def run(self) -> None:
        """Every thread adds to one after the other."""
        mask = self._counters.size - 1
        self.library.peaks_add(_address(self._counters), mask, self._rounds, *self.team)

    def result(self) -> Counters:
        """What one more run makes of counters that begin at 0."""
        self._counters[...] = 0
        self.run()
        return Counters(self._counters, self._rounds * self.threads)

    def counts(self) -> dict[str, float]:
        """Additions."""
        return {"updates": float(self._rounds * self.threads)}


ARMS = {Memory: HostMemory, Arithmetic: HostArithmetic, Latency: HostLatency, Atomics: HostAtomics}


def prepare(problem: Problem, context: Context, threads: int) -> Prepared:
    """The host's arm for a problem. Raises :class:`Cannot` where it has none, or there is no compiler."""
    if type(problem) not in ARMS:
        raise Cannot("unsupported", "a host has no such thing")
    arm: Any = ARMS[type(problem)]
    made: Prepared = arm(problem, context, threads)
    return made
