"""Words for how many: "most", "half", "nearly all" of a count, "some" of a claim that holds somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .extent import Extent
from .findings import Finding
from .nodes import Claim, Counted, Quantified
from .phrases import word_finding
from .wording import Prose

__all__ = ["counted_otherwise"]

_SOME = re.compile(
    r"\b(?:some\w*|(?:at\s+least\s+)?one|an?\s+few|there\s+(?:is|are)|can|may|might|sometimes|occasionally|at\s+times"
    r"|in\s+places|here\s+and\s+there|not\s+(?:all|every\w*|always)|several|where|when|ever|any\w*)\b",
    re.IGNORECASE,
)
_LEAST, _MOST = 0.4, 0.6
"""So far from a half is still about it."""
_NEARLY_ALL = 0.9
_FEW, _MANY = 1 / 3, 1 / 3


def counted_otherwise(claim: Claim, prose: Prose) -> Iterator[Finding]:
    """Words for another share than the claim's count, and a count or `some` of which the text says nothing."""
    counts = [s for s in claim.scope if isinstance(s, Counted)]
    somewhere = any(isinstance(s, Quantified) and s.quantifier == "some" for s in claim.scope)
    if somewhere and not prose.extents and not _SOME.search(prose.plain):
        yield word_finding(prose.text, "a word for some of them, as the claim holds somewhere", 'write "some"')
    if len(counts) != 1:
        return
    said = [n.value for n in prose.numbers[:2]]
    literal = (counts[0].count.value, counts[0].of.value)
    holds, places = literal if None not in literal else said if len(said) == 2 else (None, None)
    if not holds or not places:
        return
    if not prose.numbers and not prose.extents and not prose.limits and not _SOME.search(prose.plain):
        yield word_finding(prose.text, f"in how many, as {holds:g} of {places:g}", "say how many")
    for extent in prose.extents:
        if not _fits(extent, holds, places, prose):
            yield word_finding(extent.text, f"a word for {holds:g} of {places:g}", "correct one of them")


def _fits(extent: Extent, holds: float, places: float, prose: Prose) -> bool:
    share, words = holds / places, extent.text.lower().split()
    if prose.plain[: extent.start].rstrip().lower().endswith("of"):
        return True  # "2 of all 12 cells"
    if "half" in words:
        return _LEAST <= share <= _MOST
    match extent.reach:
        case "all":
            return share == 1 or extent.excepts
        case "most":
            return share >= _NEARLY_ALL if "all" in words or "every" in words else share > 1 / 2
        case "few":
            return share <= _FEW
        case "many":
            return share >= _MANY or "several" in words
        case _:
            return True
