"""One A/B from the first round to the record: a reading after the other, each present or absent with its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, get_args

from msgspec.structs import replace

from perfdocs.errors import PerfdocsError
from perfdocs.measure.edges import Clock
from perfdocs.measure.ending import unheeded
from perfdocs.measure.progress import Progress

from .caveats import flagged, seen
from .clocks import Mode
from .comparing import compare_kernels, compare_rounds, flags_of, overall
from .order import ORDER_SEED
from .record import Method, Reading, ReadingKey, Record, SideFacts
from .rounds import Course, Judge, Observer, Side, contaminated, measure, off_clock, seen_clocks
from .statistics import LEVEL, RESAMPLES, SEED

__all__ = ["INTERRUPTED", "Asked", "Held", "Session", "run_session"]

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the caller chose. ``lock``: lock the clocks, and gate that reading; never without being asked.

    Seconds, processors. ``gate`` is the most that B may take of what A takes. The limit of cards holds without
    ``foreign_load``.
    """

    rounds: int = 20
    gate: float = 1.05
    shortest: float = 0.01
    most_repeats: int = 3
    foreign_load: float | None = None
    lock: Mode | None = None
    profile: bool = False

    @property
    def all_rounds(self) -> int:
        """Of all readings that have rounds."""
        return self.rounds * (2 if self.lock else 1)


class Held(Protocol):
    """Locked clocks. ``clocks`` are SM and memory clock in hertz, each ``None`` where only its holder knows."""

    how: str
    clocks: tuple[float | None, float | None]

    def lost(self) -> str | None:
        """Why they are no longer held, or ``None``."""

    def close(self) -> bool:
        """Reset them; whether they are."""


@dataclass(frozen=True, slots=True)
class Session:
    """Everything outside. ``may_lock`` says why the clocks must be left alone, ``lock`` locks them or says why not.

    ``kernels`` are a profiler's kernel times of both sides, or why there are none.
    """

    sides: tuple[Side, Side]
    facts: tuple[SideFacts, SideFacts]
    observer: Observer
    clock: Clock
    progress: Progress
    may_lock: Callable[[], str | None]
    lock: Callable[[], Held | str]
    kernels: Callable[[], tuple[tuple[float, ...], tuple[float, ...]] | str]
    changed: Callable[[], tuple[tuple[str, ...], tuple[str, ...]]] = lambda: ((), ())
    """Names of files of each side that are no longer what its facts say."""


@dataclass(slots=True)
class _Taken:
    """One reading as far as it has come. What follows from its rounds is made at the end, where nothing interrupts."""

    course: Course = field(default_factory=Course)
    absent: str | None = None
    how: str | None = None
    clocks: tuple[float, float] | None = None
    restored: bool | None = None
    kernels: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    whole: bool = False


def run_session(session: Session, asked: Asked, keep: Callable[[Record], None] = lambda _: None) -> Record:
    """Measure every reading that is asked for, and ``keep`` the record.

    An interrupt ends it, and so does a side that fails after its first round: the record then holds what there is, and
    says so. Once it is made nobody is heard who asks for an end, until it is kept. Raises :class:`PerfdocsError` where
    a side cannot run at all.
    """
    taken: dict[ReadingKey, _Taken] = {}
    session.progress.begin(f"A {session.sides[0].label}, B {session.sides[1].label}", asked.all_rounds)
    try:
        stopped = _take_all(session, asked, taken)
    except BaseException:
        session.progress.end()
        raise
    with unheeded():
        session.progress.end()
        record = _record(session, asked, taken, stopped)
        keep(record)
    return record


def _record(session: Session, asked: Asked, taken: Mapping[ReadingKey, _Taken], stopped: str | None) -> Record:
    gated: ReadingKey = "locked_clocks" if asked.lock else "default_clocks"
    keys: tuple[ReadingKey, ...] = get_args(ReadingKey)
    found = {
        key: _reading(session, asked, key, taken[key], stopped)
        if key in taken
        else Reading(absent=stopped or "not reached")
        for key in keys
    }
    verdict, why = overall(found, gated, asked.gate)
    a, b = (replace(facts, changed=names) for facts, names in zip(session.facts, session.changed(), strict=True))
    return Record(
        recorded=session.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        a=a,
        b=b,
        method=Method(
            rounds=asked.rounds,
            gate=asked.gate,
            shortest=asked.shortest,
            most_repeats=asked.most_repeats,
            foreign_load=session.observer.limit,
            level=LEVEL,
            resamples=RESAMPLES,
            seed=SEED,
            order_seed=ORDER_SEED,
            lock=asked.lock,
            sample_period=session.observer.period,
            sampler_reason=session.observer.reason,
        ),
        readings=found,
        gated=gated,
        verdict=verdict,
        why=why,
        flags=flags_of(found[gated]),
        stopped=stopped,
    )


