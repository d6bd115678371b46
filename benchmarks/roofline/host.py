"""The chains compiled for the host, over a number of threads."""

from __future__ import annotations

import ctypes
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.chains import ELEMENTS, Sums
from perfdocs.measure.hostcc import FLAGS, load
from perfdocs.measure.placement import processors

from .workload import MOST_WORDS, Chains

HERE = Path(__file__).parent
TYPES = {"fp32": 0, "fp64": 1, "int32": 2}
PART = 2**14  # words that one thread takes at a time
LARGEST = MOST_WORDS // 4  # words of the buffer


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once: a multiplication and an addition become one instruction where there is one."""
    lib = load(HERE / "host.cpp", build, (*FLAGS, "-ffp-contract=fast"))
    plane, long, number = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    lib.roofline_fill.argtypes = [long, plane, plane, number, plane]
    lib.roofline_fma.argtypes = [number, long, long, plane, ctypes.c_uint, plane, plane, number, plane]
    lib.roofline_fill.restype = lib.roofline_fma.restype = None
    return lib


def _address(array: npt.NDArray[Any] | None) -> int | None:
    """Where the array is. The caller keeps it alive."""
    return None if array is None else int(array.ctypes.data)


@lru_cache(maxsize=1)
def buffer(build: Path, type_: str, words: int, threads: int) -> npt.NDArray[np.uint32]:
    """Random words of a type, each page first written by a thread that will use it; the last buffer is kept."""
    data, bits, cpus = np.empty(words, np.uint32), ELEMENTS[type_].bits, processors(threads)
    library(build).roofline_fill(words, _address(bits), _address(data), threads, _address(cpus))
    return data


class HostArm(Prepared):
    """The chains of one problem."""

    on_host = True

    def __init__(self, problem: Chains, context: Context, threads: int) -> None:
        self._problem, self._threads, self._cpus = problem, threads, processors(threads)
        self._call: Any = library(context.build).roofline_fma
        self._data = buffer(context.build, problem.type, max(LARGEST, problem.host_words), threads)
        self._sums = np.zeros(problem.host_words // PART, np.uint32)
        self._constants = np.array(problem.element.constants)

    def run(self) -> None:
        """Every element once."""
        self._call(
            TYPES[self._problem.type],
            len(self._sums),
            PART,
            _address(self._data),
            self._problem.chain,
            _address(self._constants),
            _address(self._sums),
            self._threads,
            _address(self._cpus),
        )

    def result(self) -> Sums:
        """A sum a part."""
        return Sums(self._sums, 1, ((PART, 1),), ((len(self._sums), PART),))

    def counts(self) -> dict[str, float]:
        """Of the words gone through."""
        return self._problem.counts(float(PART * len(self._sums)))
