"""Work in processes side by side: on the items of a list, sharing what is there already, or ahead of its time."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

__all__ = ["ahead", "in_processes"]

PARTS = 50
"""So many for each process: one part may take longer than others, and the last ones are waited for."""
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


def _may_copy() -> bool:
    """Whether this process may make copies of itself that work."""
    alone = threading.active_count() == 1 and not multiprocessing.current_process().daemon
    return alone and sys.platform.startswith("linux")


def ahead(work: Callable[[], R]) -> Callable[[], R]:
    """Begin some work in a copy of this process; what is returned waits for the result.

    It is done here, when it is asked for, where there is no processor for it, no copy can be made, or the copy fails:
    then its error is raised here.
    """
    if processors() < 2 or not _may_copy():
        return work
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def send() -> None:
        with suppress(Exception):
            there.send(work())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as below
        copy = context.Process(target=send, daemon=True)
        copy.start()
    there.close()

    def result() -> R:
        try:
            with here:
                found: R = here.recv()
        except (EOFError, OSError):
            found = work()
        copy.join()
        return found

    return result


def in_processes(work: Callable[[Sequence[T]], R], items: Sequence[T], least: int) -> Iterator[R]:
    """What ``work`` makes of the parts of a list, in order; each process has ``least`` items or more.

    This one works as well, from the end of the list; the others are copies of it, so only their results are carried
    over. Where a system makes none so (Windows and macOS, whose libraries are not made for it) and beside threads, this
    process does all.
    """
    global _work
    count = min(processors(), len(items) // least)
    if count < 2 or not _may_copy():
        yield work(items)
        return
    step = -(-len(items) // (PARTS * count))
    parts = [items[i : i + step] for i in range(0, len(items), step)]
    context = multiprocessing.get_context("fork")
    begun = context.Array("b", len(parts))

    def taken(number: int) -> list[R]:
        """What comes of a part; nothing where another process has it."""
        with begun.get_lock():
            mine, begun[number] = not begun[number], 1
        return [work(parts[number])] if mine else []

    _work = taken
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which hold nothing of ours
            pool = context.Pool(count - 1)
        with pool:
            others = pool.imap(_do, range(len(parts)))
            own = [taken(number) for number in reversed(range(len(parts)))]
            for here, there in zip(reversed(own), others, strict=True):
                yield from here or there  # type: ignore[misc] # what `work` makes
    finally:
        _work = None
