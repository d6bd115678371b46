"""NumPy: a row of pairs at a time."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..host import HostArm
from ..workload import Problem


def search(target: int, limit: int) -> tuple[int, int, int]:
    """The pair and the pairs tried, which are all: an array expression is not left early."""
    numbers = np.arange(limit + 1, dtype=np.int32)
    first = second = tried = 0
    for i in range(1, limit):
        row = numbers[i + 1 :]
        hits = np.flatnonzero(i * row == target)
        if hits.size:
            first, second = i, int(row[hits[0]])
        tried += row.size
    return first, second, tried


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Nothing to prepare."""
    return HostArm(problem, search)
