"""Clocks are locked when asked and reset whatever happens, through stand-ins that fail as the real ones do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.ab.conftest import PATIENCE, FakeDevice

from perfdocs.ab import lock
from perfdocs.ab.lock import Hold, Locker, reset_clocks
from perfdocs.measure.processes import module_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="clocks are locked on Linux only")
BOTH = ["lock-sm 1500 1500", "lock-memory 2619 2619"]
RESET = ["reset-sm", "reset-memory"]


def held(locker: Locker) -> Hold:
    found = locker.open()
    assert isinstance(found, Hold), found
    return found


def test_nvml_locks_both_clocks_and_resets_both(device: FakeDevice) -> None:
    hold = held(Locker("base"))
    assert (hold.how, hold.clocks) == ("NVML", (1.5e9, 2.619e9))
    assert device.locked
    assert hold.lost() is None
    assert hold.close()
    assert not device.locked
    assert device.log == [*BOTH, *RESET]
    assert hold.close()  # again does no harm


def test_boost_is_the_highest_clock(device: FakeDevice) -> None:
    hold = held(Locker("boost"))
    assert hold.clocks == (1.98e9, 3.201e9)
    assert hold.close()


def test_a_memory_clock_that_cannot_be_locked_is_not_claimed(device: FakeDevice) -> None:
    device.fail("lock-memory-not-supported")
    hold = held(Locker("base"))
    assert hold.clocks == (1.5e9, None)
    assert hold.close()
    assert not device.locked


def test_a_memory_clock_that_fails_takes_the_sm_lock_off(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    device.fail("lock-memory-lost")
    why = Locker("base").open()
    assert isinstance(why, str)
    assert "gpu is lost" in why
    assert not device.locked


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("no-permission", "insufficient permissions"),
        ("not-supported", "not supported"),
        ("no-driver", "driver not loaded"),
        ("lock-sm-lost", "gpu is lost"),
    ],
)
def test_where_nvml_refuses_and_there_is_no_ncu_both_are_said(
    device: FakeDevice, fault: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    device.fail(fault)
    why = Locker("base").open()
    assert isinstance(why, str)
    assert said in why
    assert "ncu is not installed" in why
    assert not device.locked


def test_where_nvml_refuses_ncu_holds_the_clocks(device: FakeDevice) -> None:
    device.fail("no-permission")
    hold = held(Locker("base"))
    assert (hold.how, hold.clocks) == ("ncu --clock-control=base", (None, None))
    assert device.locked
    assert hold.close()
    assert not device.locked
    assert device.log == ["ncu lock base", "ncu end", "ncu reset"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [("ncu-permission", "ERR_NVGPUCTRPERM"), ("ncu-silent", "it said nothing")],
)
def test_where_ncu_refuses_too_nothing_is_locked(device: FakeDevice, fault: str, said: str) -> None:
    device.fail("no-permission", fault)
    why = Locker("base").open()
    assert isinstance(why, str)
    assert said in why
    assert not device.locked
    assert device.log[-1] == "ncu reset"


def test_ncu_that_dies_is_noticed_and_the_clocks_are_reset(device: FakeDevice) -> None:
    device.fail("no-permission", "ncu-dies")
    hold = held(Locker("base"))
    hold._process.wait(PATIENCE)
    assert hold.lost() == "ncu --clock-control=base ended by itself"
    assert hold.close()
    assert not device.locked


@pytest.mark.parametrize("faults", [("no-permission", "ncu-hangs-once"), ("lock-sm-hangs-once",)])
def test_what_hangs_is_ended_and_the_clocks_are_reset(
    device: FakeDevice, faults: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "GRACE", 3.0)
    device.fail(*faults)
    found = Locker("base", answer=3).open()
    if isinstance(found, Hold):  # ncu took over from an NVML that hung
        assert found.how.startswith("ncu")
        assert found.close()
    else:
        assert "no answer within 3 s" in found
        assert "locked still" not in found
    assert not device.locked
    assert (device.folder / "hung").exists()
    assert not device.hung()


@pytest.mark.parametrize("faults", [("reset-sm-lost-once",), ("no-permission", "ncu-reset-once")])
def test_a_reset_that_fails_once_is_tried_again(device: FakeDevice, faults: tuple[str, ...]) -> None:
    device.fail(*faults)
    hold = held(Locker("base"))
    assert hold.close()
    assert not device.locked


def test_a_reset_that_hangs_is_done_by_another_process(device: FakeDevice) -> None:
    device.fail("reset-sm-hangs-once")
    assert held(Locker("base")).close(seconds=5)
    assert (device.folder / "hung").exists()
    assert not device.locked


def test_a_reset_that_keeps_failing_is_said(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    hold = held(Locker("base"))
    device.fail("reset-sm-lost")
    assert not hold.close()
    assert device.locked
    assert reset_clocks()["NVML"] == "NVML: gpu is lost"
    device.fail()
    assert reset_clocks()["NVML"] is None
    assert not device.locked


def test_a_keeper_that_is_killed_is_noticed_and_the_clocks_are_reset(device: FakeDevice) -> None:
    hold = held(Locker("base"))
    os.kill(hold._process.pid, signal.SIGKILL)
    hold._process.wait()
    assert "ended (-9)" in str(hold.lost())
    assert device.locked
    assert hold.close()
    assert not device.locked


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_keeper_that_is_asked_to_end_resets_first(device: FakeDevice, number: signal.Signals) -> None:
    hold = held(Locker("base"))
    os.kill(hold._process.pid, number)
    device.wait_reset()
    assert hold.close()


PARENT = """
from perfdocs.ab.lock import Locker
held = Locker("base").open()
print(held.how, flush=True)
input()
"""


@pytest.mark.parametrize(("faults", "how"), [((), "NVML"), (("no-permission",), "ncu --clock-control=base")])
def test_the_clocks_are_reset_when_the_parent_is_killed(device: FakeDevice, faults: tuple[str, ...], how: str) -> None:
    device.fail(*faults)
    parent: Any = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout.readline().strip() == how
        assert device.locked
        parent.kill()
    device.wait_reset()


def test_reset_is_safe_where_there_is_nothing_to_reset(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert reset_clocks() == {"NVML": None, "ncu": "ncu is not installed"}
    device.fail("no-driver")
    assert reset_clocks() == {"NVML": "NVML does not start: driver not loaded", "ncu": "ncu is not installed"}


def planted(folder: Path) -> Path:
    """A folder to work in, whose files stand for modules of Python and of perfdocs and leave a trace when they run."""
    trace = folder / "trace"
    code = f"open({str(trace)!r}, 'w').close()\nraise SystemExit(9)"
    (folder / "perfdocs").mkdir()
    for name in ("json.py", "cupy.py", "perfdocs/__init__.py"):
        (folder / name).write_text(code)
    return trace


def test_no_file_of_the_working_folder_runs_in_the_keeper(
    device: FakeDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = planted(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert lock.ask_reset().foreign
    hold = held(Locker("base"))
    assert hold.close()
    assert not trace.exists()


def test_no_file_of_the_working_folder_runs_in_the_helper_of_ncu(tmp_path: Path) -> None:
    trace = planted(tmp_path)
    words = module_command("perfdocs.ab.helper")
    subprocess.run(words, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert not trace.exists()


def test_a_keeper_that_dies_is_said_at_once(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "no number")  # with which Python does not start
    assert set(lock.ask_reset().ways.values()) == {"it ended (code 1)"}
    assert str(Locker("base").open()).startswith("nvml: it ended (code 1); the clocks may be locked still")
