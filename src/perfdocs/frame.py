"""Cards as rows, and as one tidy pandas table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from .card import AxisValue, Card, NotRun
from .definition import Definition
from .expression import Missing
from .flags import flags_by_measurement
from .library import Benchmark, Library, LoadedCard
from .row import Place, Row

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RowsOfCard", "absences", "find", "records", "rows", "rows_of_card", "series_rows", "tidy"]

MOST_CARDS = 1024
"""Cards whose rows are kept: a claim of every device asks for all of them, and the next one does again."""


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


def find(found: Sequence[Row], **at: AxisValue) -> tuple[Row, ...]:
    """Rows whose point has these values; numbers compare as numbers."""
    return tuple(r for r in found if all(a in r.at and r.at[a] == v for a, v in at.items()))


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
