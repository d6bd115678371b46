"""A share of counts with its interval: what so many trials leave open of how likely a hit is."""

from __future__ import annotations

import math
from collections.abc import Callable

from .verdict import Value

__all__ = ["interval", "share"]

TAIL = 0.025
"""What either end of an interval of 95 % leaves out."""


def share(hits: Value, of: Value) -> Value:
    """Hits over trials, with the interval of 95 % of their share where both are whole counts."""
    if not of.centre:
        return Value.exact(math.nan)
    found = Value.exact(hits.centre / of.centre).flagged(hits.flags | of.flags)
    counts = hits.centre, of.centre
    if not all(count.is_integer() for count in counts) or not 0 <= hits.centre <= of.centre:
        return found
    low, high = interval(int(hits.centre), int(of.centre))
    return Value(found.centre, low, high, low, high, 0, found.flags)


def interval(hits: int, of: int) -> tuple[float, float]:
    """The Clopper–Pearson interval of 95 % of a share: either end is as far as chance lets the count be."""
    low = _where(lambda p: _at_most(hits - 1, of, p) <= 1 - TAIL) if hits else 0.0
    high = _where(lambda p: _at_most(hits, of, p) <= TAIL) if hits < of else 1.0
    return low, high


def _at_most(most: int, of: int, p: float) -> float:
    """How likely at most so many of the trials are hits; of logarithms, since large numbers of trials overflow."""
    whole, hit, miss = math.lgamma(of + 1), math.log(p), math.log1p(-p)
    logs = (whole - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * hit + (of - k) * miss for k in range(most + 1))
    return math.fsum(map(math.exp, logs))


def _where(holds: Callable[[float], bool]) -> float:
    """Where in between 0 and 1 this begins to hold."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