def _reading(session: Session, asked: Asked, key: ReadingKey, taken: _Taken, stopped: str | None) -> Reading:
    """What was taken, with ratios and verdicts, and what was seen meanwhile."""
    course, locked = taken.course, key == "locked_clocks"
    ended = course.ended or (None if taken.whole else stopped)
    found = Reading(
        absent=taken.absent or (None if course.rounds or taken.kernels else ended),
        ended=ended,
        how=taken.how,
        clocks=taken.clocks,
        restored=taken.restored,
        rounds=tuple(course.rounds),
        repeats=tuple(course.repeats),
    )
    if taken.kernels is not None:
        a, b = taken.kernels
        return replace(found, kernels={"a": a, "b": b}, regions={"kernels": compare_kernels(a, b)})
    if not course.rounds:
        return found
    both = seen([r.a for r in course.rounds], locked=locked), seen([r.b for r in course.rounds], locked=locked)
    gate = None if asked.lock and not locked else asked.gate
    inner = session.facts[0].inner, session.facts[1].inner
    regions = compare_rounds(course.rounds, gate, asked.shortest, inner)
    regions = flagged(regions, course.rounds, course.last, both)
    return replace(found, seen=dict(zip(("a", "b"), both, strict=True)), regions=regions)


def _take_all(session: Session, asked: Asked, taken: dict[ReadingKey, _Taken]) -> str | None:
    """Fill ``taken``, each reading as it comes; what stopped it before its end."""
    readings: tuple[tuple[ReadingKey, Callable[[Session, Asked, _Taken], None]], ...] = (
        ("default_clocks", _default),
        ("locked_clocks", _locked),
        ("profiler", _profiled),
    )
    try:
        for side in session.sides:  # what the first run pays for is not the side's
            session.observer.turn(side)
        for key, take in readings:
            taken[key] = found = _Taken()
            take(session, asked, found)
            found.whole = True
    except KeyboardInterrupt:
        return INTERRUPTED
    except PerfdocsError as error:
        if not any(found.course.rounds for found in list(taken.values())[-1:]):
            raise
        return str(error.problem)
    return None


def _rounds(
    session: Session, asked: Asked, judges: tuple[Judge, ...], before: int, course: Course, held: Held | None = None
) -> None:
    """One course of rounds, after ``before`` rounds of other readings."""
    begun = session.clock.monotonic()

    def tell(done: int) -> None:
        rest = asked.all_rounds - before - done
        left = rest * (session.clock.monotonic() - begun) / done if done else None
        session.progress.at(before + done, f"round {done + 1}", left)

    lost = held.lost if held else lambda: None
    measure(session.sides, session.observer, judges, asked.rounds, asked.most_repeats, course, tell, lost)


def _default(session: Session, asked: Asked, taken: _Taken) -> None:
    """At the clocks the machine chooses: gated only where nobody asked for locked ones."""
    _rounds(session, asked, (contaminated,), 0, taken.course)


def _locked(session: Session, asked: Asked, taken: _Taken) -> None:
    """At locked clocks, equal on both sides, or why there is no such reading."""
    taken.absent = "locking was not asked for" if asked.lock is None else session.may_lock()
    if taken.absent is not None:
        return
    held = session.lock()
    if isinstance(held, str):
        taken.absent = held
        return
    taken.how = held.how
    try:
        clocks = _checked(session, held)
        if isinstance(clocks, str):
            taken.course.ended = clocks
            return
        taken.clocks = clocks
        judges = (contaminated, off_clock(clocks, lambda: session.observer.reason))
        _rounds(session, asked, judges, asked.rounds, taken.course, held)
    finally:
        taken.restored = _closed(held)


def _checked(session: Session, held: Held) -> tuple[float, float] | str:
    """The clocks that a busy GPU has to have (hertz), or why they cannot be checked.

    What the holder does not tell is read while A runs once: the clock of an idle GPU says nothing of a lock.
    """
    turn = session.observer.turn(session.sides[0])
    seen = seen_clocks(turn.state, session.observer.reason)
    if isinstance(seen, str):
        return f"the clocks cannot be checked: {seen}"
    (sm, memory), (of_sm, of_memory) = held.clocks, seen
    return sm or of_sm.high, memory or of_memory.high


def _closed(held: Held) -> bool:
    """Reset, through one more interrupt if there is one: whoever presses the keys twice still has their clocks back."""
    try:
        return held.close()
    except KeyboardInterrupt:
        return held.close()


def _profiled(session: Session, asked: Asked, taken: _Taken) -> None:
    """Kernels alone, from a profiler that leaves the clocks as they are."""
    found = session.kernels() if asked.profile else "a profiler was not asked for"
    if isinstance(found, str):
        taken.absent = found
    else:
        taken.kernels = found
