"""All places along an axis, of all arms or of fewer values, for quantifiers and for functions over an axis."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from ..card import AxisValue
from ..errors import nearest
from ..functions import FUNCTIONS, of_all
from ..quantity import axis_text
from ..verdict import Value
from .arms import arms_here, end_of, members
from .context import Context
from .nodes import ARM, Over
from .phrases import phrase
from .scope import Data

__all__ = ["AGGREGATES", "along", "away", "limited", "places_of"]

AGGREGATES: dict[str, Callable[..., Value]] = {
    **FUNCTIONS,
    "median": of_all(statistics.median),
    "geomean": of_all(statistics.geometric_mean),
}
"""Functions of all values over an axis; each grows with every one of its values."""


def away(axis: str, context: Context) -> Context:
    """The context with an axis, ``device``, ``cell`` or ``arm`` left open."""
    if axis == ARM:
        return replace(context, arm=None)
    if axis == "device":
        return replace(context, device=None)
    return replace(context, given={}) if axis == "cell" else context.without(axis)


def along(
    axis: str, context: Context, arms: Sequence[str], data: Data, of: Sequence[AxisValue] = (), *, run: bool = False
) -> list[tuple[Mapping[str, AxisValue], Context]]:
    """Where the arms are measured along an axis, ``device`` or ``cell``: the values that differ, and the context there.

    Along ``arm`` these are the arms of a set, ``of`` tells which; with ``run`` only those that were.

    Raises :class:`PerfdocsError` ``claim-empty`` where that is nowhere, ``claim-name`` for what is no axis.
    """
    free = away(axis, context)
    if axis == ARM:
        table, keys = arms_here([*map(str, of)], free, arms, data, run=run)
        data.arms.update(keys)
        return [({ARM: arm}, replace(free, arm=arm, table=table)) for arm in keys]
    if axis == "device":
        return [({"device": d}, replace(free, device=d)) for d in data.able_devices(context, arms)]
    if axis == "cell":
        return [(dict(p), replace(free, own={**free.own, **p})) for p in data.cells(context, arms)]
    return [({axis: v}, free.at(axis, v)) for v in data.axis_values(context, axis, arms)]


def limited(
    places: list[tuple[Mapping[str, AxisValue], Context]],
    axis: str,
    data: Data,
    below: float | None = None,
    of: Sequence[AxisValue] = (),
) -> list[tuple[Mapping[str, AxisValue], Context]]:
    """Those of the places below a value, or of values that are named; a set of arms is one of those already.

    Raises ``claim-name`` for a value that none of them has, ``claim-syntax`` where they have no values.
    """
    if (axis in ("cell", ARM) and below is not None) or (axis == "cell" and of):
        found, do = f"fewer of `{axis}` by its values", "leave the limit out, or name exceptions behind `but`"
        raise data.error("claim-syntax", found, "an axis with values", do)
    if axis == ARM or (below is None and not of):
        return places
    values = [at[axis] for at, _ in places]
    for wanted in of:
        if wanted not in values:
            known = ", ".join(map(str, values))
            near = nearest(str(wanted), map(str, values))
            raise data.error("claim-name", f'"{wanted}"', f"a measured value of {axis}: {known}{near}", "correct it")
    kept = [v for v in values if v in of or (below is not None and not isinstance(v, str) and v < below)]
    return [(at, context) for at, context in places if at[axis] in kept]


def places_of(tree: Over, context: Context, data: Data) -> list[tuple[Mapping[str, AxisValue], Context]]:
    """Where a function over an axis has its values. Raises ``claim-empty`` where none is left."""
    others = data.arms_in(tree.value, context)
    run = end_of(tree, context, data) == "fastest"  # what was not run is not it
    found = along(tree.axis, context, others, data, tree.of, run=run)
    places = limited(found, tree.axis, data, tree.below, tree.of)
    out = members(map(str, tree.but), context, data) if tree.axis == ARM else tree.but
    for value in out:
        if not any(at.get(tree.axis) == value for at, _ in places):
            what = f"the exception ({axis_text(value)}), which is not among them"
            raise data.error("claim-empty", what, "one of them", "correct it")
    left = [(at, here) for at, here in places if at.get(tree.axis) not in out]
    if not left:
        raise data.error("claim-empty", f"no {tree.axis} left by `{phrase(tree)}`", "at least one", "correct it")
    return left
