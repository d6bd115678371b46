"""One graph launch; a WHILE node repeats K launches of one step over all samples and looks once who is running."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..loop import EveryArm
from ..workload import Problem

EVERY = 16


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return EveryArm(problem, context, launches=problem.every or EVERY)
