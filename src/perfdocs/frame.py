"""Cards as rows of values, and as one tidy pandas table: the only place where raw samples become quantities."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from .card import AxisValue, Card, Device, Measurement, NotRun, Summary
from .conditions import CLOCK_SPREAD
from .definition import Definition, Derived
from .expression import Missing, Name, evaluate, evaluate_series, parse
from .flags import flags_by_measurement, footprint_flags, noise, of_peak_flags, pattern, sm_clock
from .library import Benchmark, Library, LoadedCard
from .peaks import PEAKS, peak
from .reasons import Observed, flag_reasons, observed, of_series
from .verdict import Value, apart, summarise, value_of_summary

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Missing",
    "Row",
    "RowsOfCard",
    "absences",
    "clock_ratio",
    "device_fact",
    "find",
    "known_facts",
    "records",
    "rows",
    "rows_of_card",
    "series_rows",
    "share_of_peak",
    "tidy",
]


MOST_CARDS = 1024
"""Cards whose rows are kept: a claim of every device asks for all of them, and the next one does again."""

Place = tuple[object, ...]
"""Table, arm, and the values of the table's axes in their order: no two rows of a card share it."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One measurement as values. ``index`` is its place in the card (−1 for a row that summarises a series).

    ``peers`` finds the rows of the same card by table, arm and values of the axes.
    """

    definition: Definition
    card: Card
    table: str
    arm: str
    at: Mapping[str, AxisValue]
    index: int
    flags: frozenset[str]
    raw: Measurement | None = None
    series: tuple[Row, ...] = ()
    peers: Mapping[Place, Row] = field(default_factory=dict, repr=False)
    _cache: dict[str, Value | Missing] = field(default_factory=dict, repr=False)

    @property
    def anchor(self) -> str:
        """A permanent id of this row on any page: benchmark, device, table, arm, values of the axes."""
        parts = [self.definition.id, self.card.device.id, self.table, self.arm, *map(str, self.at.values())]
        # a character that may not stand in every builder's ids is written by its number, so that no two rows share one
        return "perf-" + ".".join(re.sub(r"[^a-z0-9_-]", lambda m: f":{ord(m[0]):x}:", part) for part in parts)

    def value(self, key: str) -> Value:
        """A metric, derived quantity or numeric axis by key. Raises :class:`Missing` with the reason."""
        if key not in self._cache:
            try:
                value = self._compute(key)
                self._cache[key] = value if math.isfinite(value.centre) else Missing("not a finite number")
            except Missing as missing:
                self._cache[key] = missing
        known = self._cache[key]
        if isinstance(known, Missing):
            raise known
        return known

    @property
    def sm_clock(self) -> float | None:
        """The SM clock while the work ran, Hz; where nothing sampled it, the median of those read after the runs."""
        return sm_clock(self.raw) if self.raw else None

    @property
    def observed(self) -> Observed | None:
        """The clock that a sampler saw while the work ran, or why none; of a row that summarises a series nothing."""
        return observed(self.card, self.raw) if self.raw else None

    @property
    def reasons(self) -> Mapping[str, str]:
        """By flag what the card tells of its reason, for flags that have one."""
        return flag_reasons(self.raw) if self.raw else of_series(r.raw for r in self.series if r.raw)

    @property
    def read(self) -> frozenset[str]:
        """Keys of the quantities that this row was asked for, and of those they are made of."""
        return frozenset(self._cache)

    def choice(self, key: str) -> str | None:
        """The key a ``choice`` metric holds."""
        value = self.raw.values.get(key) if self.raw else None
        return value if isinstance(value, str) else None

    def _compute(self, key: str) -> Value:
        if key in self.definition.metrics:
            return self._metric(key)
        if key in self.definition.derived:
            published = self.raw.values.get(key) if self.raw else None
            if isinstance(published, Summary):  # imported: what it is made of was not published
                return value_of_summary(published).flagged(self.flags)
            return self._derived(self.definition.derived[key], key)
        if key in self.at and not isinstance(self.at[key], str):
            return Value.exact(float(self.at[key]))
        raise Missing("not a number at this point")

    def _metric(self, key: str) -> Value:
        raw = self.raw.values.get(key) if self.raw else None
        if raw is None:
            raise Missing("not recorded")
        if isinstance(raw, str):
            raise Missing("a choice, not a number")
        if isinstance(raw, tuple):
            value = summarise(raw, self.card.method.protocol)
            return value.flagged(self.flags | noise(value) | pattern(raw))
        value = value_of_summary(raw) if isinstance(raw, Summary) else Value.exact(raw)
        return value.flagged(self.flags)

    def _derived(self, derived: Derived, key: str) -> Value:
        node = parse(derived.is_, f"{self.definition.id}: $.derived.{key}.is")
        if derived.over:
            if not self.series:
                raise Missing(f"a property of a whole series over {', '.join(derived.over)}")
            value = evaluate_series(node, [r.lookup for r in self.series])
        else:
            value = evaluate(node, self.lookup)
        if derived.fraction:
            return value.flagged(_above_limit(self, value, derived))
        device = self.card.device
        if derived.footprint is None or peak(device, "dram") is not None:
            return value
        return value.flagged(footprint_flags(_footprint(self, derived), _last_cache(device)))

    def lookup(self, name: Name) -> Value:
        """The value of a name in an expression at this row. Raises :class:`Missing`."""
        if name.name.startswith("device."):
            return device_fact(self.card.device, name.name)
        if name.arm is None:
            return self.value(name.name)
        label = self.definition.arms[name.arm].label
        peer = self.peers.get((self.table, name.arm, *self.at.values()))
        if peer is None:
            raise Missing(f"{label}, to which this is compared, has no measurement here")
        try:
            return peer.value(name.name)
        except Missing as missing:
            raise Missing(f"of {label}, to which this is compared: {missing.reason}") from None


def known_facts() -> tuple[str, ...]:
    """What a device's facts are called in expressions, without ``device.``."""
    kinds = get_type_hints(Device)
    numbers = [key for key, kind in kinds.items() if {int, float} & {*get_args(kind)}]
    return (*numbers, *(f"peak.{key}" for key in PEAKS))


