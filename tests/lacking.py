"""A test that needs what this machine lacks is skipped and says what; whatever else an arm cannot do is a failure."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NoReturn

import pytest

from perfdocs.measure.arm import Cannot

needs_children = pytest.mark.skipif(
    not Path("/proc/self/task", str(os.getpid()), "children").exists(),
    reason="the kernel lists no children of a process (CONFIG_PROC_CHILDREN), so what left its session is not found",
)

OF_THE_MACHINE = re.compile(
    r"does not load|sees no|\d threads on \d+ processors|has no conditional graph nodes|has no CUB|CUB be switched off"
    r"|not installed"
)
"""What is unsupported because of the machine or of a package's version, and not because our own code is refused."""


def skip_or_fail(reason: Cannot) -> NoReturn:
    """Skip with the reason where the machine lacks something; else raise it again."""
    if reason.kind == "not_installed" or (reason.kind == "unsupported" and OF_THE_MACHINE.search(str(reason))):
        pytest.skip(str(reason))
    raise reason
