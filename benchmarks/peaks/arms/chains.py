"""Every thread carries on chains of multiply-adds in registers."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import THREADS, DeviceArm, module
from ..problems import Arithmetic, Ends

BLOCKS = 4  # an SM
BODY = 256  # multiply-adds in the loop's body


class Arm(DeviceArm):
    """One launch. A thread makes as many steps as its chains share."""

    def __init__(
        self, problem: Arithmetic, context: Context, *, blocks: int = BLOCKS, threads: int = THREADS, body: int = BODY
    ) -> None:
        super().__init__(context)
        self._problem, self._threads, self._grid = problem, threads, self.sm_count * blocks
        self._steps = problem.steps // (2 * problem.chains)
        values = {"TYPE": problem.element.name, "CHAINS": problem.chains, "THREADS": threads, "BLOCKS": blocks}
        defines = [f"PEAKS_{key}={value}" for key, value in {**values, "BODY": body}.items()]
        self._kernel = module("arithmetic.cu", *defines).get_function("peaks_chains")
        self._sums = self.cupy.zeros(self._grid * threads, np.uint32)

    def launch(self) -> None:
        """One kernel."""
        element = self._problem.element
        arguments = (np.uint32(self._steps), *element.bits, *element.constants, self._sums)
        self._kernel((self._grid,), (self._threads,), arguments)

    def result(self) -> Ends:
        """The sum of every thread."""
        return Ends(self._sums.get(), self._problem.chains, self._steps)

    def counts(self) -> dict[str, float]:
        """Two operations a multiply-add, of each number."""
        return self._problem.counts(float(self._grid * self._threads * self._problem.lanes * self._steps))


def prepare(problem: Arithmetic, context: Context) -> Prepared:
    """Compile."""
    return Arm(problem, context)
