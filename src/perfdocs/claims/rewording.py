"""A number as another one is written: the nearest true wording of a printed one."""

from __future__ import annotations

import math
import re

from ..quantity import Printed, format_percent, format_ratio, format_value, scale_for

__all__ = ["reword"]


def _in_digits(number: float, printed: Printed) -> str:
    """A number that stood as words, "ten times", as tables print it."""
    if printed.style == "ratio":
        return format_ratio(number)
    return format_percent(number) if printed.style == "percent" else format_value(number, printed.unit)


def reword(printed: Printed, number: float, *, same_decimals: bool = False) -> str:
    """``number`` (SI, or a fraction for percent) written as ``printed`` is: its unit, and as many digits.

    Digits are significant ones, or with ``same_decimals`` those behind the point; what is written reads as true, so
    that all digits before the point are right, as many as three. The unit stays where the number reads between 0.1
    and 1000 in it, or has no more digits before the point than were written; else it is that of tables.
    """
    m = re.match(r"[-−]?[\d,\u0020\u00a0\u202f\u2009]*\d(?:\.(\d+))?", printed.text)
    if m is None or not printed.quantum:
        return _in_digits(number, printed)
    decimals = len(m[1] or "")
    bare = float(re.sub(r"[^\d.]", "", m[0]))
    factor = abs(printed.value) / bare if bare else printed.quantum * 10**decimals
    shown = number / factor
    if printed.style == "plain" and not m[1] and shown.is_integer():
        return f"{shown:.0f}".replace("-", "−") + printed.text[m.end() :]  # a count has no digits behind the point
    whole = re.sub(r"\D", "", m[0].partition(".")[0]).lstrip("0")
    digits = len(re.sub(r"\D", "", m[0]).lstrip("0")) or 1
    if not decimals and printed.style != "plain":
        digits -= max(round(math.log10(printed.quantum / factor)), 0)  # 1170 has three
    tail = printed.text[m.end() :]
    if printed.style == "value" and shown and not 0.1 <= abs(shown) < 10 ** max(len(whole), 3):
        scale = scale_for([number], printed.unit)
        shown, tail = number / scale.factor, f"{tail[: -len(tail.lstrip())]}{scale.unit}"
        same_decimals = False
    if shown and not same_decimals:
        decimals = min(digits - 1 - math.floor(math.log10(abs(shown))), 9)
        if decimals < 0 and (digits < 3 or printed.style == "plain"):
            decimals = 0
    return f"{round(shown, decimals):.{max(decimals, 0)}f}".replace("-", "−") + tail
