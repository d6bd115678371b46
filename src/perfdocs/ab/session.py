"""One A/B from the first round to the record: a reading after the other, each present or absent with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, get_args

from msgspec.structs import replace

from perfdocs.errors import PerfdocsError
from perfdocs.measure.edges import Clock
from perfdocs.measure.progress import Progress

from .caveats import flagged, seen
from .clocks import Mode
from .comparing import compare_kernels, compare_rounds, flags_of, overall
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


def run_session(session: Session, asked: Asked) -> Record:
    """Measure every reading that is asked for.

    An interrupt ends it, and so does a side that fails after its first round: the record then holds what there is, and
    says so. Raises :class:`PerfdocsError` where a side cannot run at all.
    """
    readings: dict[ReadingKey, Reading] = {}
    session.progress.begin(f"A {session.sides[0].label}, B {session.sides[1].label}", asked.all_rounds)
    try:
        stopped = _read_all(session, asked, readings)
    finally:
        session.progress.end()
    gated: ReadingKey = "locked_clocks" if asked.lock else "default_clocks"
    keys: tuple[ReadingKey, ...] = get_args(ReadingKey)
    found = {key: readings.get(key, Reading(absent=stopped or "not reached")) for key in keys}
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


def _read_all(session: Session, asked: Asked, readings: dict[ReadingKey, Reading]) -> str | None:
    """Fill ``readings``; what stopped it before its end."""
    try:
        for side in session.sides:  # what the first run pays for is not the side's
            session.observer.turn(side)
        readings["default_clocks"], stopped = _default(session, asked)
        if stopped is None:
            readings["locked_clocks"], stopped = _locked(session, asked)
        if stopped is None:
            readings["profiler"] = _profiled(session, asked)
    except KeyboardInterrupt:
        return INTERRUPTED
    return stopped


def _rounds(
    session: Session, asked: Asked, judges: tuple[Judge, ...], before: int, lost: Callable[[], str | None]
) -> tuple[Course, str | None]:
    """One course of rounds, whole or as far as it came; and what stopped it."""
    course, begun = Course(), session.clock.monotonic()

    def tell(done: int) -> None:
        rest = asked.all_rounds - before - done
        left = rest * (session.clock.monotonic() - begun) / done if done else None
        session.progress.at(before + done, f"round {done + 1}", left)

    try:
        measure(session.sides, session.observer, judges, asked.rounds, asked.most_repeats, course, tell, lost)
    except KeyboardInterrupt:
        course.ended = INTERRUPTED
    except PerfdocsError as error:
        if not course.rounds:
            raise
        course.ended = str(error.problem)
    else:
        return course, None
    return course, course.ended


def _reading(session: Session, asked: Asked, course: Course, gate: float | None, *, locked: bool = False) -> Reading:
    """What the rounds say: ratios, verdicts where there is a ``gate``, and what was seen meanwhile."""
    a, b = (seen([getattr(r, name) for r in course.rounds], locked=locked) for name in ("a", "b"))
    inner = session.facts[0].inner, session.facts[1].inner
    return Reading(
        ended=course.ended,
        rounds=tuple(course.rounds),
        repeats=tuple(course.repeats),
        seen={"a": a, "b": b} if course.rounds else {},
        regions=flagged(compare_rounds(course.rounds, gate, asked.shortest, inner), course.rounds, course.last, (a, b)),
    )


def _default(session: Session, asked: Asked) -> tuple[Reading, str | None]:
    """At the clocks the machine chooses: gated only where nobody asked for locked ones."""
    course, stopped = _rounds(session, asked, (contaminated,), 0, lambda: None)
    return _reading(session, asked, course, None if asked.lock else asked.gate), stopped


def _locked(session: Session, asked: Asked) -> tuple[Reading, str | None]:
    """At locked clocks, equal on both sides, or why there is no such reading; and what stopped it."""
    if asked.lock is None:
        return Reading(absent="locking was not asked for"), None
    if (why := session.may_lock()) is not None:
        return Reading(absent=why), None
    held = session.lock()
    if isinstance(held, str):
        return Reading(absent=held), None
    clocks: tuple[float, float] | str = INTERRUPTED
    course, stopped = Course(ended=INTERRUPTED), None
    try:
        clocks = _checked(session, held)
        if isinstance(clocks, str):
            course = Course(ended=clocks)
        else:
            judges = (contaminated, off_clock(clocks, lambda: session.observer.reason))
            course, stopped = _rounds(session, asked, judges, asked.rounds, held.lost)
    except KeyboardInterrupt:
        stopped = INTERRUPTED
    finally:
        restored = _closed(held)
    reading = replace(
        _reading(session, asked, course, asked.gate, locked=True),
        absent=None if course.rounds else course.ended,
        how=held.how,
        clocks=None if isinstance(clocks, str) else clocks,
        restored=restored,
    )
    return reading, stopped


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


def _profiled(session: Session, asked: Asked) -> Reading:
    """Kernels alone, from a profiler that leaves the clocks as they are."""
    if not asked.profile:
        return Reading(absent="a profiler was not asked for")
    found = session.kernels()
    if isinstance(found, str):
        return Reading(absent=found)
    a, b = found
    return Reading(kernels={"a": a, "b": b}, regions={"kernels": compare_kernels(a, b)})
