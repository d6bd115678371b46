"""Processes that lead a group of their own, ended with all that they started."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import Any

__all__ = ["kill_group", "with_parent"]

PR_SET_PDEATHSIG = 1


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
