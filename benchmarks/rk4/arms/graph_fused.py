"""One graph launch; a WHILE node repeats a launch of 16 steps, state in registers between, until no sample runs."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..loop import EveryArm
from ..workload import Problem

STEPS = 16


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return EveryArm(problem, context, steps=STEPS)
