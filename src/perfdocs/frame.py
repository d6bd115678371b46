"""Cards as rows, and as one tidy pandas table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from .card import AxisValue, Card, NotRun
from .definition import Definition
from .flags import flags_of
from .layout import Layout, Spot, in_order, layout_of
from .library import Benchmark, Library
from .loading import LoadedCard
from .row import Place, Row
from .verdict import Missing

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
        self.layout: Layout = layout_of(definition, card)
        self._index = self.layout.index
        self._rows: dict[Place, Row] = {}
        self._flags = flags_of(card)

    def __getitem__(self, place: Place) -> Row:
        row: Row | None = self.get(place)
        if row is None:
            raise KeyError(place)
        return row

    def get(self, place: Place, default: Any = None) -> Any:
        """The row of a place, or the default where the card has none."""
        row = self._rows.get(place)
        if row is None and (index := self._index.get(place)) is not None:
            row = self._rows[place] = self._make(place, index)
        return default if row is None else row

    def _make(self, place: Place, index: int) -> Row:
        m, at = self._card.measurements[index], self.layout.spots[place].at
        return Row(self._definition, self._card, m.table, m.arm, at, index, self._flags(m), m, peers=self)

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
    return in_order(definition, found)


class RowsOfCard:
    """Every row of a card, those of series included, each made when it is first asked for, and where they lie."""

    def __init__(self, benchmark: Benchmark, loaded: LoadedCard) -> None:
        self._benchmark, self._loaded = benchmark, loaded
        self._made = _made(_Identity(benchmark, loaded))
        self._at: dict[Spot, Row] = {}
        self.layout = self._made.layout

    @cached_property
    def _summaries(self) -> dict[Place, Row]:
        tables = (key for key, table in self._benchmark.definition.tables.items() if table.of is not None)
        found = (row for key in tables for row in rows(self._benchmark, self._loaded, key))
        return {(row.table, row.arm, *row.at.values()): row for row in found}

    def row(self, spot: Spot) -> Row:
        """The row at a spot of the layout."""
        row = self._at.get(spot)
        if row is None:
            row = self._at[spot] = self._made.get(spot.place) or self._summaries[spot.place]
        return row

    def place(self, table: str, arm: str, values: Sequence[AxisValue]) -> Row | None:
        """The one row of a table, of an arm at these values of the table's axes."""
        place = (table, arm, *values)
        found: Row | None = self._made.get(place) or self._summaries.get(place)
        return found


@lru_cache(maxsize=MOST_CARDS)  # by what they are, not by what they hold: this is asked for every value of a claim
def rows_of_card(benchmark: Benchmark, loaded: LoadedCard) -> RowsOfCard:
    """All rows of a card, made once as long as it is among the last that were asked for."""
    return RowsOfCard(benchmark, loaded)


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
