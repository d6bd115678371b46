"""Where arms run, what is watched there, and that both are closed whatever happens."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.ab.fakes import FakeControl
from tests.ab.test_sides import ARM, TOML, WORKLOAD
from tests.measure.fakes import FakeClock, FakeGpu, FakeSampler, Quiet, fake_edges

from perfdocs.ab import opening
from perfdocs.ab.opening import Wanted, opened
from perfdocs.ab.session import Asked, run_session
from perfdocs.ab.sides import ArmSide, ArmWords, CommandWords
from perfdocs.errors import PerfdocsError
from perfdocs.measure.again import foreign_limit
from perfdocs.measure.edges import Edges, Gpu
from perfdocs.measure.machine import allowed_threads
from perfdocs.measure.sampler import PERIOD
from perfdocs.measure.watchdog import Watchdog

FINE = ArmWords("toy", "fine")


@pytest.fixture
def wanted(tmp_path: Path) -> Wanted:
    folder = tmp_path / "benchmarks" / "toy"
    (folder / "arms").mkdir(parents=True)
    (folder / "benchmark.toml").write_text(TOML.replace('on = ["cpu"]', 'on = ["cpu", "gpu"]', 1))
    (folder / "workload.py").write_text(WORKLOAD)
    for name, wrong in (("fine", ""), ("wrong", "+ 1")):
        arm = (
            ARM.replace("{wrong}", wrong).replace("{cannot}", "LOG.append(context.kind)").replace("on_host = True", "")
        )
        (folder / "arms" / f"{name}.py").write_text(arm)
    return Wanted(
        a=FINE, b=FINE, benchmarks=lambda: tmp_path / "benchmarks", build=tmp_path, at={}, device=None, limit=9.0
    )


class Ticking(FakeClock):
    """Time passes whenever it is asked for."""

    def monotonic(self) -> float:
        self.turn(1e-3)
        return self.seconds


def edges(gpu: Gpu | str = "there is no CUDA device") -> Edges:
    clock = Ticking(tick=0.001)
    return fake_edges(clock, gpu, sampler=FakeSampler(clock))


def unlockable() -> FakeControl:
    """A GPU with one process, ours, which nobody asks for more."""
    return FakeControl(frozenset({os.getpid()}), "it is made up", AssertionError())


def log_of(side: Any) -> list[str]:
    assert isinstance(side, ArmSide)
    log: list[str] = sys.modules[type(side._timed.arm).__module__].LOG
    return log


@pytest.mark.parametrize(
    ("device", "gpu", "kind"),
    [(None, FakeGpu(), "gpu"), (None, "there is none", "cpu"), ("cpu", FakeGpu(), "cpu"), ("gpu", FakeGpu(), "gpu")],
)
def test_arms_run_on_the_gpu_where_there_is_one_and_nobody_asks_for_the_cpu(
    wanted: Wanted, device: Any, gpu: Gpu | str, kind: str
) -> None:
    found = edges(gpu)
    with opened(replace(wanted, device=device), Asked(), found, Quiet(), lambda _: unlockable()) as session:
        assert log_of(session.sides[0])[0] == kind
        record = run_session(session, Asked(lock="base"))
    state = record.readings["default_clocks"].rounds[0].a.state
    assert state is not None
    assert (state.sm_clock is not None, state.window) == ((True, "window") if kind == "gpu" else (False, "rotation"))
    assert record.method.foreign_load == foreign_limit(allowed_threads(), kind == "gpu")
    assert (record.method.sample_period, record.method.sampler_reason) == (PERIOD, None)
    why = str(record.readings["locked_clocks"].absent)
    assert why.startswith("it is made up" if kind == "gpu" else "a processor's clocks")
    assert log_of(session.sides[0])[-2:] == ["closed", "closed"]
    sampler = found.open_sampler(True)
    assert isinstance(sampler, FakeSampler)
    assert sampler.closed


def test_a_gpu_that_nvml_does_not_show_has_a_reason(wanted: Wanted) -> None:
    with opened(wanted, Asked(), edges(FakeGpu()), Quiet(), lambda _: "no NVML here") as session:
        record = run_session(session, Asked(lock="base"))
    assert record.method.sampler_reason == "no clocks: no NVML here"
    assert str(record.readings["locked_clocks"].absent).startswith("nobody can tell")


@pytest.mark.parametrize(("asked", "limit"), [(Asked(), 0.5), (Asked(foreign_load=3.0), 3.0)])
def test_the_limit_of_commands_is_that_of_work_on_the_host_or_the_one_asked_for(
    wanted: Wanted, asked: Asked, limit: float
) -> None:
    commands = replace(wanted, a=CommandWords(("true",)), b=CommandWords(("true",)))
    with opened(commands, asked, edges(), Quiet(), lambda _: unlockable()) as session:
        assert session.observer.limit == limit


def test_an_arm_that_is_wrong_is_not_compared(wanted: Wanted) -> None:
    with (
        pytest.raises(PerfdocsError, match="toy:wrong: found 2, not 1"),
        opened(replace(wanted, b=ArmWords("toy", "wrong")), Asked(), edges(FakeGpu()), Quiet()),
    ):
        pass


def test_a_gpu_that_is_asked_for_has_to_be_there(wanted: Wanted) -> None:
    with (
        pytest.raises(PerfdocsError, match="no-gpu"),
        opened(replace(wanted, device="gpu"), Asked(), edges(), Quiet()),
    ):
        pass


def test_an_arm_and_a_command_are_not_compared(wanted: Wanted) -> None:
    with (
        pytest.raises(PerfdocsError, match="two arms or two commands"),
        opened(replace(wanted, b=CommandWords(("true",))), Asked(), edges(), Quiet()),
    ):
        pass


def test_arms_that_do_different_work_are_not_compared(wanted: Wanted) -> None:
    other = wanted.benchmarks() / "other"
    shutil.copytree(wanted.benchmarks() / "toy", other)
    toml = other / "benchmark.toml"
    toml.write_text(toml.read_text().replace('id = "toy"', 'id = "other"', 1))
    both = replace(wanted, b=ArmWords("other", "fine"))
    with (
        pytest.raises(PerfdocsError, match="the same work on both sides; name two arms of one benchmark"),
        opened(both, Asked(), edges(), Quiet(), lambda _: unlockable()),
    ):
        pass


def test_an_arm_that_does_not_come_back_ends_the_process(
    wanted: Wanted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    left: list[int] = []

    class Impatient(Watchdog[str]):
        def watch(self, what: str) -> None:
            super().watch(what)
            self.leave = left.append
            self.now = lambda: 1e9
            self.look()

    monkeypatch.setattr(opening, "Watchdog", Impatient)
    with opened(wanted, Asked(), edges(), Quiet(), lambda _: unlockable()):
        pass
    assert set(left) == {7}
    assert "toy:fine: found no end within 9 s, expected a run that ends" in capsys.readouterr().err
