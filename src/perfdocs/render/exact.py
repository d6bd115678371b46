"""Values as they are: to nine digits in one unit, with their interval and the runs they are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..quantity import NBSP, Scale, scale_for
from ..verdict import Value

__all__ = ["MOST_RUNS", "exact_text", "interval_text", "runs_text", "scale_of"]

DIGITS = 9
MOST_RUNS = 12
"""Runs that are written out; of more the rest is counted, and the card has them all."""


def scale_of(number: float, unit: str) -> Scale:
    """The unit that a value is shown in: counts of bytes and other whole numbers in the unit itself."""
    whole = float(number).is_integer() and abs(number) < 1e15
    if unit == "byte" or (whole and unit not in ("s", "Hz") and "/" not in unit):
        return Scale(1.0, "" if unit == "1" else unit)
    scale = scale_for([number], unit)
    return Scale(scale.factor, "" if scale.unit == "1" else scale.unit)


def _bare(number: float, scale: Scale) -> str:
    if not math.isfinite(number):
        return "∞" if number > 0 else "−∞" if number < 0 else "not a number"
    if scale.factor == 1.0 and float(number).is_integer() and abs(number) < 1e15:
        return f"{int(number)}".replace("-", "−")
    return f"{number / scale.factor:.{DIGITS}g}".replace("-", "−")


def _with(text: str, scale: Scale) -> str:
    return f"{text}{NBSP}{scale.unit}" if scale.unit else text


def exact_text(number: float, unit: str) -> str:
    """One number with its unit, to nine digits."""
    scale = scale_of(number, unit)
    return _with(_bare(number, scale), scale)


def interval_text(value: Value, unit: str) -> str:
    """The verdict interval in the unit of the centre; empty where the value is one number."""
    if value.lo == value.hi == value.centre:
        return ""
    scale = scale_of(value.centre, unit)
    return _with(f"{_bare(value.lo, scale)} – {_bare(value.hi, scale)}", scale)


def runs_text(samples: Sequence[float], centre: float, unit: str) -> str:
    """The runs in their order, in the unit of the centre, without it."""
    scale = scale_of(centre, unit)
    if len(samples) > 1 and len(set(samples)) == 1:
        return f"{_bare(samples[0], scale)} each"
    told = [_bare(run, scale) for run in samples[:MOST_RUNS]]
    more = len(samples) - MOST_RUNS
    return ", ".join([*told, *([f"and {more} more in the card"] if more > 0 else [])])
