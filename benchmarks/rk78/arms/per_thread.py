"""One launch; each thread runs its orbit to the end, its state in registers."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.launch import Launch

from ..device import KernelArm, blocks, kernel
from ..workload import Problem

THREADS = 32  # a block: small, so that a small batch spreads over many SMs
BLOCKS = 16  # an SM: what the registers must leave room for


def plan(
    n: int,
    sm_count: int,  # noqa: ARG001 - the shape of every plan
    *defines: str,
    threads: int = THREADS,
    blocks_an_sm: int = BLOCKS,
) -> Launch:
    """A thread for every orbit."""
    defines += (f"RK78_THREADS={threads}", f"RK78_THREAD_BLOCKS={blocks_an_sm}")
    function = kernel("lanes.cu", "rk78_per_thread", *defines)
    return Launch(function, blocks(n, threads), threads, before=(np.int64(n),))


class Arm(KernelArm):
    """The kernel over one problem."""

    code = ("arms/per_thread.py", "lanes.cu#per_thread", "step.cuh")

    def __init__(self, problem: Problem, context: Context, **knobs: int) -> None:
        super().__init__(problem, context, plan(problem.n, context.sm_count or 1, **knobs))


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