def device_fact(device: Device, name: str) -> Value:
    """``device.sm_count``, ``device.peak.fp64`` … as an exact value. Raises :class:`Missing`."""
    fact = name.removeprefix("device.")
    if fact.startswith("peak."):
        found = peak(device, fact.removeprefix("peak."))
        if found is None:
            raise Missing(f"the facts of this device do not give {fact}")
        return Value.exact(found.rate)
    value = getattr(device, fact, None)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise Missing(f"{fact} is not known for this device")
    return Value.exact(float(value))


class _Identity:
    """Hash a loaded card by its content, so that rows are computed once for each card and definition."""

    def __init__(self, benchmark: Benchmark, loaded: LoadedCard) -> None:
        self.benchmark, self.loaded = benchmark, loaded
        # a card of build/ and the same one published have the same bytes and not the same device
        self.key = (benchmark.folder, benchmark.digest, loaded.digest, loaded.device_id)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.key == other.key


class _Made(Mapping[Place, Row]):
    """The rows of a card in its order, each made when it is first asked for: claims ask for few of them."""

    def __init__(self, definition: Definition, card: Card) -> None:
        self._definition, self._card = definition, card
        axes = {key: table.axes for key, table in definition.tables.items()}
        self._index: dict[Place, int] = {
            (m.table, m.arm, *[m.at[a] for a in axes[m.table]]): i for i, m in enumerate(card.measurements)
        }
        self._rows: dict[Place, Row] = {}
        self._flags: tuple[frozenset[str], ...] = ()

    def __getitem__(self, place: Place) -> Row:
        row: Row | None = self.get(place)
        if row is None:
            raise KeyError(place)
        return row

    def get(self, place: Place, default: Any = None) -> Any:
        """The row of a place, or the default where the card has none."""
        row = self._rows.get(place)
        if row is None and (index := self._index.get(place)) is not None:
            row = self._rows[place] = self._make(index)
        return default if row is None else row

    def _make(self, index: int) -> Row:
        self._flags = self._flags or flags_by_measurement(self._card)
        m = self._card.measurements[index]
        at = {a: m.at[a] for a in self._definition.tables[m.table].axes}
        return Row(self._definition, self._card, m.table, m.arm, at, index, self._flags[index], m, peers=self)

    def __iter__(self) -> Iterator[Place]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


@lru_cache(maxsize=MOST_CARDS)
def _made(identity: _Identity) -> _Made:
    return _Made(identity.benchmark.definition, identity.loaded.card)


def rows(benchmark: Benchmark, loaded: LoadedCard, table: str | None = None) -> tuple[Row, ...]:
    """The rows of a card in the order of the definition: arms, then axis values; of one table or of all."""
    return _sorted_rows(_Identity(benchmark, loaded), table)


