"""Words for how many: "most", "half", "nearly all" of a count and of what, "some" of a claim that holds somewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..definition import Definition
from .comparatives import NUMBER_WORDS
from .extent import Extent
from .findings import Finding
from .nodes import Claim, Counted, Quantified
from .phrases import word_finding
from .wording import Prose

__all__ = ["counted_otherwise", "weaker"]

_SOME = re.compile(
    r"\b(?:some\w*|(?:at\s+least\s+)?one|an?\s+few|there\s+(?:is|are)|can|may|might|sometimes|occasionally|at\s+times"
    r"|in\s+places|here\s+and\s+there|not\s+(?:all|every\w*|always)|several|where|when|ever|any\w*)\b",
    re.IGNORECASE,
)
_PARTS = frozenset({"some", "somewhere", "sometimes"})
_ABOUT = re.compile(r"\bsome(?=\s+(?:\d|two|three|four|five|six|seven|eight|nine|ten|dozen|tens|hundred|thousand))")
_SELDOM = re.compile(r"\b(?:seldom|rarely|(?:hardly|scarcely)\s+ever)\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\bone\s+of\b", re.IGNORECASE)
_LEAST, _MOST = 0.4, 0.6
"""So far from a half is still about it."""
_NEARLY_ALL = 0.9
_FEW, _MANY = 1 / 3, 1 / 3
_NUMBER = rf"(?:\d+|{'|'.join(NUMBER_WORDS)})"
_COUNT = re.compile(
    rf"(?<![\w.-]){_NUMBER}\s+(?:out\s+)?of\s+(?:(?:all|the|our|these|those)\s+)*{_NUMBER}(?P<behind>(?:\s+[A-Za-z][\w-]*){{1,3}})"
    rf"|(?<![\w.-]){_NUMBER}(?P<before>(?:\s+[A-Za-z][\w-]*){{1,3}}?)\s+(?:out\s+)?of\s+(?:(?:all|the)\s+)*{_NUMBER}(?!\w)",
    re.IGNORECASE,
)
_DEVICES = frozenset({"devices", "gpus", "cpus", "machines", "cards", "processors"})
_ARMS = frozenset(
    {"arms", "implementations", "approaches", "variants", "versions", "libraries", "frameworks", "programs"}
)
_CELLS = frozenset({"cells", "combinations"})
_SIZES = frozenset({"sizes", "lengths"})
"""Values of any axis of numbers."""


def _of_what(noun: str, d: Definition) -> frozenset[str] | None:
    """What a noun in the plural may count: devices, arms, cells, values of axes. ``None``: whatever is counted."""
    kinds = (("device", _DEVICES), ("arm", _ARMS), ("cell", _CELLS))
    found = {kind for kind, nouns in kinds if noun in nouns}
    for key, entry in d.axes.items():
        number = not any(isinstance(value, str) for value in entry.values)
        called = {said.lower().removesuffix("s") + "s" for said in (key, entry.label)}
        if noun in called or (number and noun in _SIZES):
            found.add(key)
            found |= {"cell" for table in d.tables.values() if tuple(table.axes) == (key,)}
    return frozenset(found) or None


def _noun_otherwise(axis: str, prose: Prose, d: Definition) -> Iterator[Finding]:
    """Counts of something else than the claim counts: "10 of 12 sizes" of cells."""
    for m in _COUNT.finditer(prose.plain):
        for word in (m["behind"] or m["before"]).split():
            kinds = _of_what(word.lower(), d)
            if kinds is not None and axis not in kinds:
                what = {"cell": "cells", "device": "devices", "arm": "arms"}.get(axis, f"values of {axis}")
                said = m[0][: m[0].index(word) + len(word)] if m["behind"] else m[0]
                yield word_finding(said, f"{what}, which the claim counts", "say what is counted")
            if kinds is not None:
                break


def counted_otherwise(claim: Claim, d: Definition | None, prose: Prose) -> Iterator[Finding]:
    """Words for another share than the claim's count, and a count or `some` of which the text says nothing."""
    counts = [s for s in claim.scope if isinstance(s, Counted)]
    somewhere = any(isinstance(s, Quantified) and s.quantifier == "some" for s in claim.scope)
    if somewhere and not prose.extents and not _SOME.search(prose.plain):
        yield word_finding(prose.text, "a word for some of them, as the claim holds somewhere", 'write "some"')
    if len(counts) != 1:
        return
    if d is not None:
        yield from _noun_otherwise(counts[0].axis, prose, d)
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


def weaker(claim: Claim, prose: Prose, quantifiers: Collection[str]) -> Iterator[Finding]:
    """A text that says "some" for what the claim says of all. "Some ten" is a number."""
    if {"every", "each", "no"} & {*quantifiers} and (m := _SELDOM.search(prose.text)):
        yield word_finding(m[0], "a word for all or none of them", "correct one of them")
    if not {"every", "each"} & {*quantifiers} or "some" in quantifiers:
        return
    words = re.findall(r"[A-Za-z]+", _ABOUT.sub("", prose.text.lower()))
    found = next((w for w in words if w in _PARTS), None)
    if "every" in quantifiers and _ONE_OF.search(prose.text):
        found = found or "one of"
    counted = any(isinstance(s, Counted) for s in claim.scope)
    if found and not counted and not any(w.kind == "every" for w in prose.words):
        yield word_finding(found, "a word for all of them", "correct one of them")
