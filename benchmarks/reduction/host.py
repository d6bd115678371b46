"""What arms on the host share: the numbers in memory, and the compiled sum."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.hostcc import load
from perfdocs.measure.placement import processors

from .workload import FACTOR, Problem, Result

HERE = Path(__file__).parent
Numbers = npt.NDArray[np.int64]


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once."""
    lib = load(HERE / "host.cpp", build)
    plane, long = ctypes.c_void_p, ctypes.c_int64
    lib.reduction_fill.argtypes = [long, long, plane, ctypes.c_int, plane]
    lib.reduction_fill.restype = None
    lib.reduction_sum.argtypes = [long, plane, ctypes.c_int, plane]
    lib.reduction_sum.restype = long
    return lib


def _address(array: npt.NDArray[Any] | None) -> int | None:
    """Where the array is. The caller keeps it alive."""
    return None if array is None else int(array.ctypes.data)


def scrambled(n: int) -> Numbers:
    """The numbers by NumPy."""
    made = np.arange(n, dtype=np.int64)
    made *= FACTOR
    made &= n - 1
    made += 1
    return made


@lru_cache(maxsize=1)
def numbers(n: int, context: Context) -> Numbers:
    """The numbers in host memory, spread over it as threads will read them; kept for the next arm."""
    try:
        fill = library(context.build).reduction_fill
    except Cannot:
        return scrambled(n)
    made, cpus = np.empty(n, dtype=np.int64), processors(context.threads)
    fill(n, FACTOR, _address(made), context.threads, _address(cpus))
    return made


class HostArm(Prepared):
    """One sum a run."""

    on_host = True

    def __init__(self, add_up: Callable[[], int]) -> None:
        self._add_up, self._total = add_up, 0

    def run(self) -> None:
        """Add up."""
        self._total = self._add_up()

    def result(self) -> Result:
        """The last sum."""
        return [int(self._total)]

    def counts(self) -> dict[str, float]:
        """One sum."""
        return {"sums": 1}


class OpenMPArm(HostArm):
    """The compiled sum by a number of threads."""

    def __init__(self, problem: Problem, context: Context, threads: int) -> None:
        call: Any = library(context.build).reduction_sum
        self._numbers, self._cpus = numbers(problem.n, context), processors(threads)
        super().__init__(partial(call, problem.n, _address(self._numbers), threads, _address(self._cpus)))
