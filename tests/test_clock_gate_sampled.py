"""What the sampler costs: rounds of one arm with and without it, through a sampler and a clock that are made up."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.measure.fakes import FakeClock, FakeSampler

from perfdocs.ab.order import orders
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.hostcc import compiler
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.sampler import Sample

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "clock_gate"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
sampled: Any = importlib.import_module(f"{workload.__package__}.sampled")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


@dataclass
class Work(Prepared):
    """Takes ``seconds``, and ``cost`` times as long while its sampler reads ``what``."""

    clock: FakeClock
    sampler: FakeSampler
    seconds: float
    cost: float = 1.1
    what: str = "device"
    closed: bool = False

    def run(self) -> None:
        reads = bool(self.sampler.watched) and self.sampler.watched[-1][1] == self.what
        self.clock.turn(self.seconds * (self.cost if reads else 1.0))

    def result(self) -> Any:
        return self.seconds

    def close(self) -> None:
        self.closed = True


def made(seconds: float, *, device: bool = True, cost: float = 1.1, **of_sampler: Any) -> tuple[Any, FakeSampler, Work]:
    clock = FakeClock()
    sampler = FakeSampler(clock, **of_sampler)
    work = Work(clock, sampler, seconds, cost, "device" if device else "host")
    return sampled.Sampled(work, device, lambda _: sampler, clock), sampler, work


@pytest.mark.parametrize("seconds", [2e-5, 0.03, 0.2])
@pytest.mark.parametrize("device", [True, False])
def test_the_cost_of_readings_is_the_ratio(seconds: float, device: bool) -> None:
    arm, sampler, work = made(seconds, device=device)
    found = arm.counts()
    assert found["a_time"] == pytest.approx(seconds, rel=0.01)
    assert found["ratio"] == pytest.approx(1.1, rel=0.01)
    assert found["ratio_low"] <= found["ratio"] <= found["ratio_high"]
    assert found["ratio_low"] > 1.05
    assert found["rounds"] == 20
    assert found["samples"] >= 3 * 20
    assert found.keys() <= set(DEFINITION.metrics)
    assert sampler.closed
    assert not work.closed
    arm.close()
    assert work.closed


def test_a_sampler_that_costs_nothing_has_a_ratio_of_one() -> None:
    found = made(0.03, cost=1.0)[0].counts()
    assert found["ratio_low"] <= 1 <= found["ratio_high"]
    assert found["ratio"] == pytest.approx(1.0, rel=1e-3)


def test_sides_turn_and_nothing_is_read_outside_of_b() -> None:
    arm, sampler, _ = made(0.2)
    arm.counts()
    asked = [what for _, what in sampler.watched]
    assert len(asked) == 20 * 2 * 2
    sides = "".join(orders(20))  # each is asked for before it runs, and answered after
    assert asked == [what for side in sides for what in ("device" if side == "B" else "nothing", "nothing")]


def test_short_runs_fill_three_periods_of_the_sampler() -> None:
    arm, sampler, _ = made(1e-3)
    arm.counts()
    begun = [time for time, _ in sampler.watched]
    assert begun[1] - begun[0] == pytest.approx(0.12, rel=0.02)


@pytest.mark.parametrize("lives", [0, 5])
def test_a_sampler_that_ends_is_a_reason_and_is_closed(lives: int) -> None:
    arm, sampler, _ = made(0.2, lives=lives)
    with pytest.raises(Cannot, match="does not answer") as cannot:
        arm.counts()
    assert cannot.value.kind == "error"
    assert sampler.closed


def test_without_a_sampler_or_a_reading_of_the_device_there_is_no_cost() -> None:
    clock = FakeClock()
    absent = sampled.Sampled(Work(clock, FakeSampler(clock), 0.2), True, lambda _: "the sampler does not start", clock)
    with pytest.raises(Cannot, match="does not start"):
        absent.counts()

    class Blind(FakeSampler):
        def sample(self, time: float, device: bool) -> Sample:
            return super().sample(time, False)

    sampler = Blind(clock)
    with pytest.raises(Cannot, match="told nothing of the device") as cannot:
        sampled.Sampled(Work(clock, sampler, 0.2), True, lambda _: sampler, clock).counts()
    assert cannot.value.kind == "unsupported"


def test_the_points_are_of_short_and_of_long_work_on_both_kinds() -> None:
    for kind in ("gpu", "cpu"):
        points = [task.at for task in workload.tasks(kind, False) if task.table == "sampler"]
        assert points == [{"length": "short"}, {"length": "long"}]
        short, long = (workload.problem(at) for at in points)
        assert long.steps > 1000 * short.steps
        assert (short.pause, short.load, short.beside) == (0.0, 0.0, None)


@needs_compiler
def test_the_arm_of_the_host_is_the_chain_of_the_host(host_build: Path) -> None:
    context = Context(kind="cpu", build=host_build, threads=1)
    problem = workload.Chain(1001)
    arm = load_arm(FOLDER, "sampled_host").prepare(problem, context)
    assert arm.on_host
    arm.run()
    assert workload.verify(problem, workload.reference(problem, context), arm.result()) == {}
    arm.close()


@needs_compiler
def test_a_real_sampler_is_asked_on_the_host(host_build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled, "LEAST_ROUNDS", 2)
    context = Context(kind="cpu", build=host_build, threads=1)
    found = load_arm(FOLDER, "sampled_host").prepare(workload.Chain(2**13), context).counts()
    assert found["samples"] > 0
    assert found["a_time"] > 0
    assert found["b_time"] > 0
