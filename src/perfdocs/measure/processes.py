"""Processes that lead a group of their own, ended with all that they started."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

__all__ = ["adopt", "end_children", "ending_all", "kill_group", "module_command", "with_parent"]

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER = 1, 36, 37
BRIEF = 1e-3  # s between two looks
PATIENCE = 5.0  # s; for processes that were killed and are still there


def module_command(module: str, *words: str) -> list[str]:
    """The command that runs a module of perfdocs in a process of its own, with this Python.

    ``-P``: no file of the folder that somebody works in stands in for a module of Python's or of ours.
    """
    return [sys.executable, "-P", "-m", module, *words]


@cache
def with_parent() -> Callable[[], object] | None:
    """What a new process has to call to be killed when this one ends, however that is; ``None`` where there is no way.

    It holds for the process alone, not for what it starts.
    """
    return partial(ctypes.CDLL(None).prctl, PR_SET_PDEATHSIG, signal.SIGKILL) if sys.platform == "linux" else None


def kill_group(process: subprocess.Popen[Any]) -> None:
    """Kill the process with its group; where it has ended by itself, what it has left behind."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def adopt(wanted: bool = True) -> bool | None:
    """Whether orphans of what this process starts become its children, not those of the system; sets that anew.

    Returns what it was before, ``None`` where a system cannot do it.
    """
    if sys.platform != "linux":
        return None
    library, was = ctypes.CDLL(None), ctypes.c_int()
    if library.prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(was), 0, 0, 0):
        return None
    return None if library.prctl(PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(wanted), 0, 0, 0) else bool(was.value)


def children() -> frozenset[int]:
    """Ids of this process's children, those that have ended and were not asked for included."""
    found: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, path.read_text(encoding="ascii").split()))
    return frozenset(found)


def end_children(but: frozenset[int] = frozenset()) -> None:
    """Kill and take note of every child ``but`` these, and of what becomes a child by that, where orphans are adopted.

    A child's id is its own until it was taken note of, so that no stranger is killed for it.
    """
    until = time.monotonic() + PATIENCE
    while (found := children() - but) and time.monotonic() < until:
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in found:
            with suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(BRIEF)


@contextmanager
def ending_all() -> Iterator[None]:
    """What is started inside ends with the block: also what has left its group by a session of its own (on Linux)."""
    was = adopt()
    if was is None:
        yield
        return
    before = children()
    try:
        yield
    finally:
        end_children(before)
        adopt(was)
