"""The protocol of this project: the wall of a launch and a synchronise, and how much of it the host's call takes."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from perfdocs.measure.arm import Context
from perfdocs.measure.edges import Clock, SystemClock

from ..device import SAMPLES, TimerArm
from ..workload import Problem


class Arm(TimerArm):
    """The wall is what every arm has; here the launching call alone is timed besides."""

    def __init__(self, problem: Problem, context: Context, *, clock: Clock | None = None) -> None:
        super().__init__(problem, context)
        self._clock = clock or SystemClock()

    def times(self) -> Mapping[str, float]:
        """The median time until the launching call returns, the device idle before it."""
        return {"host_time": median(self._launching() for _ in range(SAMPLES)), "samples": SAMPLES}

    def _launching(self) -> float:
        start = self._clock.counter()
        self.work.launch.on(self.stream.ptr)
        seconds = self._clock.counter() - start
        self.stream.synchronize()
        return seconds


def prepare(problem: Problem, context: Context) -> Arm:
    """Compile."""
    return Arm(problem, context)
