"""One graph launch; a WHILE node on the device repeats one step over all samples until none is running."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.while_graph import WhileGraph, import_driver

from ..device import STEP_THREADS, DeviceArm, blocks, step_bytes, step_grid
from ..workload import Problem


class Arm(DeviceArm):
    """The graph over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        import_driver()
        self._progress = self.cupy.zeros(2, dtype=np.uint32)
        first = self.kernel("loop.cu", "rk4_begin", "RK4_GRAPH=1")
        step = self.kernel("loop.cu", "rk4_step_while", "RK4_GRAPH=1")
        omega, zeta, x0, v0, nstop = self.inputs

        def begin() -> None:
            first(
                (blocks(self.n, STEP_THREADS),),
                (STEP_THREADS,),
                (self.size, x0, v0, nstop, *self.outputs, self._progress),
            )

        def body(handle: Any) -> None:
            step(
                (step_grid(self.n, self.sm_count),),
                (STEP_THREADS,),
                (self.size, omega, zeta, nstop, *self.outputs, self._progress, handle),
            )

        # Both are loaded now, by asking for a property: loading is not for the middle of a capture.
        for function in (first, step):
            _ = function.num_regs
        self._graph = WhileGraph(self.stream, begin, body)

    def launch(self) -> None:
        """One graph launch."""
        self._graph.launch()

    def counts(self) -> dict[str, float]:
        """What the steps move."""
        return {**super().counts(), "issued_byte": step_bytes(self.problem, self.problem.longest)}

    def close(self) -> None:
        """Destroy the graph, drop the arrays."""
        self._graph.close()
        super().close()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return Arm(problem, context)
