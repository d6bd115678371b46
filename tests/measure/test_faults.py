"""Faults that a run meets: kills at any moment, folders that take nothing, too little memory, a date that turns back.

Others are tested where they are handled: a full disk in ``test_room``, NVML that dies and a timer that runs backwards
in ``test_runner``, an arm that hangs in ``test_watchdog``, interrupts and kills of real commands in ``test_process``.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.refused import refuse_writing

from perfdocs.cli import main as perfdocs
from perfdocs.measure.__main__ import main
from perfdocs.measure.failure import Stopped

TOY = Path(__file__).parent / "data" / "toy"
ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("PERFDOCS_KILLS", "40")) // 2 * 2  # more of them find more seldom moments


@pytest.mark.skipif(os.name != "posix", reason="fork and SIGKILL of POSIX")
def test_killed_at_any_moment_a_run_leaves_nothing_half_and_is_completed(tmp_path: Path) -> None:
    folder = tmp_path / "toy"
    shutil.copytree(TOY, folder)
    command = [sys.executable, "-m", "tests.measure.kills", str(folder), str(KILLS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT, check=True)
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(seen) == KILLS
    for one in seen:
        assert one["end"] == -9, one
        assert one["card"] is None or len(one["card"]) == one["cells"] == 4, one
        assert one["partial"] in (None, True), one
        assert one["again"] == 0, one
        assert one["same"], one
    assert sum(one["partial"] is True for one in seen) > KILLS / 4  # the moments lie within the run


class OutOfMemoryError(Exception):
    """As CuPy's and PyTorch's: known by its name."""


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("run", [1, 5])
@pytest.mark.parametrize(
    "error",
    [
        OutOfMemoryError("out of memory allocating 8,000 bytes"),
        RuntimeError("RESOURCE_EXHAUSTED: failed to allocate"),
        RuntimeError("CUDA error: out of memory"),
    ],
)
def test_a_gpu_out_of_memory_is_a_reason_and_the_others_go_on(
    toy: SimpleNamespace, error: Exception, run: int, rotate: bool
) -> None:
    """In the first warm-up or in a timed run; what the arm held is given back before the next one begins."""

    def fail(arm: str, number: int) -> None:
        if (arm, number) == ("double", run):
            raise error

    if rotate:
        toml = toy.folder / "benchmark.toml"
        toml.write_text(f'protocol = "rotate"\n{toml.read_text()}')
    toy.workload.before_run[0] = fail
    card = toy.measure("good", "double", device="gpu")
    assert {m.arm for m in card.measurements} == {"good"}
    assert {(n.arm, n.kind, n.reason) for n in card.not_run} == {
        ("double", "out_of_memory", f"not enough memory ({type(error).__name__})")
    }
    tries = 4 if rotate and run == 1 else 2  # beside others, then alone; at each of two points
    assert [toy.workload.calls.count(("double", what)) for what in ("prepare", "close")] == [tries, tries]
    assert toy.gpu.released >= 4


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_a_folder_that_takes_no_file_is_one_line(
    toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    refuse_writing(monkeypatch, code)
    out, build = str(toy.out), str(toy.out.parent / "build")
    words = [str(toy.folder), "--device", "cpu", "--arm", "good", "--out", out, "--build", build]
    assert main(words) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert f"found {os.strerror(code).lower()}, expected a place that can be read and written" in last
    assert not list(toy.out.rglob("*.json"))


def test_a_file_where_the_folder_should_be_is_one_line(
    toy: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    toy.out.write_text("")
    words = [str(toy.folder), "--device", "cpu", "--arm", "good", "--out", str(toy.out)]
    assert main([*words, "--build", str(toy.out.parent / "build")]) == 1
    assert "expected a place that can be read and written" in capsys.readouterr().err.splitlines()[-1]


def test_the_command_says_the_same_of_such_a_folder(
    toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse_writing(monkeypatch, errno.EROFS)
    monkeypatch.chdir(toy.folder.parent)
    words = ["--benchmarks", str(toy.folder.parent), "run", "--only", "toy", "--device", "cpu", "--arm", "good"]
    assert perfdocs(words, standalone_mode=False) == 1
    assert "found read-only file system, expected a place that can be read and written" in capsys.readouterr().err


def test_a_folder_that_becomes_read_only_keeps_what_is_there(
    toy: SimpleNamespace, partial: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        refuse_writing(patch, errno.EROFS, after=3)
        with pytest.raises(OSError, match="Read-only file system"):
            toy.measure("good", device="gpu")
    assert len(json.loads(partial().read_bytes())["card"]["measurements"]) == 1
    toy.workload.calls.clear()
    assert len(toy.measure("good", device="gpu").measurements) == 2
    assert [what for _, what in toy.workload.calls].count("prepare") == 1


def test_a_date_that_turns_back_between_two_runs_changes_nothing(
    toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the card's date is of the calendar: budgets, runs and what is resumed are not."""

    def interrupt(arm: str, run: int) -> None:
        if arm == "double" and run == 5:
            raise KeyboardInterrupt

    now: Callable[[], datetime] = toy.clock.now
    toy.workload.before_run[0] = interrupt
    with pytest.raises(Stopped):
        toy.measure("good", "double", device="gpu", deadline=1000.0)
    toy.workload.before_run[0] = lambda _arm, _run: None
    monkeypatch.setattr(toy.clock, "now", lambda: now() - timedelta(days=400))
    toy.workload.calls.clear()
    card = toy.measure("good", "double", device="gpu", deadline=1000.0)
    assert len(card.measurements) == 4
    assert toy.workload.calls.count(("good", "prepare")) == 1  # the other point was kept
    assert card.recorded.startswith("2025")
