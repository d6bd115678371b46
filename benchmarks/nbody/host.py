"""All pairs compiled for the host, and the OpenMP arms."""

from __future__ import annotations

import ctypes
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.hostcc import FLAGS, load
from perfdocs.measure.placement import processors

from .workload import SOFTENING, Problem, Reals, flop

HERE = Path(__file__).parent


@cache
def library(build: Path) -> ctypes.CDLL:
    """``host.cpp``, compiled once; products and sums of it may be fused, as on a GPU."""
    lib = load(HERE / "host.cpp", build, (*FLAGS, "-ffp-contract=fast"))
    plane = ctypes.c_void_p
    for call, real in ((lib.nbody_fp32, ctypes.c_float), (lib.nbody_fp64, ctypes.c_double)):
        call.argtypes = [ctypes.c_int, plane, real, plane, ctypes.c_int, plane]
        call.restype = None
    return lib


class HostArm(Prepared):
    """One evaluation a run, by a number of threads."""

    on_host = True

    def __init__(self, problem: Problem, context: Context, threads: int) -> None:
        self._problem, self._cpus = problem, processors(threads)
        self._planes = np.ascontiguousarray(problem.bodies.T)
        self._out = np.zeros((3, problem.n), dtype=problem.bodies.dtype)
        cpus = None if self._cpus is None else self._cpus.ctypes.data
        call: Any = getattr(library(context.build), f"nbody_{problem.type}")
        self._call = partial(call, problem.n, self._planes.ctypes.data, SOFTENING, self._out.ctypes.data, threads, cpus)

    def run(self) -> None:
        """Evaluate."""
        self._call()

    def result(self) -> Reals:
        """The accelerations of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Flop by the published rule."""
        return flop(self._problem, 1)
