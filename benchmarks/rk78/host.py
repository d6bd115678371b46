"""The attempt compiled for the host: the reference, and the OpenMP arms."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.hostcc import load

from .lines import lines_of_code
from .workload import USEFUL_BYTE, Problem, Result, outputs

HERE = Path(__file__).parent
Runner = Callable[[Problem, Result, int], None]


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once."""
    lib = load(HERE / "host.cpp", [HERE / "step.cuh"], build)
    plane = ctypes.c_void_p
    lib.rk78_run.argtypes = [ctypes.c_int64, *[plane] * 4, ctypes.c_int]
    lib.rk78_run.restype = None
    lib.rk78_attempt.argtypes = lib.rk78_step.argtypes = [plane]
    lib.rk78_attempt.restype, lib.rk78_step.restype = ctypes.c_int, ctypes.c_double
    lib.rk78_inverse_root.argtypes = lib.rk78_growth.argtypes = [ctypes.c_double, ctypes.c_int]
    lib.rk78_inverse_root.restype = lib.rk78_growth.restype = ctypes.c_double
    lib.rk78_tableau.argtypes = [plane]
    lib.rk78_tableau.restype = None
    return lib


def runner(context: Context) -> Runner:
    """A function that integrates a problem into given planes with given threads."""
    call: Any = library(context.build).rk78_run

    def run(problem: Problem, out: Result, threads: int) -> None:
        planes = (problem.start, out.end, out.accepted, out.rejected)
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
