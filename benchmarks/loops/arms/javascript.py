"""JavaScript, by Node.js."""

from __future__ import annotations

import shutil

from perfdocs.measure.arm import Cannot, Context, Prepared

from ..host import HERE, ProgramArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Find the interpreter."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        raise Cannot("not_installed", "Node.js (node) is not installed")
    return ProgramArm(problem, [node, str(HERE / "search.js")])
