"""Every thread adds to counters in device memory."""

from __future__ import annotations

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import THREADS, DeviceArm, module
from ..problems import Atomics, Counters

BLOCKS = 8  # an SM
UPDATES = {1: 2**22, 32: 2**24}  # about so many in a run; fewer where one memory partition does all
MANY = 2**28


class Arm(DeviceArm):
    """One launch; what a thread adds to changes with every round."""

    def __init__(self, problem: Atomics, context: Context, *, blocks: int = BLOCKS) -> None:
        super().__init__(context)
        self._grid = self.sm_count * blocks
        self._rounds = max(1, UPDATES.get(problem.addresses, MANY) // (self._grid * THREADS))
        self._counters = self.cupy.zeros(problem.addresses, np.uint32)
        self._kernel = module("small.cu").get_function("peaks_add")

    def launch(self) -> None:
        """One kernel."""
        mask = np.uint32(self._counters.size - 1)
        self._kernel((self._grid,), (THREADS,), (self._counters, mask, np.uint32(self._rounds)))

    def result(self) -> Counters:
        """What one more run makes of counters that begin at 0."""
        self._counters.fill(0)
        self.run()
        return Counters(self._counters.get(), self._grid * THREADS * self._rounds)

    def counts(self) -> dict[str, float]:
        """Additions."""
        return {"updates": float(self._grid * THREADS * self._rounds)}


def prepare(problem: Atomics, context: Context) -> Prepared:
    """Compile."""
    return Arm(problem, context)
