"""One launch; each thread runs its sample to the end, its state in registers."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.launch import Launch

from ..device import KernelArm, blocks, kernel
from ..workload import Problem, warp_steps

THREADS = 64  # small, so that a small batch spreads over many SMs
UNROLL = 20


def plan(n: int, sm_count: int, real: str, *, threads: int = THREADS, unroll: int = UNROLL) -> Launch:  # noqa: ARG001 - the shape of every plan
    """A thread for every sample."""
    function = kernel("lanes.cu", "rk4_per_thread", f"RK4_UNROLL={unroll}", real=real)
    return Launch(function, blocks(n, threads), threads, before=(np.int64(n),))


def issued_steps(problem: Problem, sm_count: int) -> int:  # noqa: ARG001 - as of every arm with a plan
    """Lanes times steps issued: a warp steps until its longest sample ends."""
    return warp_steps(problem.nstop)


class Arm(KernelArm):
    """The kernel over one problem."""

    def __init__(self, problem: Problem, context: Context, **choices: int) -> None:
        super().__init__(problem, context, plan(problem.n, context.sm_count or 1, problem.real, **choices))

    def counts(self) -> dict[str, float]:
        """A warp steps until its longest sample ends."""
        return {**super().counts(), "issued_steps": issued_steps(self.problem, self.sm_count)}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
