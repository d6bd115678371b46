"""One graph launch; a WHILE node repeats four launches of 16 steps each over a map of the samples that still run.

The map is made anew on the device after 64 steps in which a sample ended.
"""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..loop import LiveArm
from ..workload import Problem

STEPS = 16
LAUNCHES = 4


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return LiveArm(problem, context, steps=STEPS, launches=LAUNCHES)
