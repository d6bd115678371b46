"""False edits of the data that claims read: does at least one of them fail then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from itertools import combinations, pairwise

from msgspec.structs import replace

from ..card import AxisValue, Card, Measurement, MetricValue, Summary
from ..claims.evaluate import check_bound
from ..claims.model import Bound
from ..frame import rows
from ..library import Library
from ..loading import LoadedCard

__all__ = ["FEW", "KINDS", "Change", "Datum", "Readers", "Reading", "changes", "noticed", "reading", "scaled"]

FACTORS = {"+10 %": 1.1, "−10 %": 0.9, "+50 %": 1.5, "−50 %": 0.5}
KINDS: Mapping[str, str] = {
    "+10 %": "a metric of one measurement up by 10 %",
    "−10 %": "down by 10 %",
    "+50 %": "up by 50 %",
    "−50 %": "down by 50 %",
    "arms": "the measurements of two arms at a point exchanged",
    "devices": "the measurements of two devices exchanged",
    "dropped": "a measurement left out",
}
"""What may be changed in a card, with its meaning."""

FEW = 8
"""A claim over more data than this speaks of a series or a table, in which one datum seldom decides."""

Card_ = tuple[str, str]
"""A benchmark and a device."""


@dataclass(frozen=True, slots=True, order=True)
class Datum:
    """One metric of one measurement."""

    benchmark: str
    device: str
    table: str
    arm: str
    at: tuple[tuple[str, AxisValue], ...]
    metric: str

    @property
    def card(self) -> Card_:
        """The card it stands on."""
        return self.benchmark, self.device

    def __str__(self) -> str:
        point = ", ".join(f"{v}" if isinstance(v, str) else f"{a}={v:g}" for a, v in self.at)
        return f"{self.metric}({self.arm}){f' at {point}' if point else ''}, {self.table}, {self.device}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim that holds, with every datum it reads. ``library`` has of those cards no more than these."""

    bound: Bound
    data: tuple[Datum, ...]
    cards: frozenset[Card_]
    library: Library = field(repr=False, compare=False)


def reading(bound: Bound, library: Library) -> Reading | None:
    """What a claim reads; ``None`` where it does not pass."""
    outcome = check_bound(bound, library)
    if not outcome.passes:
        return None
    cards = frozenset((b, d) for b, d in outcome.uses if d is not None and library.benchmarks[b].card_of(d))
    fresh = library
    for benchmark, device in cards:  # rows remember what they are asked, and cards of one digest share their rows
        loaded = _card(library, (benchmark, device))
        fresh = fresh.with_card(benchmark, changed(loaded, digest=f"{loaded.digest}: read by {_named(bound)}"))
    check_bound(bound, fresh)
    data: list[Datum] = []
    small = fresh
    for card in sorted(cards):
        found, reduced = _read(card, fresh)
        data += found
        small = small.with_card(card[0], reduced)
    enough = check_bound(bound, small).passes
    return Reading(bound, tuple(data), cards, small if enough else fresh)


def _named(bound: Bound) -> str:
    return f"{bound.where} {bound.expression} {[g.expression for g in bound.given]}"


def _card(library: Library, card: Card_) -> LoadedCard:
    loaded = library.benchmarks[card[0]].card_of(card[1])
    assert loaded is not None
    return loaded


def _read(card: Card_, library: Library) -> tuple[list[Datum], LoadedCard]:
    """What was asked of a card's rows, and the card with those measurements alone."""
    benchmark, loaded = library.benchmarks[card[0]], _card(library, card)
    asked = [row for row in rows(benchmark, loaded) if row.read and row.raw is not None]
    found = [
        Datum(*card, row.table, row.arm, tuple(row.at.items()), key)
        for row in asked
        for key in sorted(row.read)
        if row.raw is not None and key in row.raw.values and not isinstance(row.raw.values[key], str)
    ]
    kept = sorted(row.index for row in asked)
    measurements = tuple(loaded.card.measurements[i] for i in kept)
    return found, _with(loaded, measurements, f"{len(kept)} read")


def _with(loaded: LoadedCard, measurements: Sequence[Measurement], why: str) -> LoadedCard:
    """The card with other measurements, and a digest of its own: rows are kept by it."""
    card = replace(loaded.card, measurements=tuple(measurements))
    return changed(loaded, card=card, digest=f"{loaded.digest}; {why}")


def scaled(datum: Datum, factor: float, library: Library) -> Library:
    """The library with one metric of one measurement times a factor."""
    return _edited(datum, library, lambda m: _times(m, datum.metric, factor), f"{datum} × {factor!r}")


def _times(measurement: Measurement, metric: str, factor: float) -> Measurement:
    return replace(measurement, values={**measurement.values, metric: _scaled(measurement.values[metric], factor)})


def _scaled(value: MetricValue, factor: float) -> MetricValue:
    if isinstance(value, tuple):
        return tuple(v * factor for v in value)
    if isinstance(value, Summary):
        low, high = (None if v is None else v * factor for v in (value.low, value.high))
        return replace(value, centre=value.centre * factor, low=low, high=high)
    return value if isinstance(value, str) else value * factor


