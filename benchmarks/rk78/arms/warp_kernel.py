"""NVIDIA Warp: one launch; each thread runs its orbit to the end, its state in registers."""

from __future__ import annotations

from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.warp_arm import THREADS, WarpArm

from ..lines import lines_of_code
from ..workload import USEFUL_BYTE, Problem, Result

PACKAGES = ("warp",)


def kernel() -> Any:
    """The kernel; compiled for the device at its first launch."""
    from ..warp_step import rk78_warp

    return rk78_warp


class Arm(WarpArm):
    """The recorded launch over one problem."""

    def __init__(self, problem: Problem, context: Context, *, threads: int = THREADS) -> None:
        self.problem, n = problem, problem.n
        outputs = [((7, n), "float64"), ((n,), "int32"), ((n,), "int32")]
        super().__init__(context, kernel, n, [problem.start], outputs, threads)

    def result(self) -> Result:
        """The outputs in host memory."""
        return Result(*self.planes())

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once."""
        return {
            "issued_byte": USEFUL_BYTE * self.problem.n,
            "code_lines": lines_of_code("arms/warp_kernel.py", "warp_step.py", "tableau.py"),
        }


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
