"""How often two blocks of the same code, or two places in one rotation, have a false winner on this machine.

``python -m tools.same_twice [SECONDS]``: half of the time measures blocks one after the other, in a random order, each
of an arm that is prepared anew; the other half measures rotations in which each arm takes part twice. The arms are
kernels of rk4 on a GPU where there is one, else on one thread of the host. Figures of decision 0019.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from tools.verdict_noise import counted

from perfdocs.measure.arm import Context
from perfdocs.measure.edges import real_edges
from perfdocs.measure.head import open_timer
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.monitor import Monitor
from perfdocs.measure.protocol import Timed, Timer, measure_block, measure_rotate, ramp_up, warm_up
from perfdocs.measure.sensors import Sensors
from perfdocs.shares import interval
from perfdocs.verdict import Value, summarise

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "rk4"
GPU = (
    ("per_thread", "spread-100", 10**3),
    ("per_thread", "spread-1000", 10**3),
    ("auto", "spread-100", 10**6),
    ("per_thread", "uniform-1000", 10**5),
    ("per_thread", "uniform-1000", 10**6),
)
CPU = (("cpu_openmp_1", "spread-100", 10**3), ("cpu_simd_1", "uniform-1000", 10**3))
SETTLE, RAMP, RUNS = 0.002, 0.2, 5
Case = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Machine:
    """What measures. ``ramp`` is in seconds."""

    timer: Timer
    sensors: Sensors
    monitor: Monitor
    context: Context
    ramp: float

    def ready(self, case: Case) -> Timed:
        """The arm of a case, prepared and warmed up."""
        arm, config, n = case
        workload: Any = load_workload(FOLDER)
        problem = workload.problem({"config": config, "n": n})
        return warm_up(load_arm(FOLDER, arm).prepare(problem, self.context), self.timer, 2, lambda _: {})

    def block(self, case: Case) -> Value:
        """One block."""
        timed = self.ready(case)
        measure_block(
            timed, self.timer, self.sensors, self.monitor, ramp=self.ramp, settle=SETTLE, runs=RUNS, end_to_end=0
        )
        timed.arm.close()
        return summarise(timed.wall, "block")

    def rotation(self, cases: list[Case]) -> list[Value]:
        """All in turn."""
        group = [self.ready(case) for case in cases]
        ramp_up(group[0], self.timer, self.ramp)
        measure_rotate(group, self.timer, self.sensors, self.monitor, settle=SETTLE, runs=RUNS, end_to_end=0)
        for timed in group:
            timed.arm.close()
        return [summarise(timed.wall, "rotate") for timed in group]


def in_blocks(
    machine: Machine, cases: list[Case], until: float, random: Random
) -> dict[Case, list[tuple[Value, Value]]]:
    """All pairs of blocks of a case; at least two blocks of each."""
    found: dict[Case, list[Value]] = {case: [] for case in cases}
    while time.monotonic() < until or len(found[cases[-1]]) < 2:
        for case in random.sample(cases, len(cases)):
            found[case].append(machine.block(case))
    return {case: list(combinations(values, 2)) for case, values in found.items()}


def in_rotation(
    machine: Machine, cases: list[Case], until: float, random: Random
) -> dict[Case, list[tuple[Value, Value]]]:
    """The two places of each case in one rotation; at least one."""
    found: dict[Case, list[tuple[Value, Value]]] = {case: [] for case in cases}
    while time.monotonic() < until or not found[cases[-1]]:
        group = random.sample(cases * 2, 2 * len(cases))
        values = machine.rotation(group)
        for case in cases:
            first, second = (value for other, value in zip(group, values, strict=True) if other == case)
            found[case].append((first, second))
    return found


def lines(seconds: float) -> Iterator[str]:
    """A line for each case and protocol, and one for all of a protocol."""
    edges = real_edges()
    gpu = edges.open_gpu()
    on_gpu = not isinstance(gpu, str)
    cases: list[Case] = list(GPU if on_gpu else CPU)
    with tempfile.TemporaryDirectory() as build:
        context = Context(
            kind="gpu" if on_gpu else "cpu",
            build=Path(build),
            threads=1,
            sm_count=None if isinstance(gpu, str) else gpu.facts().sm_count,
        )
        sensors = Sensors(edges.files, edges.open_nvml() if on_gpu else "a CPU has no NVML")
        monitor = Monitor("nothing is sampled", edges.clock)
        machine = Machine(open_timer(edges), sensors, monitor, context, RAMP if on_gpu else 0.0)
        begun = time.monotonic()
        for part, (name, measured) in enumerate((("blocks", in_blocks), ("rotation", in_rotation)), 1):
            found = measured(machine, cases, begun + part * seconds / 2, Random(part))  # noqa: S311 - an order
            for (arm, config, n), pairs in found.items():
                yield f"{name}, {arm}, {config}, {n}: {_line(pairs)}"
            yield f"{name}: {_line([pair for pairs in found.values() for pair in pairs])}"


def _line(pairs: list[tuple[Value, Value]]) -> str:
    counts = counted(pairs)
    low, high = interval(counts.faster, counts.pairs)
    share = counts.faster / counts.pairs
    return f"{counts.pairs} pairs, {counts.faster} false winners, {share:.1%} ({low:.1%}–{high:.1%})"


def main(words: list[str]) -> None:
    """Print the lines."""
    for line in lines(float(words[0]) if words else 60.0):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
