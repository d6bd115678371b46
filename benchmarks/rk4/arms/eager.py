"""One launch a step from Python; the host reads the count of finished samples after every step."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..loop import AHEAD_MOST, COUNT_WORD, Issued, LoopArm, every_defines, every_sample
from ..workload import Problem


class Arm(LoopArm):
    """The launch loop over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        self._ahead = problem.n <= AHEAD_MOST
        super().__init__(problem, context, *every_defines(1, self._ahead))
        self._step = self.loop_kernel("rk4_steps_count")
        self._ended = self.control[COUNT_WORD : COUNT_WORD + 1]
        self._read = self.cupy.cuda.alloc_pinned_memory(4)  # a copy into it need not be staged
        self._host_count = np.frombuffer(self._read, dtype=np.uint32, count=1)
        self._launches = 0

    def launch(self) -> None:
        """Step until the count says that all are done."""
        omega, zeta, *_ = self.inputs
        common = (self.size, omega, zeta, *self.outputs, self.limit, self.control)
        grid, block, count, stream = (self.grid,), (self.threads,), self._host_count, self.stream
        self.begin()
        self._launches = 0
        while True:
            self._step(grid, block, (*common, np.uint32(self._launches)))
            self._launches += 1
            self._ended.get(stream=stream, out=count)
            if count[0] >= self.n:
                break

    def issued(self) -> Issued:
        """What the launches of the last run issued; the host's reads, 4 byte a launch, are left out."""
        return every_sample(self.problem, 1, self._launches, self._ahead)

    def least_kernels(self) -> int:
        """The one that begins, and a step for each of the longest sample's."""
        return 1 + max(1, self.problem.longest)

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self._ended = self._host_count = self._read = none
        super().close()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
