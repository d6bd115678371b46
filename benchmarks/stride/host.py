"""The arms on the host: the walk in C++ over one array that the threads themselves filled."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.hostcc import load
from perfdocs.measure.placement import processors

from .workload import LANES, Problem, Result

if TYPE_CHECKING:
    Words = npt.NDArray[np.uint32]

HERE = Path(__file__).parent


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once."""
    lib = load(HERE / "host.cpp", build)
    plane, count, number = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    lib.stride_read.argtypes, lib.stride_read.restype = [plane, number, number, plane, count, number, plane], None
    lib.stride_fill.argtypes, lib.stride_fill.restype = [plane, count, number, plane], None
    return lib


@lru_cache(maxsize=1)
def filled(count: int, threads: int, build: Path) -> Words:
    """So many random words, each thread's part first written by itself."""
    buffer = np.empty(count, dtype=np.uint32)
    cpus = processors(threads)
    address = None if cpus is None else cpus.ctypes.data
    library(build).stride_fill(buffer.ctypes.data, count, threads, address)
    return buffer


class Walk(Prepared):
    """The walk with a number of threads."""

    on_host = True

    def __init__(self, problem: Problem, context: Context, threads: int) -> None:
        self._problem, self._cpus = problem, processors(threads)
        self._buffer = filled(problem.words, context.threads, context.build)
        self._sums = np.zeros(problem.threads // LANES, dtype=np.uint32)
        self._call = library(context.build).stride_read
        addresses = (self._buffer.ctypes.data, problem.ints, problem.shift, self._sums.ctypes.data)
        self._arguments = (*addresses, problem.threads, threads, None if self._cpus is None else self._cpus.ctypes.data)

    def run(self) -> None:
        """Read the array once."""
        self._call(*self._arguments)

    def result(self) -> Result:
        """The sums of 32 threads each."""
        return Result(self._sums)

    def counts(self) -> Mapping[str, float]:
        """The array is read once."""
        return {"useful_byte": 4 * self._problem.words, "footprint_byte": 4 * self._problem.words}
