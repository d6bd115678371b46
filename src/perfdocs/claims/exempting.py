"""Where an exemption may end: not within a number, and not between a negation and what it denies."""

from __future__ import annotations

import re

from ..quantity import parse_printed
from .comparatives import negated_at, read_words

__all__ = ["cut_short"]

_NEAR = 100
_UNITS_OF_NO_QUANTITY = frozenset({"sample", "bit"})
_DENYING = re.compile(
    r"(?:\b(?:not|never|no|nor|neither|hardly|scarcely|seldom|rarely|cannot|without|nobody|none|nowhere|nothing|far\s+from"
    r"|anything\s+but|fail(?:s|ed)?\s+to)|n['’]t)\s*$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s*[\w(“\"`*]")


def cut_short(text: str, after: str) -> str:
    """What an exempt text cuts in two, from the words behind it; empty where it ends as it should."""
    before = text[-_NEAR:]
    both, end = (before + after).replace("`", "\ue000"), len(before)
    for number in parse_printed(both):
        if number.start < end < number.end:
            digits = both[number.start : number.end].strip()
            inside = both[end : number.end].strip()[:1]
            if number.unit not in _UNITS_OF_NO_QUANTITY or inside.isdigit():
                return f'the number "{digits}"'
    if not _GOES_ON.match(after):
        return ""
    if m := _DENYING.search(before):
        return f'"{m[0].strip()}" and what it denies'
    alone = {word.start for word in read_words(after) if word.negated}
    for word in read_words(both):
        if word.negated and word.start >= end and word.start - end not in alone:
            return f'"{word.text}" and the word before that turns it round'
    first = next((n.start for n in parse_printed(both) if n.start >= end), None)
    if first is not None and (verb := negated_at(both, first)) and verb not in both[end:first]:
        return f'"{verb.strip()}" and the number that it denies'
    return ""
