"""CuPy: array expressions over the whole batch into arrays made once; copyto keeps finished samples; a check a step.

Place, speed and acceleration of a stage are three rows of one array: the first two are its state, the last two the
slope, so that an expression over two rows serves place and speed at once. No kernel is written or fused by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm
from ..workload import STEP, Problem

# Kernels of one step: 8 for four accelerations, 6 for three stages, 6 for their sum, 4 to keep, count and check.
KERNELS_A_STEP = 24
# What they read and write a sample: planes of reals, and bytes of step counts and masks.
REALS_A_STEP = 102
BYTE_A_STEP = 37


class Arm(DeviceArm):
    """The masked loop over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        cp, n, real = self.cupy, problem.n, problem.real
        self._stages = [cp.empty((3, n), dtype=real) for _ in range(4)]
        self._factors, self._spare = cp.empty((2, n), dtype=real), cp.empty((2, n), dtype=real)
        self._steps, self._running = cp.empty(n, dtype=np.int64), cp.empty(n, dtype=bool)
        self._any = cp.empty((), dtype=bool)
        self._loops = 0
        self.outputs = (self._stages[0][0], self._stages[0][1], self._steps)
        self._prepare()

    def _prepare(self) -> None:
        """The factors of place and speed in the acceleration."""
        cp = self.cupy
        omega, zeta, *_ = self.inputs
        stiffness, damping = self._factors
        cp.multiply(omega, -omega, out=stiffness)
        cp.multiply(zeta * omega, -2.0, out=damping)

    def _step(self) -> None:
        """One step of every sample, kept where it runs."""
        cp, h, spare = self.cupy, STEP, self._spare
        first = self._stages[0]
        state = first[:2]
        slopes = []
        previous = first
        for stage, ahead in zip(self._stages, (0.0, h / 2, h / 2, h), strict=True):
            if ahead:
                cp.multiply(previous[1:], ahead, out=stage[:2])
                cp.add(stage[:2], state, out=stage[:2])
            cp.multiply(self._factors, stage[:2], out=spare)
            cp.add(spare[0], spare[1], out=stage[2])
            slopes.append(stage[1:])
            previous = stage
        k1, k2, k3, k4 = slopes
        cp.add(k2, k3, out=spare)
        cp.multiply(spare, 2.0, out=spare)
        cp.add(spare, k1, out=spare)
        cp.add(spare, k4, out=spare)
        cp.multiply(spare, h / 6, out=spare)
        cp.add(spare, state, out=spare)
        cp.copyto(state, spare, where=self._running)

    def launch(self) -> None:
        """Step the whole batch until nobody runs."""
        cp, steps, running, some = self.cupy, self._steps, self._running, self._any
        _, _, x0, v0, nstop = self.inputs
        first = self._stages[0]
        cp.copyto(first[0], x0)
        cp.copyto(first[1], v0)
        steps.fill(0)
        self._loops = 0
        cp.less(steps, nstop, out=running)
        while bool(cp.any(running, out=some)):
            self._step()
            cp.add(steps, running, out=steps)
            cp.less(steps, nstop, out=running)
            self._loops += 1

    def end_to_end(self) -> None:
        """The factors of the acceleration are computed from the uploaded planes."""
        with self.stream:
            for plane, host in zip(self.inputs, self._host, strict=True):
                plane.set(host, stream=self.stream)
            self._prepare()
            self.launch()
            self.result()

    def counts(self) -> dict[str, float]:
        """Every array expression is a kernel over every sample; 4 reals and 26 byte a sample to begin."""
        size, n = self.problem.real_size, self.n
        byte = (REALS_A_STEP * size + BYTE_A_STEP) * n * self._loops + (4 * size + 26) * n
        return {"issued_byte": byte, "issued_steps": n * self._loops}

    def least_kernels(self) -> int:
        """Those of the steps; a copy may not count as a kernel."""
        return KERNELS_A_STEP * self.problem.longest

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self._stages = self._factors = self._spare = self._steps = self._running = self._any = none
        super().close()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and make the arrays."""
    return Arm(problem, context)
