"""C on one thread."""

from __future__ import annotations

import ctypes

from perfdocs.measure.arm import Context, Prepared

from ..host import HostArm, library
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed."""
    call = library(context.build).loops_search

    def search(target: int, limit: int) -> tuple[int, int, int]:
        found = (ctypes.c_int * 2)()
        tried = call(target, limit, found)
        return found[0], found[1], tried

    return HostArm(problem, search)
