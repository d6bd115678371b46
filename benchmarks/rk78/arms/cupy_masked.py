"""CuPy: array expressions over the whole batch an attempt, into buffers made once; the host checks every attempt."""

from __future__ import annotations

from typing import Any

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm
from ..lines import lines_of_code
from ..masked import BYTE_AN_ATTEMPT, KERNELS_AN_ATTEMPT, Loop
from ..workload import Problem


class Arm(DeviceArm):
    """The masked loop over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        self._loop = Loop(self.cupy, self.start)
        self.outputs = (self._loop.end, self._loop.accepted, self._loop.rejected)

    def launch(self) -> None:
        """Attempt until no orbit is on its way."""
        self._loop.run()

    def counts(self) -> dict[str, float]:
        """Every array expression is a kernel over every orbit."""
        return {
            "issued_byte": BYTE_AN_ATTEMPT * self.n * self._loop.loops,
            "code_lines": lines_of_code("arms/cupy_masked.py", "masked.py", "tableau.py"),
        }

    def least_kernels(self) -> int | None:
        """As many as the loop has expressions."""
        return KERNELS_AN_ATTEMPT * self._loop.loops

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self._loop = none
        super().close()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, allocate the buffers."""
    return Arm(problem, context)
