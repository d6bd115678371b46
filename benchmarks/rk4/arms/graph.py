"""One graph launch; a WHILE node on the device repeats one step over all samples until none is running."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..loop import EveryArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return EveryArm(problem, context)
