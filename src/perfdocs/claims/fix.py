"""Write printed numbers as the data have them: in the same style, with the same digits, and never a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..library import Library
from .check import check_text
from .findings import Fix
from .model import Bound, Outcome

__all__ = ["Fixed", "fix_text"]

ROUNDS = 8  # a number that is mended may show that another of its claim is wrong
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A page after its numbers were written anew: how many, and what came of its claims."""

    text: str
    numbers: int
    outcomes: tuple[Outcome, ...]


def fix_text(text: str, file: str, library: Library) -> Fixed:
    """Rewrite the numbers of claims that only numbers keep from holding; the rest stays as it is.

    A change counts only where the page has the same claims after it, and the claim it was for is nearer to the data.
    """
    outcomes, numbers = check_text(text, file, library), 0
    for _ in range(ROUNDS):
        before = numbers
        for i in range(len(outcomes)):
            changed = _applied(text, outcomes[: i + 1])
            if changed is None:
                continue
            now = check_text(changed, file, library)
            if _same_claims(outcomes, now) and _better(outcomes[i], now[i]):
                text, numbers, outcomes = changed, numbers + len(outcomes[i].fixes), now
        if numbers == before:
            break
    return Fixed(text, numbers, outcomes)


def _same_claims(before: Sequence[Outcome], after: Sequence[Outcome]) -> bool:
    """Whether two checks of a page found the same expressions in the same places."""
    return [(o.bound.line, o.bound.expression) for o in before] == [(o.bound.line, o.bound.expression) for o in after]


def _better(before: Outcome, after: Outcome) -> bool:
    return after.passes or (bool(after.fixes) and after.fixes != before.fixes)


def _applied(text: str, upto: Sequence[Outcome]) -> str | None:
    """The page with the fixes of the last of these outcomes, ``None`` where it has none or its words are not found."""
    outcome = upto[-1]
    bound = outcome.bound
    if not outcome.fixes:
        return None
    twins = sum((o.bound.line, o.bound.expression) == (bound.line, bound.expression) for o in upto[:-1])
    stretch = _stretch(text, bound, twins)
    if stretch is None:
        return None
    for fix in sorted(outcome.fixes, key=lambda one: -one.start):
        place = _place(text, stretch, bound, fix)
        if place is None:
            return None
        text = text[: place[0]] + fix.text + text[place[1] :]
    return text


def _stretch(text: str, bound: Bound, twins: int) -> tuple[int, int] | None:
    """Where the words of a claim stand in the source: before its comment, or in its role."""
    lines = [0, *(m.end() for m in re.finditer("\n", text))]
    if bound.line > len(lines):
        return None
    expression = re.escape(bound.expression)
    signs = re.compile(rf"<!--\s*claim:\s*{expression}\s*-->|<\s*{expression}\s*>\s*`")
    end = lines[bound.line] if bound.line < len(lines) else len(text)
    found = [m for m in signs.finditer(text, lines[bound.line - 1]) if m.start() < end]
    if twins >= len(found):
        return None
    sign = found[twins]
    if sign[0].startswith("<!--"):
        before = [m.end() for m in _COMMENT.finditer(text, 0, sign.start())]
        return (before[-1] if before else 0), sign.start()
    return text.rfind("`", 0, sign.start()) + 1, sign.start()


def _place(text: str, stretch: tuple[int, int], bound: Bound, fix: Fix) -> tuple[int, int] | None:
    """Where a number of the bound text stands in the source: of several that read the same, counted from the end."""
    number = bound.text[fix.start : fix.end]
    pattern = re.compile(r"(?<![\w.])" + r"\s+".join(map(re.escape, number.split())) + r"(?![\d.]*\d)")
    behind = len(pattern.findall(bound.text, fix.start)) if number.strip() else 0
    places = [m.span() for m in pattern.finditer(text, *stretch)]
    return places[-behind] if 0 < behind <= len(places) else None
