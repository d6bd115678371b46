"""One launch a step from Python; the host reads the count of finished samples after every step."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import STEP_THREADS, DeviceArm, blocks, step_bytes, step_grid
from ..workload import Problem


class Arm(DeviceArm):
    """The launch loop over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        self._begin, self._step = self.kernel("loop.cu", "rk4_begin"), self.kernel("loop.cu", "rk4_step_all")
        self._progress = self.cupy.zeros(2, dtype=np.uint32)
        self._grid = step_grid(self.n, self.sm_count)
        self._steps = 0

    def launch(self) -> None:
        """Step until the count says that all are done."""
        omega, zeta, x0, v0, nstop = self.inputs
        self._begin(
            (blocks(self.n, STEP_THREADS),), (STEP_THREADS,), (self.size, x0, v0, nstop, *self.outputs, self._progress)
        )
        arguments = (self.size, omega, zeta, nstop, *self.outputs, self._progress)
        self._steps = 0
        while int(self._progress.get()[0]) < self.n:
            self._step((self._grid,), (STEP_THREADS,), arguments)
            self._steps += 1

    def counts(self) -> dict[str, float]:
        """What the steps move."""
        return {**super().counts(), "issued_byte": step_bytes(self.problem, self._steps)}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
