"""The two Python loops, compiled by Numba for one thread."""

from __future__ import annotations

from functools import cache
from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.packages import import_numba

from ..host import HostArm
from ..search import search
from ..workload import Problem

PACKAGES = ("numba",)


@cache
def compiled() -> Any:
    """The loops; compiled at their first call."""
    return import_numba().njit(search)


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Compile (at the first warm-up run)."""
    return HostArm(problem, compiled())
