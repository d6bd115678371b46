"""What a plot shows, as series of points: no drawing here, so that alternative text and digests cost nothing."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..card import AxisValue
from ..definition import Definition, Plot, Roof
from ..expression import evaluate, parse
from ..frame import rows
from ..library import Benchmark
from ..loading import LoadedCard
from ..row import Row
from ..verdict import Missing, Value, fastest
from .points import axis_value_text, by_axis, labels_of, origin_of, selection_text, with_origin

__all__ = ["ARM", "Curve", "Panel", "Series", "has_values", "legend_order", "panels", "strong"]

FITTED = {
    "hyperbola": "fitted hyperbola, marked at half of its ceiling",
    "corner": "fitted corner, marked at the knee; none where no plateau is reached",
}

ARM = "arm"
"""The x of a plot that has a row for each arm."""

MANY = 8
"""Lines that are told apart at a glance."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line: its label, ``place`` and ``colour`` (its look, unless another has it), (x, y) from left to right.

    ``group``: that of its arm, empty where the line is no arm. ``joined``: its points lie along one line; those of many
    settings with one x do not, and a law goes through them. ``origin``: ``imported`` or ``synthetic`` where it was not
    measured here.
    """

    label: str
    place: int
    colour: int
    points: tuple[tuple[float | str, Value], ...]
    group: str = ""
    joined: bool = True
    origin: str = ""

    @property
    def said(self) -> str:
        """The label, with its origin where that is not a measurement."""
        return with_origin(self.label, self.origin)


@dataclass(frozen=True, slots=True)
class Curve:
    """A law over a panel: ``height`` is what it rises to, ``bend`` the x of its mark (half, knee or ridge).

    ``name`` stands in the legend, ``of`` is the label of the line it belongs to, empty where it belongs to all.
    ``ends`` are the first and the last x it reaches: those of its line, or for a roof those of the panel.
    """

    law: Literal["hyperbola", "corner"]
    bend: float
    height: float
    name: str
    ends: tuple[float, float]
    of: str = ""
    roof: bool = False

    def at(self, x: float) -> float:
        """The height at x, which is above 0 or 0."""
        return self.height * (x / (x + self.bend) if self.law == "hyperbola" else min(x / self.bend, 1.0))


@dataclass(frozen=True, slots=True)
class Panel:
    """The series of one value of ``split``, and the curves over them."""

    title: str
    series: tuple[Series, ...]
    curves: tuple[Curve, ...] = ()


def panels(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str) -> tuple[Panel, ...]:
    """Panels of a plot.

    One card: a series for each arm (or value of ``by``). Several: one for each device, which at each x takes the best
    of its arms where y has a better end. Where x is the arm, a series is a device, even of one card.
    """
    definition = benchmark.definition
    entry = definition.plots[plot]
    found = [(card, row) for card in cards for row in rows(benchmark, card, entry.table)]
    parts: dict[AxisValue | None, list[tuple[LoadedCard, Row]]] = {}
    order = by_axis([row for _, row in found], entry.split)
    for card, row in found:
        parts.setdefault(row.at[entry.split] if entry.split else None, []).append((card, row))
    out = []
    for value, _ in order:
        title = "" if value is None or entry.split is None else selection_text(definition, entry.split, value)
        if len(cards) > 1 or entry.x == ARM:
            panel = Panel(title, _devices(benchmark, entry, cards, parts[value]))
        else:
            lines = _series(definition, entry, parts[value])
            curves = (*_roofs(entry, lines), *_fits(entry, [line for line, _ in lines]))
            panel = Panel(title, tuple(line for line, _ in lines), curves)
        if panel.series:
            out.append(panel)
    return tuple(out)


def has_values(benchmark: Benchmark, card: LoadedCard, plot: str) -> bool:
    """Whether a card has a point for the plot: imported ones may lack the quantity."""
    entry = benchmark.definition.plots[plot]
    return any(_points(benchmark.definition, entry, [row]) for row in rows(benchmark, card, entry.table))


def _x(definition: Definition, entry: Plot, row: Row) -> float | str | None:
    if entry.x == ARM:
        return dict(zip(definition.arms, labels_of(definition, definition.arms), strict=True))[row.arm]
    if entry.x in definition.axes:
        value = row.at.get(entry.x)
        if definition.axes[entry.x].scale == "category" and value is not None:
            return axis_value_text(definition, entry.x, value)
        return float(value) if value is not None and not isinstance(value, str) else value
    try:
        return row.value(entry.x).centre
    except Missing:
        return None


def _can_stand(entry: Plot, x: float | str, y: Value) -> bool:
    """Whether a point has a place: none on a scale that was said to be logarithmic where it is not above 0."""
    return not (entry.scale_x == "log" and isinstance(x, float) and x <= 0) and not (
        entry.scale_y == "log" and y.centre <= 0
    )


def _points(definition: Definition, entry: Plot, found: Sequence[Row]) -> tuple[tuple[float | str, Value], ...]:
    points: list[tuple[float | str, Value]] = []
    for row in found:
        x = _x(definition, entry, row)
        try:
            if x is not None and _can_stand(entry, x, y := row.value(entry.y)):
                points.append((x, y))
        except Missing:
            continue
    if all(not isinstance(x, str) for x, _ in points):
        points.sort(key=lambda p: float(p[0]))
    return tuple(points)


def _colours(definition: Definition) -> dict[str, int]:
    """Colours of arms by their order in the definition.

    Every other group counts backwards, so that the first arms of two groups, which pages show together most, differ.
    """
    counts: dict[str, int] = {}
    groups = list(definition.groups)
    out = {}
    for key, arm in definition.arms.items():
        i = counts.setdefault(arm.group, 0)
        counts[arm.group] += 1
        out[key] = i if groups.index(arm.group) % 2 == 0 else -1 - i
    return out


Line = tuple[Series, tuple[Row, ...]]
"""A series and the rows that it joins."""


def _series(definition: Definition, entry: Plot, found: Sequence[tuple[LoadedCard, Row]]) -> tuple[Line, ...]:
    """One series for each arm and value of ``by``, and for each point of the axes that no line goes along.

    A line goes along x where that is an axis, and along all axes but ``by`` where x is a quantity.
    """
    groups: dict[tuple[AxisValue, ...], list[Row]] = {}
    table = definition.tables[entry.table].axes
    axes = [a for a in table if a not in (entry.x, entry.split) and (entry.x in table or a == entry.by)]
    axes.sort(key=lambda a: a != entry.by)
    for _, row in found:
        groups.setdefault((row.arm, *(row.at[a] for a in axes)), []).append(row)
    places, colours = {a: i for i, a in enumerate(definition.arms)}, _colours(definition)
    arms = list(dict.fromkeys(str(k[0]) for k in groups))
    names = dict(zip(arms, labels_of(definition, arms), strict=True))
    out = []
    for i, (key, members) in enumerate(groups.items()):
        said = [selection_text(definition, a, v) for a, v in zip(axes, key[1:], strict=True)]
        label = ", ".join(([names[str(key[0])]] if len(arms) > 1 or not said else []) + said)
        if points := _points(definition, entry, members):
            arm = str(key[0])
            place, colour = (i, i) if axes else (places[arm], colours[arm])
            joined = not entry.fits or entry.x in table
            line = Series(label, place, colour, points, definition.arms[arm].group, joined, origin_of(members[0].card))
            out.append((line, tuple(members)))
    return tuple(out)


def _fits(entry: Plot, lines: Sequence[Series]) -> Iterator[Curve]:
    """The laws fitted to each line, where they can be."""
    for line, law in itertools.product(lines, entry.fits):
        from ..fits import fit  # NumPy is loaded where a plot has fits only

        try:
            found = fit(law, [Value.exact(float(x)) for x, _ in line.points], [y for _, y in line.points])
        except Missing:
            continue
        if found.bend is not None:
            yield Curve(law, found.bend.centre, found.amplitude.centre, FITTED[law], _ends([line]), line.label)


def _roofs(entry: Plot, lines: Sequence[Line]) -> Iterator[Curve]:
    """Each roof, once where all lines have the same."""
    for roof in entry.roofs:
        found = {line.label: limits for line, members in lines if (limits := _limits(roof, members))}
        if len(set(found.values())) == 1:
            found = {"": next(iter(found.values()))}
        for label, (rate, slope) in found.items():
            ends = _ends([line for line, _ in lines])
            yield Curve("corner", rate / slope, rate, f"{roof.label}, marked at its ridge", ends, label, roof=True)


def _ends(lines: Sequence[Series]) -> tuple[float, float]:
    xs = [float(x) for line in lines for x, _ in line.points]
    return min(xs), max(xs)


def _limits(roof: Roof, members: Sequence[Row]) -> tuple[float, float] | None:
    """Rate and slope of the roof of a line, where both are known and above 0."""
    first = members[0]
    whole = Row(first.definition, first.card, first.table, first.arm, {}, -1, frozenset(), None, tuple(members))
    where = f"{first.definition.id}: $.plots"
    try:
        rate, slope = (evaluate(parse(text, where), whole.lookup).centre for text in (roof.rate, roof.slope))
    except Missing:
        return None
    return (rate, slope) if rate > 0 and slope > 0 else None


def _beats(a: Value, b: Value, better: str | None) -> bool:
    return a.centre > b.centre if better == "higher" else better is not None and a.centre < b.centre


def _devices(
    benchmark: Benchmark, entry: Plot, cards: Sequence[LoadedCard], found: Sequence[tuple[LoadedCard, Row]]
) -> tuple[Series, ...]:
    definition = benchmark.definition
    places = {c.device_id: i for i, c in enumerate(benchmark.cards)}
    better = definition.quantity(entry.y).better
    out = []
    shown = [card.card.device.name for card in cards]
    for card, name in zip(cards, shown, strict=True):
        mine = [row for c, row in found if c is card]
        lines: dict[float | str, dict[str, Value]] = {}
        for arm in definition.arms:
            for x, value in _points(definition, entry, [row for row in mine if row.arm == arm]):
                best = lines.setdefault(x, {})
                if arm not in best or _beats(value, best[arm], better):
                    best[arm] = value
        points = tuple(
            (x, values[fastest(values, better=better or "lower", tolerance=definition.tolerance)[0]])
            for x, values in lines.items()
        )
        if points:
            ordered = (
                points if any(isinstance(x, str) for x, _ in points) else tuple(sorted(points, key=lambda p: p[0]))
            )
            place = places.get(card.device_id, len(places))
            label = f"{name} ({card.device_id})" if shown.count(name) > 1 else name
            out.append(Series(label, place, place, ordered, "", entry.x != ARM, origin_of(card.card)))
    return tuple(out)


def strong(definition: Definition, plot: str, found: Sequence[Panel]) -> tuple[str, ...]:
    """Labels of the lines to draw strongly, at most :data:`MANY`: where there are more lines, the rest stands behind.

    First the lines that no other beats somewhere, the most often first; then the best of each group at the right end;
    then the definition's order.
    """
    labels = list(dict.fromkeys(s.label for panel in found for s in panel.series))
    if len(labels) <= MANY:
        return tuple(labels)
    ahead = _times_ahead(definition, plot, found)
    ordered = legend_order(definition, plot, found)
    groups = {s.label: s.group for panel in found for s in panel.series}
    best = [next(label for label in ordered if groups[label] == g) for g in dict.fromkeys(groups.values())]
    chosen = [*sorted(ahead, key=lambda label: -ahead[label]), *best, *labels]
    return tuple(dict.fromkeys(chosen))[:MANY]


def _times_ahead(definition: Definition, plot: str, found: Sequence[Panel]) -> Counter[str]:
    """At how many points a line is not beaten; none where y has no better end, or a line is alone."""
    better = definition.quantity(definition.plots[plot].y).better
    count: Counter[str] = Counter()
    for panel in found if better else ():
        points: dict[float | str, dict[str, Value]] = {}
        for series in panel.series:
            for x, value in series.points:
                points.setdefault(x, {})[series.label] = value
        for values in points.values():
            if len(values) > 1:
                count.update(fastest(values, better=better or "lower", tolerance=definition.tolerance))
    return count


def legend_order(definition: Definition, plot: str, found: Sequence[Panel]) -> tuple[str, ...]:
    """Labels by the value at the right end, best first (highest first where y has no better end).

    Of several panels the middle value counts. Lines that end earlier come after those that reach the right end.
    """
    sign = 1.0 if definition.quantity(definition.plots[plot].y).better == "lower" else -1.0
    ends: dict[str, list[tuple[int, float]]] = {}
    for panel in found:
        xs = list(dict.fromkeys(x for s in panel.series for x, _ in s.points))
        if not any(isinstance(x, str) for x in xs):
            xs.sort(key=float)
        for series in panel.series:
            x, value = series.points[-1]
            ends.setdefault(series.label, []).append((len(xs) - 1 - xs.index(x), sign * value.centre))
    return tuple(sorted(ends, key=lambda label: sorted(ends[label])[len(ends[label]) // 2]))
