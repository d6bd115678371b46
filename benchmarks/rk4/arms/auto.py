"""A policy picks the arm from the size of the batch and the device; which one it picked is recorded."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.packages import import_cupy
from perfdocs.measure.picked import Picked

from ..policy import arm, pick
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Pick, and prepare what was picked."""
    import_cupy()
    name = pick(problem.n, context.sm_count or 1)
    return Picked(name, arm(name).prepare(problem, context))
