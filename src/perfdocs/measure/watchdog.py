"""An arm that does not come back: the process says which, and ends, because nothing can stop a call from outside.

A call into a library or a kernel that never ends holds its thread for good. Another thread of the process watches how
long ago an arm was given the floor. It can act as long as the call that hangs lets other threads run, which calls
through ctypes, CuPy and the large frameworks do; for one that does not, a kill from outside counts as an attempt.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["HANGS", "Watchdog"]

HANGS = 6
"""The exit code of a process whose arm hung."""
LOOKS = 10  # in the time that an arm has: rare enough to disturb no timed run
T = TypeVar("T")


@dataclass(slots=True)
class Watchdog(Generic[T]):
    """Ends the process where what it watches takes more than ``limit`` seconds of ``now``.

    ``report`` is called before that with what hung; whatever it raises, the process ends.
    """

    limit: float
    now: Callable[[], float]
    report: Callable[[T], None]
    leave: Callable[[int], object] = os._exit
    code: int = HANGS
    _watched: tuple[T, float] | None = None
    _stop: threading.Event = field(default_factory=threading.Event)

    def watch(self, what: T) -> None:
        """From now on ``what`` has the floor."""
        self._watched = (what, self.now())

    def rest(self) -> None:
        """Nothing is running that could hang."""
        self._watched = None

    @contextmanager
    def at(self, what: T) -> Iterator[None]:
        """``what`` has the floor, until it is done or has failed."""
        self.watch(what)
        try:
            yield
        finally:
            self.rest()

    def look(self) -> None:
        """End the process where the time is up."""
        watched = self._watched
        if watched is None or self.now() - watched[1] <= self.limit:
            return
        try:
            self.report(watched[0])
        finally:
            self.leave(self.code)

    def __enter__(self) -> Watchdog[T]:
        threading.Thread(target=self._patrol, daemon=True, name="watchdog").start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    def _patrol(self) -> None:
        while not self._stop.wait(self.limit / LOOKS):
            self.look()
