"""Alternating rounds. A round in which something else was at work is measured again, and that is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol

from perfdocs.card import Spread, State
from perfdocs.conditions import OWN_DOING, SETTINGS, THROTTLING, contamination
from perfdocs.measure.monitor import Monitor, Watch

from .caveats import held_down
from .order import orders
from .record import Order, Repeat, Round, Turn
from .regions import same_regions

__all__ = ["Course", "Judge", "Observer", "Side", "contaminated", "measure", "off_clock", "seen_clocks"]

CLOCK_TOLERANCE = 0.01
"""A clock so near to the locked one is the locked one: drivers tell whole steps."""


class Side(Protocol):
    """One of the two."""

    @property
    def label(self) -> str:
        """What it is called."""

    def run(self, monitor: Monitor) -> tuple[Mapping[str, float], Watch]:
        """Run once, to its end; seconds by region, and when ``monitor`` was let look."""


class Observer(Protocol):
    """Looks at the machine while a side runs."""

    @property
    def limit(self) -> float:
        """From more foreign load than this on, processors, a turn does not count."""

    @property
    def period(self) -> float | None:
        """Seconds between two samples; ``None`` where nothing samples."""

    @property
    def reason(self) -> str | None:
        """Why the machine or its GPU was not sampled, or no longer."""

    def turn(self, side: Side) -> Turn:
        """Let the side run: its times, and what was seen meanwhile. Raises what it raises."""


Judge = Callable[[State | None], str | None]
"""Why a turn does not count, ``None`` where it does."""


@dataclass(slots=True)
class Course:
    """What is measured so far: also what is left of a reading that was interrupted.

    ``last`` are the turns of the round that ended it, where one did not count again and again.
    """

    rounds: list[Round] = field(default_factory=list)
    repeats: list[Repeat] = field(default_factory=list)
    ended: str | None = None
    last: tuple[Turn, ...] = ()


def contaminated(state: State | None) -> str | None:
    """A turn that is contaminated as a block of a card would be does not count; what was not seen does."""
    return ", ".join(contamination(state)) or None


def seen_clocks(state: State | None, reason: str | None) -> tuple[Spread, Spread] | str:
    """SM and memory clock of a busy GPU, or that none was sampled and, as far as it is known, the ``reason``."""
    if state is None or state.sm_clock is None or state.memory_clock is None:
        return "; ".join(filter(None, ("no sample of a busy GPU", reason)))
    return state.sm_clock, state.memory_clock


def off_clock(held: tuple[float, float], reason: Callable[[], str | None]) -> Judge:
    """A turn counts only where every busy sample was at the locked SM and memory clock (hertz), one sample at least.

    ``reason`` tells why there may be none.
    """

    def judge(state: State | None) -> str | None:
        clocks = seen_clocks(state, reason())
        if isinstance(clocks, str):
            return clocks
        for name, seen, wanted in zip(("SM", "memory"), clocks, held, strict=True):
            worst = max(seen.low, seen.high, key=lambda clock: abs(clock - wanted))
            if abs(worst - wanted) > CLOCK_TOLERANCE * wanted:
                return f"{name} clock {worst / 1e6:.0f} MHz, locked at {wanted / 1e6:.0f} MHz"
        return None

    return judge


def measure(
    sides: tuple[Side, Side],
    observer: Observer,
    judges: tuple[Judge, ...],
    rounds: int,
    most_repeats: int,
    course: Course,
    tell: Callable[[int], None],
    lost: Callable[[], str | None] = lambda: None,
) -> None:
    """Fill ``course`` with rounds; ``tell`` hears how many are done.

    Half of the rounds begin with B (:mod:`.order`): what the first of a round finds otherwise than the second falls on
    both sides.

    A round that no judge lets count is measured again, up to ``most_repeats`` times in a row; then the reading ends and
    says so. A round whose clock was held down is measured again as often as a block of a card: once where the load of
    the side does that itself, never for a setting. Then it counts, and no later round is repeated for those reasons,
    which are there to stay. ``lost`` tells why the reading cannot go on, such as a lock that is gone. Raises what a
    side raises.
    """
    known: set[str] = set()
    borne: set[str] = set(SETTINGS)
    sequence, tries = orders(rounds), 0
    while len(course.rounds) < rounds:
        tell(len(course.rounds))
        number = len(course.rounds) + 1
        order = sequence[len(course.rounds)]
        patient = (*judges, _not_held_down(borne, tries, most_repeats))
        turns, why = _round(sides, observer, patient, number, order, known)
        if (gone := lost()) is not None:
            course.ended = gone
            return
        if why is None:
            a, b = turns if order == "AB" else reversed(turns)
            course.rounds.append(Round(order=order, a=a, b=b))
            borne |= {reason for turn in turns for reason in held_down(turn.state)}
            tries = 0
            continue
        course.repeats.append(Repeat(round=number, order=order, why=why, turns=turns))
        tries += 1
        if tries > most_repeats:
            course.ended, course.last = f"round {number} did not count {tries} times in a row: {why}", turns
            return


def _not_held_down(borne: AbstractSet[str], tries: int, most: int) -> Judge:
    """A turn whose clock was held down, by what is not ``borne``, does not count as long as it may be tried again."""

    def judge(state: State | None) -> str | None:
        reasons = sorted(held_down(state) - borne)
        again = tries < (min(most, 1) if OWN_DOING.issuperset(reasons) else most)
        words = ", ".join(THROTTLING.get(reason, reason.replace("_", " ")) for reason in reasons)
        return f"throttled: {words}" if reasons and again else None

    return judge


def _round(
    sides: tuple[Side, Side],
    observer: Observer,
    judges: tuple[Judge, ...],
    number: int,
    order: Order,
    known: set[str],
) -> tuple[tuple[Turn, ...], str | None]:
    """Both turns, or the first alone where it does not count; and why they do not."""
    turns: list[Turn] = []
    for name in order:
        side = sides["AB".index(name)]
        turn = observer.turn(side)
        if not known:
            known.update(turn.regions)
        same_regions(known, set(turn.regions), f"{name} ({side.label}), round {number}")
        turns.append(turn)
        why = next((found for judge in judges if (found := judge(turn.state)) is not None), None)
        if why is not None:
            return tuple(turns), f"{name}: {why}"
    return tuple(turns), None
