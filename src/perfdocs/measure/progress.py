"""Show what is being measured: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol, TextIO

from perfdocs.output import give_up

__all__ = ["Lines", "Progress", "open_progress"]


class Progress(Protocol):
    """Where the run tells how far it is."""

    def begin(self, title: str, total: int) -> None:
        """A device's measurements begin."""

    def at(self, done: int, what: str, left: float | None) -> None:
        """``what`` is being measured, ``done`` measurements are finished, about ``left`` seconds remain."""

    def note(self, line: str) -> None:
        """A line that stays."""

    def end(self) -> None:
        """The device is done with, or the run stops."""


def duration(seconds: float) -> str:
    """``2 min 05 s``."""
    whole = max(0, round(seconds))
    return f"{whole // 60} min {whole % 60:02d} s" if whole >= 60 else f"{whole} s"


class Lines:
    """One line a measurement, each with the seconds since this was made; ``now`` reads a clock in seconds."""

    def __init__(self, stream: TextIO | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._now, self._begun = now, now()
        self._total = 0

    def _say(self, line: str) -> None:
        try:
            print(f"{self._now() - self._begun:7.1f} s  {line}", file=self._stream, flush=True)
        except OSError:  # its reader has left, or a disk is full: what is measured is worth more than being told of it
            give_up(self._stream)

    def begin(self, title: str, total: int) -> None:
        """Title."""
        self._total = total
        self._say(f"{title}: {total} measurements")

    def at(self, done: int, what: str, left: float | None) -> None:
        """Position and estimate."""
        tail = f", about {duration(left)} left" if left is not None else ""
        self._say(f"  {done + 1}/{self._total} {what}{tail}")

    def note(self, line: str) -> None:
        """A line."""
        self._say(f"  {line}")

    def end(self) -> None:
        """Nothing."""


class Bar:
    """A bar of rich's."""

    def __init__(self, console: Any) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            transient=True,
        )
        self._console = console
        self._task: Any = None

    def begin(self, title: str, total: int) -> None:
        """Start the bar."""
        self._console.print(title, markup=False, highlight=False)
        self._task = self._bar.add_task("", total=total, left="")
        self._bar.start()

    def at(self, done: int, what: str, left: float | None) -> None:
        """Position and estimate."""
        from rich.markup import escape

        tail = f"about {duration(left)} left" if left is not None else ""
        self._bar.update(self._task, completed=done, description=escape(what), left=tail)

    def note(self, line: str) -> None:
        """A line above the bar."""
        self._bar.console.print(line, markup=False, highlight=False)

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None


def open_progress() -> Progress:
    """A bar where standard error is a terminal and rich is installed."""
    if sys.stderr.isatty():
        try:
            from rich.console import Console

            return Bar(Console(stderr=True))
        except ImportError:
            pass
    return Lines()
