"""How far a sentence reaches: "in all four configurations", "on most devices", "only here", "everywhere but there".

A word for all or none counts where it stands before what points of a table are called: a labelled axis of words, cells,
devices, sizes. "All threads" and "each of its lanes" are other matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..definition import Definition
from ..quantity import Printed
from .comparatives import NUMBER_WORDS

__all__ = ["Extent", "Limit", "counts_in_words", "nouns", "read_extents", "read_limits"]

Reach = Literal["all", "most", "many", "few", "none", "some"]
_REACH: dict[str, Reach] = {
    **dict.fromkeys(("every", "each", "all", "both", "any"), "all"),
    **dict.fromkeys(("no", "none", "neither"), "none"),
    **dict.fromkeys(("many", "several", "half"), "many"),
    "most": "most",
    "majority": "most",
    "few": "few",
    "minority": "few",
}
_WEAKER: dict[str, Reach] = {
    **dict.fromkeys(("hardly", "scarcely", "barely"), "few"),
    **dict.fromkeys(("almost", "nearly", "practically", "virtually"), "most"),
    "not": "some",
}
_PLURAL = frozenset(
    {"majority", "minority", "all", "both", "few", "most", "many", "several", "half", "none", "neither"}
)
_GENERIC = ("batch size", "size", "case", "point", "place", "setting", "configuration", "cell", "device")
_PARTS = "arm|kernel|implementation|instruction|code|word|thread|core|clock|time"
"""What has a noun of these before it is another thing: "all GPU arms", "each machine instruction"."""
_THINGS = frozenset({"gpu", "machine", "card", "hardware"})
_ADVERB = re.compile(
    r"\b(?:usually|generally|mostly|typically|in\s+general|as\s+a\s+rule|more\s+often\s+than\s+not"
    r"|(?:almost|nearly|practically|virtually)\s+(?:always|everywhere|throughout|never|nowhere))\b",
    re.IGNORECASE,
)
_STOP = "of|in|on|at|and|or|to|for|with|is|are|was|were|takes?|has|have|that|which|than|an?|the|by|from|as|it|its|but"
_NUMBER = rf"\d+|{'|'.join(NUMBER_WORDS)}"
_BUT = re.compile(r"\s*(?:but|bar)\b|\s*,?\s*(?:except|save|apart\s+from|other\s+than|excluding)\b", re.IGNORECASE)
_ONES = (
    "one|arm|kernel|implementation|variant|version|library|framework|program|leader|winner|device|gpu|card|machine"
    "|configuration|size|case|cell|point|setting|place"
)
_SWEEPING = re.compile(
    r"\b(?:everywhere|always|throughout)\s*(?:(?:but|bar)|,?\s*(?:except|save|apart\s+from|other\s+than))\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\b(?:exclusively|solely|only|nowhere\s+(?:but|else\s+than|other\s+than))\s+(?:on|at|in|for|with|from)\s+(?:the\s+)?"
    r"(?=[`*]*(?:\ue000|[A-Za-z]+\s*[=≤≥]|\d))",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"(?<!not )\b(?:only|solely|exclusively)\s+(?:the\s+)?[`*]*(?=\ue000)|\ue000[`*]*\s+alone\b(?!\s+or\b)"
    r"|\b(?:the|is)\s+(?:only|sole)\s+(?:(?!(?:thing|way|reason|difference|cause|question)s?\b)(?:[a-z-]+|\ue000+)\s+){0,2}?"
    rf"(?:{_ONES})s?\b|\balone\s+(?:among|of|in)\b|\b(?:nobody|no\s+one|none)\s+else\b"
    r"|\b(?:nothing|nobody|none|no\s+one)\s+but\s+(?:the\s+)?[`*]*(?=\ue000)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"\b(?:and|as)\s+(?:elsewhere|(?:anywhere|everywhere)\s+else)\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"\b(?:(?:faster|quicker|slower)\s+than|ahead\s+of|behind|beats?|outperforms?|outruns|outpaces)\s+"
    r"(?:all|any|every|each|everything|everyone|everybody|anything|anyone|anybody|both)\b(?!\s+the\s+more)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extent:
    """Words for how many of an axis: "all four configurations". ``axis`` is empty where the noun is any axis's."""

    reach: Reach
    axis: str
    text: str
    total: int | None = None
    number: int = -1
    """Where its number stands."""
    excepts: bool = False
    """Whether "but" or "except" follows."""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Limit:
    """A word that bounds what a sentence holds of: ``only`` there, ``alone``, ``but``, ``elsewhere``, ``others``."""

    kind: Literal["only", "alone", "but", "elsewhere", "others"]
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Nouns:
    """What the points of a definition's tables are called."""

    pattern: re.Pattern[str]
    whatever: re.Pattern[str]
    axes: dict[str, str]


