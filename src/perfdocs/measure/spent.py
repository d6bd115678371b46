"""Where the time of a run goes, by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, get_args

__all__ = ["Part", "Spent"]

Part = Literal[
    "problem and reference",
    "preparing and compiling",
    "verification",
    "ramps and timed runs",
    "gate",
    "fresh processes",
    "saving",
    "other",
]


class Spent:
    """Seconds by part since this was made; ``now`` reads a clock in seconds.

    A moment counts for the innermost part that it lies in: to save while preparing is to save.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now, self._last, self._part = now, now(), "other"
        self._seconds: dict[str, float] = dict.fromkeys(get_args(Part), 0.0)

    def _enter(self, part: str) -> str:
        """Count what has gone for the part that ends, begin ``part``, and return the one that ended."""
        moment, ended = self._now(), self._part
        self._seconds[ended] += moment - self._last
        self._last, self._part = moment, part
        return ended

    @contextmanager
    def on(self, part: Part) -> Iterator[None]:
        """What is done within is ``part``."""
        before = self._enter(part)
        try:
            yield
        finally:
            self._enter(before)

    def seconds(self) -> dict[str, float]:
        """Seconds until now by part, every part once."""
        self._enter(self._part)
        return dict(self._seconds)

    def line(self) -> str:
        """``61.2 s: problem and reference 0.4 s, …``, every part once."""
        found = self.seconds()
        parts = ", ".join(f"{part} {seconds:.1f} s" for part, seconds in found.items())
        return f"{sum(found.values()):.1f} s: {parts}"
