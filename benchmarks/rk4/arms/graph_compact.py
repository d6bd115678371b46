"""One graph launch; a WHILE node repeats 16 launches of one step over a map of the samples that still run.

The map is made anew on the device after a round in which a sample ended.
"""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..loop import LiveArm
from ..workload import Problem

EVERY = 16


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return LiveArm(problem, context, launches=problem.every or EVERY)
