"""Sides, watches and locks that do as they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from perfdocs.ab.record import SideFacts, State

HELD = (1.5e9, 2.6e9)
BUSY = State(samples=3, busy=3, sm_clock=(1.5e9, 1.5e9), memory_clock=(2.6e9, 2.6e9), foreign_load=0.1)


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

    def run(self) -> Mapping[str, float]:
        self.runs += 1
        self.log.append(self.label)
        return self.times(self.runs)

    def close(self) -> None:
        self.log.append(f"{self.label} closed")


@dataclass
class FakeWatch:
    """Sees ``state``, or what ``states`` has for a turn by its number from 1 on."""

    state: State = BUSY
    states: dict[int, State] = field(default_factory=dict)
    turns: int = 0
    looking: bool = False

    def begin(self) -> None:
        assert not self.looking
        self.looking = True
        self.turns += 1

    def end(self) -> State:
        assert self.looking
        self.looking = False
        return self.states.get(self.turns, self.state)


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
