"""The end that a system or a terminal asks for: a run of any kind then ends as it does at Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["ENDING", "ended_by_signals"]

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What a system sends to end a process, and a terminal that closes."""


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Each of :data:`ENDING` raises :class:`KeyboardInterrupt` inside, unless it was ignored from the start.

    In another thread than the first nothing is changed: only that one may handle signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    terminals = [stream.fileno() for stream in (sys.stdout, sys.stderr) if stream is not None and stream.isatty()]

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        if number != signal.SIGTERM:
            signal.signal(number, signal.SIG_IGN)  # a shell says it a second time
            for terminal in terminals:  # nothing can be shown there any more, and what is kept is written later
                os.dup2(os.open(os.devnull, os.O_WRONLY), terminal)
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in ENDING}
    heeded = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}  # as under nohup
    for number in heeded:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in heeded.items():
            signal.signal(number, handler)
