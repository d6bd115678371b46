"""Work that is not ours, on the GPU or on the processors: a process that is nobody's child, asked for a while of it.

``python -P others.py gpu`` waits on its standard input. Each time something comes it works for :data:`LASTS` seconds
and says so once it has begun; it ends when its input is closed, however that came about.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from perfdocs.measure.arm import Cannot

Where = Literal["gpu", "cpu"]
LASTS = 2.0
"""Seconds of work, longer than the timed run beside it. Then it rests, since a gate waits for an idle device."""
BEGUN = b"begun\n"


class Others:
    """Such a process; whoever measures must not take it for one of ours."""

    def __init__(self, where: Where) -> None:
        if not hasattr(os, "fork"):
            raise Cannot("unsupported", "this system starts no process that is nobody's child")
        command = [sys.executable, "-P", __file__, where]
        self._ended = Cannot("error", f"the process that works beside on the {where.upper()} has ended")
        self._process = subprocess.Popen(  # noqa: S603 - this file, by our own Python
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self._process.wait()  # it has left a child behind, which is ours no longer
        self._ask = self._process.stdin
        self._told = self._process.stdout
        try:
            self.work()  # once: what it loads and compiles is not for later
        except BaseException:
            self.close()
            raise

    def work(self) -> None:
        """Ask for work; back once it has begun. Raises :class:`Cannot` where nobody answers."""
        assert self._ask is not None
        assert self._told is not None
        try:
            self._ask.write(b"\n")
            self._ask.flush()
        except OSError:
            raise self._ended from None
        if self._told.readline() != BEGUN:
            raise self._ended

    def close(self) -> None:
        """Back once it is gone."""
        assert self._ask is not None
        assert self._told is not None
        with suppress(OSError):  # it went first, with what was asked of it unread
            self._ask.close()
        self._told.read()
        self._told.close()


def _on_gpu() -> Callable[[], None]:
    """A stretch of work that fills the current GPU; back once it is done."""
    import cupy

    numbers = cupy.arange(2**24, dtype=cupy.float32)

    def stretch() -> None:
        for _ in range(20):
            cupy.sin(numbers, out=numbers)
        cupy.cuda.Device().synchronize()

    return stretch


def _on_processors(seconds: float) -> None:
    """Leave a process at work on each processor that this one may use; each ends by itself."""
    for _ in os.sched_getaffinity(0):
        if not os.fork():
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                pass
            os._exit(0)


def main(where: str) -> None:
    """Serve until the input is closed."""
    if os.fork():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those at work
    stretch = _on_gpu() if where == "gpu" else None
    until = 0.0
    while True:
        busy = stretch is not None and time.monotonic() < until
        if select.select([0], [], [], 0 if busy else None)[0]:
            if not os.read(0, 4096):
                return
            until = time.monotonic() + LASTS
            if stretch is None:
                _on_processors(LASTS)
            else:
                stretch()
            os.write(1, BEGUN)
        elif stretch is not None:
            stretch()


if __name__ == "__main__":
    main(sys.argv[1])