def nouns(d: Definition | None) -> Nouns:
    """Generic nouns, and those of the definition: labels and keys of axes of words, and short labels such as N."""
    axes = dict.fromkeys(_GENERIC, "") | {"cell": "cell", "arm": "arm", "implementation": "arm"}
    axes |= dict.fromkeys(("device", "machine", "card", "hardware", "gpu"), "device")
    for key, entry in d.axes.items() if d else ():
        words = any(isinstance(value, str) for value in entry.values)
        for noun in dict.fromkeys((entry.label, key)):
            if words or len(noun) <= 2:
                axes[noun.lower()] = key
    known = "|".join(re.escape(n).replace(r"\ ", r"\s+") for n in sorted(axes, key=len, reverse=True))
    pattern = re.compile(
        rf"\b(?:(?P<weak>{'|'.join(_WEAKER)})\s+)?\b(?P<q>{'|'.join(_REACH)})(?:\s+(?:one\s+)?of)?"
        rf"(?:\s+(?:all|the|these|those|our))*(?:\s+(?P<n>{_NUMBER}))?(?![\w-])"
        rf"(?:\s+(?!(?:{_STOP})\b)(?:[A-Za-z][\w-]*|\ue000+)){{0,2}}?\s+(?P<noun>{known})(?P<s>s?)(?![\w-])(?!\s+(?:{_PARTS})s?\b)",
        re.IGNORECASE,
    )
    whatever = re.compile(
        rf"\b(?:(?:regardless|irrespective|independent(?:ly)?)\s+of|whatever|whichever)\s+(?:the\s+)?(?P<noun>{known})s?(?![\w-])",
        re.IGNORECASE,
    )
    return Nouns(pattern, whatever, axes)


def read_extents(flat: str, known: Nouns) -> Iterator[Extent]:
    """The words for how many of a text in which names are blanked."""
    for m in known.whatever.finditer(flat):
        axis = known.axes.get(" ".join(m["noun"].lower().split()), "")
        yield Extent("all", axis, " ".join(m[0].split()), start=m.start(), end=m.end())
    for m in _ADVERB.finditer(flat):
        yield Extent("most", "", m[0], start=m.start(), end=m.end())
    for m in known.pattern.finditer(flat):
        word, noun = m["q"].lower(), " ".join(m["noun"].lower().split())
        before = flat[max(m.start("q") - 4, 0) : m.start("q")].lower()
        if (
            (word in _PLURAL and not m["s"] and len(noun) > 2 and noun != "hardware")
            or (word == "any" and noun == "case")
            or before.endswith(" a ")
        ):
            continue
        if word in ("no", "few") and noun in _THINGS:  # "needs no GPU" is another matter
            continue
        if word == "few" and before.strip() == "a":
            continue
        reach: Reach = _WEAKER.get((m["weak"] or "").lower(), _REACH[word])
        if reach == "some" and word == "any":
            reach = "none"
        number = m["n"].lower() if m["n"] and not before.endswith("of ") else None
        total = (NUMBER_WORDS.get(number) or int(number)) if number and len(number) < 9 else None
        if word == "both" and reach == "all" and total is None:
            total = 2
        start = m.start("n") if number and number.isdigit() else -1
        excepts = bool(_BUT.match(flat, m.end()))
        said = " ".join(m[0].split())
        yield Extent(reach, known.axes.get(noun, ""), said, total, start, excepts, m.start(), m.end())


def read_limits(flat: str) -> Iterator[Limit]:
    """Words that say where else, or where alone, something holds."""
    for m in _SWEEPING.finditer(flat):
        yield Limit("but", m[0], m.start(), m.end())
    for m in _ONLY.finditer(flat):
        yield Limit("only", m[0].strip(), m.start(), m.end())
    for m in _ALONE.finditer(flat):
        yield Limit("alone", m[0].strip(" \ue000`*"), m.start(), m.end())
    for m in _ELSEWHERE.finditer(flat):
        yield Limit("elsewhere", m[0], m.start(), m.end())
    for m in _OTHERS.finditer(flat):
        yield Limit("others", m[0], m.start(), m.end())


_COUNTS = re.compile(
    rf"(?<![\w-])(?P<some>{_NUMBER})\s+of\s+(?:all\s+)?(?:the\s+)?(?P<all>{_NUMBER})(?![\w-])", re.IGNORECASE
)


def counts_in_words(flat: str) -> Iterator[Printed]:
    """The numbers of "seven of twelve" that are written as words."""
    for m in _COUNTS.finditer(flat):
        for part in ("some", "all"):
            if not m[part].isdigit():
                value = float(NUMBER_WORDS[m[part].lower()])
                yield Printed(m[part], value, 1.0, "plain", "", m.start(part), m.end(part))
