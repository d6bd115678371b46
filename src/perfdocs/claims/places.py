"""Ordinals that rank: "the twin is second", "third fastest", "in second place". Each has its place behind `then`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .findings import Finding, Ternary
from .nodes import Claim, Leads
from .phrases import word_finding
from .wording import Mention, Prose

__all__ = ["places_otherwise"]

_NUMBERS = {
    word: number
    for number, word in enumerate(("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"), 2)
}
_ORDINAL = rf"(?P<{{}}>{'|'.join(_NUMBERS)})"
_END = r"(?:fastest|quickest|best|slowest|worst)"
_RANKS = r"(?:is|are|was|were|comes?|came|ranks?|ranked|finish(?:es|ed)?|ends?|ended|placed)"
_ENDS_THERE = (
    r"(?=\s*(?:[,.;:)]|$|and\b|to\b|of\s+(?:the|all|them|these|those)\b|among\b|behind\b|in\s+(?:line|rank)\b))"
)
_PLACE = re.compile(
    rf"\b(?<!in the ){_ORDINAL.format('a')}[\s-]+(?:place|(?P<end>{_END}))\b"
    rf"|\b{_RANKS}\s+(?:only\s+|just\s+|a\s+(?:close|distant)\s+|the\s+)?{_ORDINAL.format('b')}\b{_ENDS_THERE}"
    rf"|(?:^|[.;:,–—]|\band|\bthen)\s*(?:the\s+)?{_ORDINAL.format('d')}(?=\s+(?:is|are|was|were|comes?|goes\s+to)\s+(?:the\s+)?[`*]*\ue000)"
    rf"|\ue000[`*]*\s+{_ORDINAL.format('c')}\b(?=\s*(?:[,.;)]|$|and\b))",
    re.IGNORECASE,
)
_OF_THE_NEXT = re.compile(
    r"\s*(?:(?:is|are|was|were|comes?|came|goes\s+to|went\s+to|:|,)\s+)(?:only\s+)?(?:the\s+)?[`*]*$", re.IGNORECASE
)
_BEGINS = re.compile(r"(?:^|[.;:,–—]|\band|\bthen|\bwhile)\s*(?:(?:in|on|the)\s+)*$", re.IGNORECASE)


def places_otherwise(claim: Claim, prose: Prose) -> Iterator[Finding]:
    """Ordinals of places that the claim does not have, or has for another arm."""
    leads = [item for item in claim.items if isinstance(item, Leads)]
    for m in _PLACE.finditer(prose.plain):
        number = _NUMBERS[(m["a"] or m["b"] or m["c"] or m["d"]).lower()]
        last = bool(m["end"]) and m["end"].lower() in ("slowest", "worst")
        ranks = [rank for item in leads if item.last == last for rank in _places(item, number)]
        said = m[0].strip("\ue000 `*.;:,–—")
        if not ranks:
            yield word_finding(said, f"a place behind `then`, as `a {'trails' if last else 'leads'} set then b`")
            continue
        arm = _who(m, prose)
        if arm is not None and not arm.keys & {key for rank in ranks for key in rank}:
            expected = f"of {' or '.join(' and '.join(rank) for rank in ranks)}"
            yield Finding(Ternary.FALSE, "claim-word", f'"{said}" of {arm.key}', expected, "correct one of them")


def _places(item: Leads, number: int) -> Iterator[tuple[str, ...]]:
    """The arms of a place: the second place, and that of the second arm, which behind two in front is none."""
    ahead = 0
    for place, rank in enumerate(item.ranks, 1):
        if number == place or ahead < number <= ahead + len(rank):
            yield rank
        ahead += len(rank)


def _who(m: re.Match[str], prose: Prose) -> Mention | None:
    """The arm that an ordinal is said of: the one before it, or behind it in "second is the twin"."""
    arms = [mention for mention in prose.names if mention.kind == "arm"]
    before = [mention for mention in arms if mention.start < m.end()]
    behind = next((mention for mention in arms if mention.start >= m.end()), None)
    first = not before or (m["d"] or _BEGINS.search(prose.plain, 0, m.start()))
    if behind is not None and first and _OF_THE_NEXT.fullmatch(prose.plain, m.end(), behind.start):
        return behind
    return before[-1] if before else None
