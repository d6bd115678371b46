"""PyTorch: array expressions over the whole batch a step; where keeps finished samples; the host checks every step."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..torch_step import BYTE_A_STEP, TorchArm, masked_step
from ..workload import Problem

PACKAGES = ("torch",)
CHECK_BYTE = 18  # the comparison and its reduction


class Arm(TorchArm):
    """The masked loop over one problem."""

    loops = 0

    def loop(self) -> None:
        """Step the whole batch until nobody runs."""
        nstop = self.inputs[4]
        self.loops = 0
        while bool((self.steps < nstop).any()):
            masked_step(self.torch, self.c, self.k, self.x, self.v, self.steps, nstop)
            self.loops += 1

    def counts(self) -> dict[str, float]:
        """Every operation is a pass over every sample."""
        issued = self.problem.n * self.loops
        return {"issued_byte": (BYTE_A_STEP + CHECK_BYTE) * issued, "issued_steps": issued}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload."""
    return Arm(problem, context)
