"""Numbers in words that say of what: "twice", "ten times", "tenfold", "half of", "fifty percent", "nine milliseconds".

As a word a number says little: up to twelve it is as precise as its digits, above it and as a part it is right to a
tenth. An order of magnitude is right to a half.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..quantity import Printed, parse_printed
from .comparatives import NUMBER_WORDS

__all__ = ["ANY_NUMBER", "ROUND", "is_format", "plain_counts", "spelt_numbers"]

ROUND = 0.1
"""A large number in words says this much: "a million" is 2²⁰ as well."""
_TENS = {word: 10 * i for i, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty"), 2)}
_TENS |= {"seventy": 70, "eighty": 80, "ninety": 90}
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_COUNTS = NUMBER_WORDS | {word: n for n, word in enumerate(_TEENS, 13)} | _TENS
_SIZES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_FOLDS = {word: n for word, n in (_COUNTS | _SIZES).items() if n > 1}
_FOLD = re.compile(rf"(?<![\w-])({'|'.join(sorted(_FOLDS, key=len, reverse=True))})-?fold(?!\w)", re.IGNORECASE)
_ANY_COUNT = "|".join(sorted(_COUNTS, key=len, reverse=True))
ANY_NUMBER = f"{_ANY_COUNT}|{'|'.join(_SIZES)}"
"""A pattern of one word that is a number."""
_NUMBER = (
    rf"(?:(?P<count>{_ANY_COUNT}|an?)(?:[\s-](?P<ones>one|two|three|four|five|six|seven|eight|nine))?[\s-]+)?"
    rf"(?P<size>{'|'.join(_SIZES)})?"
)
_OF_WHAT = (
    r"(?:nano|micro|milli)?seconds?|minutes?|hours?|days|weeks|(?:kilo|mega|giga|tera|kibi|mebi|gibi)bytes?"
    r"(?:\s+per\s+second)?"
    r"|[nµm]s|percent|per\s+cent|%"
)
_WITH_UNIT = re.compile(
    rf"(?<![\w.^-]){_NUMBER}(?:(?<=[\s-])|[\s-]+)(?P<unit>times|{_OF_WHAT})(?![\w-])", re.IGNORECASE
)
_TIMES = {"twice": 2.0, "thrice": 3.0, "halves": 0.5, "halved": 0.5, "halving": 0.5}
for _stem, _factor in (("doubl", 2.0), ("tripl", 3.0), ("quadrupl", 4.0)):
    _TIMES |= {f"{_stem}{end}": _factor for end in ("es", "ed", "ing")}
_MULTIPLE = re.compile(
    rf"(?<![\w-])(?:(?P<verb>{'|'.join(_TIMES)})|(?P<of>double|triple)(?=\s+(?:the|that|its)\b))(?![\w-])",
    re.IGNORECASE,
)
_FORMATS = frozenset({"doubles", "halves"})
_OF_FORMAT = re.compile(r"\b(?:as|between|for|from|in|into|of|on|over|than|the|these|to|with)\s+$", re.IGNORECASE)
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PART = re.compile(
    rf"(?<![\w-])(?:(?P<count>an?|one|two|three|four|nine)[\s-])?(?P<part>{'|'.join(_PARTS)})s?"
    r"(?=\s+(?:of|as|the|that|its|faster|slower|more|less|longer|shorter|fewer|higher|lower|cheaper)\b)",
    re.IGNORECASE,
)
_FACTOR = re.compile(rf"(?<=factor of )(?P<count>{_ANY_COUNT})(?![\w-])", re.IGNORECASE)
_ORDERS = re.compile(r"(?<![\w-])(?P<count>an|one|two|three|four)\s+orders?\s+of\s+magnitude(?![\w-])", re.IGNORECASE)
_ALONE = re.compile(rf"(?<![\w-])(?:{_ANY_COUNT})(?![\w-])", re.IGNORECASE)


def is_format(flat: str, start: int, word: str) -> bool:
    """Whether "doubles" or "halves" are formats of numbers, "in doubles", "pairs of halves", and no factors."""
    return word.lower() in _FORMATS and _OF_FORMAT.search(flat, max(start - 12, 0), start) is not None


def spelt_numbers(flat: str) -> Iterator[Printed]:
    """Ratios, parts, percentages and quantities whose number is a word."""
    for m in _FOLD.finditer(flat):
        value = float(_FOLDS[m[1].lower()])
        yield _printed(m, value, "ratio")
    for m in _MULTIPLE.finditer(flat):
        if is_format(flat, m.start(), m[0]):
            continue
        value = _TIMES[m["verb"].lower()] if m["verb"] else {"double": 2.0, "triple": 3.0}[m["of"].lower()]
        yield _printed(m, value, "ratio")
    for m in _PART.finditer(flat):
        if m["count"] or m["part"].lower() == "half":  # "the third of the three" is none
            count = NUMBER_WORDS.get((m["count"] or "a").lower(), 1)
            yield _printed(m, count / _PARTS[m["part"].lower()], "percent")
    for m in _FACTOR.finditer(flat):
        yield _printed(m, float(_COUNTS[m[0].lower()]), "ratio")
    for m in _ORDERS.finditer(flat):
        value = 10.0 ** NUMBER_WORDS.get(m["count"].lower(), 1)
        yield Printed(m[0], value, value, "ratio", "", m.start(), m.end())
    for m in _WITH_UNIT.finditer(flat):
        if m["size"] or m["count"] not in (None, "a", "an") or m["unit"].lower().startswith("per"):
            yield from _of_a_unit(m)


def plain_counts(flat: str) -> Iterator[Printed]:
    """Numbers as words that stand alone, "one launch": only a text without any other number means them."""
    for m in _ALONE.finditer(flat):
        yield _printed(m, float(_COUNTS[m[0].lower()]), "plain")


def _of_a_unit(m: re.Match[str]) -> Iterator[Printed]:
    count, ones = (m["count"] or "a").lower(), m["ones"]
    value = float(_COUNTS.get(count, 1) + (NUMBER_WORDS[ones.lower()] if ones else 0))
    value *= _SIZES[m["size"].lower()] if m["size"] else 1
    if m["unit"].lower() == "times":
        yield _printed(m, value, "ratio")
        return
    for printed in parse_printed(f"{value:.0f} {' '.join(m['unit'].split())}"):
        unit = printed.value / value
        yield replace(_printed(m, value, printed.style, unit), unit=printed.unit)


def _printed(m: re.Match[str], number: float, style: str, unit: float = 1.0) -> Printed:
    exact = 1 <= number <= 12 and number.is_integer()
    return Printed(m[0], number * unit, (1.0 if exact else number * ROUND) * unit, style, "", m.start(), m.end())
