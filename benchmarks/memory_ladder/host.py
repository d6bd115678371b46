"""The arms on a host's threads: BabelStream's kernels in C++ over arrays that the threads themselves filled."""

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
from perfdocs.measure.words import PERIOD

from .streams import SCALAR, Result, Streams

if TYPE_CHECKING:
    Reals = npt.NDArray[np.float64]

HERE = Path(__file__).parent
ALIGNED = 64  # byte: the widest vector
ELEMENTWISE = ("copy", "scale", "add", "triad", "triad_ordinary")


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once."""
    lib = load(HERE / "host.cpp", build)
    plane, count, threads = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    for name in ELEMENTWISE:
        call = getattr(lib, f"stream_{name}")
        call.argtypes, call.restype = [plane, plane, plane, ctypes.c_double, count, threads, plane], None
    lib.stream_dot.argtypes, lib.stream_dot.restype = [plane, plane, count, threads, plane], ctypes.c_double
    lib.stream_fill.argtypes, lib.stream_fill.restype = [plane, plane, plane, count, threads, plane], None
    return lib


def aligned(n: int) -> Reals:
    """``n`` reals at a multiple of 64 byte; no page of them is there before somebody writes to it."""
    room = np.empty(8 * n + ALIGNED, dtype=np.uint8)
    first = -room.ctypes.data % ALIGNED
    return room[first : first + 8 * n].view(np.float64)


@lru_cache(maxsize=1)
def arrays(n: int, threads: int, build: Path) -> tuple[Reals, Reals, Reals]:
    """x, y and z, each thread's part first written by itself, so that its pages lie near its processor."""
    found = (aligned(n), aligned(n), aligned(n))
    cpus = processors(threads)
    addresses = [array.ctypes.data for array in found]
    library(build).stream_fill(*addresses, n, threads, None if cpus is None else cpus.ctypes.data)
    return found


class Stream(Prepared):
    """A kernel by ``stored``, the name of its function; it computes ``name``."""

    on_host = True

    def __init__(self, name: str, problem: Streams, context: Context, stored: str | None = None) -> None:
        self._name, self._problem = name, problem
        self._cpus = processors(problem.threads)
        self._x, self._y, self._z = arrays(problem.n, problem.threads, context.build)
        self._z.fill(0.0)  # what another arm left there would do for this one's result
        rest = (problem.n, problem.threads, None if self._cpus is None else self._cpus.ctypes.data)
        sources = (self._x.ctypes.data, self._y.ctypes.data)
        self._arguments = (*sources, *rest) if name == "dot" else (*sources, self._z.ctypes.data, SCALAR, *rest)
        self._call = getattr(library(context.build), f"stream_{stored or name}")
        self._total = 0.0

    def run(self) -> None:
        """Every pass."""
        for _ in range(self._problem.passes):
            self._total = self._call(*self._arguments)

    def result(self) -> Result:
        """The sum over z, by NumPy, and its last period."""
        if self._name == "dot":
            return Result(self._name, self._total, None)
        return Result(self._name, float(self._z.sum()), self._z[-PERIOD:].copy())

    def counts(self) -> Mapping[str, float]:
        """Bytes of a run."""
        return self._problem.counts(self._name)
