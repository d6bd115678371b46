"""Averages, and numbers for one of something: "on average", "per sample". The claim has to take them itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet

from ..definition import Definition
from ..expression import Binary
from .findings import Finding
from .nodes import Claim, all_parts
from .phrases import word_finding
from .wording import Prose

__all__ = ["normed_otherwise"]

_AVERAGE = re.compile(
    r"\bon\s+(?:the\s+|an\s+)?average\b|\b(?:an?|the|its|their)\s+average\s+of\b|\baverag(?:es|ing)\b"
    r"|\bin\s+the\s+mean\b|\baveraged\b",
    re.IGNORECASE,
)
_OF_RUNS = re.compile(
    r"\s+(?:over|of|across)\s+(?:(?:all|the|its|these|five|several)\s+)*(?:runs|repetitions|rounds)\b"
)
"""A centre is one of runs in any case."""
_AVERAGES = frozenset({"geomean", "median"})
_PER = re.compile(r"[`*]*(?:\s+[a-z]+)?(?:\s+|/)per\s+(?P<of>[a-z]+)", re.IGNORECASE)
_NOT_PER = frozenset({"cent", "mille", "se"})
_A = re.compile(r"[`*]*\s+(?:an?|(?:for\s+)?(?:each|every|one))\s+(?P<of>[a-z]+)(?!\w)", re.IGNORECASE)
_EACH_FIRST = re.compile(
    r"(?:^|[.;:,–—]|\band)\s*per\s+(?P<per>[a-z]+)\b"
    r"|\b(?:each|every|one|an?|a\s+single)\s+(?P<takes>[a-z]+)\s+(?:takes|took|needs|costs|lasts)\b",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:per|each|every|an?)\s+([a-z]+)")
_WORDS = re.compile(r"[a-z]+")


def normed_otherwise(
    claim: Claim, d: Definition | None, used: Collection[str], functions: AbstractSet[str], prose: Prose
) -> Iterator[Finding]:
    """Words for an average or a share of each that the claim does not take; ``used``: the metrics that it reads."""
    own, told = _own(d, used)
    taken = functions & _AVERAGES or told & {"mean", "average", "averaged"}
    for m in _AVERAGE.finditer(prose.plain):
        if not taken and not _OF_RUNS.match(prose.plain, m.end()):
            yield word_finding(m[0], "an average, as `geomean(… over n)`")
    if any(isinstance(part, Binary) and part.operator == "/" for part in all_parts(claim)):
        return
    counted = {entry.unit for entry in d.axes.values() if entry.unit} | {"sample"} if d else {"sample"}
    for number in prose.numbers:
        each = _PER.match(prose.plain, number.end) or _A.match(prose.plain, number.end)
        noun = each["of"].lower() if each else ""
        if each is None or noun in _NOT_PER or noun in own or noun.removesuffix("s") in own:
            continue
        if noun in counted or (each.re is _PER and number.style == "value"):
            yield word_finding(number.text.strip() + each[0], f"a value of each, as `a / {_axis(noun, d)}`")
    for said in _EACH_FIRST.finditer(prose.plain) if prose.numbers else ():
        noun = (said["per"] or said["takes"]).lower()
        if noun in counted - own:
            yield word_finding(said[0].strip(" .;:,–—"), f"a value of each, as `a / {_axis(noun, d)}`")


def _axis(noun: str, d: Definition | None) -> str:
    """The axis that counts what the noun names."""
    return next((key for key, entry in d.axes.items() if entry.unit == noun), "n") if d else "n"


def _own(d: Definition | None, used: Collection[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What a value is of, by the labels, units and descriptions of what a claim reads, and all words of these."""
    entries = [d.quantity(key) for key in used] if d else []
    called = " ".join(f"{e.label} {e.unit}" for e in entries).lower()
    about = " ".join(e.about for e in entries).lower()
    words = frozenset(_WORDS.findall(called)) | frozenset(w for key in used for w in key.split("_"))
    return words | frozenset(_EACH.findall(about)), words | frozenset(_WORDS.findall(about))
