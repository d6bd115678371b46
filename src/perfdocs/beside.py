"""Work on the items of a list in processes side by side, which share what is there already."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

__all__ = ["in_processes"]

T = TypeVar("T")
R = TypeVar("R")
_work: Callable[[int], object] | None = None
"""What the processes of now do with the number of a part: they have it from the process that they are copies of."""


def _do(number: int) -> object:
    assert _work is not None
    return _work(number)


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_processes(work: Callable[[Sequence[T]], R], items: Sequence[T], least: int) -> Iterator[R]:
    """What ``work`` makes of the parts of a list, in order, as it is made; ``least`` items or more in each.

    Processes are copies of this one, so only its results are carried over. Where a system makes none so (Windows and
    macOS, whose libraries are not made for it) and beside threads, this process does all.
    """
    global _work
    count = min(processors(), len(items) // least)
    alone = threading.active_count() == 1 and not multiprocessing.current_process().daemon
    if count < 2 or not alone or not sys.platform.startswith("linux"):
        yield work(items)
        return
    step = max(least, -(-len(items) // (4 * count)))  # four parts for each: one may take longer than others
    parts = [items[i : i + step] for i in range(0, len(items), step)]
    _work = lambda number: work(parts[number])  # noqa: E731 - handed on by copying this process
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which hold nothing of ours
            pool = multiprocessing.get_context("fork").Pool(count)
        with pool:
            yield from pool.imap(_do, range(len(parts)))
    finally:
        _work = None
