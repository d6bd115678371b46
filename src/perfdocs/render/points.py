"""Points of a table in words, and how its rows fall into parts: what every table, line and plot of it agrees on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from ..card import AxisValue, Card
from ..definition import Definition
from ..flags import FLAGS
from ..quantity import NBSP, axis_text, scale_for
from ..row import Row
from ..verdict import Missing, Value

__all__ = [
    "ORIGINS",
    "axis_value_text",
    "by_axis",
    "has_overview",
    "labels_of",
    "ordered_flags",
    "origin_of",
    "point_text",
    "ruler",
    "selection_text",
    "values_by_arm",
    "with_origin",
]

ORIGINS = frozenset({"imported", "synthetic"})
"""Flags that every value of a card bears."""


def origin_of(card: Card) -> str:
    """``imported`` or ``synthetic``; nothing where the card was measured."""
    return "" if card.origin.kind == "measured" else card.origin.kind


def with_origin(name: str, origin: str) -> str:
    """A name, and where there is one its origin in brackets; brackets that end the name are not doubled."""
    if not origin:
        return name
    return f"{name[:-1]}, {origin})" if name.endswith(")") else f"{name} ({origin})"


def axis_value_text(definition: Definition, axis: str, value: AxisValue) -> str:
    """One value of an axis, without the axis's name: its label, ``10⁶``, or an exact number with its unit."""
    entry = definition.axes[axis]
    if (label := entry.labels.get(str(value))) is not None or isinstance(value, str):
        return label if label is not None else str(value)
    if entry.unit in ("", "sample", "1"):
        return axis_text(value)
    scale = scale_for([value], entry.unit)
    return f"{value / scale.factor:.12g}{NBSP}{scale.unit}"


def selection_text(definition: Definition, axis: str, value: AxisValue) -> str:
    """One value of an axis as a reader says it: ``N = 10⁶``; a category speaks for itself."""
    text = axis_value_text(definition, axis, value)
    if definition.axes[axis].scale == "category":
        return text
    return f"{definition.axes[axis].label}{NBSP}={NBSP}{text}"


def point_text(definition: Definition, at: Mapping[str, AxisValue]) -> str:
    """A point, or a part of one: ``spread-1000, N = 10⁶``."""
    return ", ".join(selection_text(definition, axis, value) for axis, value in at.items())


def by_axis(found: Sequence[Row], axis: str | None) -> list[tuple[AxisValue | None, list[Row]]]:
    """Rows in parts by the value of an axis, in the axis's order; one part, of ``None``, without an axis."""
    if axis is None:
        return [(None, list(found))] if found else []
    parts: dict[AxisValue, list[Row]] = {}
    for row in found:
        parts.setdefault(row.at[axis], []).append(row)
    known = {v: i for i, v in enumerate(found[0].definition.axes[axis].values)} if found else {}

    def rank(value: AxisValue) -> tuple[float, str]:
        if value in known:
            return (known[value], "")
        return (float(value), "") if not isinstance(value, str) else (0.0, value)

    return [(value, parts[value]) for value in sorted(parts, key=rank)]


def has_overview(definition: Definition, table: str) -> bool:
    """Whether a table's overview is more than its detail."""
    return definition.tables[table].across is not None and ruler(definition, table) is not None


def ruler(definition: Definition, table: str) -> str | None:
    """The quantity that ranks arms in a table, ``None`` where nothing does.

    It is the table's ``by``, the definition's default where that is a column, or the first column with a better end.
    """
    entry = definition.tables[table]
    wanted = [entry.by] if entry.by else []
    wanted += [definition.default] if definition.default in entry.columns else []
    return next((k for k in [*wanted, *entry.columns] if definition.quantity(k).better is not None), None)


def labels_of(definition: Definition, arms: Iterable[str]) -> list[str]:
    """Labels of arms; two arms that share a label are told apart by their keys."""
    keys = list(arms)
    every = [definition.arms[k].label for k in keys]
    return [f"{label} ({key})" if every.count(label) > 1 else label for key, label in zip(keys, every, strict=True)]


def values_by_arm(found: Iterable[Row], key: str) -> dict[str, Value]:
    """The value of a quantity for each arm that has it, of rows that share a point."""
    values: dict[str, Value] = {}
    for row in found:
        try:
            values[row.arm] = row.value(key)
        except Missing:
            continue
    return values


def ordered_flags(flags: Iterable[str]) -> tuple[str, ...]:
    """Flags in the legend's order; unknown ones, which a newer card may bring, last."""
    return _ordered(frozenset(flags))


@lru_cache(maxsize=256)
def _ordered(present: frozenset[str]) -> tuple[str, ...]:
    return (*(f for f in FLAGS if f in present), *sorted(present - FLAGS.keys()))
