"""Fastest lines: at each point who is fastest and by how much, in words that :mod:`perfdocs.verdict` decides."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..card import AxisValue
from ..definition import Definition
from ..frame import rows
from ..library import Benchmark
from ..loading import LoadedCard
from ..quantity import NBSP, format_ratio, format_value
from ..row import Row, clock_ratio
from ..verdict import Order, Value, compare, fastest, ratio
from .model import Line, LineGroup, Why
from .points import axis_value_text, by_axis, labels_of, ordered_flags, point_text, ruler, selection_text, values_by_arm
from .whys import whys

__all__ = ["Stated", "Statement", "fastest_lines", "statement", "statement_text", "statements"]


@dataclass(frozen=True, slots=True)
class Statement:
    """Who leads at one point.

    ``kind``: ``faster`` (one arm beats all), ``level``, ``undecided``, ``alone`` (no other arm was measured) or
    ``sole`` (no other has the value).

    ``arms`` are those the best centre does not beat, best first; ``then`` is the next arm, where every one of them
    beats it, and ``lead`` the ratio of the best centre to its centre, as a number above 1. ``cycles`` is the same of SM
    cycles, where the clocks of the two were too far apart for their times to tell.
    """

    kind: str
    arms: tuple[str, ...]
    values: tuple[Value, ...]
    then: str | None = None
    lead: float | None = None
    cycles: float | None = None
    flags: frozenset[str] = frozenset()
    whys: tuple[Why, ...] = ()


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement and where it is made. ``scope`` says which arms it is of: empty of all, or ``without a tag``."""

    at: Mapping[str, AxisValue]
    scope: str
    statement: Statement


def statement(definition: Definition, found: Sequence[Row], by: str) -> Statement | None:
    """The statement for rows that share a point; ``None`` where none has a value."""
    values = values_by_arm(found, by)
    better = definition.quantity(by).better or "lower"
    if not values:
        return None
    best = fastest(values, better=better, tolerance=definition.tolerance)
    shown = tuple(values[a] for a in best)
    if len(values) == 1:
        kind = "alone" if len({row.arm for row in found}) == 1 else "sole"
        return Statement(kind, best, shown, flags=shown[0].flags, whys=_whys(found, best, by))

    def order(a: str, b: str) -> Order:
        return compare(values[a], values[b], better=better, tolerance=definition.tolerance)

    kind = "faster"
    if len(best) > 1:
        pairs = [(a, b) for i, a in enumerate(best) for b in best[i + 1 :]]
        kind = "level" if all(order(a, b) is Order.LEVEL for a, b in pairs) else "undecided"
    flags = frozenset[str]().union(*(v.flags for v in shown))
    sign = -1.0 if better == "higher" else 1.0
    rest = sorted((a for a in values if a not in best), key=lambda a: (sign * values[a].centre, a))
    if rest and all(order(a, rest[0]) is Order.FASTER for a in best):
        first, second = (best[0], rest[0]) if better == "higher" else (rest[0], best[0])
        lead = ratio(values[first], values[second]).centre
        if math.isfinite(lead):
            cycles = _in_cycles(definition, found, by, (first, second), lead)
            apart = frozenset({"clocks_apart"}) if cycles is not None else frozenset()
            every = flags | values[rest[0]].flags | apart
            reasons = _whys(found, (*best, rest[0]), by)
            return Statement(kind, best, shown, rest[0], lead, cycles, every, reasons)
    return Statement(kind, best, shown, flags=flags, whys=_whys(found, best, by))


def _whys(found: Sequence[Row], arms: Sequence[str], by: str) -> tuple[Why, ...]:
    """The reasons of the flags of these arms' values."""
    named = (row for row in found if row.arm in arms)
    return tuple(why for row in named for why in whys(row, by, row.value(by).flags))


def _in_cycles(
    definition: Definition, found: Sequence[Row], by: str, pair: tuple[str, str], lead: float
) -> float | None:
    if definition.quantity(by).unit != "s":
        return None
    first, second = (next(row for row in found if row.arm == arm) for arm in pair)
    clocks = clock_ratio(first, second)
    return None if clocks is None else lead * clocks


def fastest_lines(benchmark: Benchmark, loaded: LoadedCard, table: str) -> tuple[LineGroup, ...]:
    """One group for each value of ``split``, one line a point, over all arms on the device.

    A tag that is ``apart`` adds lines without its arms. Neighbouring points where the same arm leads the same next
    one share a line.
    """
    definition, entry = benchmark.definition, benchmark.definition.tables[table]
    groups = []
    for by, value, part in _parts(benchmark, loaded, table):
        title = "" if value is None or entry.split is None else selection_text(definition, entry.split, value)
        axes = [a for a in entry.axes if a != entry.split]
        lines = tuple(
            line
            for series in _series(definition, part, axes, entry.across, by)
            for line in _lines(definition, series, entry.across, by)
        )
        if lines:
            groups.append(LineGroup(title, lines))
    return tuple(groups)


def statements(benchmark: Benchmark, loaded: LoadedCard, table: str) -> Iterator[Stated]:
    """The statements that :func:`fastest_lines` tells, point by point, each with its whole point."""
    definition, entry = benchmark.definition, benchmark.definition.tables[table]
    for by, value, part in _parts(benchmark, loaded, table):
        split = {} if value is None or entry.split is None else {entry.split: value}
        axes = [a for a in entry.axes if a != entry.split]
        for series in _series(definition, part, axes, entry.across, by):
            for v, said in series.points:
                across = {} if v is None or entry.across is None else {entry.across: v}
                at = {**split, **series.at, **across}
                yield Stated({a: at[a] for a in entry.axes}, series.scope, said)


