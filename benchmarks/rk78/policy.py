"""Which way of running a batch is the fastest, from its size and the device alone."""

from __future__ import annotations

import importlib
from typing import Any, Literal

THREADS_AN_SM = 128  # one warp for each of the four schedulers of an SM

Pick = Literal["per_thread", "persistent"]


def pick(n: int, sm_count: int) -> Pick:
    """Of the GPU's.

    Where every orbit has a lane at once and every warp a scheduler to itself, there is nothing to steal, and a loop
    that never looks for more is the shorter. Beyond it lanes whose orbits end early would wait for the longest.
    """
    return "per_thread" if n <= THREADS_AN_SM * sm_count else "persistent"


def arm(name: str) -> Any:
    """The module of an arm."""
    return importlib.import_module(f"{__package__}.arms.{name}")
