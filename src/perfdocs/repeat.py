"""Two complete runs of one card: how far each cell moved, and whether the verdicts agree.

Pure functions of a benchmark and two of its cards. A cell is an arm at a point of a table, seen in the quantity that
ranks the arms of that table; a table that ranks nothing, or that summarises another, is left out.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations
from typing import Literal

import msgspec

from .card import AxisValue, Card
from .definition import Definition
from .frame import absences, rows
from .library import Benchmark
from .loading import LoadedCard
from .render.points import ruler
from .row import Row
from .twins import check_twin
from .verdict import Missing, Order, Value, apart, compare

__all__ = [
    "LIMITS",
    "MOVED",
    "Agreement",
    "Cell",
    "Change",
    "Pair",
    "Repeat",
    "Single",
    "Summary",
    "TableRepeat",
    "compare_runs",
    "summary",
]

LIMITS = (0.01, 0.03, 0.10)
"""The share of cells within each of these distances is part of the summary."""
MOVED = 0.03
"""A cell whose centres are further apart than this is said to have moved."""

At = Mapping[str, AxisValue]
_Key = tuple[str, tuple[tuple[str, AxisValue], ...]]


class Agreement(StrEnum):
    """How the verdict on a pair of arms in one run stands to that in the other."""

    SAME = "same"
    TIE = "tie"
    """Different, and one of the two is level or undecided."""
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class Cell:
    """An arm at a point in both runs; values in SI. ``anchor``: the row's permanent id on the device's page.

    ``clock``: by which part the median SM clock of the second run is above the first's (−0.02: 2 % below); ``None``
    where a run did not record it.
    """

    table: str
    arm: str
    at: At
    first: Value
    second: Value
    anchor: str = ""
    clock: float | None = None

    @property
    def distance(self) -> float:
        """How far the centres are apart: max / min − 1."""
        return apart(self.first.centre, self.second.centre)

    @property
    def difference(self) -> float:
        """The distance, below zero where the second centre is the smaller one."""
        return math.copysign(self.distance, self.second.centre - self.first.centre)

    @property
    def overlaps(self) -> bool:
        """Whether the verdict intervals of the two runs have a value in common."""
        return self.first.lo <= self.second.hi and self.second.lo <= self.first.hi


@dataclass(frozen=True, slots=True)
class Single:
    """An arm at a point that one run has and the other lacks, and why."""

    table: str
    arm: str
    at: At
    lacking: Literal["first", "second"]
    reason: str


@dataclass(frozen=True, slots=True)
class Pair:
    """How the first of two arms stands to the second at a point, in each run."""

    table: str
    at: At
    arms: tuple[str, str]
    first: Order
    second: Order

    @property
    def agreement(self) -> Agreement:
        """Whether the two verdicts are the same, differ by a tie, or contradict each other."""
        if self.first is self.second:
            return Agreement.SAME
        decided = {Order.FASTER, Order.SLOWER}
        return Agreement.CONTRADICTS if {self.first, self.second} == decided else Agreement.TIE


@dataclass(frozen=True, slots=True)
class TableRepeat:
    """One table of both runs, in the quantity ``by``."""

    table: str
    by: str
    cells: tuple[Cell, ...]
    singles: tuple[Single, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A fact of the runs that differs: its path in the card and its text in each (empty where absent)."""

    fact: str
    first: str
    second: str


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """Two runs held against each other; ``changes`` is what else is different, which may be why a cell moved."""

    definition: Definition
    first: LoadedCard
    second: LoadedCard
    tables: tuple[TableRepeat, ...]
    changes: tuple[Change, ...]

    def chosen(self, table: str = "") -> tuple[TableRepeat, ...]:
        """The table called so, or all."""
        return tuple(t for t in self.tables if table in ("", t.table))

    def moved(self, table: str = "", limit: float = MOVED) -> tuple[Cell, ...]:
        """Cells whose centres are more than ``limit`` apart, the furthest first."""
        found = [c for t in self.chosen(table) for c in t.cells if c.distance > limit]
        return tuple(sorted(found, key=lambda c: -c.distance))

    def contradictions(self, table: str = "") -> tuple[Pair, ...]:
        """Pairs that one run calls faster and the other slower."""
        found = (p for t in self.chosen(table) for p in t.pairs)
        return tuple(p for p in found if p.agreement is Agreement.CONTRADICTS)


@dataclass(frozen=True, slots=True)
class Summary:
    """How many cells both runs have and how far they are apart, and the pairs of arms by agreement.

    ``median`` is that of the distances, ``within`` the share of cells within each of :data:`LIMITS`; both are ``None``
    where there is no cell.
    """

    cells: int
    median: float | None
    within: tuple[float, ...] | None
    same: int
    ties: int
    contradict: int

    @property
    def pairs(self) -> int:
        """All pairs of arms that both runs have at a point."""
        return self.same + self.ties + self.contradict


