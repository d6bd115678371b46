"""Numbers that could be read two ways: "1,5 ms", "1'000", "1.173.400", "10 ^ 6". None of them is guessed at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..quantity import Printed

__all__ = ["two_ways"]

_ODD = re.compile(
    r"\d[,'’_\u2007]\d|\d\s*\^|\d\s?\*\*\s?\d|\d\s?[·⋅∙*]\s?10(?!\d)[⁻⁰¹²³⁴⁵⁶⁷⁸⁹^]|(?<![\d.])\d{1,3}(?:\.\d{3}){2,}(?![\d.])"
)
_WHOLE = re.compile(r"[\w.,'’^*·⋅∙\u2007⁻−{}-]*")


def two_ways(plain: str, printed: Sequence[Printed]) -> str:
    """The first such number of a text; ``printed`` are those that were read. Empty where there is none."""
    for m in _ODD.finditer(plain):
        if not any(p.start <= m.start() and m.end() <= p.end for p in printed):
            start = m.start()
            while start and _WHOLE.fullmatch(plain[start - 1]):
                start -= 1
            whole = _WHOLE.match(plain, start)
            return plain[start : max(whole.end() if whole else 0, m.end())].strip(".,")
    return ""
