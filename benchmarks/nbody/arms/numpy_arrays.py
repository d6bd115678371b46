"""NumPy: some rows of the matrix of pairs at a time."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Point, Prepared

from ..arrays import accelerate
from ..workload import Problem, Reals, flop

MOST = 2**13
PAIRS = 2**16  # at a time: what a cache holds


def limits(at: Point) -> str | None:
    """More bodies take seconds and say nothing new."""
    return f"array expressions of NumPy run up to {MOST} bodies" if int(at["bodies"]) > MOST else None


class Arm(Prepared):
    """The array expressions over one problem."""

    on_host = True

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._out = np.zeros((3, problem.n), dtype=problem.bodies.dtype)

    def run(self) -> None:
        """Evaluate."""
        accelerate(np, self._problem.bodies, self._out, PAIRS)

    def result(self) -> Reals:
        """The accelerations of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """Flop by the published rule."""
        return flop(self._problem, 1)


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Allocate the result."""
    return Arm(problem)
