"""The step compiled for the host: the reference, and the OpenMP arms, scalar and over vectors of samples."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.hostcc import FLAGS, load
from perfdocs.measure.placement import processors

from .workload import Problem, Result

HERE = Path(__file__).parent
# Beside the planes, a group's part is ordered: the stop steps are read twice more, 4 byte of order written and read.
ORDER_BYTE = 24
Runner = Callable[[Problem, Result, int], None]


@cache
def library(build: Path, *more: str) -> ctypes.CDLL:
    """``host.cpp``, compiled once; ``more`` are flags after the usual ones."""
    lib = load(HERE / "host.cpp", build, (*FLAGS, *more))
    plane = ctypes.c_void_p
    lib.rk4_run.argtypes = [ctypes.c_int64, *[plane] * 8, ctypes.c_int, plane]
    lib.rk4_run.restype = None
    lib.rk4_step.argtypes = [plane, ctypes.c_double, ctypes.c_double]
    lib.rk4_step.restype = None
    return lib


@cache
def simd_library(build: Path, *more: str) -> ctypes.CDLL:
    """``host_simd.cpp``, compiled once."""
    lib = load(HERE / "host_simd.cpp", build, (*FLAGS, *more))
    plane = ctypes.c_void_p
    lib.rk4_simd_run.argtypes = [ctypes.c_int64, *[plane] * 9, ctypes.c_int, plane]
    lib.rk4_simd_run.restype = ctypes.c_int64
    lib.rk4_simd_lanes.argtypes = []
    lib.rk4_simd_lanes.restype = ctypes.c_int
    return lib


def outputs(n: int) -> Result:
    """Planes for the end of ``n`` samples."""
    return Result(np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64))


def _address(array: npt.NDArray[Any] | None) -> int | None:
    """Where the array is. The caller keeps it alive; an arm asks once, since asking takes longer than a small step."""
    return None if array is None else int(array.ctypes.data)


def _addresses(problem: Problem, out: Result) -> list[int | None]:
    planes = (problem.omega, problem.zeta, problem.x0, problem.v0, problem.nstop, out.x, out.v, out.steps)
    return [_address(plane) for plane in planes]


def runner(context: Context, *more: str) -> Runner:
    """A function that integrates a problem into given planes with given threads, each sample by the scalar step."""
    call: Any = library(context.build, *more).rk4_run
    cpus = cache(processors)

    def run(problem: Problem, out: Result, threads: int) -> None:
        call(problem.n, *_addresses(problem, out), threads, _address(cpus(threads)))

    return run


class HostArm(Prepared):
    """The OpenMP loop with a number of threads, one sample at a time each."""

    on_host = True

    def __init__(self, problem: Problem, context: Context, threads: int) -> None:
        self._problem, self._out, self._cpus = problem, outputs(problem.n), processors(threads)
        rest = (threads, _address(self._cpus))
        self._call = partial(library(context.build).rk4_run, problem.n, *_addresses(problem, self._out), *rest)

    def run(self) -> None:
        """Integrate every sample."""
        self._call()

    def result(self) -> Result:
        """The planes of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once; no sample steps on after its end."""
        return {"issued_byte": self._problem.useful_byte, "issued_steps": self._problem.sample_steps}


class SimdArm(Prepared):
    """Vectors of samples that end together, with a number of threads.

    Raises :class:`Cannot` where the process may not use so many processors.
    """

    on_host = True

    def __init__(self, problem: Problem, context: Context, threads: int, *more: str) -> None:
        if threads > context.threads:
            raise Cannot("unsupported", f"{threads} threads on {context.threads} processors")
        self._problem, self._out, self._cpus = problem, outputs(problem.n), processors(threads)
        self._order = np.zeros(problem.n, dtype=np.uint32)
        rest = (_address(self._order), threads, _address(self._cpus))
        call: Any = simd_library(context.build, *more).rk4_simd_run
        self._call = partial(call, problem.n, *_addresses(problem, self._out), *rest)
        self._issued = 0

    def run(self) -> None:
        """Order the samples by length and integrate them."""
        issued = int(self._call())
        if issued < 0:
            raise MemoryError
        self._issued = issued

    def result(self) -> Result:
        """The planes of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Every plane once, and the ordering; the lanes of a group step until its longest sample ends."""
        return {"issued_byte": self._problem.useful_byte + ORDER_BYTE * self._problem.n, "issued_steps": self._issued}
