"""What the machine does while a side has its turn, seen as it is for cards: by a sampler in a process of its own."""

from __future__ import annotations

from contextlib import nullcontext

from perfdocs.measure.machine import allowed_threads
from perfdocs.measure.monitor import SPAN, Monitor
from perfdocs.measure.sampler import PERIOD
from perfdocs.measure.watchdog import Watchdog

from .record import Turn
from .rounds import Side

__all__ = ["MonitorObserver"]


class MonitorObserver:
    """Watches turns through a monitor.

    More foreign load than ``limit`` (processors) contaminates a turn. ``blind`` says why the GPU tells nothing.
    ``watchdog`` knows whose turn it is.
    """

    def __init__(
        self, monitor: Monitor, limit: float, blind: str | None = None, watchdog: Watchdog[str] | None = None
    ) -> None:
        self.limit, self._monitor, self._blind, self._watchdog = limit, monitor, blind, watchdog
        self._least = SPAN if limit < allowed_threads() else 0.0  # nobody waits for a load that cannot matter
        self.period = PERIOD if monitor.alive else None

    @property
    def reason(self) -> str | None:
        """Why the machine or its GPU was not sampled, or no longer."""
        return self._monitor.reason or self._blind

    def turn(self, side: Side) -> Turn:
        """Let the side run. Raises what it raises."""
        with self._monitor.span(self._least), self._watchdog.at(side.label) if self._watchdog else nullcontext():
            regions, watch = side.run(self._monitor)
        return Turn(regions=dict(regions), state=self._monitor.state(watch, self.limit))
