"""The chains compiled for the host, over a number of threads."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.hostcc import FLAGS, load
from perfdocs.measure.placement import processors

from .workload import Ends, Problem

HERE = Path(__file__).parent


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once: a multiplication and an addition become one instruction where there is one."""
    lib = load(HERE / "host.cpp", build, (*FLAGS, "-ffp-contract=fast"))
    plane, number = ctypes.c_void_p, ctypes.c_int
    lib.parallelism_chains.argtypes = [number, number, ctypes.c_uint, plane, plane, plane, number, plane]
    lib.parallelism_chains.restype = None
    lib.parallelism_register.argtypes, lib.parallelism_register.restype = [], number
    return lib


def _address(array: npt.NDArray[Any] | None) -> int | None:
    """Where the array is. The caller keeps it alive."""
    return None if array is None else int(array.ctypes.data)


class HostArm(Prepared):
    """So many vector registers a thread."""

    on_host = True

    def __init__(self, problem: Problem, context: Context, threads: int) -> None:
        self._problem, self._threads, self._cpus = problem, threads, processors(threads)
        self._library: Any = library(context.build)
        self._bits, self._constants = problem.element.bits, np.array(problem.element.constants)
        self._sums = np.zeros(threads, np.uint32)
        self._elements = problem.chains * int(self._library.parallelism_register()) // problem.element.size

    def run(self) -> None:
        """Every thread makes its steps."""
        self._library.parallelism_chains(
            self._problem.type == "fp64",
            self._problem.chains,
            self._problem.steps,
            _address(self._bits),
            _address(self._constants),
            _address(self._sums),
            self._threads,
            _address(self._cpus),
        )

    def result(self) -> Ends:
        """The sum of every thread."""
        return Ends(self._sums, self._elements)

    def counts(self) -> dict[str, float]:
        """Operations, and the steps of a chain."""
        return {**self._problem.counts(float(self._threads * self._elements)), "steps": self._problem.steps}
