"""The verdict on one item of a claim at one point. :mod:`perfdocs.verdict` decides every comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from ..expression import Hole, Number
from ..quantity import format_percent, format_ratio
from ..row import clock_ratio
from ..verdict import Order, Value, apart, compare, ratio
from .context import Context
from .deciding import for_limit, for_order
from .factors import take_factors
from .findings import Finding, Later, Ternary, Text, all_of, of_points
from .nodes import Amount, Bounded, Compared, Item, Leads, Overtakes, Plain, Tree, Trend, Within
from .phrases import AS_WORDS, SIZE_WORDS, SPEED_WORDS, false, order_finding, phrase, verdict
from .ranks import judge_leads
from .reader import ABOUT, Reader
from .scope import Data
from .series import judge_overtakes, judge_trend
from .values import Quantity, dimension, evaluate_at, quotient_text, same_unit, show

__all__ = ["against_another", "direction", "judge"]

_SPEED = {"faster": Order.FASTER, "ahead": Order.FASTER, "slower": Order.SLOWER, "behind": Order.SLOWER}
_SECONDS = dimension("s")
_SIZE = {"more": Order.FASTER, "less": Order.SLOWER}
_Better = Literal["lower", "higher"]


def judge(item: Item, context: Context, data: Data, reader: Reader) -> Finding:
    """The verdict on one item; printed numbers come from ``reader``."""
    if isinstance(item, Leads):
        return judge_leads(item, context, data)
    if isinstance(item, Overtakes):
        return judge_overtakes(item, context, data, reader)
    if isinstance(item, Trend):
        return judge_trend(item, context, data, reader)

    take_factors(item, data, reader)

    def one(tree: Tree) -> Finding:
        q = evaluate_at(tree, context, data)
        if isinstance(item, Compared):
            return _compared(q, tree, item, context, data, reader)
        if isinstance(item, Within):
            return _within(q, tree, item, context, data, reader)
        what, at = Later(lambda: phrase(tree)), Later(lambda: data.place(q.rows, context))
        if isinstance(item, Plain):
            return reader.number(q, what, at)
        return _bounded(q, what, item, at, context, data, reader)

    return _sharing(item.values, one, reader)


def against_another(item: Item, data: Data) -> None:
    """Refuse what is compared with itself, whatever it is. An arm of a set may be compared with one of them."""
    if not isinstance(item, (Bounded, Compared, Within)):
        return
    if (item.limit if isinstance(item, Bounded) else item.other) in item.values:
        found = f"`{phrase(item.values[0])}` compared with itself"
        raise data.error("claim-syntax", found, "two things", "name another")


def _sharing(values: Sequence[Tree], one: Callable[[Tree], Finding], reader: Reader) -> Finding:
    """Judge each value; all share the same printed numbers."""
    start, findings = reader.position, []
    for tree in values:
        reader.position = start
        findings.append(one(tree))
    return findings[0] if len(findings) == 1 else of_points(findings)


# --- bounds ------------------------------------------------------------------------------------------------------


def _bounded(q: Quantity, what: Text, item: Bounded, at: Text, context: Context, data: Data, reader: Reader) -> Finding:
    if isinstance(item.limit, Hole):
        if item.how in ("=", "about"):
            return reader.number(q, what, at, about=item.how == "about")
        printed = reader.fitting(reader.next(what), q, what, comparison=False)
        reader.mark(printed, Later(lambda: f"{what}{at}: {show(q)}"), q, what)
        return _limit(q, printed.value, printed.text.strip(), what, item.how, at)
    limit = Later(lambda: phrase(item.limit))
    said = Later(lambda: f"{what} {item.how} {limit}{at}")
    if isinstance(item.limit, Number):
        amount = Amount(item.limit.value, item.limit.percent)
        if item.how == "=":
            holds = reader.states(amount, q.value.centre, as_ratio=False, of=q, what=what)
            return verdict(holds, "claim-number", said, Later(lambda: show(q)))
        reader.accept(amount, as_ratio=False, of=q, what=what)
        return _limit(q, item.limit.value, limit, what, item.how, at)
    other = evaluate_at(item.limit, context, data)
    same_unit(q, other, data)
    measured = Later(lambda: f"{show(q)} and {show(other)}")
    if item.how == "=":
        return verdict(math.isclose(q.value.centre, other.value.centre), "claim-number", said, measured)
    if item.how == "about":
        return verdict(apart(q.value.centre, other.value.centre) <= ABOUT, "claim-number", said, measured)
    order = compare(q.value, other.value, better="higher", tolerance=data.definition(context).tolerance)
    wanted = Order.FASTER if item.how == "over" else Order.SLOWER
    return order_finding(order, wanted, said, measured, SIZE_WORDS, _advice(order, q, other, context, data))


def _advice(order: Order, q: Quantity, other: Quantity, context: Context, data: Data) -> Text:
    """What would decide a comparison that the runs leave open."""
    if order is not Order.UNDECIDED:
        return ""
    several = len(q.data) > 1 or len(other.data) > 1
    tolerance = data.definition(context).tolerance
    return Later(lambda: for_order(q.value, other.value, tolerance=tolerance, several=several))


def _limit(q: Quantity, limit: float, text: Text, what: Text, how: str, at: Text) -> Finding:
    """A value whose whole interval must lie on one side of a printed or literal limit."""
    said, measured = Later(lambda: f"{what} {how} {text}{at}"), Later(lambda: show(q))
    if how == "about":
        return verdict(bool(limit) and abs(q.value.centre / limit - 1) <= ABOUT, "claim-number", said, measured)
    below, above = q.value.hi < limit, q.value.lo > limit
    truth, opposite = (below, above) if how == "under" else (above, below)
    if truth or opposite or q.value.lo == q.value.hi:
        return verdict(truth, "claim-order", said, measured)
    expected = Later(lambda: f"{measured}: its runs lie on both sides")
    do = Later(lambda: f"choose a rounder limit; {for_limit(q.value, limit)}")
    return Finding(Ternary.UNKNOWN, "claim-undecided", said, expected, do, measured)


# --- comparisons -------------------------------------------------------------------------------------------------


def _compared(q: Quantity, tree: Tree, item: Compared, context: Context, data: Data, reader: Reader) -> Finding:
    other = evaluate_at(item.other, context, data)
    same_unit(q, other, data)
    said = Later(lambda: f"{phrase(tree)} {AS_WORDS[item.relation]} {phrase(item.other)}")
    wanted, words, better = direction(q, other, item.relation, said, data)
    order = compare(q.value, other.value, better=better, tolerance=data.definition(context).tolerance)
    cycles = _in_cycles(q, other, data)
    measured = Later(lambda: f"{phrase(tree)} {show(q)}, {phrase(item.other)} {show(other)}{cycles}")
    if item.by is None and order is wanted:
        return Finding(Ternary.TRUE, measured=measured)
    place = Later(lambda: data.place((*q.rows, *other.rows), context))
    there = Later(lambda: f"{said}{place}")
    finding = order_finding(order, wanted, there, measured, words, _advice(order, q, other, context, data))
    if item.by is None or order not in (wanted, Order.UNDECIDED):
        if item.by is not None:  # its number is taken, though not worth judging: the direction is wrong
            reader.accept(item.by, as_ratio=True) if item.by.value is not None else reader.next(said)
        return finding
    if item.relation == "level":
        raise data.error("claim-syntax", f"`{said} by …`", "`within ? of`", "write `a within ? of b`")
    larger = (wanted is Order.FASTER) == (better == "higher")
    quotient = ratio(q.value, other.value) if larger else ratio(other.value, q.value)
    if not all(map(math.isfinite, (quotient.centre, quotient.lo, quotient.hi))):
        raise data.error("claim-empty", f"no ratio for `{said}`", "values above zero", "compare other values")
    result = Quantity(
        quotient.flagged(["clocks_apart"] if cycles else ()),
        data=(*q.data, *other.data),
        ratio=True,
        chosen=(*q.own, *other.own),
        formula=quotient_text(tree, item.other) if larger else quotient_text(item.other, tree),
    )
    return all_of([finding, _by(result, said, item.how, item.by, Later(lambda: f"{place}{cycles}"), reader)])


def _in_cycles(q: Quantity, other: Quantity, data: Data) -> str:
    """What to add where two times were taken at SM clocks that are too far apart; the claim then bears a flag."""
    if q.powers != _SECONDS or other.powers != _SECONDS:
        return ""
    own, others = q.rows, other.rows
    if len(own) != 1 or len(others) != 1:
        return ""
    clocks = clock_ratio(own[0], others[0])
    if clocks is None or not other.value.centre:
        return ""
    data.clocks_apart(own[0])
    return f", {format_ratio(q.value.centre / other.value.centre * clocks)} in SM cycles"


def direction(
    q: Quantity, other: Quantity, relation: str, said: Text, data: Data
) -> tuple[Order, dict[Order, str], _Better]:
    """The order asked for, the words for the orders, and which way is better."""
    if relation in _SIZE:
        return _SIZE[relation], SIZE_WORDS, "higher"
    better = q.better or other.better
    if relation == "level":
        return Order.LEVEL, SPEED_WORDS, better or "lower"
    if better is None:
        expected = "quantities of which one direction is better"
        raise data.error("claim-syntax", f"`{said}`", expected, "write `more than` or `less than`")
    return _SPEED[relation], SPEED_WORDS, better


def _by(result: Quantity, said: Text, how: str, amount: Amount, at: Text, reader: Reader) -> Finding:
    """The amount of a comparison: the ratio as the relation has it, or that ratio less 1 as percent."""
    by = Later(lambda: f"{said} by")
    if amount.value is None:
        if how in ("", "about"):
            return reader.number(result, said, at, comparison=True, about=how == "about")
        printed = reader.fitting(reader.next(said), result, said, comparison=True)
        less = 1.0 if printed.style == "percent" else 0.0
        reader.mark(printed, Later(lambda: f"{said}{at}: {show(result)}"), result, said, less)
        limit = printed.value + (1 if printed.style == "percent" else 0)
        return _limit(result, limit, printed.text.strip(), by, how, at)
    limit = amount.value + (1 if amount.percent else 0)
    text = format_percent(amount.value) if amount.percent else format_ratio(amount.value)
    if how == "":
        holds = reader.states(amount, result.value.centre, as_ratio=True, of=result, what=said)
        return verdict(holds, "claim-number", Later(lambda: f"{by} {text}{at}"), Later(lambda: show(result)))
    reader.accept(amount, as_ratio=True, of=result, what=said)
    return _limit(result, limit, text, by, how, at)


def _within(q: Quantity, tree: Tree, item: Within, context: Context, data: Data, reader: Reader) -> Finding:
    """``within ?`` at one point; that the bound is tight is asked over all points of the claim."""
    what = Later(lambda: phrase(tree))
    other = evaluate_at(item.other, context, data)
    same_unit(q, other, data)
    gap = apart(q.value.centre, other.value.centre)
    measured = Later(lambda: f"{format_percent(gap)} apart")

    def said(amount: str) -> Text:
        at = Later(lambda: data.place((*q.rows, *other.rows), context))
        return Later(lambda: f"{what} within {amount} of {phrase(item.other)}{at}")

    flags = q.value.flags | other.value.flags
    first, second = (tree, item.other) if q.value.centre >= other.value.centre else (item.other, tree)
    share = Quantity(
        Value.exact(1 + gap).flagged(flags),
        data=(*q.data, *other.data),
        ratio=True,
        chosen=(*q.own, *other.own),
        formula=quotient_text(first, second),
    )
    if item.amount.value is not None:
        reader.accept(item.amount, as_ratio=False, of=share, what=what)
        holds = gap <= item.amount.value * (1 + 1e-9)
        reader.widest_stated[item.amount] = max(reader.widest_stated.get(item.amount, 0.0), gap)
        return verdict(holds, "claim-number", said(format_percent(item.amount.value)), measured)
    printed = reader.fitting(reader.next(what), share, what, comparison=True)
    limit = printed.value - (0 if printed.style == "percent" else 1)
    less = 1.0 if printed.style == "percent" else 0.0
    reader.mark(printed, Later(lambda: f"{said('…')}: {measured}"), share, what, less)
    if gap <= limit * (1 + 1e-9):
        reader.widest[printed] = max(reader.widest.get(printed, 0.0), gap)
        return Finding(Ternary.TRUE, measured=measured)
    return false("claim-number", said(printed.text.strip()), measured)
