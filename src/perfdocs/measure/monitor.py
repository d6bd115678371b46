"""Ties what the sampler saw to the work that ran: windows of one arm, spans of a block or a rotation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from perfdocs.card import State

from .edges import Clock, Sampler, SamplerError, Watched
from .sampler import Sample
from .state import Kind, Window, state_of

__all__ = ["ENERGY_WINDOW", "SPAN", "WINDOW", "Monitor", "Watch"]

WINDOW = 0.25
"""Timed runs shorter than this (s) are not sampled, since a reading of NVML shortly before one slows it; the same work,
untimed and back to back, is for so long."""

ENERGY_WINDOW = 1.0
"""The same where the energy of a run is wanted: the counter of a GPU moves ten times a second."""
SPAN = 0.3
"""Seconds that the host is sampled for at least: a load cannot be told in less, and what was not told would pass for
clean."""


@dataclass(slots=True)
class Watch:
    """The windows in which one arm's work was sampled. ``device``: by what its GPU tells, not by its host alone.

    ``only_busy``: the windows hold other work too, as that of a whole program, and tell of its GPU where that is busy.
    """

    device: bool = False
    only_busy: bool = False
    kind: Kind | None = None
    windows: list[Window] = field(default_factory=list)


class Monitor:
    """A sampler may be absent, die or hang: the measurement goes on, and ``reason`` says so.

    ``note`` is told when it happens. ``window`` is how long short work is run for to be sampled, s.
    """

    def __init__(
        self,
        sampler: Sampler | str,
        clock: Clock,
        note: Callable[[str], None] = lambda _: None,
        window: float = WINDOW,
    ) -> None:
        self.window = window
        self._sampler = None if isinstance(sampler, str) else sampler
        self.reason: str | None = sampler if isinstance(sampler, str) else None
        self._clock = clock
        self._note = note
        self._samples: list[Sample] = []
        self._span = Window(clock.monotonic())

    @property
    def alive(self) -> bool:
        """Whether there is a sampler that answers."""
        return self._sampler is not None

    def _watch(self, what: Watched) -> None:
        if self._sampler is None:
            return
        try:
            self._samples += self._sampler.watch(what)
        except SamplerError as error:
            self._sampler, self.reason = None, f"{error}; measurements after that were not sampled"[:500]
            self._note(self.reason)

    @contextmanager
    def span(self, least: float = SPAN) -> Iterator[None]:
        """A block, a rotation or a turn: the load of the host is sampled throughout, and for ``least`` s anyway."""
        self._samples = []
        self._watch("host")
        self._span = Window(self._clock.monotonic())
        try:
            yield
            self._span.end = self._clock.monotonic()
            if self.alive and (left := self._span.start + least - self._span.end) > 0:
                self._clock.sleep(left)
        finally:
            self._span.end = min(self._span.end, self._clock.monotonic())
            self._watch("nothing")

    @contextmanager
    def busy(self, watch: Watch, kind: Kind, runs: int = 0) -> Iterator[Window]:
        """Work of one arm, back to back: the device is sampled too. Whoever runs it counts the window's ``runs``."""
        if watch.device:
            self._watch("device")
        window = Window(self._clock.monotonic(), runs=runs)
        try:
            yield window
        finally:
            window.end = self._clock.monotonic()
            if watch.device:
                self._watch("host")
        watch.kind = kind
        watch.windows.append(window)

    def state(self, watch: Watch, foreign_limit: float) -> State | None:
        """What was seen in the last span; without a window of the arm, of the host over all of it.

        ``None`` where no sampler answers.
        """
        if self._sampler is None:
            return None
        kind: Kind = watch.kind or "rotation"
        windows = watch.windows or [self._span]
        return state_of(
            self._samples,
            windows,
            kind,
            device=watch.device,
            foreign_limit=foreign_limit,
            only_busy=watch.only_busy,
        )

    def close(self) -> None:
        """End the sampler."""
        if self._sampler is not None:
            self._sampler.close()
