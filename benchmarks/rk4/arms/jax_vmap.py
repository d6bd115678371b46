"""JAX on the CPU: one compiled executable; while_loop batched by vmap runs until the last sample ends."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..jax_step import JaxArm
from ..workload import Problem

PACKAGES = ("jax",)


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile."""
    return JaxArm(problem, context)
