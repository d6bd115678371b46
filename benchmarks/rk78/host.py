"""The attempt compiled for the host: the reference, and the OpenMP arms, scalar and over vectors of orbits."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy.typing as npt

from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.hostcc import FLAGS, load
from perfdocs.measure.placement import processors

from .lines import lines_of_code
from .workload import USEFUL_BYTE, Problem, Result, outputs

HERE = Path(__file__).parent
Runner = Callable[[Problem, Result, int], None]


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once."""
    lib = load(HERE / "host.cpp", build)
    plane = ctypes.c_void_p
    lib.rk78_run.argtypes = [ctypes.c_int64, *[plane] * 4, ctypes.c_int, plane]
    lib.rk78_run.restype = None
    lib.rk78_attempt.argtypes = lib.rk78_step.argtypes = [plane]
    lib.rk78_attempt.restype, lib.rk78_step.restype = ctypes.c_int, ctypes.c_double
    lib.rk78_inverse_root.argtypes = lib.rk78_growth.argtypes = [ctypes.c_double, ctypes.c_int]
    lib.rk78_inverse_root.restype = lib.rk78_growth.restype = ctypes.c_double
    lib.rk78_tableau.argtypes = [plane]
    lib.rk78_tableau.restype = None
    return lib


@cache
def simd_library(build: Path, *more: str) -> ctypes.CDLL:
    """``host_simd.cpp``, compiled once; ``more`` are flags after the usual ones."""
    lib = load(HERE / "host_simd.cpp", build, (*FLAGS, *more))
    plane = ctypes.c_void_p
    lib.rk78_simd_run.argtypes = [ctypes.c_int64, *[plane] * 4, ctypes.c_int, plane]
    lib.rk78_simd_run.restype = ctypes.c_int64
    lib.rk78_simd_growth.argtypes = lib.rk78_simd_inverse.argtypes = [plane, ctypes.c_int, plane]
    lib.rk78_simd_growth.restype = lib.rk78_simd_inverse.restype = None
    lib.rk78_simd_lanes.argtypes = []
    lib.rk78_simd_lanes.restype = ctypes.c_int
    return lib


def _address(array: npt.NDArray[Any] | None) -> int | None:
    """Where the array is. The caller keeps it alive."""
    return None if array is None else int(array.ctypes.data)


def _addresses(problem: Problem, out: Result) -> list[int | None]:
    return [_address(plane) for plane in (problem.start, out.end, out.accepted, out.rejected)]


def runner(context: Context) -> Runner:
    """A function that integrates a problem into given planes with given threads."""
    call: Any = library(context.build).rk78_run
    cpus = cache(processors)

    def run(problem: Problem, out: Result, threads: int) -> None:
        call(problem.n, *_addresses(problem, out), threads, _address(cpus(threads)))

    return run


class HostArm(Prepared):
    """The OpenMP loop with a number of threads."""

    on_host = True

    def __init__(self, problem: Problem, context: Context, threads: int) -> None:
        self._problem, self._threads = problem, threads
        self._call = runner(context)
        self._out = outputs(problem.n)

    def run(self) -> None:
        """Integrate every orbit."""
        self._call(self._problem, self._out, self._threads)

    def result(self) -> Result:
        """The planes of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once."""
        return {
            "issued_byte": USEFUL_BYTE * self._problem.n,
            "code_lines": lines_of_code("arms/cpu_openmp.py", "host.cpp#run", "step.cuh"),
        }


class SimdArm(Prepared):
    """Vectors of orbits whose lanes are refilled, with a number of threads.

    Raises :class:`Cannot` where the process may not use so many processors.
    """

    on_host = True

    def __init__(self, problem: Problem, context: Context, threads: int, *more: str) -> None:
        if threads > context.threads:
            raise Cannot("unsupported", f"{threads} threads on {context.threads} processors")
        self._problem, self._out, self._cpus = problem, outputs(problem.n), processors(threads)
        call: Any = simd_library(context.build, *more).rk78_simd_run
        self._call = partial(call, problem.n, *_addresses(problem, self._out), threads, _address(self._cpus))
        self._issued = 0

    def run(self) -> None:
        """Integrate every orbit."""
        self._issued = int(self._call())

    def result(self) -> Result:
        """The planes of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once; attempts of lanes that idle while the last orbits end are issued too."""
        return {
            "issued_byte": USEFUL_BYTE * self._problem.n,
            "issued_attempts": self._issued,
            "code_lines": lines_of_code("arms/cpu_simd.py", "host_simd.cpp#run", "lanes.hpp", "step.cuh"),
        }
