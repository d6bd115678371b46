"""CuPy: array expressions over the whole batch a step; where keeps finished samples; the host checks every step."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm
from ..workload import STEP, Problem

# Bytes that the kernels of one step read and write a sample: 8 a plane, 1 a mask.
BYTE_A_STEP = 869


class Arm(DeviceArm):
    """The masked loop over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        omega, zeta, *_ = self.inputs
        self._damping, self._stiffness = -2.0 * zeta * omega, -omega * omega
        self._steps = 0

    def launch(self) -> None:
        """Step the whole batch until nobody runs."""
        cp, h = self.cupy, STEP
        c, k = self._damping, self._stiffness
        _, _, x0, v0, nstop = self.inputs
        x, v, steps = x0, v0, cp.zeros(self.n, dtype=np.int64)
        running = steps < nstop
        self._steps = 0
        while bool(running.any()):
            a1 = c * v + k * x
            v2 = v + a1 * (h / 2)
            a2 = c * v2 + k * (x + v * (h / 2))
            v3 = v + a2 * (h / 2)
            a3 = c * v3 + k * (x + v2 * (h / 2))
            v4 = v + a3 * h
            a4 = c * v4 + k * (x + v3 * h)
            next_x = x + ((v2 + v3) * 2.0 + v + v4) * (h / 6)
            next_v = v + ((a2 + a3) * 2.0 + a1 + a4) * (h / 6)
            x, v = cp.where(running, next_x, x), cp.where(running, next_v, v)
            steps += running
            running = steps < nstop
            self._steps += 1
        self.outputs = (x, v, steps)

    def end_to_end(self) -> None:
        """The factors of the acceleration are computed from the uploaded planes."""
        with self.stream:
            for plane, host in zip(self.inputs, self._host, strict=True):
                plane.set(host, stream=self.stream)
            omega, zeta, *_ = self.inputs
            self._damping, self._stiffness = -2.0 * zeta * omega, -omega * omega
            self.launch()
            self.result()

    def counts(self) -> dict[str, float]:
        """Every array expression is a kernel over every sample."""
        return {"issued_byte": BYTE_A_STEP * self.n * self._steps}

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self._damping = self._stiffness = none
        super().close()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload."""
    return Arm(problem, context)
