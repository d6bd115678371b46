"""Ends: signals that are heeded like Ctrl-C, and processes that would stay behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.lacking import needs_children

from perfdocs.measure.ending import ended_by_signals, unheeded
from perfdocs.measure.processes import adopt, children, ending_all

ORPHAN = """
import os, subprocess, sys
sleeper = "import os, time; os.setsid(); time.sleep(60)"
start = f"subprocess.Popen([sys.executable, '-c', {sleeper!r}], stdout=-3, stderr=-3)"
middle = f"import subprocess, sys; print({start}.pid)"
print(subprocess.run([sys.executable, "-c", middle], capture_output=True, text=True).stdout)
"""
"""A process whose grandchild has a session of its own and nobody left who started it."""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def interrupted(number: int) -> None:
    with ended_by_signals():
        os.kill(os.getpid(), number)
        time.sleep(10)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_each_of_them_is_an_interrupt_inside_and_as_it_was_after(number: str) -> None:
    told = getattr(signal, number)
    before = signal.getsignal(told)
    signal.signal(told, signal.SIG_DFL)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted(told)
        assert signal.getsignal(told) is signal.SIG_DFL
    finally:
        signal.signal(told, before)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_for_a_while_after_the_first_nothing_else_is_heard() -> None:
    kept = []

    def ask_again() -> None:
        with ended_by_signals(deaf=60):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            finally:
                for number in (signal.SIGINT, signal.SIGTERM):
                    os.kill(os.getpid(), number)
                kept.append("all")

    with pytest.raises(KeyboardInterrupt):
        ask_again()
    assert kept == ["all"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_what_must_be_whole_is_not_broken_off() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with unheeded():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(os.getpid(), number)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_what_was_ignored_from_the_start_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_by_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_leaves_the_signals_alone() -> None:
    before, seen = signal.getsignal(signal.SIGTERM), []

    def work() -> None:
        with ended_by_signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


@needs_children
@pytest.mark.parametrize("fails", [False, True])
def test_an_orphan_in_a_session_of_its_own_ends_with_the_block(fails: bool) -> None:
    pid = 0
    try:
        with ending_all():
            done = subprocess.run([sys.executable, "-c", ORPHAN], capture_output=True, text=True, check=True)
            pid = int(done.stdout)
            assert alive(pid)
            if fails:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert fails
    assert pid
    assert not alive(pid)
    assert pid not in children()


@needs_children
def test_what_was_there_before_the_block_is_left_alone_and_orphans_are_adopted_only_inside() -> None:
    was = adopt(False)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as own:
        with ending_all():
            assert adopt(True) is True
        assert adopt(False) is False
        assert own.poll() is None
        assert own.pid in children()
        own.communicate(b"\n")
    assert own.returncode == 0
    adopt(bool(was))


def test_where_orphans_are_not_adopted_the_block_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert adopt() is None
    with ending_all():
        pass
