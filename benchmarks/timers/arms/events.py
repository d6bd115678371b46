"""CUDA events on the stream before and after: around one launch, and around many."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from perfdocs.measure.arm import Context

from ..device import SAMPLES, TimerArm
from ..workload import Problem

MANY = 200  # launches back to back: fewer than the driver's queue holds, so that the host runs ahead
BATCHES = 5


class Arm(TimerArm):
    """Nothing holds the stream back: the first event is there before the host has launched."""

    def times(self) -> Mapping[str, float]:
        """Medians of single launches and of batches."""
        return {
            "gpu_time": median(self._between(1) for _ in range(SAMPLES)),
            "gpu_time_back_to_back": median(self._between(MANY) for _ in range(BATCHES)),
            "samples": SAMPLES,
        }

    def _between(self, launches: int) -> float:
        """Seconds a launch."""
        before, after = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        before.record(self.stream)
        for _ in range(launches):
            self.work.launch.on(self.stream.ptr)
        after.record(self.stream)
        after.synchronize()
        return float(self.cupy.cuda.get_elapsed_time(before, after)) / 1e3 / launches


def prepare(problem: Problem, context: Context) -> Arm:
    """Compile."""
    return Arm(problem, context)