@lru_cache(maxsize=128)
def _sorted_rows(identity: _Identity, table: str | None) -> tuple[Row, ...]:
    definition, found = identity.benchmark.definition, tuple(_made(identity).values())
    if table is not None:
        if definition.tables[table].of is not None:
            found = series_rows(definition, found, table)
        found = tuple(r for r in found if r.table == table)
    return _in_order(definition, found)


def _in_order(definition: Definition, found: Sequence[Row]) -> tuple[Row, ...]:
    order = {a: i for i, a in enumerate(definition.arms)}
    ranks = {(a, v): _rank(definition, a, v) for r in found for a, v in r.at.items()}
    return tuple(sorted(found, key=lambda r: (order[r.arm], [ranks[item] for item in r.at.items()])))


class RowsOfCard:
    """Every row of a card, those of series included, and the rows of each arm in the same order."""

    def __init__(self, benchmark: Benchmark, loaded: LoadedCard) -> None:
        self._benchmark, self._loaded = benchmark, loaded
        tables = benchmark.definition.tables
        self._series = [
            row for k, table in tables.items() if table.of is not None for row in rows(benchmark, loaded, k)
        ]
        self._summaries: dict[Place, Row] = {(row.table, row.arm, *row.at.values()): row for row in self._series}
        self._made = _made(_Identity(benchmark, loaded))
        self._places: dict[object, list[Place]] = {}
        for place in self._made:
            self._places.setdefault(place[1], []).append(place)
        self._tables: dict[object, dict[object, tuple[str, ...]]] = {}
        for table, arm, *_ in (*self._made, *self._summaries):
            self._tables.setdefault(arm, {}).setdefault(table, tables[str(table)].axes)
        self._of: dict[tuple[str, ...], tuple[Row, ...]] = {}

    @cached_property
    def every(self) -> tuple[Row, ...]:
        """In the order of the definition, those of series last."""
        return (*rows(self._benchmark, self._loaded), *self._series)

    def of(self, arms: Sequence[str]) -> Sequence[Row]:
        """The rows of these arms, or all where none is named."""
        if not arms:
            return self.every
        wanted = tuple(dict.fromkeys(arms))
        if wanted not in self._of:
            found = [self._made[place] for arm in wanted for place in self._places.get(arm, ())]
            ordered = _in_order(self._benchmark.definition, found)
            self._of[wanted] = (*ordered, *(row for row in self._series if row.arm in wanted))
        return self._of[wanted]

    def place(self, table: str, arm: str, values: Sequence[AxisValue]) -> Row | None:
        """The one row of a table, of an arm at these values of the table's axes."""
        found: Row | None = self._get((table, arm, *values))
        return found

    def _get(self, place: Place) -> Row | None:
        return self._summaries.get(place) or self._made.get(place)

    def at(self, arm: str, point: Mapping[str, AxisValue]) -> dict[str, Row] | None:
        """The row of an arm in each table that has one at a point; ``None`` where the point leaves an axis open."""
        found = {}
        for table, axes in self._tables.get(arm, {}).items():
            if any(axis not in point for axis in axes):
                return None
            place = (table, arm, *[point[axis] for axis in axes])
            row = self._get(place)
            if row is not None:
                found[str(table)] = row
        return found


def rows_of_card(benchmark: Benchmark, loaded: LoadedCard) -> RowsOfCard:
    """All rows of a card, made once as long as it is among the last that were asked for."""
    return _rows_of_card(_Identity(benchmark, loaded))


@lru_cache(maxsize=MOST_CARDS)
def _rows_of_card(identity: _Identity) -> RowsOfCard:
    return RowsOfCard(identity.benchmark, identity.loaded)


def _rank(definition: Definition, axis: str, value: AxisValue) -> tuple[float, str]:
    known = definition.axes[axis].values
    if value in known:
        return (known.index(value), "")
    return (float(value), "") if not isinstance(value, str) else (0.0, value)


def series_rows(definition: Definition, found: Iterable[Row], table: str) -> tuple[Row, ...]:
    """Rows of a table that summarises another's series: one for each arm and remaining point."""
    summary = definition.tables[table]
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in found:
        if row.table == summary.of:
            groups.setdefault((row.arm, *(row.at[a] for a in summary.axes)), []).append(row)
    peers: dict[Place, Row] = {}
    for members in groups.values():
        first = members[0]
        at = {a: first.at[a] for a in summary.axes}
        flags: frozenset[str] = frozenset().union(*(m.flags for m in members))
        peers[table, first.arm, *at.values()] = Row(
            definition, first.card, table, first.arm, at, -1, flags, None, tuple(members), peers
        )
    return tuple(peers.values())


