"""``within ?`` must be tight: one unit of the last digit less would not hold."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..quantity import Printed, format_percent
from .findings import Finding, Fix, Ternary
from .reader import Reader
from .rewording import reword

__all__ = ["loose"]


def loose(reader: Reader) -> Iterator[Finding]:
    """The printed bounds that a smaller number would do for, over all points of a claim that holds."""
    for printed, gap in reader.widest.items():
        limit = printed.value - (0 if printed.style == "percent" else 1)
        if limit > printed.quantum * (1 + 1e-9) and gap <= (limit - printed.quantum) * (1 + 1e-9):
            yield _finding(printed, gap, limit)
    for amount, gap in reader.widest_stated.items():
        stated, step = amount.value or 0.0, amount.quantum
        if stated > step * (1 + 1e-9) and gap <= (stated - step) * (1 + 1e-9):
            expected = f"the tightest such bound: {gap:.2%}"
            found = f'"within {format_percent(stated)}" of the claim'
            yield Finding(Ternary.FALSE, "claim-number", found, expected, "write a smaller one, or `within ?`")


def _finding(printed: Printed, gap: float, limit: float) -> Finding:
    steps = math.ceil(gap / printed.quantum - 1e-9) if printed.quantum else 0
    better = reword(printed, max(steps, 1) * printed.quantum + printed.value - limit, same_decimals=True)
    return Finding(
        Ternary.FALSE,
        "claim-number",
        f'"within {printed.text.strip()}"',
        f"the tightest such bound: {gap:.2%}",
        f'write "within {better}"',
        fixes=(Fix(printed.start, printed.end, better),),
    )
