"""Who holds the clocks: one at a time, told by the system, and a note of what was left behind."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.ab.conftest import FakeDevice

from perfdocs.ab.claim import KEEPER, HeldError, claim
from perfdocs.ab.clocks import RefusedError
from perfdocs.ab.lock import Hold, Locker, Reset, ask_reset

pytestmark = pytest.mark.skipif(os.name != "posix", reason="clocks are locked on Linux only")
HOLDS = "from perfdocs.ab.claim import claim\nmine = claim()\n{then}\nprint(mine.left, flush=True)\ninput()"


@contextmanager
def another(then: str = "", *words: str) -> Iterator[subprocess.Popen[str]]:
    """A process that claims the clocks as a keeper does, or with other ``words``; killed at the end."""
    words = words or (KEEPER,)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS.format(then=then), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("(")
        try:
            yield process
        finally:
            process.kill()


def note(device: FakeDevice) -> Path:
    return device.folder / "perfdocs-clocks"


def test_the_claim_ends_with_its_process_and_the_note_stays(device: FakeDevice) -> None:
    with another('mine.note("NVML")\nmine.note("ncu")'):
        with pytest.raises(HeldError) as held:
            claim()
        assert held.value.process == os.getpid()
    mine = claim()
    assert mine.left == ("NVML", "ncu")
    mine.forget("NVML")
    assert json.loads(note(device).read_text())["ways"] == ["ncu"]


def test_every_user_may_claim_the_clocks(device: FakeDevice) -> None:
    before = os.umask(0o077)
    try:
        claim()
    finally:
        os.umask(before)
    assert stat.S_IMODE(note(device).stat().st_mode) == 0o666


@pytest.mark.parametrize("text", ["", "{", "[]", '{"ways": "NVML"}', '{"boot": "another", "ways": ["NVML"]}'])
def test_a_note_that_says_nothing_of_now_is_none(device: FakeDevice, text: str) -> None:
    note(device).write_text(text)
    assert claim().left == ()


def test_what_is_no_file_is_not_followed(device: FakeDevice) -> None:
    precious = device.folder / "precious"
    precious.write_text("1")
    note(device).symlink_to(precious)
    with pytest.raises(RefusedError, match="nobody can tell"):
        claim()
    assert precious.read_text() == "1"
    note(device).unlink()
    os.mkfifo(note(device))
    with pytest.raises(RefusedError, match="what should be a file is none"):
        claim()


def test_a_claim_that_cannot_be_noted_is_none(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(RefusedError, match="no space left"):
        claim()


def test_two_comparisons_do_not_lock_at_once(device: FakeDevice) -> None:
    with another():
        assert Locker("base").open() == "another comparison of perfdocs holds the clocks of this machine"
        assert not device.log
    hold = Locker("base").open()
    assert isinstance(hold, Hold)
    assert hold.close()
    assert claim().left == ()


def test_a_lock_that_was_refused_leaves_no_note_and_one_that_stays_does(
    device: FakeDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    device.fail("no-permission")
    assert isinstance(Locker("base").open(), str)
    assert json.loads(note(device).read_text())["ways"] == []
    device.fail("lock-memory-lost", "reset-sm-lost")
    assert isinstance(Locker("base").open(), str)
    assert json.loads(note(device).read_text())["ways"] == ["NVML"]
    device.fail()
    assert ask_reset().ways == {"NVML": None, "ncu": "ncu is not installed"}
    assert not device.locked
    assert ask_reset().foreign


def test_after_a_keeper_was_killed_its_lock_is_known_to_be_ours(device: FakeDevice) -> None:
    hold = Locker("base").open()
    assert isinstance(hold, Hold)
    os.kill(hold._process.pid, signal.SIGKILL)
    hold._process.wait()
    assert device.locked
    assert ask_reset().ways == {"NVML": None, "ncu": None}
    assert not device.locked
    assert hold.close()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells who has locked a file")
def test_who_has_locked_the_file_and_is_no_keeper_is_not_taken_for_a_comparison(device: FakeDevice) -> None:
    (device.folder / "locked").write_text("1400")
    with another("", "anybody") as process:
        with pytest.raises(HeldError, match="which is no comparison of perfdocs") as held:
            claim()
        assert held.value.holder == process.pid
        assert f"process {process.pid}, which is no comparison of perfdocs" in str(Locker("base").open())
        assert ask_reset() == Reset(locked=True, stranger=process.pid)
        assert device.locked
        assert ask_reset(force=True).ways == {"NVML": None, "ncu": None}
    assert not device.locked


def test_a_holder_that_nobody_can_see_may_be_a_comparison(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "")
    with another("", "anybody"), pytest.raises(HeldError, match="some process, which may be a comparison of perfdocs"):
        claim()
