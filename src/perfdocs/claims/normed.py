"""Averages, and numbers for one of something: "on average", "per sample". The claim has to take them itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet

from ..definition import Definition
from ..expression import Binary
from ..quantity import Printed
from .findings import Finding
from .nodes import Claim
from .phrases import word_finding
from .wording import Prose

__all__ = ["OF_RUNS", "normed_otherwise", "told"]

_AVERAGE = re.compile(
    r"\bon\s+(?:the\s+|an\s+)?average\b|\b(?:an?|the|its|their)\s+average\s+of\b|\baverag(?:es|ing)\b"
    r"|\bin\s+the\s+mean\b|\baveraged\b",
    re.IGNORECASE,
)
OF_RUNS = re.compile(r"\s+(?:over|of|across)\s+(?:(?:all|the|its|these|five|several)\s+)*(?:runs|repetitions|rounds)\b")
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
    averages = [m for m in _AVERAGE.finditer(prose.plain) if not OF_RUNS.match(prose.plain, m.end())]
    if averages and not functions & _AVERAGES and not told(d, used) & {"mean", "average", "averaged"}:
        yield word_finding(averages[0][0], "an average, as `geomean(… over n)`")
    shares = [(number, m) for number in prose.numbers if (m := _each(number, prose))]
    first = list(_EACH_FIRST.finditer(prose.plain)) if prose.numbers else []
    if not (shares or first) or any(isinstance(part, Binary) and part.operator == "/" for part in claim.parts):
        return
    own = _own(d, used)
    counted = {entry.unit for entry in d.axes.values() if entry.unit} | {"sample"} if d else {"sample"}
    for number, m in shares:
        noun = m["of"].lower()
        measured = m.re is _PER and number.style == "value" and noun not in _NOT_PER
        if (noun in counted or measured) and noun not in own and noun.removesuffix("s") not in own:
            yield word_finding(number.text.strip() + m[0], f"a value of each, as `a / {_axis(noun, d)}`")
    for m in first:
        noun = (m["per"] or m["takes"]).lower()
        if noun in counted - own:
            yield word_finding(m[0].strip(" .;:,–—"), f"a value of each, as `a / {_axis(noun, d)}`")


def _each(number: Printed, prose: Prose) -> re.Match[str] | None:
    """What stands behind a number of each, "per sample", "a sample"."""
    return _PER.match(prose.plain, number.end) or _A.match(prose.plain, number.end)


def _axis(noun: str, d: Definition | None) -> str:
    """The axis that counts what the noun names."""
    return next((key for key, entry in d.axes.items() if entry.unit == noun), "n") if d else "n"


def _own(d: Definition | None, used: Collection[str]) -> frozenset[str]:
    """What a value is of, by the labels, units and descriptions of what a claim reads."""
    return _called(d, used) | frozenset(_EACH.findall(_about(d, used)))


def told(d: Definition | None, used: Collection[str]) -> frozenset[str]:
    """All words of these labels, units and descriptions."""
    return _called(d, used) | frozenset(_WORDS.findall(_about(d, used)))


def _about(d: Definition | None, used: Collection[str]) -> str:
    return " ".join(d.quantity(key).about for key in used).lower() if d else ""


def _called(d: Definition | None, used: Collection[str]) -> frozenset[str]:
    entries = [d.quantity(key) for key in used] if d else []
    said = " ".join(f"{e.label} {e.unit}" for e in entries).lower()
    return frozenset(_WORDS.findall(said)) | frozenset(word for key in used for word in key.split("_"))
