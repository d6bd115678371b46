"""Scales of the axes of figures: their unit, whether they are logarithmic, their ticks and how these read."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..quantity import THIN, Scale, scale_for, superscript

__all__ = ["axis_label", "is_log", "log_ticks", "middle", "powers_of_two", "tick_texts"]

FEWEST_TICKS = 3


def axis_label(label: str, unit: str) -> str:
    """A quantity and the unit that its axis is in."""
    return f"{label} ({unit})" if unit else label


def middle(values: Sequence[float], unit: str) -> Scale:
    """One scale for an axis, that of the geometric middle of its values."""
    sizes = [math.log10(abs(v)) for v in values if v and math.isfinite(v)]
    return scale_for([10 ** (sum(sizes) / len(sizes))] if sizes else [], unit)


def is_log(values: Sequence[float]) -> bool:
    """Logarithmic where every value is positive and they span more than a factor of 8."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > 8


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Ticks of a logarithmic axis: decades, or where fewer than three are in reach, round numbers between them."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    decades = [10.0**e for e in range(first, last + 1) if low <= 10.0**e <= high]
    if len(decades) >= FEWEST_TICKS:
        return decades[:: math.ceil(len(decades) / most)]
    for parts in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        ticks = [part * 10.0**e for e in range(first, last + 1) for part in parts if low <= part * 10.0**e <= high]
        if len(ticks) >= FEWEST_TICKS:
            return ticks if len(ticks) <= most else decades or ticks[:: math.ceil(len(ticks) / most)]
    return _round_ticks(low, high)


def _round_ticks(low: float, high: float) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    return [float(v) for v in MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= v <= high]


def powers_of_two(values: Sequence[float]) -> bool:
    """Whether all are, and some are so large that they are known by their exponent."""
    return max(values, default=0) > 1000 and all(v >= 1 and math.log2(v).is_integer() for v in values)


def tick_texts(ticks: Sequence[float]) -> Callable[[float], str]:
    """One way of writing for all ticks of an axis: powers where all are powers of one number, else plain numbers."""
    shown = [v for v in ticks if v > 0]
    if powers_of_two(shown):
        return lambda v: f"2{superscript(round(math.log2(v)))}"
    tens = all(math.isclose(v, 10.0 ** round(math.log10(v))) for v in shown)
    if shown and tens and (max(shown) >= 1000 or min(shown) < 1e-3):
        return lambda v: f"10{superscript(round(math.log10(v)))}" if v > 0 else "0"
    if max(shown, default=0) >= 1e6 or min(shown, default=1) < 1e-3:
        return _with_power
    return lambda v: f"{v:,.0f}".replace(",", THIN) if abs(v) >= 10_000 else f"{v:.6g}"


def _with_power(value: float) -> str:
    if not value:
        return "0"
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    return f"{value / 10.0**exponent:.3g}·10{superscript(exponent)}"
