"""Which way of running a batch is the fastest, from its size and the device alone."""

from __future__ import annotations

import importlib
from typing import Any, Literal

THREADS_AN_SM = 128  # one warp for each of the four schedulers of an SM

Pick = Literal["per_thread", "longest_first"]


def pick(n: int, sm_count: int) -> Pick:
    """Of the GPU's.

    A batch of no more than one warp a scheduler cannot fill the FP64 units: a step then takes as long as its chain of
    dependent operations, the batch as long as its longest sample, and nothing is won by sorting. A larger batch waits
    for the units, and what counts is that every lane of every warp has a step to take.
    """
    return "per_thread" if n <= THREADS_AN_SM * sm_count else "longest_first"


def arm(name: str) -> Any:
    """The module of an arm."""
    return importlib.import_module(f"{__package__}.arms.{name}")
