"""The two surface forms of a claim, read once here: the comment of Markdown and the role. No markup library."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .model import Bound, Form, Given

__all__ = [
    "LITERAL_DIRECTIVES",
    "Found",
    "Frames",
    "Placed",
    "bounds_of",
    "broken_texts",
    "comments_in",
    "read_comment",
    "read_role",
    "sentence_around",
]

Kind = Literal["claim", "given", "exempt", "value", "strict", "broken"]
_COMMENT = re.compile(r"([A-Za-z]+)\s*(:?)(.*)\Z", re.DOTALL)
_TARGET = re.compile(r"(.*)<([^<>]*)>\Z", re.DOTALL)
_LEFT_OVER = re.compile(r"<!--+\s*(?:claim|given|exempt)\b|\{(?:claim|value|given)\}|:(?:claim|value):`", re.IGNORECASE)
_BOUNDARY = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[A-Z\"“(`\d])")
_WORDS = ("claim", "given", "exempt")
LITERAL_DIRECTIVES = frozenset(
    {
        "bibliography",
        "code",
        "code-block",
        "code-cell",
        "csv-table",
        "doctest",
        "graphviz",
        "highlight",
        "image",
        "include",
        "literalinclude",
        "math",
        "mermaid",
        "parsed-literal",
        "raw",
        "sourcecode",
        "testcode",
        "testoutput",
        "toctree",
    }
)
"""Directives whose content is no prose."""


@dataclass(frozen=True, slots=True)
class Found:
    """One comment or role; ``text`` is a role's words. A broken one: ``expression`` is wrong, ``text`` mends it."""

    kind: Kind
    expression: str
    text: str = ""


def _broken(what: str, do: str) -> Found:
    return Found("broken", what, do)


def _exempt_or(kind: Kind, expression: str, text: str = "") -> Found:
    head, colon, reason = expression.partition(":")
    if kind == "claim" and colon and head.strip().lower() == "exempt":
        return Found("exempt", reason.strip(), text)
    return Found(kind, expression, text)


def read_comment(comment: str) -> Found | None:
    """What a whole HTML comment says to perfdocs, or ``None`` where it is none of ours."""
    body = comment.strip().removeprefix("<!--").removesuffix("-->")
    if _LEFT_OVER.search(body):
        return _broken("a comment inside a comment that was not closed", "close the first with `-->`")
    m = _COMMENT.match(body[:4000].strip())
    word = m[1].lower() if m else ""
    if m is None or (word not in _WORDS and not (m[2] and difflib.get_close_matches(word, _WORDS, 1, 0.8))):
        if m is not None and word == "perfdocs" and m[2] and m[3].strip().lower() == "strict":
            return Found("strict", "")
        return None
    if word not in _WORDS:
        (meant,) = difflib.get_close_matches(word, _WORDS, 1, 0.8)
        return _broken(f"a comment that begins with `{m[1]}:`", f"write `{meant}:`")
    if not m[2]:
        if word == "claim" or len(m[3].split()) > 6:
            return None  # "given that …": an ordinary comment
        return _broken(f"a comment `{word}` without a colon", f"write `{word}: …`")
    expression = m[3].strip()
    if "\n" in body.strip():
        return _broken("a line break inside a comment", "keep a claim on one line")
    if "--" in body or body.startswith((">", "->")) or body.endswith("-"):
        return _broken("`--`, a leading `>` or a trailing `-` inside a comment", "write it without")
    if "|" in body:
        return _broken("`|` inside a comment, which would cut a table's cell", "write it without")
    if not expression:
        return _broken(f"`{word}:` with nothing behind it", "write what it says")
    return _exempt_or(word, expression)  # type: ignore[arg-type] # word is one of _WORDS


def comments_in(html: str) -> Iterator[tuple[int, int]]:
    """Where whole comments stand in a piece of HTML."""
    start = html.find("<!--")
    while start >= 0:
        end = html.find("-->", start + 4)
        if end < 0:
            return
        yield start, end + 3
        start = html.find("<!--", end + 3)


def read_role(content: str) -> Found:
    """Split ``text <expression>`` at the last ``<…>`` that holds neither ``<`` nor ``>``."""
    m = _TARGET.match(content.strip())
    if m is None or not m[1].strip() or not m[2].strip():
        return _broken(f"a claim `{content.strip()[:80]}` without an expression", "write `text <expression>`")
    return _exempt_or("claim", m[2].strip(), m[1].strip())


def broken_texts(text: str) -> Iterator[tuple[int, Found]]:
    """Where plain text shows a claim that no parser took for one."""
    for m in _LEFT_OVER.finditer(text):
        comment = m[0].startswith("<")
        do = "close the comment with `-->`" if comment else "write the role with its backticks, on one line"
        yield m.start(), _broken(f"`{m[0]}` as plain text", do)


def sentence_around(block: str, start: int, end: int) -> str:
    """The sentence (or sentences) of a block that ``start``–``end`` lies in, on one line."""
    while start < end and block[start].isspace():
        start += 1
    cuts = [0, *(m.end() for m in _BOUNDARY.finditer(block)), len(block)]
    first = max(c for c in cuts if c <= start)
    last = min((c for c in cuts if c >= end), default=len(block))
    return " ".join(block[first:last].split())


@dataclass(frozen=True, slots=True)
class Placed:
    """Something found in a block: the stretch of the block's text it speaks for, and its line."""

    found: Found
    start: int
    end: int
    line: int


def bounds_of(file: str, block: str, placed: Placed, frames: Frames) -> Bound:
    """The record of one thing found; a ``given`` joins the frames."""
    found = placed.found
    givens = frames.givens()
    if found.kind == "given":
        frames.add(Given(placed.line, found.expression))
        return Bound(file, placed.line, "", "", found.expression, givens, "given")
    if found.kind == "broken":
        text = sentence_around(block, placed.start, placed.end)
        return Bound(file, placed.line, text, "", found.expression, givens, "broken", found.text)
    text = found.text or block[placed.start : placed.end]
    sentence = sentence_around(block, placed.start, placed.end)
    form: Form = "exempt" if found.kind == "exempt" else "value" if found.kind == "value" else "claim"
    return Bound(file, placed.line, sentence, text, found.expression, givens, form)


class Frames:
    """Which givens hold: those of the section and of the list items around, outermost first."""

    def __init__(self) -> None:
        self._frames: list[tuple[int | None, list[Given]]] = [(0, [])]

    def givens(self) -> tuple[Given, ...]:
        """All that hold here."""
        return tuple(given for _, found in self._frames for given in found)

    def add(self, given: Given) -> None:
        """One more, in the innermost frame."""
        self._frames[-1][1].append(given)

    def section(self, level: int) -> None:
        """A section begins; those of its level and below end."""
        while len(self._frames) > 1 and (self._frames[-1][0] is None or (self._frames[-1][0] or 0) >= level):
            self._frames.pop()
        self._frames.append((level, []))

    def enter(self) -> None:
        """A list item begins."""
        self._frames.append((None, []))

    def leave(self) -> None:
        """A list item ends."""
        if len(self._frames) > 1:
            self._frames.pop()
