"""Numba: prange over orbits, each run to its end."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.packages import import_numba

from ..lines import lines_of_code
from ..workload import USEFUL_BYTE, Problem, Result, outputs

PACKAGES = ("numba",)


@cache
def kernel() -> tuple[Any, Any]:
    """Numba and the compiled loop."""
    numba = import_numba()
    from ..numba_step import integrate

    return numba, integrate


class Arm(Prepared):
    """The compiled loop over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        numba, self._call = kernel()
        numba.set_num_threads(min(context.threads, numba.config.NUMBA_NUM_THREADS))
        # Dynamic scheduling: orbits differ in length.
        self._numba, self._chunk = numba, max(1, min(64, problem.n // (8 * context.threads)))
        self._problem, self._out = problem, outputs(problem.n)

    def run(self) -> None:
        """Integrate every orbit."""
        with self._numba.parallel_chunksize(self._chunk):
            self._call(self._problem.start, *self._out)

    def result(self) -> Result:
        """The planes of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once."""
        return {
            "issued_byte": USEFUL_BYTE * self._problem.n,
            "code_lines": lines_of_code("arms/numba_prange.py", "numba_step.py", "tableau.py"),
        }


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile (at the first warm-up run)."""
    os.environ.setdefault("NUMBA_NUM_THREADS", str(context.threads))
    return Arm(problem, context)
