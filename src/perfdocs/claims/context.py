"""What is selected where a claim is looked at, and what was read there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..card import AxisValue
from ..errors import PerfdocsError
from ..row import Row
from ..verdict import Value
from .model import Datum

__all__ = ["FIELDS", "Context", "NotMeasured", "Reading", "datum_of"]

FIELDS = ("benchmark", "device", "table", "arm", "metric")
"""Of a context, besides axes: what one list of selectors says once."""


class Context(Struct, frozen=True):
    """What is selected. ``own`` holds axis values the claim itself names, ``given`` those that only surround it.

    ``said`` are the axes and the other fields that one list of selectors names: brackets, a given, the scope.
    Claims make many: one for each point and for each name that narrows it.
    """

    benchmark: str | None = None
    device: str | None = None
    table: str | None = None
    arm: str | None = None
    metric: str | None = None
    own: Mapping[str, AxisValue] = MappingProxyType({})
    given: Mapping[str, AxisValue] = MappingProxyType({})
    said: frozenset[str] = frozenset()

    def at(self, axis: str, value: AxisValue) -> Context:
        """The same with one more axis value of the claim's own."""
        given = {a: v for a, v in self.given.items() if a != axis}
        return replace(self, own={**self.own, axis: value}, given=given)

    def surrounding(self) -> Context:
        """The same, all of it as surroundings."""
        return replace(self, own={}, given={**self.given, **self.own}, said=frozenset())

    def without(self, axis: str) -> Context:
        """The same with one axis left open."""
        own = {a: v for a, v in self.own.items() if a != axis}
        return replace(self, own=own, given={a: v for a, v in self.given.items() if a != axis})

    def value(self, key: str) -> AxisValue | None:
        """What is selected of a field or of an axis."""
        selected: AxisValue | None = getattr(self, key) if key in FIELDS else {**self.given, **self.own}.get(key)
        return selected


class NotMeasured(PerfdocsError):  # noqa: N818 - an absence, which is no error of an exception
    """There is no measurement of what a claim asks for at one of its points."""


class Reading(NamedTuple):
    """A quantity of a row as it was read; its name as a :class:`Datum` is put together where somebody asks for it."""

    row: Row
    key: str
    value: Value


def datum_of(read: Reading | Datum) -> Datum:
    """What was read, by name."""
    if isinstance(read, Datum):
        return read
    row = read.row
    values = tuple(row.at.values())
    return Datum(row.definition.id, row.card.device.id, read.key, row.table, row.arm, values, row.anchor)