def _edited(datum: Datum, library: Library, edit: Callable[[Measurement], Measurement | None], why: str) -> Library:
    """The library with the measurement of a datum edited, or without it where the edit gives ``None``."""
    loaded = _card(library, datum.card)
    edited = [edit(m) if _is(m, datum) else m for m in loaded.card.measurements]
    return library.with_card(datum.benchmark, _with(loaded, [m for m in edited if m is not None], why))


def _is(measurement: Measurement, datum: Datum) -> bool:
    same = (measurement.table, measurement.arm) == (datum.table, datum.arm)
    return same and all(measurement.at.get(axis) == value for axis, value in datum.at)


@dataclass(frozen=True, slots=True)
class Change:
    """One false edit of the data. ``data``: the datum, or one of each of the two that change places."""

    kind: str
    data: tuple[Datum, ...]

    @property
    def what(self) -> str:
        """What changes, in words."""
        if self.kind == "devices":
            return f"{self.data[0].benchmark}: {' and '.join(d.device for d in self.data)}"
        return f"{self.data[0].benchmark}: {' and '.join(map(str, self.data))}"

    def applied(self, library: Library) -> Library:
        """The library after it."""
        first, *others = self.data
        if self.kind in FACTORS:
            return scaled(first, FACTORS[self.kind], library)
        if self.kind == "dropped":
            return _edited(first, library, lambda _: None, f"without {first}")
        (second,) = others
        if self.kind == "devices":
            return _devices_exchanged(first.card, second.card, library)
        a, b = (_measurement(d, library) for d in self.data)
        library = _edited(first, library, lambda m: replace(m, values=b.values), f"{first} as {second}")
        return _edited(second, library, lambda m: replace(m, values=a.values), f"{second} as {first}")


def _cell(datum: Datum) -> Datum:
    return changed(datum, metric="")


def _measurement(datum: Datum, library: Library) -> Measurement:
    return next(m for m in _card(library, datum.card).card.measurements if _is(m, datum))


def _devices_exchanged(a: Card_, b: Card_, library: Library) -> Library:
    one, two = _card(library, a), _card(library, b)
    for mine, other in ((one, two), (two, one)):
        card: Card = replace(other.card, device=mine.card.device)
        library = library.with_card(a[0], changed(mine, card=card, digest=f"{other.digest} as {mine.device_id}"))
    return library


def changes(readings: Iterable[Reading], library: Library) -> Iterator[Change]:
    """Every false edit of the data that these claims read."""
    data = sorted({d for r in readings for d in r.data}, key=_key)
    for datum in data:
        if _times(_measurement(datum, library), datum.metric, 2.0) != _measurement(datum, library):  # nothing stays 0
            yield from (Change(kind, (datum,)) for kind in FACTORS)
    cells = {_cell(d): d for d in data}
    yield from (Change("dropped", (datum,)) for datum in cells.values())
    points: dict[tuple[object, ...], list[Datum]] = {}
    for datum in cells.values():
        points.setdefault((*datum.card, datum.table, datum.at), []).append(datum)
    for here in points.values():
        yield from (Change("arms", pair) for pair in pairwise(here))
    known = {d.card: d for d in data}
    for key, benchmark in library.benchmarks.items():
        devices = [Datum(key, c.device_id, "", "", (), "") for c in benchmark.cards if c.published]
        for pair in combinations(devices, 2):
            if any(d.card in known for d in pair):
                yield Change("devices", pair)


def _key(datum: Datum) -> tuple[str, ...]:
    return (*datum.card, datum.table, *(f"{axis}={value}" for axis, value in datum.at), datum.arm, datum.metric)


class Readers:
    """Which claims read what."""

    def __init__(self, readings: Iterable[Reading]) -> None:
        self._of_datum: dict[Datum, list[Reading]] = {}
        self._of_cell: dict[Datum, list[Reading]] = {}
        self._of_card: dict[Card_, list[Reading]] = {}
        for one in readings:
            for datum in one.data:
                self._of_datum.setdefault(datum, []).append(one)
            for cell in dict.fromkeys(map(_cell, one.data)):
                self._of_cell.setdefault(cell, []).append(one)
            for card in one.cards:
                self._of_card.setdefault(card, []).append(one)

    def of(self, change: Change) -> list[Reading]:
        """The claims that read any of what changes; those that read the least come first."""
        found: list[Reading] = []
        for datum in change.data:
            if change.kind == "devices":
                found += self._of_card.get(datum.card, ())
            else:
                found += self._of_datum.get(datum, ()) if change.kind in FACTORS else self._of_cell[_cell(datum)]
        return sorted({id(r): r for r in found}.values(), key=lambda r: len(r.data))


def noticed(change: Change, readers: Sequence[Reading], library: Library) -> bool:
    """Whether any of the claims that read what changes no longer passes."""
    whole = None if change.kind in FACTORS else change.applied(library)
    return any(
        not check_bound(one.bound, change.applied(one.library) if whole is None else whole).passes for one in readers
    )
