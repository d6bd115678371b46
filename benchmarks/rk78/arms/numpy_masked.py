"""NumPy: array expressions over the whole batch an attempt, into buffers made once."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Point, Prepared

from ..lines import lines_of_code
from ..masked import BYTE_AN_ATTEMPT, Loop
from ..workload import Problem, Result

MOST = 10**5


def limits(at: Point) -> str | None:
    """Larger batches take many minutes and say nothing new."""
    return f"array expressions of NumPy run up to {MOST} orbits" if float(at.get("n", 0)) > MOST else None


class Arm(Prepared):
    """The masked loop over one problem."""

    def __init__(self, problem: Problem) -> None:
        self._loop = Loop(np, problem.start)

    def run(self) -> None:
        """Attempt until no orbit is on its way."""
        self._loop.run()

    def result(self) -> Result:
        """The planes of the last run."""
        return Result(self._loop.end, self._loop.accepted, self._loop.rejected)

    def counts(self) -> dict[str, float]:
        """Passes over every orbit in every attempt."""
        issued = BYTE_AN_ATTEMPT * self._loop.loops * self._loop.start.shape[1]
        return {
            "issued_byte": issued,
            "code_lines": lines_of_code("arms/numpy_masked.py", "masked.py", "tableau.py"),
        }


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Allocate the buffers."""
    return Arm(problem)
