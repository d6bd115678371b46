"""``leads … then …``: which arms of a set nothing beats, place by place; ``trails``: which beat nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from ..errors import PerfdocsError
from ..verdict import Order, Value, compare, fastest
from .arms import members
from .context import Context
from .deciding import for_order
from .findings import Finding, Later, Ternary, Text, all_of
from .nodes import Leads
from .phrases import false
from .scope import Data
from .values import Quantity, dimension, show

__all__ = ["judge_leads"]


@dataclass(frozen=True, slots=True)
class _Field:
    """How arms are ranked here; where the last are asked for, ``better`` is what is worse."""

    unit: str
    better: Literal["lower", "higher"]
    tolerance: float
    words: tuple[str, str]
    """For one arm, for several."""

    def best(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        return fastest(values, better=self.better, tolerance=self.tolerance)

    def order(self, a: Value, b: Value) -> Order:
        return compare(a, b, better=self.better, tolerance=self.tolerance)

    def shown(self, arms: Sequence[str], values: Mapping[str, Value]) -> str:
        return ", ".join(f"{arm} {show(Quantity(values[arm], dimension(self.unit)))}" for arm in dict.fromkeys(arms))


def judge_leads(item: Leads, context: Context, data: Data) -> Finding:
    """Exactly the named arms of each place are beaten by nobody (or beat nobody) among those that are left.

    An arm of the set that was not run at this point can't beat anybody; one the claim names must have been.
    """
    d = data.definition(context)
    metric = item.metric or context.metric or d.default
    if metric not in d.metrics and metric not in d.derived:
        raise data.unknown(metric, context)
    entry = d.quantity(metric)
    if entry.better is None:
        expected = "a metric of which one direction is better"
        raise data.error("claim-syntax", f"`leads` by {metric}", expected, "name another behind `in`")
    worse: Literal["lower", "higher"] = "higher" if entry.better == "lower" else "lower"
    words = ("trails", "trail") if item.last else ("leads", "lead")
    field = _Field(entry.unit, worse if item.last else entry.better, d.tolerance, words)
    ranked = {arm for rank in item.ranks for arm in rank} | {*members(item.among, context, data)}
    if len(ranked - {*members(item.but, context, data)}) < 2:
        found = f"{item.ranks[0][0]} ranked among itself"
        raise data.error("claim-syntax", found, "a set with others", f"name the set: `{words[0]} gpu`")
    values = _values(item, context, data, metric)
    findings = []
    for number, rank in enumerate(item.ranks):
        findings.append(_place(rank, values, _said(item, number, words[0], context, data), field))
        gone = {*rank, *field.best(values)}
        values = {arm: value for arm, value in values.items() if arm not in gone}
    return all_of(findings)


def _said(item: Leads, number: int, word: str, context: Context, data: Data) -> Text:
    """What the claim says of one of its places."""

    def text() -> str:
        last = "from the end " if item.last else ""
        place = word if number == 0 else f"comes in place {number + 1} {last}of"
        return f"{' and '.join(item.ranks[number])} {place} {' and '.join(item.among)}{data.describe(context)}"

    return Later(text)


def _values(item: Leads, context: Context, data: Data, metric: str) -> dict[str, Value]:
    named = [arm for rank in item.ranks for arm in rank]
    left_out = set(members(item.but, context, data))
    values: dict[str, Value] = {}
    here = context
    for arm in dict.fromkeys((*named, *members(item.among, context, data))):
        if arm not in data.definition(context).arms:
            raise data.unknown(arm, context)
        if arm in left_out:
            continue
        try:
            read = data.read_at(here, arm, metric)
            if here.table is None:
                here = replace(here, table=read.row.table)  # the others of the set are those of the same table
            values[arm] = read.value
        except PerfdocsError as error:
            if arm in named or error.problem.code != "claim-empty":
                raise
    return values


def _place(rank: Sequence[str], values: Mapping[str, Value], said: Text, field: _Field) -> Finding:
    if missing := [arm for arm in rank if arm not in values]:
        return false("claim-order", said, f"{' and '.join(missing)} in an earlier place, or left out")
    best = field.best(values)
    measured = Later(lambda: field.shown([*best, *rank], values))
    if set(best) == set(rank):
        return Finding(Ternary.TRUE, measured=measured)
    do = f"write that {' and '.join(best)} {field.words[len(best) > 1]}"
    top = values[best[0]]
    tied = [arm for arm in best[1:] if field.order(values[arm], top) is Order.LEVEL]
    if set(rank) < set(best) and not tied:
        other = next(values[arm] for arm in best[1:] if field.order(values[arm], top) is Order.UNDECIDED)
        do += f"; {for_order(values[best[0]], other, better=field.better, tolerance=field.tolerance)}"
        expected = Later(lambda: f"{measured}: the runs do not decide")
        return Finding(Ternary.UNKNOWN, "claim-undecided", said, expected, do, measured)
    return false("claim-order", said, measured, do)
