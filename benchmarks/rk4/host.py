"""The step compiled for the host: the reference, and the OpenMP arms."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.hostcc import load

from .workload import Problem, Result

HERE = Path(__file__).parent
Runner = Callable[[Problem, Result, int], None]


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once."""
    lib = load(HERE / "host.cpp", [HERE / "step.cuh"], build)
    plane = ctypes.c_void_p
    lib.rk4_run.argtypes = [ctypes.c_int64, *[plane] * 8, ctypes.c_int]
    lib.rk4_run.restype = None
    lib.rk4_step.argtypes = [plane, ctypes.c_double, ctypes.c_double]
    lib.rk4_step.restype = None
    return lib


def outputs(n: int) -> Result:
    """Planes for the end of ``n`` samples."""
    return Result(np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64))


def runner(context: Context) -> Runner:
    """A function that integrates a problem into given planes with given threads."""
    call: Any = library(context.build).rk4_run

    def run(problem: Problem, out: Result, threads: int) -> None:
        planes = (problem.omega, problem.zeta, problem.x0, problem.v0, problem.nstop, out.x, out.v, out.steps)
        call(problem.n, *(plane.ctypes.data for plane in planes), threads)

    return run


class HostArm(Prepared):
    """The OpenMP loop with a number of threads."""

    on_host = True

    def __init__(self, problem: Problem, context: Context, threads: int) -> None:
        self._problem, self._threads = problem, threads
        self._call = runner(context)
        self._out = outputs(problem.n)

    def run(self) -> None:
        """Integrate every sample."""
        self._call(self._problem, self._out, self._threads)

    def result(self) -> Result:
        """The planes of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once."""
        return {"issued_byte": self._problem.useful_byte}
