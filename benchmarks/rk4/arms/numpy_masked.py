"""NumPy: array expressions over the whole batch a step, into buffers made once; where keeps finished samples."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..numpy_step import BYTE_A_STEP, MaskedStep
from ..workload import Problem, Result


class Arm(Prepared):
    """The masked loop over one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._step = problem, MaskedStep(problem.n)
        self._damping, self._stiffness = problem.damping, problem.stiffness
        self._running = np.empty(problem.n, dtype=bool)
        self._x, self._v = np.empty(problem.n), np.empty(problem.n)
        self._steps = np.empty(problem.n, dtype=np.int64)
        self._loops = 0

    def run(self) -> None:
        """Step the whole batch until nobody runs."""
        p, x, v, steps, running = self._problem, self._x, self._v, self._steps, self._running
        np.copyto(x, p.x0)
        np.copyto(v, p.v0)
        steps[:] = 0
        self._loops = 0
        while np.less(steps, p.nstop, out=running).any():
            self._step(self._damping, self._stiffness, x, v, running)
            np.add(steps, running, out=steps)
            self._loops += 1

    def result(self) -> Result:
        """The planes of the last run."""
        return Result(self._x, self._v, self._steps)

    def counts(self) -> dict[str, float]:
        """Passes over every sample in every step."""
        issued = self._problem.n * self._loops
        return {"issued_byte": BYTE_A_STEP * issued, "issued_steps": issued}


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Allocate the buffers."""
    return Arm(problem)
