"""What would decide a claim that the measurements leave open: digits of a source, a narrower spread, other rounds.

The interval of a measured value is the range of all its runs, which more runs never narrow. So no number of runs is
promised in a card: told is how much less they would have to spread. Rounds of an A against B are another matter: there
the interval is that of a median, which shrinks with the root of their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Literal

from msgspec.structs import replace

from ..quantity import format_percent, number_text
from ..verdict import Order, Value, apart, compare

__all__ = ["for_limit", "for_order", "for_printed"]

MOST_DIGITS = 6
LEAST_ROUNDS = 20
"""An A against B of fewer has no verdict (:data:`perfdocs.ab.statistics.LEAST_ROUNDS`, which needs NumPy)."""
MOST_ROUNDS = 100_000
_MEDIAN = 1.2533
"""How much wider a median scatters than a mean."""
_SURE = 1.96


def _narrowed(value: Value, factor: float) -> Value:
    lo, hi = (value.centre + (end - value.centre) * factor for end in (value.lo, value.hi))
    return replace(value, lo=lo, hi=hi)


def _rounded(value: Value) -> bool:
    """Whether its interval is that of the digits of a source."""
    return value.samples == 0 and "imported" in value.flags and value.hi > value.lo


def _digits(decided: Callable[[float], bool]) -> str:
    """How many more digits decide; ``decided`` is asked with the share of the interval that they leave."""
    for more in range(1, MOST_DIGITS + 1):
        if decided(10.0**-more):
            return f"{more} more digit{'s' if more > 1 else ''} of the source would decide, if the centres stay"
    return ""


def _deviation(value: Value) -> float:
    """The standard deviation of runs with this range."""
    if value.samples < 2:
        return 0.0
    expected = 2 * NormalDist().inv_cdf((value.samples - 0.375) / (value.samples + 0.25))  # of the range, after Blom
    return (value.hi - value.lo) / expected


def _rounds(a: Value, b: Value) -> str:
    distance = abs(a.centre - b.centre)
    spread = math.hypot(_deviation(a), _deviation(b)) * _MEDIAN * _SURE
    if not distance or not spread:
        return ""
    needed = max(LEAST_ROUNDS, math.ceil((spread / distance) ** 2))
    if needed > MOST_ROUNDS:
        return ""
    if needed >= 100:
        step = 10 ** (len(str(needed)) - 2)
        needed = -(-needed // step) * step
    return f"; in an A against B about {needed} rounds would tell them apart, if the spread stays"


def for_order(
    a: Value, b: Value, *, better: Literal["lower", "higher"] = "lower", tolerance: float, several: bool = False
) -> str:
    """What would decide how two values stand to each other. ``several``: they are not of one row each."""

    def decided(share: float, *, digits: bool) -> bool:
        one, other = (_narrowed(v, share) if not digits or _rounded(v) else v for v in (a, b))
        return compare(one, other, better=better, tolerance=tolerance) is not Order.UNDECIDED

    if (_rounded(a) or _rounded(b)) and (said := _digits(lambda share: decided(share, digits=True))):
        return said
    if not all(map(math.isfinite, (a.centre, b.centre, a.lo, a.hi, b.lo, b.hi))):
        return ""
    gap = apart(a.centre, b.centre)
    if gap <= tolerance:
        return (
            f"no number of runs decides it: the centres are {format_percent(gap, 2)} apart and the tolerance is "
            f"{format_percent(tolerance, 2)}; {_less(lambda share: decided(share, digits=False))}"
        )
    less = _less(lambda share: decided(share, digits=False))
    return f"more runs do not narrow a range: {less}{'' if several else _rounds(a, b)}"


def _less(decided: Callable[[float], bool]) -> str:
    """How far the runs may spread, as a share of what they do; found by halving."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if decided(middle) else (low, middle)
    if low < 1e-3:
        return "no narrower spread would decide it"
    return f"the runs would have to spread less than {number_text(math.floor(low * 100) / 100 or low, 2)} times as far"


def for_limit(value: Value, limit: float) -> str:
    """What would put a value on one side of a limit."""

    def decided(share: float) -> bool:
        narrow = _narrowed(value, share)
        return narrow.hi < limit or narrow.lo > limit

    if _rounded(value) and (said := _digits(decided)):
        return said
    return f"more runs do not narrow a range: {_less(decided)}"


def for_printed(value: Value, low: float, high: float) -> str:
    """How many more digits of a source would tell whether a value reads as a number printed for ``low``–``high``."""

    def decided(share: float) -> bool:
        narrow = _narrowed(value, share)
        return narrow.hi < low or narrow.lo > high or low <= narrow.lo <= narrow.hi <= high

    return _digits(decided)
