"""NumPy: array expressions over the whole batch a step, into buffers made once; where keeps finished samples."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..workload import STEP, Problem, Result

# Planes read and written by the array expressions of one step, 8 byte an element each, and 5 boolean ones.
BYTE_A_STEP = 8 * 106 + 5


class Arm(Prepared):
    """The masked loop over one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._damping, self._stiffness = problem.damping, problem.stiffness
        self._buffers = [np.empty(problem.n) for _ in range(10)]
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
            self._step(x, v, running)
            np.add(steps, running, out=steps)
            self._loops += 1

    def _acceleration(self, x: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        spare = self._buffers[9]
        np.multiply(self._damping, v, out=out)
        np.multiply(self._stiffness, x, out=spare)
        np.add(out, spare, out=out)

    @staticmethod
    def _shifted(base: np.ndarray, factor: float, slope: np.ndarray, out: np.ndarray) -> None:
        np.multiply(slope, factor, out=out)
        np.add(base, out, out=out)

    def _sum(self, base: np.ndarray, k1: np.ndarray, k2: np.ndarray, k3: np.ndarray, k4: np.ndarray) -> np.ndarray:
        total = self._buffers[8]
        np.add(k2, k3, out=total)
        np.multiply(total, 2.0, out=total)
        np.add(total, k1, out=total)
        np.add(total, k4, out=total)
        np.multiply(total, STEP / 6, out=total)
        np.add(total, base, out=total)
        return total

    def _step(self, x: np.ndarray, v: np.ndarray, running: np.ndarray) -> None:
        a1, a2, a3, a4, v2, v3, v4, place, _, _ = self._buffers
        self._acceleration(x, v, a1)
        self._shifted(v, STEP / 2, a1, v2)
        self._shifted(x, STEP / 2, v, place)
        self._acceleration(place, v2, a2)
        self._shifted(v, STEP / 2, a2, v3)
        self._shifted(x, STEP / 2, v2, place)
        self._acceleration(place, v3, a3)
        self._shifted(v, STEP, a3, v4)
        self._shifted(x, STEP, v3, place)
        self._acceleration(place, v4, a4)
        next_x = self._sum(x, v, v2, v3, v4)
        np.copyto(x, next_x, where=running)
        next_v = self._sum(v, a1, a2, a3, a4)
        np.copyto(v, next_v, where=running)

    def result(self) -> Result:
        """The planes of the last run."""
        return Result(self._x, self._v, self._steps)

    def counts(self) -> dict[str, float]:
        """Passes over every sample in every step."""
        return {"issued_byte": BYTE_A_STEP * self._problem.n * self._loops}


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Allocate the buffers."""
    return Arm(problem)
