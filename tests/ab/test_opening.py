"""Where arms run, what is watched there, and that both are closed whatever happens."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.ab.test_sides import ARM, TOML, WORKLOAD
from tests.measure.fakes import FakeClock, FakeGpu, FakeNvml, Quiet, fake_edges

from perfdocs.ab.opening import Wanted, opened
from perfdocs.ab.session import Asked, run_session
from perfdocs.ab.sides import ArmSide, ArmWords, CommandWords
from perfdocs.errors import PerfdocsError
from perfdocs.measure.edges import Edges, Gpu, Nvml

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


def edges(gpu: Gpu | str = "there is no CUDA device") -> Edges:
    clock = FakeClock(tick=0.001)
    nvml: Nvml | str = "no NVML here" if isinstance(gpu, str) else FakeNvml(clock)
    return fake_edges(clock, gpu, nvml)


def log_of(side: Any) -> list[str]:
    assert isinstance(side, ArmSide)
    log: list[str] = sys.modules[type(side._arm).__module__].LOG
    return log


@pytest.mark.parametrize(
    ("device", "gpu", "kind"),
    [(None, FakeGpu(), "gpu"), (None, "there is none", "cpu"), ("cpu", FakeGpu(), "cpu"), ("gpu", FakeGpu(), "gpu")],
)
def test_arms_run_on_the_gpu_where_there_is_one_and_nobody_asks_for_the_cpu(
    wanted: Wanted, device: Any, gpu: Gpu | str, kind: str
) -> None:
    with opened(replace(wanted, device=device), Asked(), edges(gpu), Quiet(), lambda _: "no NVML here") as session:
        assert log_of(session.sides[0])[0] == kind
        record = run_session(session, Asked(lock="base"))
    state = record.readings["default_clocks"].rounds[0].a.state
    assert state.sm_clock == ((1.98e9, 1.98e9) if kind == "gpu" else None)
    why = str(record.readings["locked_clocks"].absent)
    assert why.startswith("nobody can tell" if kind == "gpu" else "a processor's clocks")
    assert log_of(session.sides[0])[-2:] == ["closed", "closed"]


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
