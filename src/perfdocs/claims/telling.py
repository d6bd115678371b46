"""What gives away that a sentence compares or measures: numbers with a unit, ratios, percentages, comparative words.

Plain numbers are let through, since most of them count or name things. So are words that compare nothing by themselves
(`within`, `every`, `more`): the number or the word beside them is what gives a sentence away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ..quantity import PRINTED, UNITS
from .spelt import ANY_NUMBER, is_format
from .wording import KNOWN_WORDS

__all__ = ["NOT_COMPARATIVE", "WORDS", "telling"]

WORDS: Mapping[str, tuple[str, ...]] = {
    "words of claims": KNOWN_WORDS,
    "more of who is ahead": (
        "beaten",
        "loses",
        "lost to",
        "lost against",
        "leading",
        "trailing",
        "superior",
        "inferior",
        "outperforms",
        "outclasses",
        "defeats",
        "swifter",
        "cheaper",
        "more time",
        "less time",
        "surpasses",
        "surpass",
        "exceeds",
        "exceed",
        "dominates",
        "dominate",
        "better",
        "worse",
        "best",
        "worst",
        "the most",
        "the least",
    ),
    "more of a level": ("equal to", "equals", "level with", "is level", "are level", "on par", "on a par"),
    "how many times": (
        "twice",
        "thrice",
        "doubles",
        "halves",
        "halved",
        "triples",
        "tripled",
        "quadruples",
        "quadrupled",
        "double the",
        "doubled",
        "triple the",
        "half the",
        "half of",
        "half as",
        "third of",
        "thirds of",
        "quarter of",
        "quarters of",
        "tenth of",
        "tenths of",
        "times as",
        "times the",
        "factor of",
        "order of magnitude",
        "orders of magnitude",
        "several times",
        "dozens of times",
        "tens of times",
        "hundreds of times",
        "thousands of times",
        "speedup",
        "speed-up",
        "slowdown",
    ),
    "one beside another": (
        "as fast as",
        "as quick as",
        "as slow as",
        "as good",
        "larger than",
        "smaller than",
        "longer than",
        "shorter than",
        "higher",
        "lower",
        "highest",
        "lowest",
        "largest",
        "smallest",
        "more efficient",
        "less efficient",
        "more efficiently",
        "less efficiently",
    ),
}
"""Comparative words and phrases, by what they are about."""

NOT_COMPARATIVE = (
    "leads to",
    "led to",
    "leading to",
    "led by",
    "leading zeros",
    "leading dimension",
    "trailing zeros",
    "trailing spaces",
    "ahead of time",
    "right behind",
    "at best",
    "falls back",
    "falls on",
    "the most that",
    "the least that",
)
"""Phrases in which such a word compares nothing."""

_UNITS_OF_NO_QUANTITY = frozenset({"samples", "bit"})
_UNIT_WORDS = (
    r"(?:nano|micro|milli)?seconds?|minutes?|hours?|days|(?<!one )day|weeks?|months?"
    r"|(?:kilo|mega|giga|tera|kibi|mebi|gibi)bytes?|fold|°C"
    r"|percent(?:age points?)?|per cent|per mille|permille"
)
_OTHER_UNITS = (
    r"pct|‰|ppm|(?:[mµun]?sec|hr|min)s?|fps|hertz|[kMGTP]flops?|[kMGTP]ops|[kMGTP]i?bits?/s|[kMGTP]bps|[MG]T/s"
    r"|[a-z]+(?:/| per )(?:s|sec|second)"
    r"|[KkMGTP]i?Bs?(?:/sec|/s)?|[kKMGT]?i?[Bb]ytes?/(?:sec|s)|[kMGTP]?[Ff][Ll][Oo][Pp]s?/sec"
)
_FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_SPACE = "[ \u00a0\u202f\u2009-]"
_SPELT = re.compile(
    rf"(?<![\w.^])(?:(?:half )?an? (?:percent|per cent)"
    rf"|(?:\d[\d.]*|(?:{ANY_NUMBER}) and a half|{ANY_NUMBER}|half an?|few|tens of|hundreds of)"
    rf"{_SPACE}?(?:{_UNIT_WORDS})"
    rf"|\d[\d.]*(?:e[-+]?\d+)?{_SPACE}?(?:{_OTHER_UNITS})"
    rf"|\d*{_SPACE}?[{_FRACTIONS}]{_SPACE}?(?:{UNITS}|{_UNIT_WORDS}|{_OTHER_UNITS}|%|×|times)"
    rf"|\d[\d.]*\+{_SPACE}?(?:{UNITS}|{_UNIT_WORDS}|{_OTHER_UNITS}|%|×|times)"
    rf"|(?:\d[\d.]*|(?:{ANY_NUMBER}) and a half|(?!one ){ANY_NUMBER}){_SPACE}times"
    r"|0?\.\d+ of"
    r")(?![\w/])"
    r"|(?<![\w.:/^-])(?:(?!1:)\d{1,4}(?:\.\d+)?:1|1:[2-9])(?![\w:/]|\.\d)",
    re.IGNORECASE,
)
"""Numbers that :data:`PRINTED` knows no unit of: other spellings, words, fractions, "2 times", "0.87 of", "2:1".

