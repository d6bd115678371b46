"""An arm that hangs ends the process; the next run records it and goes on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perfdocs.cardfile import read_card
from perfdocs.measure.options import Options
from perfdocs.measure.watchdog import HANGS, Watchdog

from .fakes import FakeClock

TOY = Path(__file__).parent / "data" / "toy"


class Left(BaseException):
    """The process ended, so to speak."""


def leave(code: int) -> None:
    """Take the place of ``os._exit``."""
    raise Left(code)


def test_it_bites_only_when_the_time_of_what_has_the_floor_is_up() -> None:
    clock, hung = FakeClock(), list[str]()
    dog = Watchdog(10.0, clock.monotonic, hung.append, leave)
    dog.look()
    dog.watch("first")
    clock.turn(9.0)
    dog.watch("second")
    clock.turn(9.0)
    dog.look()
    dog.rest()
    clock.turn(100.0)
    dog.look()
    assert hung == []
    dog.watch("third")
    clock.turn(11.0)
    with pytest.raises(Left, match=str(HANGS)):
        dog.look()
    assert hung == ["third"]


def test_it_bites_also_where_nothing_can_be_reported() -> None:
    def full_disk(_: str) -> None:
        raise OSError

    clock = FakeClock()
    dog = Watchdog(10.0, clock.monotonic, full_disk, leave)
    dog.watch("arm")
    clock.turn(11.0)
    with pytest.raises(Left):
        dog.look()


def test_the_limit_grows_with_what_a_measurement_may_take() -> None:
    assert Options().hang_limit == 300
    assert Options(full=True).hang_limit == 600
    assert Options(limit=100.0).hang_limit == 1000


@pytest.fixture
def dogs(monkeypatch: pytest.MonkeyPatch) -> list[Watchdog[Any]]:
    """Every watchdog that a run has; each ends the process only so to speak."""
    made: list[Watchdog[Any]] = []

    def watched(limit: float, now: Callable[[], float], report: Callable[[Any], None]) -> Watchdog[Any]:
        made.append(Watchdog(limit, now, report, leave))
        return made[-1]

    monkeypatch.setattr("perfdocs.measure.device.Watchdog", watched)
    return made


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize("run", [1, 5])
def test_the_next_run_records_what_hung_and_goes_on(
    toy: SimpleNamespace, partial: Callable[[], Path], dogs: list[Watchdog[Any]], device: str, run: int
) -> None:
    """``double`` hangs in its first warm-up or in a timed run at n = 10; on a CPU ``good`` takes turns with it."""

    def hang(arm: str, number: int) -> None:
        if (arm, number) == ("double", run):
            toy.clock.turn(301.0)
            dogs[-1].look()  # what the thread does

    toy.workload.before_run[0] = hang
    with pytest.raises(Left):
        toy.measure("good", "double", device=device)
    assert any("double n=10: no end within 300 s: it hangs" in line for line in toy.quiet.lines)
    assert json.loads(partial().read_bytes())["tries"] == {}  # those that took turns with it are not to blame
    toy.workload.before_run[0] = lambda _arm, _run: None
    card = toy.measure("good", "double", device=device)
    assert [(m.arm, m.at["n"]) for m in card.measurements] == [("good", 10), ("good", 100), ("double", 100)]
    (reason,) = card.not_run
    assert (reason.arm, reason.at, reason.kind) == ("double", {"n": 10}, "out_of_time")
    assert reason.reason == "no end within 300 s: it hangs"


def test_a_long_gate_is_no_arm_that_hangs(
    toy: SimpleNamespace, dogs: list[Watchdog[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    toy.nvml.busy = 1.0  # it never becomes idle
    sleep: Callable[[float], None] = toy.clock.sleep

    def slept(seconds: float) -> None:
        sleep(seconds)
        dogs[-1].look()

    monkeypatch.setattr(toy.clock, "sleep", slept)
    card = toy.measure("good", device="gpu", at={"n": (10,)}, gate_wait=400.0, gate_budget=400.0)
    assert toy.clock.slept > 300
    assert len(card.measurements) == 1


HANGS_FOR_GOOD = """
import ctypes

from perfdocs.measure.arm import Context, Prepared

from ..workload import Arm, Problem


class Hangs(Arm):
    def run(self) -> None:
        super().run()
        if self.problem.n == 100:
            ctypes.CDLL(None).pause()


def prepare(problem: Problem, context: Context) -> Prepared:
    return Hangs("double", problem)
"""

RUN = """
import sys
from pathlib import Path

from perfdocs.measure.options import Options
from perfdocs.measure.runner import run

Options.hang_limit = property(lambda self: 2.0)
print(run(Path(sys.argv[1]), Options(devices="cpu", arms=("good", "double"), out=Path(sys.argv[2])))[0])
"""


@pytest.mark.skipif(os.name != "posix", reason="pause() of POSIX")
def test_a_real_process_whose_arm_waits_in_c(tmp_path: Path) -> None:
    folder = tmp_path / "toy"
    shutil.copytree(TOY, folder)
    (folder / "arms" / "double.py").write_text(HANGS_FOR_GOOD)
    command = [sys.executable, "-c", RUN, str(folder), str(tmp_path / "cards")]
    first = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, check=False)
    assert first.returncode == HANGS
    assert "double n=100: no end within 2 s: it hangs; run the same command again" in first.stderr
    assert "Traceback" not in first.stderr
    second = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, check=True)
    card = read_card(Path(second.stdout.strip()))
    assert {(m.arm, m.at["n"]) for m in card.measurements} == {("good", 10), ("double", 10), ("good", 100)}
    assert [(n.arm, n.kind) for n in card.not_run] == [("double", "out_of_time")]
