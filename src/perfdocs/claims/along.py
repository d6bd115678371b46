"""All places along an axis, for quantifiers and for functions over an axis."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..card import AxisValue
from ..verdict import Value
from .scope import Context, Data

__all__ = ["AGGREGATES", "aggregate", "along", "away"]

AGGREGATES: dict[str, Callable[[Sequence[float]], float]] = {
    "min": min,
    "max": max,
    "median": statistics.median,
    "geomean": statistics.geometric_mean,
}
"""Functions of all values over an axis; each grows with every one of its values."""


def away(axis: str, context: Context) -> Context:
    """The context with an axis, ``device`` or ``cell`` left open."""
    if axis == "device":
        return replace(context, device=None)
    return replace(context, given={}) if axis == "cell" else context.without(axis)


def along(
    axis: str, context: Context, arms: Sequence[str], data: Data
) -> list[tuple[Mapping[str, AxisValue], Context]]:
    """Where the arms are measured along an axis, ``device`` or ``cell``: the values that differ, and the context there.

    Raises :class:`PerfdocsError` ``claim-empty`` where that is nowhere, ``claim-name`` for what is no axis.
    """
    free = away(axis, context)
    if axis == "device":
        return [({"device": d}, replace(free, device=d)) for d in data.able_devices(context, arms)]
    if axis == "cell":
        return [(dict(p), replace(free, own={**free.own, **p})) for p in data.cells(context, arms)]
    return [({axis: v}, free.at(axis, v)) for v in data.axis_values(context, axis, arms)]


def aggregate(function: str, values: Sequence[Value]) -> Value:
    """One value of many. The function grows with each, so that the ends of the intervals give those of the result."""
    of = AGGREGATES[function]
    return Value(
        of([v.centre for v in values]),
        of([v.lo for v in values]),
        of([v.hi for v in values]),
        of([v.show_lo for v in values]),
        of([v.show_hi for v in values]),
        min(v.samples for v in values),
        frozenset[str]().union(*(v.flags for v in values)),
    )
