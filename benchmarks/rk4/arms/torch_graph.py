"""PyTorch: 16 masked steps captured as one CUDA graph and replayed; the host checks between replays."""

from __future__ import annotations

from typing import Any

from perfdocs.measure.arm import Context, Prepared

from ..torch_step import BYTE_A_STEP, GraphArm, masked_step
from ..workload import Problem

PACKAGES = ("torch",)
CHECK_BYTE = 18  # the comparison and its reduction


class Arm(GraphArm):
    """PyTorch's own kernels, replayed."""

    def advance(self) -> Any:
        """Every operation is a kernel over every sample."""
        nstop = self.inputs[4]
        for _ in range(self.block):
            masked_step(self.torch, self.c, self.k, self.x, self.v, self.steps, nstop)
        return (self.steps < nstop).any()

    def counts(self) -> dict[str, float]:
        """What the masked steps and the looks at who runs move."""
        moved = BYTE_A_STEP * self.issued_steps + CHECK_BYTE * self.problem.n * self.replays
        return {"issued_byte": moved, "issued_steps": self.issued_steps}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and capture."""
    return Arm(problem, context)
