"""How far a claim is from failing: how much the weakest of the data it reads must move."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..claims.evaluate import check_bound
from ..claims.model import Bound
from .data import Datum, Reading, scaled

__all__ = ["Margin", "margin"]

_GRID = (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 0.9, 3.0, 9.0)
_STEPS = 7
"""Halvings between two points of the grid: the margin is then known to one hundredth of itself or so."""


@dataclass(frozen=True, slots=True)
class Margin:
    """The share by which ``datum`` must move before the claim fails, down where negative; ``None``: it never does."""

    bound: Bound
    share: float | None = None
    datum: Datum | None = None

    @property
    def size(self) -> float:
        """How far, whatever way; infinite where the claim never fails."""
        return math.inf if self.share is None else abs(self.share)


def margin(reading: Reading) -> Margin:
    """The smallest move of one datum that a claim does not survive, by a grid of factors and bisection."""
    best = Margin(reading.bound)
    for datum in reading.data:
        for way in (1, -1):

            def fails(share: float, datum: Datum = datum, way: int = way) -> bool:
                edited = scaled(datum, 1 + way * share, reading.library)
                return not check_bound(reading.bound, edited).passes

            limit = min(best.size, 9.0 if way > 0 else 0.9)
            share = _least(fails, limit)
            if share is not None and share < best.size:
                best = Margin(reading.bound, way * share, datum)
    return best


def _least(fails: Callable[[float], bool], limit: float) -> float | None:
    """The least share at which it fails, ``None`` where not even at the limit. What fails is taken to go on failing."""
    if not fails(limit):
        return None
    low = 0.0
    for share in (s for s in _GRID if s < limit):
        if fails(share):
            limit = share
            break
        low = share
    for _ in range(_STEPS):
        middle = math.sqrt(low * limit) if low else limit / 2
        low, limit = (low, middle) if fails(middle) else (middle, limit)
    return limit
