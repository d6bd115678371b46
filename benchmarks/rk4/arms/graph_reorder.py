"""As the graph with a map of live samples; once they lie thin, their planes are moved together instead.

Thin: the samples that still run are less than half of the groups of 32 positions that hold them. A moved sample's
result is written to its own place when it ends.
"""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..loop import THETA, LiveArm
from ..workload import Problem

EVERY = 16


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return LiveArm(problem, context, launches=problem.every or EVERY, theta=THETA)
