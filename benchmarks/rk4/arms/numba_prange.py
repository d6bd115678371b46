"""Numba: prange over samples, each run to its end."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.packages import import_numba, keeps_compiled

from ..host import outputs
from ..workload import Problem, Result

PACKAGES = ("numba",)


@cache
def kernel() -> tuple[Any, Any]:
    """Numba and the compiled loop."""
    numba = import_numba()

    # contract: fused multiply-adds as in the compiled step; nothing that reorders sums.
    @numba.njit(parallel=True, fastmath={"contract"}, cache=keeps_compiled())  # type: ignore[untyped-decorator] # Numba has no types
    def integrate(omega: Any, zeta: Any, x0: Any, v0: Any, nstop: Any, x_out: Any, v_out: Any, steps_out: Any) -> None:
        h = 0.01
        for i in numba.prange(omega.shape[0]):
            c = -2.0 * zeta[i] * omega[i]
            k = -omega[i] * omega[i]
            x = x0[i]
            v = v0[i]
            count = 0
            while count < nstop[i]:
                a1 = c * v + k * x
                v2 = v + h / 2 * a1
                a2 = c * v2 + k * (x + h / 2 * v)
                v3 = v + h / 2 * a2
                a3 = c * v3 + k * (x + h / 2 * v2)
                v4 = v + h * a3
                a4 = c * v4 + k * (x + h * v3)
                x = x + h / 6 * v + h / 3 * v2 + h / 3 * v3 + h / 6 * v4
                v = v + h / 6 * a1 + h / 3 * a2 + h / 3 * a3 + h / 6 * a4
                count += 1
            x_out[i] = x
            v_out[i] = v
            steps_out[i] = count

    return numba, integrate


class Arm(Prepared):
    """The compiled loop over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        numba, self._call = kernel()
        numba.set_num_threads(min(context.threads, numba.config.NUMBA_NUM_THREADS))
        # Dynamic scheduling: samples differ in length.
        self._numba, self._chunk = numba, max(1, min(64, problem.n // (8 * context.threads)))
        self._problem, self._out = problem, outputs(problem.n)

    def run(self) -> None:
        """Integrate every sample."""
        p, out = self._problem, self._out
        with self._numba.parallel_chunksize(self._chunk):
            self._call(p.omega, p.zeta, p.x0, p.v0, p.nstop, out.x, out.v, out.steps)

    def result(self) -> Result:
        """The planes of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once."""
        return {"issued_byte": self._problem.useful_byte}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile (at the first warm-up run)."""
    os.environ.setdefault("NUMBA_NUM_THREADS", str(context.threads))
    return Arm(problem, context)
