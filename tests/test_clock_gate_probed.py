"""Probes around runs: the clock between two of them, and what they cost, by a clock and counters that are made up."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.measure.fakes import FakeClock

from perfdocs.ab.order import orders
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Prepared
from perfdocs.measure.loader import load_workload

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "clock_gate"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
probed: Any = importlib.import_module(f"{workload.__package__}.probed")
HERTZ = 1.5e9


def mark(time: float, *, sms: int = 4, hertz: float = HERTZ, shift: int = 10**6) -> Any:
    """A probe (SMs, 3) at a time (s); every SM counts from somewhere else."""
    nanoseconds = round(time * 1e9)
    return np.array([[sm, nanoseconds, sm * shift + round(time * hertz)] for sm in range(sms)], dtype=np.uint64)


def test_a_clock_is_cycles_over_time_sm_by_sm() -> None:
    assert probed.clock_between(mark(1.0), mark(1.001)) == pytest.approx(HERTZ, rel=1e-5)


def test_blocks_may_land_on_other_sms_and_in_another_order() -> None:
    before, after = mark(1.0)[[2, 0, 2]], mark(1.001)[[3, 2, 1]]
    assert probed.clock_between(before, after) == pytest.approx(HERTZ, rel=1e-5)


def test_where_no_sm_was_seen_twice_or_no_time_went_by_there_is_no_clock() -> None:
    assert probed.clock_between(mark(1.0)[:2], mark(1.001)[2:]) is None
    assert probed.clock_between(mark(1.0), mark(1.0)) is None


@dataclass
class Work(Prepared):
    """Takes ``seconds``, and ``cost`` times as long right after a probe."""

    clock: FakeClock
    seconds: float
    cost: float = 1.0
    after_probe: bool = False
    closed: bool = False

    def run(self) -> None:
        self.clock.turn(self.seconds * (self.cost if self.after_probe else 1.0))
        self.after_probe = False

    def close(self) -> None:
        self.closed = True


@dataclass
class FakeProbes:
    """Counters that go with the clock that is made up, or do not move."""

    clock: FakeClock
    work: Work
    moving: bool = True
    places: list[int] = field(default_factory=list)
    marks: Any = field(default_factory=lambda: np.zeros((2 * probed.MOST_RUNS, 4, 3), np.uint64))

    def mark(self, place: int) -> None:
        self.work.after_probe = place % 2 == 0
        self.places.append(place)
        self.marks[place] = mark(self.clock.monotonic() if self.moving else 0.0)

    def read(self) -> Any:
        return self.marks.copy()


def made(seconds: float, cost: float = 1.0, *, moving: bool = True) -> tuple[Any, FakeProbes, Work]:
    clock = FakeClock()
    work = Work(clock, seconds, cost)
    probes = FakeProbes(clock, work, moving)
    return probed.Probed(work, lambda: probes, clock), probes, work


@pytest.mark.parametrize("seconds", [2e-5, 0.03, 0.2])
def test_the_clock_of_the_runs_and_what_the_probes_cost(seconds: float) -> None:
    arm, probes, work = made(seconds, cost=1.05)
    found = arm.counts()
    assert found["run_clock"] == pytest.approx(HERTZ, rel=1e-3)
    assert found["run_clock_low"] <= found["run_clock"] <= found["run_clock_high"]
    assert found["ratio"] == pytest.approx(1.05, rel=5e-3)
    assert found["ratio_low"] <= found["ratio"] <= found["ratio_high"]
    assert found["a_time"] == pytest.approx(seconds, rel=0.01)
    assert found["probed_runs"] == len(probes.places) / 2
    assert found["rounds"] == 20
    assert found.keys() <= set(DEFINITION.metrics)
    arm.close()
    assert work.closed


def test_only_b_has_probes_and_short_work_has_a_bound_of_runs() -> None:
    arm, probes, _ = made(1e-6)
    arm.counts()
    assert len(probes.places) == 2 * probed.MOST_RUNS * "".join(orders(20)).count("B")
    assert max(probes.places) < 2 * probed.MOST_RUNS


def test_counters_that_stand_still_are_a_reason() -> None:
    with pytest.raises(Cannot, match="did not move") as cannot:
        made(0.03, moving=False)[0].counts()
    assert cannot.value.kind == "unsupported"


def test_the_points_are_those_of_the_sampler_on_a_gpu_alone() -> None:
    points = [task.at for task in workload.tasks("gpu", False) if task.table == "probes"]
    assert points == [{"length": "short"}, {"length": "long"}]
    assert not [task for task in workload.tasks("cpu", False) if task.table == "probes"]
