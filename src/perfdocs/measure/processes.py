"""Processes that lead a group of their own, ended with all that they started."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import Any

__all__ = ["kill_group"]


def kill_group(process: subprocess.Popen[Any]) -> None:
    """Kill the process with its group; where it has ended by itself, what it has left behind."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
