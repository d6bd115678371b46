"""PyTorch: array expressions over the whole batch an attempt, into buffers made once; the host checks every attempt."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..lines import lines_of_code
from ..torch_step import BYTE_AN_ATTEMPT, CHECK_BYTE, KERNELS_AN_ATTEMPT, TorchArm
from ..workload import MOST_ATTEMPTS, Problem

PACKAGES = ("torch",)


class Arm(TorchArm):
    """The masked loop over one problem."""

    loops = 0

    def loop(self) -> None:
        """Attempt until no orbit is on its way."""
        self.loops = 0
        while self.loops < MOST_ATTEMPTS and bool(self.on_the_way()):
            self.attempt()
            self.loops += 1

    def counts(self) -> dict[str, float]:
        """Every operation is a pass over every orbit."""
        return {
            "issued_byte": (BYTE_AN_ATTEMPT + CHECK_BYTE) * self.n * self.loops,
            "code_lines": lines_of_code("arms/torch_masked.py", "torch_step.py", "tableau.py"),
        }

    def least_kernels(self) -> int | None:
        """As many as the loop has operations."""
        return KERNELS_AN_ATTEMPT * self.loops


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, allocate the buffers."""
    return Arm(problem, context)
