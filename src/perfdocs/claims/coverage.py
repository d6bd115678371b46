"""What a strict page may not say without a claim: numbers with a unit, ratios, percentages and comparative words.

Plain numbers are let through, since most of them count or name things. So are words that compare nothing by themselves
(`within`, `every`, `more`): the number or the word beside them is what gives a sentence away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ..errors import Problem
from ..quantity import PRINTED, UNITS
from .forms import sentence_around
from .model import Bound, Outcome, Status
from .wording import KNOWN_WORDS

__all__ = ["NOT_COMPARATIVE", "WORDS", "uncovered"]

WORDS: Mapping[str, tuple[str, ...]] = {
    "words of claims": KNOWN_WORDS,
    "more of who is ahead": (
        "beaten",
        "loses",
        "outperforms",
        "surpasses",
        "surpass",
        "exceeds",
        "exceed",
        "dominates",
        "dominate",
        "won",
        "better",
        "worse",
        "best",
        "worst",
        "the most",
        "the least",
    ),
    "more of a level": ("level with", "is level", "are level", "on par", "on a par"),
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
        "cheaper than",
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
    "ahead of time",
    "right behind",
    "at best",
    "falls back",
    "falls on",
    "the most that",
    "the least that",
)
"""Phrases in which such a word compares nothing."""

MAX_FOUND = 20
"""Of one block so many are told one by one."""

_UNITS_OF_NO_QUANTITY = frozenset({"samples", "bit"})
_COUNTS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    "|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million"
)
_UNIT_WORDS = (
    r"(?:nano|micro|milli)?seconds?|minutes?|hours?|(?:kilo|mega|giga|tera|kibi|mebi|gibi)bytes?|fold|°C"
    r"|percent(?:age points?)?|per cent|per mille|permille"
)
_OTHER_UNITS = (
    r"pct|‰|ppm|(?:[mµun]?sec|hr|min)s?"
    r"|[KkMGTP]i?Bs?(?:/sec|/s)?|[kKMGT]?i?[Bb]ytes?/(?:sec|s)|[kMGTP]?[Ff][Ll][Oo][Pp]s?/sec"
)
_FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_SPACE = "[ \u00a0\u202f\u2009-]"
_SPELT = re.compile(
    rf"(?<![\w.^])(?:(?:half )?an? (?:percent|per cent)"
    rf"|(?:\d[\d.]*|(?:{_COUNTS}) and a half|{_COUNTS}|half an?|few|tens of|hundreds of){_SPACE}?(?:{_UNIT_WORDS})"
    rf"|\d[\d.]*{_SPACE}?(?:{_OTHER_UNITS})"
    rf"|\d*{_SPACE}?[{_FRACTIONS}]{_SPACE}?(?:{UNITS}|{_UNIT_WORDS}|{_OTHER_UNITS}|%|×|times)"
    rf"|(?:\d[\d.]*|(?:{_COUNTS}) and a half|(?!one ){_COUNTS}){_SPACE}times"
    r"|0?\.\d+ of"
    r")(?![\w/])"
    r"|(?<![\w.:/^-])(?:(?!1:)\d{1,4}(?:\.\d+)?:1|1:[2-9])(?![\w:/]|\.\d)",
    re.IGNORECASE,
)
"""Numbers that :data:`PRINTED` knows no unit of: other spellings, words, fractions, "2 times", "0.87 of", "2:1".

A clock's minutes have two digits, so that 2:1 is no time of day and 2:10 is one.
"""
_SILENT = re.compile(
    r"(?<!`)(`{1,9})(?!`).{1,400}?(?<!`)\1(?!`)|\bhttps?://\S+"
    r"|\$\$.{1,2000}?\$\$|\$(?![\s$])[^$]{1,400}(?<![\s$])\$(?!\d)",
    re.DOTALL,
)
_LINE_END = re.compile(r"(?<![ \t])[ \t]*\n[ \t]*")
_GAP = "[ \u00a0\u202f\u2009]"


def uncovered(bound: Bound, more: Sequence[str] = ()) -> Iterator[Outcome]:
    """Each number and word of a block that nothing is bound to; ``more`` are words of the project's own."""
    flat, at = _on_one_line(bound.text)
    found = _apart(_found(flat, _pattern(tuple(more))))
    for start, stop, what in found[:MAX_FOUND]:
        said = f'the {what} "{flat[start:stop]}", which no claim covers'
        yield _outcome(bound, at[start], at[stop - 1] + 1, flat[start:stop], said)
    if left := found[MAX_FOUND:]:
        start, stop, _ = left[0]
        said = f'{len(left)} more such numbers and words in this block, from "{flat[start:stop]}" on'
        yield _outcome(bound, at[start], at[stop - 1] + 1, flat[start:stop], said)


def _outcome(bound: Bound, start: int, end: int, text: str, found: str) -> Outcome:
    line = bound.line + bound.sentence.count("\n", 0, start)
    said = replace(bound, line=line, sentence=sentence_around(bound.sentence, start, end), text=text)
    expected = "a claim, or an exemption with its reason, as the page is strict"
    return Outcome(said, Status.FAILS, Problem("claim-uncovered", said.where, found, expected, _what_to_do(bound.file)))


def _apart(found: Iterator[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """In order, without what begins inside another."""
    kept: list[tuple[int, int, str]] = []
    for one in sorted(found):
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept


def _what_to_do(file: str) -> str:
    if file.endswith(".rst"):
        return "write it in the role `claim`, as `text <expression>` or `text <exempt: reason>`"
    return "write `<!-- claim: … -->` or `<!-- exempt: reason -->` right behind it"


def _on_one_line(text: str) -> tuple[str, list[int]]:
    """The text with a space for each line's end, code and links blanked, and where each character was."""
    text = _SILENT.sub(lambda m: "\x1f" * len(m[0]), text)
    shown: list[str] = []
    at: list[int] = []
    last = 0
    for m in _LINE_END.finditer(text):
        shown += (text[last : m.start()], " ")
        at += (*range(last, m.start()), m.start())
        last = m.end()
    shown.append(text[last:])
    at += range(last, len(text))
    return "".join(shown), at


def _found(flat: str, words: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    for m in PRINTED.finditer(flat):
        unit = m["unit"] and m["unit"] not in _UNITS_OF_NO_QUANTITY
        if unit or m["percent"] or (m["ratio"] and not _product(flat, m)):
            yield m.start(), m.end(), "number"
    for m in _SPELT.finditer(flat):
        yield m.start(), m.end(), "number"
    for m in words.finditer(flat):
        if m["word"]:
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
