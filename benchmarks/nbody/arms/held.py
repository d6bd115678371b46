"""Tiles in shared memory, several bodies a thread, the others shared out among the warps of a block."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..device import KernelArm
from ..workload import Problem

THREADS = 512
MOST_HELD = {"fp32": 8, "fp64": 2}


def held_by_thread(problem: Problem, sm_count: int) -> int:
    """As many bodies as leave nearly every SM a block."""
    held = MOST_HELD[problem.type]
    while held > 1 and problem.n // (32 * held) < 0.9 * sm_count:
        held //= 2
    return held


class Arm(KernelArm):
    """A block for every ``32 * held`` bodies."""

    def __init__(
        self,
        problem: Problem,
        context: Context,
        *,
        threads: int = THREADS,
        held: int | None = None,
        resident: int | None = None,
    ) -> None:
        held = held or held_by_thread(problem, context.sm_count or 1)
        resident = resident or (512 if held > 4 else 1024)  # threads an SM that the registers leave room for
        defines = (f"NBODY_BODIES={held}", f"NBODY_RESIDENT={resident}")
        super().__init__(problem, "nbody_held", threads, 32 * held, *defines)


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