def summary(tables: Iterable[TableRepeat]) -> Summary:
    """The figures of these tables taken together; each cell and each pair counts once."""
    tables = tuple(tables)
    distances = [c.distance for t in tables for c in t.cells]
    kinds = [p.agreement for t in tables for p in t.pairs]
    return Summary(
        len(distances),
        statistics.median(distances) if distances else None,
        tuple(sum(d <= limit for d in distances) / len(distances) for limit in LIMITS) if distances else None,
        kinds.count(Agreement.SAME),
        kinds.count(Agreement.TIE),
        kinds.count(Agreement.CONTRADICTS),
    )


@lru_cache(maxsize=16)  # a page asks for the same pair several times; cards are one object each in a library
def compare_runs(benchmark: Benchmark, first: LoadedCard, second: LoadedCard) -> Repeat:
    """Hold two runs of one device against each other, table by table, in the definition's order.

    Raises :class:`PerfdocsError` where ``second`` is no other run of what ``first`` measured.
    """
    check_twin(first, second)
    definition = benchmark.definition
    tables = (
        _table(benchmark, first, second, table, by)
        for table, entry in definition.tables.items()
        if entry.of is None and (by := ruler(definition, table)) is not None
    )
    changes = tuple(_changes(first.card, second.card))
    return Repeat(definition, first, second, tuple(t for t in tables if t.cells or t.singles), changes)


def _table(benchmark: Benchmark, first: LoadedCard, second: LoadedCard, table: str, by: str) -> TableRepeat:
    ours, theirs = (_by_key(rows(benchmark, loaded, table)) for loaded in (first, second))
    cells: list[Cell] = []
    singles: list[Single] = []
    for key in dict.fromkeys((*ours, *theirs)):
        a, b = _value(ours.get(key), by), _value(theirs.get(key), by)
        if isinstance(a, Value) and isinstance(b, Value):
            clock = _clock_change(ours[key], theirs[key])
            cells.append(Cell(table, key[0], dict(key[1]), a, b, ours[key].anchor, clock))
        elif isinstance(b, str) and isinstance(a, Value):
            singles.append(Single(table, key[0], dict(key[1]), "second", b or _reason(second.card, table, key)))
        elif isinstance(a, str) and isinstance(b, Value):
            singles.append(Single(table, key[0], dict(key[1]), "first", a or _reason(first.card, table, key)))
    return TableRepeat(table, by, tuple(cells), tuple(singles), tuple(_pairs(benchmark.definition, by, cells)))


def _by_key(found: Iterable[Row]) -> dict[_Key, Row]:
    return {(row.arm, tuple(row.at.items())): row for row in found}


def _value(row: Row | None, by: str) -> Value | str:
    """The value of a row, or why it has none: the empty text where there is no row to ask."""
    if row is None:
        return ""
    try:
        return row.value(by)
    except Missing as missing:
        return missing.reason


def _reason(card: Card, table: str, key: _Key) -> str:
    hits = absences(card, table, key[0], dict(key[1]))
    return hits[0].reason if hits else "not measured; the card gives no reason"


def _clock_change(a: Row, b: Row) -> float | None:
    return b.sm_clock / a.sm_clock - 1 if a.sm_clock and b.sm_clock else None


def _pairs(definition: Definition, by: str, cells: Sequence[Cell]) -> Iterator[Pair]:
    """Every pair of arms at every point, in the order of the cells."""
    better = definition.quantity(by).better or "lower"
    points: dict[tuple[tuple[str, AxisValue], ...], list[Cell]] = {}
    for cell in cells:
        points.setdefault(tuple(cell.at.items()), []).append(cell)
    for members in points.values():
        for a, b in combinations(members, 2):
            orders = (
                compare(x, y, better=better, tolerance=definition.tolerance)
                for x, y in ((a.first, b.first), (a.second, b.second))
            )
            yield Pair(a.table, a.at, (a.arm, b.arm), *orders)


def _changes(first: Card, second: Card) -> Iterator[Change]:
    a, b = _facts(first), _facts(second)
    for fact in dict.fromkeys((*a, *b)):
        if a.get(fact) != b.get(fact):
            yield Change(fact, a.get(fact, ""), b.get(fact, ""))


def _facts(card: Card) -> dict[str, str]:
    """What a card says of device, host, software, sources and method, as texts by path."""
    found = {"recorded": card.recorded}
    for part in ("device", "host", "method"):
        for key, value in msgspec.to_builtins(getattr(card, part)).items():
            found[f"{part}.{key}"] = f"{value:.6g}" if isinstance(value, float) else str(value)
    found |= {f"software.{key}": text for key, text in card.software.items()}
    found |= {f"source.{name}": sha[:12] for name, sha in card.source.files.items()}
    if card.source.commit:
        found["source.commit"] = card.source.commit[:12]
    return found
