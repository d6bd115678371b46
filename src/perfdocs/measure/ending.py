"""The end that a system or a terminal asks for: a run of any kind then ends as it does at Ctrl-C."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

__all__ = ["ENDING", "ended_by_signals", "unheeded"]

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What a system sends to end a process, and a terminal that closes."""


@contextmanager
def ended_by_signals(deaf: float = 0.0) -> Iterator[None]:
    """Each of :data:`ENDING` raises :class:`KeyboardInterrupt` inside, unless it was ignored from the start.

    For ``deaf`` seconds after the first nothing else is heard, Ctrl-C included: who asks twice at once, as systems and
    people do, is not to break off what the first has begun. In another thread than the first nothing is changed: only
    that one may handle signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    terminals = [stream.fileno() for stream in (sys.stdout, sys.stderr) if stream is not None and stream.isatty()]
    again = -math.inf

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal again
        del frame
        if number not in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)  # a shell says it a second time
            for terminal in terminals:  # nothing can be shown there any more, and what is kept is written later
                os.dup2(os.open(os.devnull, os.O_WRONLY), terminal)
        if (now := time.monotonic()) >= again:
            again = now + deaf
            raise KeyboardInterrupt

    with _handled(stop, (*ENDING, signal.SIGINT) if deaf else ENDING):
        yield


@contextmanager
def unheeded() -> Iterator[None]:
    """Nobody is heard who asks for an end: for what is short and must be whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _handled(signal.SIG_IGN, (*ENDING, signal.SIGINT)):
        yield


@contextmanager
def _handled(
    handler: Callable[[int, FrameType | None], None] | signal.Handlers, numbers: Sequence[int]
) -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in numbers}
    heeded = {number: former for number, former in before.items() if former is not signal.SIG_IGN}  # as under nohup
    for number in heeded:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, former in heeded.items():
            signal.signal(number, former)