A clock's minutes have two digits, so that 2:1 is no time of day and 2:10 is one.
"""
_BEHIND_X = (
    r"faster|slower|quicker|more|less|fewer|better|worse|longer|shorter|higher|lower|larger|smaller|cheaper|as|of"
    r"|the|that"
)
_DIGITS = r"(?<![\w.,^/])\d[\d.,]*"
_JOINED = re.compile(
    rf"{_DIGITS}{_SPACE}?(?:{UNITS})/[A-Za-z]\w*"
    rf"|{_DIGITS}[-\u2010\u2011–](?!bits?\b|samples?\b)(?:{UNITS})(?![\w/-])"
    rf"|(?<![\w./])\d{{1,3}}/\d{{1,3}}(?=\s(?:of|times|{_BEHIND_X})\b)"
    rf"|{_DIGITS}[ \u00a0\u202f\u2009]x(?=\s(?:{_BEHIND_X})\b|\s?[.,;:)](?!\w)|\s?$)"
    r"|(?<![\w.,^/])\d+\.\d+[ \u00a0\u202f\u2009][xX](?=\s(?!\d))"
    r"|(?:(?<=[A-Za-z,;:] )|(?<=\()|(?<=^))×\d[\d.]*(?![\w.])"
)
"""Numbers joined to their unit by a hyphen, to another unit by a slash, fractions, "1.5 x", "×2"."""
_MAY_JOIN = re.compile(r"\d[-\u2010\u2011–]|/|×\d|\d[ \u00a0\u202f\u2009][xX]\b")
"""A text without one of these has none of them."""
_GAP = "[ \u00a0\u202f\u2009]"


@lru_cache(maxsize=4096)  # pages say many things in the same words, and a sentence is looked at for each of its claims
def telling(flat: str, more: tuple[str, ...] = ()) -> tuple[tuple[int, int, str], ...]:
    """Where such a number or word begins and ends, and which it is; ``more``: words of a project's own."""
    return tuple(_found(flat, _pattern(more)))


def _found(flat: str, words: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    for m in PRINTED.finditer(flat):
        unit = m["unit"] and m["unit"] not in _UNITS_OF_NO_QUANTITY
        if unit or m["percent"] or (m["ratio"] and not _product(flat, m)):
            yield m.start(), m.end(), "number"
    for pattern in (_SPELT, _JOINED) if _MAY_JOIN.search(flat) else (_SPELT,):
        for m in pattern.finditer(flat):
            yield m.start(), m.end(), "number"
    for m in words.finditer(flat):
        if m["word"] and not is_format(flat, m.start(), m[0]):
            yield m.start(), m.end(), "word"


def _product(flat: str, m: re.Match[str]) -> bool:
    """Whether a × multiplies, as in "2 × n"."""
    return bool(re.match(_GAP, m["ratio"]) and re.match(rf"{_GAP}\w", flat[m.end() : m.end() + 2]))


@lru_cache(maxsize=8)
def _pattern(more: tuple[str, ...]) -> re.Pattern[str]:
    """Every word, the longest first, behind the phrases that mean something else."""

    def any_of(words: Sequence[str]) -> str:
        ordered = sorted(set(words), key=lambda w: (-len(w), w))
        return "|".join(re.escape(word).replace(r"\ ", f"{_GAP}+") for word in ordered)

    words = [word for group in WORDS.values() for word in group]
    no = rf"(?<![\w-])(?:{any_of(NOT_COMPARATIVE)})(?![\w-])"
    return re.compile(rf"{no}|(?<![\w-])(?P<word>{any_of([*words, *more])})(?![\w-])", re.IGNORECASE)
