"""What the machine does while a side has its turn, seen as it is for cards: by a sampler in a process of its own."""

from __future__ import annotations

from perfdocs.measure.monitor import Monitor
from perfdocs.measure.sampler import PERIOD

from .record import Turn
from .rounds import Side

__all__ = ["MonitorObserver"]


class MonitorObserver:
    """Watches turns through a monitor.

    More foreign load than ``limit`` (processors) contaminates a turn. ``blind`` says why the GPU tells nothing.
    """

    def __init__(self, monitor: Monitor, limit: float, blind: str | None = None) -> None:
        self.limit, self._monitor, self._blind = limit, monitor, blind
        self.period = PERIOD if monitor.alive else None

    @property
    def reason(self) -> str | None:
        """Why the machine or its GPU was not sampled, or no longer."""
        return self._monitor.reason or self._blind

    def turn(self, side: Side) -> Turn:
        """Let the side run. Raises what it raises."""
        with self._monitor.span(goes_on=True):
            regions, watch = side.run(self._monitor)
        return Turn(regions=dict(regions), state=self._monitor.state(watch, self.limit))
