"""What is telling in the words of a claim, and which no part of it answers for: it would be an error beside them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ..quantity import Printed
from .comparatives import HELD_WORDS
from .findings import Finding
from .phrases import word_finding
from .telling import telling
from .wording import Prose

__all__ = ["unanswered"]

_DO = "exempt it by itself, or leave it out"
_SIZES = frozenset({"more", "less", "over", "under", "about", "within", "=", "rises", "falls", "min", "max"})
_ENDS = frozenset({"leads", "trails", "then"})
_SPEEDS = frozenset({"faster", "slower", "ahead", "behind", "overtakes"})
_ANSWERS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("best", "worst", "the most", "the least"), _SIZES | _ENDS | {"best"}),
    **dict.fromkeys(("highest", "lowest", "largest", "smallest"), _SIZES | _ENDS | {"best"}),
    **dict.fromkeys(("higher", "lower", "exceeds", "exceed"), _SIZES | _SPEEDS | _ENDS),
    **dict.fromkeys(("larger than", "smaller than", "longer than", "shorter than"), _SIZES | _SPEEDS),
    **dict.fromkeys(("more time", "less time"), _SIZES | _SPEEDS | _ENDS | {"-"}),
    **dict.fromkeys(("level with", "is level", "are level"), frozenset({"level", "together", "within"})),
    **dict.fromkeys(("beaten", "loses"), _SPEEDS | _ENDS),
}
"""What a claim has to have for such a word: a relation, a function of several values, a difference."""
_BY_NUMBER = frozenset({"times as", "times the", "factor of", "as fast as", "as quick as", "as slow as"})
"""Words that say what a ratio is of: the number before or behind them is what is held."""
_RATIOS = frozenset({"speedup", "speed-up", "slowdown"})
"""Names of a ratio, wherever in the sentence it is printed."""
_NEAR = re.compile(r"[\s,×()]*(?:(?:a|an|the|of|is|by|in|up|to|about|some|times|over|under)\s+)*", re.IGNORECASE)
_OF_AN_AXIS = re.compile(
    r"(?:largest|smallest)(?!\s+(?:time|rate|bandwidth|speed|gain|share|differ|ratio|advant))", re.IGNORECASE
)
"""The end of an axis, "the largest size", which compares no measurements."""
_NUMBER_GOES_ON = re.compile(r"[\s\u00a0\u202f-]*(?:times|of|fold|x)")


def unanswered(prose: Prose, stated: Collection[str]) -> Iterator[Finding]:
    """Each number and word that would be uncovered, and is neither a number of the claim nor a word that it states."""
    flat = prose.plain
    answered = [*prose.numbers, *(mention.printed for mention in prose.axis_values)]
    for start, end, what in telling(flat):
        said = " ".join(flat[start:end].split())
        if what == "number":
            if not _is_number(flat, start, end, answered) and not _in_extent(start, prose):
                yield word_finding(said, "a number that the claim answers for", _DO)
        elif said.lower() not in HELD_WORDS and not any(n.start <= start < n.end for n in answered):
            if _OF_AN_AXIS.match(flat, start):
                continue
            if _in_extent(start, prose) or {said.lower().split()[-1], *_ANSWERS.get(said.lower(), ())} & {*stated}:
                continue
            if said.lower() in _RATIOS and any(n.style != "value" for n in prose.numbers):
                continue
            if said.lower() in _BY_NUMBER and _beside(flat, start, end, answered):
                continue
            yield word_finding(said, "a word that the claim states", _DO)


def _is_number(flat: str, start: int, end: int, numbers: Sequence[Printed]) -> bool:
    """Whether this is a number of the claim, or one with the word behind it that makes it a ratio."""
    for number in numbers:
        if number.start <= start and end <= number.end:
            return True
        if number.start == start and _NUMBER_GOES_ON.fullmatch(flat, number.end, end):
            return True
        if number.start == start and number.text and end <= number.end + 1 and not flat[number.end : end].strip():
            return True
    return False


def _in_extent(start: int, prose: Prose) -> bool:
    """Whether it says how many of something, "half of all cells", which is held elsewhere."""
    return any(extent.start <= start < extent.end for extent in prose.extents)


def _beside(flat: str, start: int, end: int, numbers: Sequence[Printed]) -> bool:
    """Whether one of these numbers stands right before or behind it."""
    return any(
        (n.end <= start and _NEAR.fullmatch(flat, n.end, start))
        or (n.start >= end and _NEAR.fullmatch(flat, end, n.start))
        for n in numbers
    )
