"""Sides, observers and locks that do as they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.measure.fakes import FakeClock

from perfdocs.ab.clocks import RefusedError
from perfdocs.ab.record import SideFacts, Turn
from perfdocs.ab.rounds import Side
from perfdocs.card import Spread, State
from perfdocs.measure.monitor import Monitor, Watch

HELD = (1.5e9, 2.6e9)


def spread(low: float, high: float) -> Spread:
    return Spread(low=low, centre=high, high=high)


BUSY = State(
    window="timed",
    seconds=0.3,
    samples=3,
    sm_clock=spread(1.5e9, 1.5e9),
    memory_clock=spread(2.6e9, 2.6e9),
    foreign_load=0.1,
    foreign_limit=0.5,
)


def unwatched() -> Monitor:
    """A monitor without a sampler."""
    return Monitor("no sampler here", FakeClock())


@dataclass
class FakeSide:
    """Takes its times in turn; a callable instead of a time is called first."""

    label: str
    log: list[str] = field(default_factory=list)
    times: Callable[[int], Mapping[str, float]] = lambda _: {"main": 0.02}
    runs: int = 0

    @property
    def facts(self) -> SideFacts:
        return SideFacts(label=self.label, kind="command")

    def run(self, monitor: Monitor) -> tuple[Mapping[str, float], Watch]:
        self.runs += 1
        self.log.append(self.label)
        return self.times(self.runs), Watch()


@dataclass
class FakeObserver:
    """Sees ``state``, or what ``states`` has for a turn by its number from 1 on, after the first run of each side."""

    state: State | None = BUSY
    states: Mapping[int, State | None] = field(default_factory=dict)
    reason: str | None = None
    limit: float = 0.5
    period: float | None = 0.04
    turns: int = -2

    def turn(self, side: Side) -> Turn:
        self.turns += 1
        regions, _ = side.run(unwatched())
        return Turn(regions=dict(regions), state=self.states.get(self.turns, self.state))


@dataclass
class FakeHeld:
    """A lock that is lost after so many rounds and may not open again."""

    how: str = "NVML"
    clocks: tuple[float | None, float | None] = HELD
    rounds: int = 10**9
    resets: bool = True
    closed: int = 0
    interrupts: int = 0

    def lost(self) -> str | None:
        self.rounds -= 1
        return "ncu ended by itself" if self.rounds < 0 else None

    def close(self) -> bool:
        self.closed += 1
        if self.interrupts:
            self.interrupts -= 1
            raise KeyboardInterrupt
        return self.resets


@dataclass
class FakeControl:
    """A GPU with these processes, or a refusal to name them; whatever else is asked raises ``other``."""

    pids: frozenset[int] | str = frozenset()
    slices: str | None = None
    other: Exception = field(default_factory=lambda: RefusedError("not here"))

    def processes(self) -> frozenset[int]:
        if isinstance(self.pids, str):
            raise RefusedError(self.pids)
        return self.pids

    def shared(self) -> str | None:
        return self.slices

    def target(self, mode: str) -> tuple[int, int]:
        raise self.other

    def lock_sm(self, clock: int) -> None:
        raise self.other

    def lock_memory(self, clock: int) -> None:
        raise self.other

    def reset(self) -> None:
        raise self.other