def statement_text(definition: Definition, said: Statement, table: str) -> str:
    """A statement in the words of a line."""
    return _text(definition, [said], ruler(definition, table) or definition.default)


def _parts(
    benchmark: Benchmark, loaded: LoadedCard, table: str
) -> Iterator[tuple[str, AxisValue | None, Sequence[Row]]]:
    """The quantity that ranks, a value of ``split`` and its rows; none where nothing ranks or one arm stands alone."""
    definition = benchmark.definition
    by = ruler(definition, table)
    found = rows(benchmark, loaded, table)
    if by is not None and len({row.arm for row in found}) > 1:
        for value, part in by_axis(found, definition.tables[table].split):
            yield by, value, part


@dataclass(frozen=True, slots=True)
class _Series:
    """Statements along ``across`` at one value of each other axis."""

    at: Mapping[str, AxisValue]
    scope: str
    points: Sequence[tuple[AxisValue | None, Statement]]


def _series(
    definition: Definition, part: Sequence[Row], axes: Sequence[str], across: str | None, by: str
) -> Iterator[_Series]:
    others = [a for a in axes if a != across]
    heads: dict[tuple[AxisValue, ...], list[Row]] = {}
    for row in part:
        heads.setdefault(tuple(row.at[a] for a in others), []).append(row)
    for head, members in heads.items():
        at = dict(zip(others, head, strict=True))
        points = by_axis(members, across)
        yield _Series(at, "", _stated(definition, points, by, frozenset()))
        for tag, entry in definition.tags.items():
            tagged = frozenset(a for a, arm in definition.arms.items() if tag in arm.tags)
            if entry.apart and any(row.arm in tagged for row in members):
                yield _Series(at, f"without {entry.label}", _stated(definition, points, by, tagged))


def _stated(
    definition: Definition, points: Sequence[tuple[AxisValue | None, list[Row]]], by: str, left_out: frozenset[str]
) -> list[tuple[AxisValue | None, Statement]]:
    made = [(v, statement(definition, [r for r in found if r.arm not in left_out], by)) for v, found in points]
    return [(v, said) for v, said in made if said is not None]


def _lines(definition: Definition, series: _Series, across: str | None, by: str) -> Iterator[Line]:
    lead, scope = point_text(definition, series.at), series.scope
    run: list[tuple[AxisValue | None, Statement]] = []
    for value, said in series.points:
        if run and not _continues(run[-1][1], said):
            yield _line(definition, lead, across, run, by, scope)
            run = []
        run.append((value, said))
    if run:
        yield _line(definition, lead, across, run, by, scope)


def _continues(a: Statement, b: Statement) -> bool:
    same = a.kind == b.kind == "faster" and a.arms == b.arms and a.then == b.then and a.then is not None
    return same and a.cycles is b.cycles is None


def _line(
    definition: Definition,
    lead: str,
    across: str | None,
    run: Sequence[tuple[AxisValue | None, Statement]],
    by: str,
    scope: str,
) -> Line:
    where = [lead]
    if across is not None:
        values = [v for v, _ in run if v is not None]
        if len(values) > 1 and definition.axes[across].scale != "category":
            texts = ", ".join(axis_value_text(definition, across, v) for v in values)
            where.append(f"{definition.axes[across].label}{NBSP}={NBSP}{texts}")
        else:
            where.append(", ".join(selection_text(definition, across, v) for v in values))
    where.append(scope)
    flags = frozenset[str]().union(*(s.flags for _, s in run))
    text = _text(definition, [s for _, s in run], by)
    reasons = tuple(why for said in (s for _, s in run) for why in said.whys)
    return Line(", ".join(filter(None, where)) or "Fastest", text, ordered_flags(flags), whys=reasons)


def _text(definition: Definition, run: Sequence[Statement], by: str) -> str:
    unit = definition.quantity(by).unit
    said = run[0]
    names = labels_of(definition, said.arms)
    if len(run) > 1:
        series = ", ".join(format_value(s.values[0].centre, unit) for s in run)
        ratios = [format_ratio(s.lead) for s in run if s.lead is not None]
        leads = f"each {ratios[0]}" if len(set(ratios)) == 1 else ", ".join(ratios)
        return f"{names[0]}, {series}; {leads} ahead of {labels_of(definition, [said.then or ''])[0]}"
    times = [format_value(v.centre, unit) for v in said.values]
    if said.kind == "alone":
        return f"{names[0]}, {times[0]}; no other arm was measured here"
    if said.kind == "sole":
        return f"{names[0]}, {times[0]}; no other arm has a value here"
    each = _and([f"{name} ({time})" for name, time in zip(names, times, strict=True)])
    text = {
        "faster": f"{names[0]}, {times[0]}",
        "level": f"level: {each}",
        "undecided": f"not beaten: {each}, undecided between them",
    }[said.kind]
    if said.then is None or said.lead is None:
        return text
    then = labels_of(definition, [said.then])[0]
    cycles = "" if said.cycles is None else f" ({format_ratio(said.cycles)} in SM cycles)"
    if said.kind == "faster":
        return f"{text}; {format_ratio(said.lead)} ahead of {then}{cycles}"
    return f"{text}; then {then}, {format_ratio(said.lead)} behind {names[0]}{cycles}"


def _and(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
