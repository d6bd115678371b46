"""The ``value`` role: a number from the data, printed by the one formatter."""

from __future__ import annotations

import math

from ..library import Library
from ..quantity import format_percent, format_ratio, format_value
from ..verdict import Order, compare, ratio
from .context import Context
from .evaluate import context_of
from .failing import failed
from .items import direction
from .model import Bound, Mark, Outcome, Status
from .narrowing import narrow
from .nodes import Valued
from .phrases import AS_WORDS, phrase
from .scope import Data
from .syntax import parse_valued
from .taking import check_taken
from .values import Quantity, evaluate_at, is_share, line_of, quotient_text, same_unit, show

__all__ = ["check_value"]


def check_value(bound: Bound, library: Library) -> Outcome:
    """The text to print for a ``value`` role as ``measured``, or a problem. Never raises for bad input."""
    data = Data(library, bound.where)
    try:
        return _printed(bound, data)
    except Exception as error:
        return failed(error, bound, data)


def _printed(bound: Bound, data: Data) -> Outcome:
    valued = parse_valued(bound.expression, bound.where)
    context = narrow(data, context_of(bound, data), valued.given)
    quantity = _quantity(valued, context, data)
    check_taken([tree for tree in (valued.value, valued.other) if tree is not None], context, data)
    if not math.isfinite(quantity.value.centre):
        raise data.error("claim-empty", f"no number for `{bound.expression[:80]}`", "a number", "print another")
    text = _text(quantity, valued)
    style = "percent" if is_share(valued.value) and valued.relation is None else ""
    about = f"{bound.expression}{data.place(quantity.rows, context)}: {show(quantity, style)}"
    mark = Mark(0, len(text), about, tuple(sorted(quantity.value.flags)), line_of(quantity, phrase(valued.value)))
    return Outcome(bound, Status.HOLDS, None, text, (mark,), frozenset(data.uses))


def _quantity(valued: Valued, context: Context, data: Data) -> Quantity:
    """The value, or with a relation the ratio it is about; a relation that is not as measured is an error."""
    first = evaluate_at(valued.value, context, data)
    if valued.relation is None or valued.other is None:
        return first
    other = evaluate_at(valued.other, context, data)
    same_unit(first, other, data)
    said = f"{phrase(valued.value)} {AS_WORDS[valued.relation]} {phrase(valued.other)}"
    wanted, words, better = direction(first, other, valued.relation, said, data)
    order = compare(first.value, other.value, better=better, tolerance=data.definition(context).tolerance)
    if order is not wanted or wanted is Order.LEVEL:
        expected = f"`{words[order]}`" if order in words else "a comparison that the runs decide"
        raise data.error("claim-order", f"`{said}`", expected, "correct the comparison")
    larger = (wanted is Order.FASTER) == (better == "higher")
    quotient = ratio(first.value, other.value) if larger else ratio(other.value, first.value)
    over, under = (valued.value, valued.other) if larger else (valued.other, valued.value)
    return Quantity(
        quotient,
        data=(*first.data, *other.data),
        ratio=True,
        chosen=(*first.own, *other.own),
        formula=quotient_text(over, under),
    )


def _text(quantity: Quantity, valued: Valued) -> str:
    centre = quantity.value.centre
    if is_share(valued.value) and valued.relation is None:
        return format_percent(centre)
    if quantity.ratio:
        return format_ratio(centre)
    if not quantity.powers and centre.is_integer() and abs(centre) < 1e12:
        return format_value(centre, "", digits=max(len(f"{abs(centre):.0f}"), 1))
    return format_value(centre, quantity.unit)
