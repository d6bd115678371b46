"""What a strict page may not say without a claim: whatever is telling, see :mod:`.telling`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..errors import Problem
from ..quantity import parse_printed
from .forms import sentence_around
from .model import Bound, Outcome, Status
from .telling import telling

__all__ = ["uncovered"]

_WORDS = re.compile(r"[A-Za-z]{2,}")
MAX_FOUND = 20
"""Of one block so many are told one by one."""

_SILENT = re.compile(
    r"(?<!`)(`{1,9})(?!`).{1,400}?(?<!`)\1(?!`)|\bhttps?://\S+"
    r"|\$\$.{1,2000}?\$\$|\$(?![\s$])[^$]{1,400}(?<![\s$])\$(?!\d)",
    re.DOTALL,
)
_NUMBER = re.compile(r"([`$]+)\s*([-−]?[\d., \u00a0\u202f]*\d)\s*\1(?=\s[\w%×]|(?!s\b)[\w%×])")
"""A number set as code or as math with a unit, or any other word, behind it: "`5` ms", but no "`0`s"."""
_SIGN = re.compile(r"[`$]\s*[-−]?\d")
_GONE = "\x1e"
_LINE_END = re.compile(rf"(?<![ \t])[ \t]*\n[ \t]*|(?<!\S)~~|~~(?!\S)|{_GONE}")
"""The end of a line, or a sign that strikes words out, which a reader still reads."""


def uncovered(bound: Bound, more: tuple[str, ...] = ()) -> Iterator[Outcome]:
    """Each number and word of a block that nothing is bound to; ``more`` are words of the project's own."""
    flat, at = _on_one_line(bound.text)
    found = _apart((*telling(flat, more), *_in_column(flat, bound.hint)))
    for start, stop, what in found[:MAX_FOUND]:
        said = f'the {what} "{flat[start:stop]}", which no claim covers'
        yield _outcome(bound, at[start], at[stop - 1] + 1, flat[start:stop], said)
    if left := found[MAX_FOUND:]:
        start, stop, _ = left[0]
        said = f'{len(left)} more such numbers and words in this block, from "{flat[start:stop]}" on'
        yield _outcome(bound, at[start], at[stop - 1] + 1, flat[start:stop], said)


def _in_column(flat: str, unit: str) -> Iterator[tuple[int, int, str]]:
    """The bare numbers of a cell whose column has its unit in the head, as one."""
    plain = [p for p in parse_printed(flat) if p.style == "plain"] if unit and not _WORDS.search(flat) else []
    if plain:
        yield plain[0].start, plain[-1].end, f"number of a column in {unit}"


def _outcome(bound: Bound, start: int, end: int, text: str, found: str) -> Outcome:
    line = bound.line + bound.sentence.count("\n", 0, start)
    said = replace(bound, line=line, sentence=sentence_around(bound.sentence, start, end), text=text)
    expected = "a claim, or an exemption with its reason, as the page is strict"
    return Outcome(said, Status.FAILS, Problem("claim-uncovered", said.where, found, expected, _what_to_do(bound.file)))


def _apart(found: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
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
    """The text with a space for each line's end, code and links blanked, and where each character was.

    Signs that strike words out are gone.
    """
    if _SIGN.search(text):
        text = _NUMBER.sub(lambda m: _GONE * len(m[1]) + m[0][len(m[1]) : -len(m[1])] + _GONE * len(m[1]), text)
    text = _SILENT.sub(lambda m: "\x1f" * len(m[0]), text)
    shown: list[str] = []
    at: list[int] = []
    last = 0
    for m in _LINE_END.finditer(text):
        shown.append(text[last : m.start()])
        at += range(last, m.start())
        if m[0] not in ("~~", _GONE):
            shown.append(" ")
            at.append(m.start())
        last = m.end()
    shown.append(text[last:])
    at += range(last, len(text))
    return "".join(shown), at
