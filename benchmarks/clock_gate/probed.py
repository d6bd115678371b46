"""Work between two probes of the SMs' own cycles: at which clock each run ran, and what the probes cost it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.ab.order import orders
from perfdocs.ab.statistics import LEAST_ROUNDS
from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.edges import Clock, SystemClock
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy
from perfdocs.measure.protocol import Timer

from .gates import told

SOURCE = Path(__file__).parent / "probe.cu"
REGION = 0.05
"""Seconds of a side, run after run."""

MOST_RUNS = 500  # of a side
RAMPED = 0.5  # s; clocks rise within that under load
LOOKS = 1 << 16  # at the device's timer, until it moves: a step takes a microsecond at most
Marks = npt.NDArray[np.uint64]


def clock_between(before: Marks, after: Marks) -> float | None:
    """Hertz, the median over the SMs that both probes saw; of each probe (blocks, 3): SM, nanoseconds, cycles."""
    first = {int(sm): (int(time), int(cycles)) for sm, time, cycles in before}
    found = [
        1e9 * (int(cycles) - first[int(sm)][1]) / (int(time) - first[int(sm)][0])
        for sm, time, cycles in after
        if int(sm) in first and int(time) > first[int(sm)][0]
    ]
    return median(found) if found else None


class Probes:
    """Probes of one block an SM; each is put where the one before it has ended."""

    def __init__(self, context: Context) -> None:
        cupy = import_cupy()
        module = cupy.RawModule(code=inlined(SOURCE), options=("--std=c++17",), backend="nvrtc")
        self._kernel, self._stream = module.get_function("clock_gate_probe"), cupy.cuda.Stream()
        self._found = cupy.zeros((2 * MOST_RUNS, context.sm_count or 1, 3), np.uint64)

    def mark(self, place: int) -> None:
        """Put a probe and wait for it; ``place`` is where it writes."""
        found = self._found[place]
        with self._stream:
            self._kernel((len(found),), (32,), (np.uint32(LOOKS), found))
            self._stream.synchronize()

    def read(self) -> Marks:
        """What was found (places, blocks, 3)."""
        marks: Marks = self._found.get()
        return marks


@dataclass(slots=True)
class Probed(Prepared):
    """Rounds of one arm, each run timed by itself: A as it is, B with a probe right before it and right after."""

    arm: Prepared
    start: Callable[[], Probes]
    clock: Clock | None = None

    def run(self) -> None:
        """The work, once."""
        self.arm.run()

    def result(self) -> Any:
        """Of the work."""
        return self.arm.result()

    def counts(self) -> Mapping[str, float]:
        """What the rounds found. Raises :class:`Cannot` where the counters do not move."""
        timer, probes = Timer(self.clock or SystemClock(), 0.0, REGION), self.start()
        runs = min(MOST_RUNS, timer.inner(min(timer.time(self.arm.run) for _ in range(3))))
        begun = timer.clock.monotonic()
        while timer.clock.monotonic() - begun < RAMPED:
            self.arm.run()
        a: list[float] = []
        b: list[float] = []
        clocks: list[float] = []
        for side in "".join(orders(LEAST_ROUNDS)):
            if side == "A":
                a.append(fmean(timer.time(self.arm.run) for _ in range(runs)))
            else:
                b.append(fmean(self._between(timer, probes, run) for run in range(runs)))
                marks = probes.read()
                found = (clock_between(marks[2 * run], marks[2 * run + 1]) for run in range(runs))
                clocks += [clock for clock in found if clock is not None]
        if not clocks:
            raise Cannot("unsupported", "the counters of the device did not move between two probes")
        low, high = np.percentile(clocks, (2.5, 97.5))
        of_runs = {"run_clock": median(clocks), "run_clock_low": float(low), "run_clock_high": float(high)}
        return {**told(a, b), **of_runs, "probed_runs": float(len(clocks))}

    def _between(self, timer: Timer, probes: Probes, run: int) -> float:
        probes.mark(2 * run)
        seconds = timer.time(self.arm.run)
        probes.mark(2 * run + 1)
        return seconds

    def close(self) -> None:
        """The arm."""
        self.arm.close()
