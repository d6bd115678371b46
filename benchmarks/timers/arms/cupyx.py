"""``cupyx.profiler.benchmark``, which puts CUDA events around each call and waits for each."""

from __future__ import annotations

from collections.abc import Mapping

from perfdocs.measure.arm import Context
from perfdocs.measure.packages import import_cupyx_profiler

from ..device import SAMPLES, TimerArm
from ..workload import Problem

WARMUPS = 10  # CuPy's own default


class Arm(TimerArm):
    """The centres are the means that the tool prints."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        self._profiler = import_cupyx_profiler()

    def times(self) -> Mapping[str, float]:
        """Its times of the device and of the host's call."""
        with self.stream:  # its events go to the current stream
            found = self._profiler.benchmark(
                self.work.launch.on, (self.stream.ptr,), n_repeat=SAMPLES, n_warmup=WARMUPS, name="launch"
            )
        (device,) = found.gpu_times
        return {
            "gpu_time": float(device.mean()),
            "host_time": float(found.cpu_times.mean()),
            "samples": len(device),
        }


def prepare(problem: Problem, context: Context) -> Arm:
    """Compile."""
    return Arm(problem, context)
