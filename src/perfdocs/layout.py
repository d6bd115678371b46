"""Where the rows of a card lie, without what was measured there: what a claim selects is told from this alone.

Most cards of one benchmark have the same places in the same order. They share one layout, so that what was looked for
in one card need not be looked for in the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import TypeVar

from .card import AxisValue, Card
from .definition import ById, Definition
from .row import Place, Row

__all__ = ["Layout", "Point", "Spot", "along", "at_point", "in_order", "layout_of", "matching", "points_of"]

Point = tuple[tuple[str, AxisValue], ...]
"""Axes and their values."""


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """A place where a card has a row; ``place`` is the key of that row among its peers."""

    place: Place
    table: str
    arm: str
    at: Mapping[str, AxisValue]


S = TypeVar("S", Spot, Row)


class Layout:
    """The spots of a card: measured ones in its order, and those of tables that summarise series."""

    def __init__(self, definition: Definition, places: Sequence[Place]) -> None:
        self._definition = definition
        self.index: dict[Place, int] = {place: i for i, place in enumerate(places)}
        """By its place the number of a measurement."""
        self._measured = tuple(map(self._spot, places))
        self._series = tuple(self._of_series())
        self._of_arm: dict[str, list[Spot]] = {}
        self.spots: dict[Place, Spot] = {}
        """By their places."""
        self._tables: dict[str, dict[str, tuple[str, ...]]] = {}
        for spot in self._measured:
            self._of_arm.setdefault(spot.arm, []).append(spot)
        for spot in (*self._measured, *self._series):
            self.spots[spot.place] = spot
            self._tables.setdefault(spot.arm, {}).setdefault(spot.table, definition.tables[spot.table].axes)

    def _spot(self, place: Place) -> Spot:
        table, arm, *values = place
        axes = self._definition.tables[str(table)].axes
        return Spot(place, str(table), str(arm), dict(zip(axes, values, strict=True)))  # type: ignore[arg-type] # values

    def _of_series(self) -> Iterator[Spot]:
        for key, table in self._definition.tables.items():
            if table.of is None:
                continue
            members = (spot for spot in self._measured if spot.table == table.of)
            places = dict.fromkeys((key, spot.arm, *(spot.at[a] for a in table.axes)) for spot in members)
            yield from in_order(self._definition, [self._spot(place) for place in places])

    @cached_property
    def every(self) -> tuple[Spot, ...]:
        """In the order of the definition, those of series last."""
        return (*in_order(self._definition, self._measured), *self._series)

    def of(self, arms: Sequence[str]) -> Sequence[Spot]:
        """The spots of these arms in the same order, or all where none is named."""
        if not arms:
            return self.every
        wanted = dict.fromkeys(arms)
        found = [spot for arm in wanted for spot in self._of_arm.get(arm, ())]
        return (*in_order(self._definition, found), *(spot for spot in self._series if spot.arm in wanted))

    def at(self, arm: str, point: Mapping[str, AxisValue]) -> list[Spot] | None:
        """The spot of an arm in each table that has one at a point; ``None`` where the point leaves an axis open."""
        found = []
        for table, axes in self._tables.get(arm, {}).items():
            if any(axis not in point for axis in axes):
                return None
            spot = self.spots.get((table, arm, *[point[axis] for axis in axes]))
            if spot is not None:
                found.append(spot)
        return found


def layout_of(definition: Definition, card: Card) -> Layout:
    """The layout of a card: the same one for all that have the same places."""
    axes = {key: table.axes for key, table in definition.tables.items()}
    places = tuple([(m.table, m.arm, *map(m.at.__getitem__, axes[m.table])) for m in card.measurements])
    kinds = tuple(map(type, chain.from_iterable(places)))  # 1 and 1.0 are the same to a hash
    return _layout(ById(definition), places, kinds)


@lru_cache(maxsize=64)
def _layout(identity: ById, places: tuple[Place, ...], kinds: tuple[type[object], ...]) -> Layout:
    del kinds  # part of the cache's key
    return Layout(identity.definition, places)


def in_order(definition: Definition, found: Iterable[S]) -> tuple[S, ...]:
    """In the order of the definition: arms, then axis values."""
    found = tuple(found)
    order = {a: i for i, a in enumerate(definition.arms)}
    ranks = {(a, v): _rank(definition, a, v) for r in found for a, v in r.at.items()}
    return tuple(sorted(found, key=lambda r: (order[r.arm], [ranks[item] for item in r.at.items()])))


def _rank(definition: Definition, axis: str, value: AxisValue) -> tuple[float, str]:
    known = definition.axes[axis].values
    if value in known:
        return (known.index(value), "")
    return (float(value), "") if not isinstance(value, str) else (0.0, value)


@lru_cache(maxsize=4096)
def matching(
    layout: Layout, arms: tuple[str, ...], along: str | None, table: str | None, own: Point, given: Point
) -> tuple[Spot, ...]:
    """Spots of these arms, or of any where none is named, of a table where one is, and with the axis ``along``.

    An axis of ``own`` must be one of the spot's; one of ``given`` counts where the spot has it, and spots that have
    more of these win.
    """
    found = [
        spot
        for spot in layout.of(arms)
        if (along is None or along in spot.at)
        and (table is None or spot.table == table)
        and all(spot.at.get(a) == v for a, v in own)
        and all(spot.at.get(a, v) == v for a, v in given)
    ]
    return _nearest(found, given)


@lru_cache(maxsize=16384)
def at_point(layout: Layout, arm: str, table: str | None, own: Point, given: Point) -> tuple[Spot, ...]:
    """What :func:`matching` finds of one arm: looked up where every axis is named."""
    placed = layout.at(arm, dict((*given, *own)))
    if placed is None:
        return matching(layout, (arm,), None, table, own, given)
    found = [spot for spot in placed if table in (None, spot.table) and all(axis in spot.at for axis, _ in own)]
    return _nearest(found, given)


@lru_cache(maxsize=1024)
def points_of(layout: Layout, arms: tuple[str, ...], table: str, own: Point) -> tuple[Mapping[str, AxisValue], ...]:
    """The points of a table that hold these values; none where not all the arms have a row at one of them."""
    if not {spot.arm for spot in matching(layout, arms, None, table, own, ())}.issuperset(arms):
        return ()
    every = matching(layout, (), None, table, own, ())
    return tuple({tuple(spot.at.items()): spot.at for spot in every}.values())


@lru_cache(maxsize=1024)
def along(
    layout: Layout, axis: str, arms: tuple[str, ...], table: str | None, own: Point, given: Point
) -> tuple[frozenset[str], frozenset[AxisValue]]:
    """The tables in which these arms have rows along an axis, and its values where any arm has a row in them."""
    tables = frozenset(spot.table for spot in matching(layout, arms, axis, table, own, given))
    found = (spot.at[axis] for t in tables for spot in matching(layout, (), axis, t, own, given))
    return tables, frozenset(found)


def _nearest(found: Sequence[Spot], given: Point) -> tuple[Spot, ...]:
    """Those that have the most of the axes that surround a claim."""
    counts = [sum(a in spot.at for a, _ in given) for spot in found]
    most = max(counts, default=0)
    return tuple(spot for spot, count in zip(found, counts, strict=True) if count == most)
