"""Is B within the gate? Medians over rounds, a bootstrap interval of their ratio, and three verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

__all__ = ["LEAST_ROUNDS", "LEVEL", "RESAMPLES", "SEED", "Ratio", "Verdict", "judged", "ratio_of"]

Verdict = Literal["pass", "fail", "undecided"]
LEAST_ROUNDS = 20
"""Fewer rounds have no verdict."""
LEVEL = 0.95
RESAMPLES = 10_000
SEED = 20_261_130
"""The same rounds have the same interval, on every machine and every time."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median of the second over that of the first, with the ends of its interval."""

    centre: float
    low: float
    high: float


def ratio_of(first: Sequence[float], second: Sequence[float], *, resamples: int = RESAMPLES) -> Ratio:
    """The ratio of medians of two sides of the same rounds, seconds above 0, and its percentile bootstrap interval.

    A resample draws whole rounds, with replacement: what the machine did in a round fell on both sides of it. Raises
    :class:`ValueError` where there is no round, a side lacks one, or a time is not above 0.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.ndim != 1 or a.shape != b.shape or not a.size:
        raise ValueError(f"{a.size} and {b.size} times: as many of one side as of the other are needed, one at least")
    if not (np.isfinite(a).all() and np.isfinite(b).all() and (a > 0).all() and (b > 0).all()):
        raise ValueError("times are above 0 and finite")
    draws = np.random.default_rng(SEED).integers(0, a.size, (resamples, a.size))
    ratios = np.median(b[draws], axis=1) / np.median(a[draws], axis=1)
    low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Ratio(float(np.median(b) / np.median(a)), float(low), float(high))


def judged(ratio: Ratio, gate: float) -> Verdict:
    """``pass`` where the whole interval is at the gate or below, ``fail`` where the whole of it is above."""
    if not math.isfinite(gate) or gate <= 0:
        raise ValueError(f"{gate} is no gate")
    if ratio.high <= gate:
        return "pass"
    return "fail" if ratio.low > gate else "undecided"