def clock_ratio(a: Row, b: Row) -> float | None:
    """The SM clock of one row over that of another of the same card, where they are too far apart to compare seconds.

    Times this, the ratio of two times is that of their SM cycles.
    """
    if a.card is not b.card or a.sm_clock is None or b.sm_clock is None:
        return None
    return a.sm_clock / b.sm_clock if apart(a.sm_clock, b.sm_clock) > CLOCK_SPREAD else None


def find(found: Sequence[Row], **at: AxisValue) -> tuple[Row, ...]:
    """Rows whose point has these values; numbers compare as numbers."""
    return tuple(r for r in found if all(a in r.at and r.at[a] == v for a, v in at.items()))


def share_of_peak(row: Row, key: str) -> Value:
    """A derived rate as a fraction of the peak it names, flagged where above 1. Raises :class:`Missing`."""
    derived = row.definition.derived.get(key)
    if derived is None or derived.of_peak is None:
        raise Missing("no peak is named for this quantity")
    value, top = row.value(key), device_fact(row.card.device, derived.of_peak).centre
    share = Value(
        value.centre / top,
        value.lo / top,
        value.hi / top,
        value.show_lo / top,
        value.show_hi / top,
        value.samples,
        value.flags,
    )
    return share.flagged(_above_limit(row, share, derived))


def _above_limit(row: Row, share: Value, derived: Derived) -> frozenset[str]:
    """Flags of a fraction of what the device can do, where it is above 1."""
    bandwidth = derived.unit == "byte/s" or (derived.fraction and derived.footprint is not None)
    footprint, cache = _footprint(row, derived), _last_cache(row.card.device)
    return of_peak_flags(share.centre, footprint, cache, bandwidth=bandwidth)


def _footprint(row: Row, derived: Derived) -> float | None:
    """Bytes the data of a quantity occupy, where it names what tells them and the row holds that."""
    if derived.footprint is None:
        return None
    try:
        return row.value(derived.footprint).centre
    except Missing:
        return None


def _last_cache(device: Device) -> int | None:
    """Bytes of the last-level cache, where the device tells them."""
    return device.l2_cache if device.kind == "gpu" else device.l3_cache or device.l2_cache


def absences(card: Card, table: str, arm: str, at: Mapping[str, AxisValue]) -> tuple[NotRun, ...]:
    """Why an arm has no measurement at a point: the entries of ``not_run`` that cover it, most specific first."""
    hits = [
        n
        for n in card.not_run
        if n.arm == arm and n.table in (None, table) and all(at.get(a) == v for a, v in n.at.items())
    ]
    return tuple(sorted(hits, key=lambda n: (-len(n.at), n.table is None)))


def records(benchmark: Benchmark, loaded: LoadedCard) -> Iterator[dict[str, object]]:
    """What :func:`tidy` holds of one card, row by row."""
    d = benchmark.definition
    for row in (row for table in d.tables for row in rows(benchmark, loaded, table)):
        base: dict[str, object] = {"benchmark": d.id, "device": loaded.device_id, "table": row.table, "arm": row.arm}
        base.update({f"at.{a}": v for a, v in row.at.items()})
        for key in (*d.metrics, *d.derived):
            try:
                value = row.value(key)
            except Missing:
                continue
            yield base | {
                "metric": key,
                "unit": d.quantity(key).unit,
                "centre": value.centre,
                "lo": value.lo,
                "hi": value.hi,
                "samples": value.samples,
                "flags": " ".join(sorted(value.flags)),
                "origin": loaded.card.origin.kind,
                "card": loaded.digest,
            }


def tidy(library: Library, benchmark: str | None = None, device: str | None = None) -> pd.DataFrame:
    """One row per benchmark, device, table, arm, point and metric: centre, interval (SI), flags, the card's sha256."""
    import pandas as pd

    found = [
        record
        for key, b in sorted(library.benchmarks.items())
        if benchmark in (None, key)
        for c in b.cards
        if device in (None, c.device_id)
        for record in records(b, c)
    ]
    return pd.DataFrame.from_records(found)
