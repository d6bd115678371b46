"""NVIDIA Warp: one launch; each thread runs its sample to the end, its state in registers."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.warp_arm import THREADS, WarpArm

from ..workload import Problem, Result, warp_steps

PACKAGES = ("warp",)


@cache
def kernel(real: str) -> Any:
    """The kernel in the given precision; compiled for the device at its first launch."""
    import warp

    from ..warp_step import make

    return make(getattr(warp, real))


class Arm(WarpArm):
    """The recorded launch over one problem."""

    def __init__(self, problem: Problem, context: Context, *, threads: int = THREADS) -> None:
        self.problem = problem
        outputs = [((problem.n,), dtype) for dtype in (problem.real, problem.real, "int64")]
        super().__init__(context, partial(kernel, problem.real), problem.n, problem.planes, outputs, threads)

    def result(self) -> Result:
        """The outputs in host memory."""
        return Result(*self.planes())

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once; a warp steps until its longest sample ends."""
        return {"issued_byte": self.problem.useful_byte, "issued_steps": warp_steps(self.problem.nstop)}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
