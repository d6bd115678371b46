"""All places along an axis, for quantifiers and for functions over an axis."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence

from ..card import AxisValue
from ..functions import FUNCTIONS, of_all
from ..verdict import Value
from .context import Context
from .scope import Data

__all__ = ["AGGREGATES", "along", "away"]

AGGREGATES: dict[str, Callable[..., Value]] = {
    **FUNCTIONS,
    "median": of_all(statistics.median),
    "geomean": of_all(statistics.geometric_mean),
}
"""Functions of all values over an axis; each grows with every one of its values."""


def away(axis: str, context: Context) -> Context:
    """The context with an axis, ``device`` or ``cell`` left open."""
    if axis == "device":
        return context._replace(device=None)
    return context._replace(given={}) if axis == "cell" else context.without(axis)


def along(
    axis: str, context: Context, arms: Sequence[str], data: Data
) -> list[tuple[Mapping[str, AxisValue], Context]]:
    """Where the arms are measured along an axis, ``device`` or ``cell``: the values that differ, and the context there.

    Raises :class:`PerfdocsError` ``claim-empty`` where that is nowhere, ``claim-name`` for what is no axis.
    """
    free = away(axis, context)
    if axis == "device":
        return [({"device": d}, free._replace(device=d)) for d in data.able_devices(context, arms)]
    if axis == "cell":
        return [(dict(p), free._replace(own={**free.own, **p})) for p in data.cells(context, arms)]
    return [({axis: v}, free.at(axis, v)) for v in data.axis_values(context, axis, arms)]
