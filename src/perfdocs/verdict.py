"""The one rule for "faster": every table, fastest line, plot and claim asks this module and nothing else.

A measurement has a centre and a verdict interval. The interval is the range of all its runs: with five runs against
five, two equal arms have disjoint ranges by chance in 2 of 252 cases. An imported value without samples has the range
its source gives, widened by half a unit of its last digit.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeVar

from msgspec import Struct

from .card import Summary

__all__ = [
    "DEFAULT_TOLERANCE",
    "Bracket",
    "Missing",
    "Order",
    "Value",
    "apart",
    "compare",
    "crossovers",
    "fastest",
    "ratio",
    "summarise",
    "value_of_summary",
]

DEFAULT_TOLERANCE = 0.01
Better = Literal["lower", "higher"]
K = TypeVar("K")


class Missing(Exception):  # noqa: N818 - an absence with its reason, not an error
    """A value the data do not hold; ``reason`` is shown in the cell."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Value(Struct, frozen=True):
    """A quantity as known: centre, verdict interval ``lo``–``hi``, display range, number of samples, flags."""

    centre: float
    lo: float
    hi: float
    show_lo: float
    show_hi: float
    samples: int = 0
    flags: frozenset[str] = frozenset()

    @classmethod
    def exact(cls, number: float) -> Value:
        """A counted or constant number, known exactly."""
        return cls(number, number, number, number, number)

    def flagged(self, flags: Iterable[str]) -> Value:
        """The same value with more flags."""
        more = self.flags.union(flags)
        if more == self.flags:
            return self
        return Value(self.centre, self.lo, self.hi, self.show_lo, self.show_hi, self.samples, more)


class Order(StrEnum):
    """How A stands to B. ``FASTER`` means better, whatever the metric's direction."""

    FASTER = "faster"
    SLOWER = "slower"
    LEVEL = "level"
    UNDECIDED = "undecided"


def summarise(samples: Sequence[float], protocol: Literal["block", "rotate"]) -> Value:
    """Centre and ranges of raw samples.

    *block*: the mean of the runs left when the highest and the lowest are dropped (the middle 3 of 5), shown with
    their range. *rotate*: the median, shown with the interquartile range. The verdict interval is the range of all.
    Fewer than 5 samples are flagged ``few_samples``.
    """
    ordered = sorted(samples)
    n = len(ordered)
    flags = frozenset({"few_samples"}) if n < 5 else frozenset()
    if protocol == "block":
        middle = ordered[1:-1] if n >= 3 else ordered
        centre, show_lo, show_hi = math.fsum(middle) / len(middle), middle[0], middle[-1]
    else:
        centre = statistics.median(ordered)
        if n >= 2:
            show_lo, _, show_hi = statistics.quantiles(ordered, n=4, method="inclusive")
        else:
            show_lo = show_hi = centre
    return Value(min(max(centre, ordered[0]), ordered[-1]), ordered[0], ordered[-1], show_lo, show_hi, n, flags)


def value_of_summary(summary: Summary) -> Value:
    """A value known without samples; its interval widened by half a unit of its last digit where digits are given."""
    low = summary.centre if summary.low is None else min(summary.low, summary.centre)
    high = summary.centre if summary.high is None else max(summary.high, summary.centre)

    def half(number: float) -> float:
        if not summary.digits or number == 0:
            return 0.0
        return 0.5 * float(10.0 ** (math.floor(math.log10(abs(number))) - summary.digits + 1))

    return Value(summary.centre, low - half(low), high + half(high), low, high)


def apart(a: float, b: float) -> float:
    """How far two positive numbers are apart: max / min − 1. Infinite where only one is zero or signs differ."""
    if a == b:
        return 0.0
    low, high = (b, a) if b < a else (a, b)
    if low > 0:
        return high / low - 1
    if high < 0:
        return low / high - 1
    return math.inf


def ratio(a: Value, b: Value) -> Value:
    """A / B from unrounded values; the interval holds every ratio of a run of A to a run of B. Needs B > 0, A ≥ 0."""
    if b.lo <= 0 or a.lo < 0:
        nan = math.nan
        return Value(a.centre / b.centre if b.centre else nan, nan, nan, nan, nan, 0, a.flags | b.flags)
    return Value(
        a.centre / b.centre,
        a.lo / b.hi,
        a.hi / b.lo,
        a.show_lo / b.show_hi,
        a.show_hi / b.show_lo if b.show_lo else math.inf,
        min(a.samples, b.samples),
        a.flags | b.flags,
    )


def compare(a: Value, b: Value, *, better: Better = "lower", tolerance: float = DEFAULT_TOLERANCE) -> Order:
    """How A stands to B.

    Faster where the intervals do not overlap and the centres are more than ``tolerance`` apart; level only where
    every ratio of a run of A to a run of B lies within the tolerance; otherwise undecided.
    """
    disjoint = a.hi < b.lo or b.hi < a.lo
    if disjoint and apart(a.centre, b.centre) > tolerance:
        return Order.FASTER if (a.centre < b.centre) == (better == "lower") else Order.SLOWER
    if max(apart(a.hi, b.lo), apart(a.lo, b.hi)) <= tolerance:
        return Order.LEVEL
    return Order.UNDECIDED


def fastest(
    values: Mapping[K, Value], *, better: Better = "lower", tolerance: float = DEFAULT_TOLERANCE
) -> tuple[K, ...]:
    """Every key that the best centre does not beat, best first. "Fastest" is a set: ties stay in it."""
    if not values:
        return ()
    sign = 1 if better == "lower" else -1
    ranked = sorted(values, key=lambda k: (sign * values[k].centre, str(k)))
    best = values[ranked[0]]
    return tuple(k for k in ranked if compare(best, values[k], better=better, tolerance=tolerance) is not Order.FASTER)


@dataclass(frozen=True, slots=True)
class Bracket:
    """A takes the lead over B (or loses it) between two neighbouring points ``after`` and ``by`` of an axis."""

    after: float
    by: float
    leader: Literal["a", "b"]


def crossovers(
    a: Mapping[float, Value],
    b: Mapping[float, Value],
    *,
    better: Better = "lower",
    tolerance: float = DEFAULT_TOLERANCE,
) -> tuple[Bracket, ...]:
    """Every change of the leader along the points both have; points where neither leads widen the bracket."""
    found: list[Bracket] = []
    last: tuple[float, str] | None = None
    for x in sorted(a.keys() & b.keys()):
        order = compare(a[x], b[x], better=better, tolerance=tolerance)
        if order not in (Order.FASTER, Order.SLOWER):
            continue
        leader: Literal["a", "b"] = "a" if order is Order.FASTER else "b"
        if last is not None and last[1] != leader:
            found.append(Bracket(last[0], x, leader))
        last = (x, leader)
    return tuple(found)
