"""Claims along an axis: who takes the lead where, and whether a value rises or falls."""

from __future__ import annotations

from itertools import pairwise

from ..quantity import axis_text
from ..verdict import Bracket, Order, compare, crossovers
from .context import Context, NotMeasured
from .deciding import for_order
from .findings import Finding, Later, Ternary, Text, all_of
from .nodes import Overtakes, Tree, Trend
from .phrases import TREND_WORDS, false, order_finding, phrase, verdict
from .reader import Reader
from .scope import Data
from .values import Quantity, evaluate_at, show

__all__ = ["judge_overtakes", "judge_trend"]


def _series(tree: Tree, axis: str, context: Context, data: Data, *, gaps: bool = False) -> dict[float, Quantity]:
    """The value at every number of an axis; with ``gaps`` at those where it is measured."""
    found: dict[float, Quantity] = {}
    for value in data.axis_values(context, axis, data.arms_in(tree, context)):
        if isinstance(value, str):
            raise data.error("claim-syntax", f'the axis "{axis}"', "an axis of numbers", "name another")
        try:
            found[float(value)] = evaluate_at(tree, context.without(axis).at(axis, value), data)
        except NotMeasured:
            if not gaps:
                raise
    if len(found) < 2:
        raise data.error("claim-empty", f"{len(found)} point along {axis}", "two or more measured ones", "measure more")
    return found


def judge_overtakes(item: Overtakes, context: Context, data: Data, reader: Reader) -> Finding:
    """``by``: the first measured point where the lead is taken; ``at``: only where a level point pins it down."""
    d = data.definition(context)
    if item.axis not in d.axes:
        raise data.no_axis(item.axis, context)
    label = d.axes[item.axis].label
    point = item.point.value
    if point is None:
        point = reader.axis_value(item.axis, label).printed.value
    a, b = (_series(tree, item.axis, context, data, gaps=True) for tree in (item.value, item.other))
    said = Later(lambda: _overtaking(item, f"{label} = {axis_text(point)}{data.describe(context.without(item.axis))}"))
    better = next((q.better for q in (*a.values(), *b.values()) if q.better), None)
    if better is None:
        expected = "quantities of which one direction is better"
        raise data.error("claim-syntax", f"`{said}`", expected, "compare others")
    left, right = {x: q.value for x, q in a.items()}, {x: q.value for x, q in b.items()}
    brackets = crossovers(left, right, better=better, tolerance=d.tolerance)
    measured = Later(lambda: _brackets(item, brackets))
    if len(brackets) != 1 or brackets[0].leader != "a":
        return false("claim-order", said, measured)
    after, by = brackets[0].after, brackets[0].by
    inside = after <= point <= by
    if point == by if item.how == "by" and not item.about else item.about and inside:
        return Finding(Ternary.TRUE, measured=measured)
    do = f'write "by {label} = {axis_text(by)}"'
    if item.how == "at" and inside:
        if point in left.keys() & right.keys() and after < point < by:
            order = compare(left[point], right[point], better=better, tolerance=d.tolerance)
            if order is Order.LEVEL:
                return Finding(Ternary.TRUE, measured=measured)
        open_ = Later(lambda: f"{measured}; nothing between pins it down")
        return Finding(Ternary.UNKNOWN, "claim-undecided", said, open_, do, measured)
    return false("claim-order", said, measured, do)


def _overtaking(item: Overtakes, at: str) -> str:
    about = "about " if item.about else ""
    return f"{phrase(item.value)} overtakes {phrase(item.other)} {item.how} {about}{at}"


def _brackets(item: Overtakes, brackets: tuple[Bracket, ...]) -> str:
    names = {"a": phrase(item.value), "b": phrase(item.other)}
    parts = [f"{names[c.leader]} takes the lead between {axis_text(c.after)} and {axis_text(c.by)}" for c in brackets]
    return "; ".join(parts) or "no change of the lead"


def judge_trend(item: Trend, context: Context, data: Data, reader: Reader) -> Finding:
    """The last value against the first, and no step between neighbours the other way."""
    series = _series(item.value, item.axis, context, data)
    points = sorted(series)
    values = [series[x] for x in points]
    tolerance = data.definition(context).tolerance
    rises = item.direction == "rises"
    wanted, against = (Order.FASTER, Order.SLOWER) if rises else (Order.SLOWER, Order.FASTER)
    away = context.without(item.axis)
    what = phrase(item.value)
    said = Later(lambda: f"{what} {item.direction} over {item.axis}{data.describe(away)}")
    measured = Later(lambda: ", ".join(f"{show(q)} at {axis_text(x)}" for x, q in zip(points, values, strict=True)))
    steps = [
        compare(after.value, before.value, better="higher", tolerance=tolerance) for before, after in pairwise(values)
    ]
    whole = compare(values[-1].value, values[0].value, better="higher", tolerance=tolerance)
    advice: Text = ""
    if whole is Order.UNDECIDED:
        advice = for_order(values[0].value, values[-1].value, tolerance=tolerance, several=len(values[0].data) > 1)
    findings = [order_finding(whole, wanted, said, measured, TREND_WORDS, advice)]
    if whole is wanted and against in steps:
        findings = [false("claim-order", said, measured)]
    for amount, q, x in ((item.first, values[0], points[0]), (item.last, values[-1], points[-1])):
        if amount is None:
            continue
        at = data.describe(away.at(item.axis, x))
        if amount.value is None:
            findings.append(reader.number(q, what, at))
        else:
            same = reader.states(amount, q.value.centre, as_ratio=False, of=q, what=what)
            findings.append(verdict(same, "claim-number", f"{what} = {amount.value:g}{at}", show(q)))
    return all_of(findings)
