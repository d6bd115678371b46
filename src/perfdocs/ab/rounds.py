"""Alternating rounds A B A B. A round in which something else was at work is measured again, and that is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from .record import Repeat, Round, State, Turn
from .regions import same_regions

__all__ = ["Course", "Judge", "Side", "Watch", "contaminated", "measure", "off_clock"]

CLOCK_TOLERANCE = 0.01
"""A clock so near to the locked one is the locked one: drivers tell whole steps."""


class Side(Protocol):
    """One of the two."""

    @property
    def label(self) -> str:
        """What it is called."""

    def run(self) -> Mapping[str, float]:
        """Run once, to its end; seconds by region."""

    def close(self) -> None:
        """Free what it needed."""


class Watch(Protocol):
    """Looks at the machine while a side runs."""

    def begin(self) -> None:
        """A side is about to run."""

    def end(self) -> State:
        """It has run: what was seen meanwhile."""


Judge = Callable[[State], str | None]
"""Why a turn does not count, ``None`` where it does."""


@dataclass(slots=True)
class Course:
    """What is measured so far: also what is left of a reading that was interrupted."""

    rounds: list[Round] = field(default_factory=list)
    repeats: list[Repeat] = field(default_factory=list)
    ended: str | None = None


def contaminated(limit: float) -> Judge:
    """A turn beside another process on the GPU, or more than ``limit`` cores of others' work, does not count."""

    def judge(state: State) -> str | None:
        if state.foreign_processes:
            return f"processes of others on the GPU: {state.foreign_processes}"
        if state.foreign_load is not None and state.foreign_load > limit:
            return f"{state.foreign_load:.2f} cores of foreign load"
        return None

    return judge


def off_clock(held: tuple[float, float]) -> Judge:
    """A turn counts only where every busy sample was at the locked SM and memory clock (hertz), one sample at least."""

    def judge(state: State) -> str | None:
        if not state.busy or state.sm_clock is None or state.memory_clock is None:
            return "; ".join(("no sample of a busy GPU", *state.unobserved))
        for name, span, wanted in (("SM", state.sm_clock, held[0]), ("memory", state.memory_clock, held[1])):
            worst = max(span, key=lambda clock: abs(clock - wanted))
            if abs(worst - wanted) > CLOCK_TOLERANCE * wanted:
                return f"{name} clock {worst / 1e6:.0f} MHz, locked at {wanted / 1e6:.0f} MHz"
        return None

    return judge


def measure(
    sides: tuple[Side, Side],
    watch: Watch,
    judges: tuple[Judge, ...],
    rounds: int,
    most_repeats: int,
    course: Course,
    tell: Callable[[int], None],
    lost: Callable[[], str | None] = lambda: None,
) -> None:
    """Fill ``course`` with rounds; ``tell`` hears how many are done.

    A round that no judge lets count is measured again, up to ``most_repeats`` times in a row; then the reading ends and
    says so. ``lost`` tells why the reading cannot go on, such as a lock that is gone. Raises what a side raises.
    """
    known: set[str] = set()
    tries = 0
    while len(course.rounds) < rounds:
        tell(len(course.rounds))
        turns, why = _round(sides, watch, judges, len(course.rounds) + 1, known)
        if (gone := lost()) is not None:
            course.ended = gone
            return
        if why is None:
            a, b = turns
            course.rounds.append(Round(a=a, b=b))
            tries = 0
            continue
        course.repeats.append(Repeat(round=len(course.rounds) + 1, why=why, turns=turns))
        tries += 1
        if tries > most_repeats:
            course.ended = f"round {len(course.rounds) + 1} did not count {tries} times in a row: {why}"
            return


def _round(
    sides: tuple[Side, Side], watch: Watch, judges: tuple[Judge, ...], number: int, known: set[str]
) -> tuple[tuple[Turn, ...], str | None]:
    """Both turns, or the first alone where it does not count; and why they do not."""
    turns: list[Turn] = []
    for name, side in zip("AB", sides, strict=True):
        watch.begin()
        try:
            regions = dict(side.run())
        finally:
            state = watch.end()
        if not known:
            known.update(regions)
        same_regions(known, set(regions), f"{name} ({side.label}), round {number}")
        turns.append(Turn(regions=regions, state=state))
        why = next((found for judge in judges if (found := judge(state)) is not None), None)
        if why is not None:
            return tuple(turns), f"{name}: {why}"
    return tuple(turns), None
