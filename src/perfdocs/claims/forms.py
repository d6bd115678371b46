"""The two surface forms of a claim, read once here: the comment of Markdown and the role. No markup library."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ..errors import PerfdocsError, clean
from .model import Bound

if TYPE_CHECKING:
    pass

__all__ = [
    "LITERAL_DIRECTIVES",
    "MAX_SENTENCE",
    "SPOKEN_DIRECTIVES",
    "SPOKEN_OPTIONS",
    "SPOKEN_ROLES",
    "Found",
    "broken_texts",
    "comments_in",
    "counter_of_lines",
    "is_broken_mark",
    "may_be_broken",
    "misspelt_given",
    "misspelt_role",
    "read_comment",
    "read_mark",
    "read_role",
    "sentence_around",
    "sentence_end",
]

Kind = Literal["claim", "given", "exempt", "value", "strict", "loose", "broken"]
_COMMENT = re.compile(r"([A-Za-z]+)\s*(:?)(.*)\Z", re.DOTALL)
_TARGET = re.compile(r"(.*)<([^<>]*)>\Z", re.DOTALL)
_LEFT_OVER = re.compile(
    r"<!--+\s*(?:claim|given|exempt)\b"
    r"|<(?:!\s?[-–—]{0,2}|[-–—]{1,3})\s*(?:claim|given|exempt)\s*:"
    r"|(?<![\w-])(?:claim|given|exempt):[^<>\n]{1,200}-->"
    r"|\{(?:claim|value|given)\}|:(?:claim|value):`",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[A-Z\"“(`\d])")
_WORDS = ("claim", "given", "exempt")
ROLES = ("claim", "value")
_MARK = re.compile(r"(not\s+)?strict\s*(?::\s*(.*))?\Z", re.DOTALL | re.IGNORECASE)
BLANK = "\x1f"
MAX_SENTENCE = 4000
_MARK_HINTS = (
    "write `perfdocs: strict`, or `perfdocs: not strict: reason`",
    "write `perfdocs: not strict: reason`",
)
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

SPOKEN_DIRECTIVES = frozenset(
    {
        "admonition",
        "attention",
        "card",
        "caution",
        "centered",
        "contents",
        "csv-table",
        "deprecated",
        "danger",
        "dropdown",
        "error",
        "grid-item-card",
        "hint",
        "important",
        "list-table",
        "note",
        "rubric",
        "seealso",
        "sidebar",
        "tab-item",
        "table",
        "tip",
        "topic",
        "versionadded",
        "versionchanged",
        "warning",
    }
)
"""Directives whose argument a reader sees."""

SPOKEN_OPTIONS = frozenset({"alt", "caption"})
"""Options whose value a reader sees, or hears."""

SPOKEN_ROLES = frozenset(
    {
        "abbr",
        "del",
        "dfn",
        "emphasis",
        "guilabel",
        "ins",
        "kbd",
        "mark",
        "s",
        "strike",
        "strikethrough",
        "strong",
        "sub",
        "subscript",
        "sup",
        "superscript",
        "title-reference",
    }
)
"""Roles whose words a reader sees as words; the others count as code."""


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
    if may_be_broken(body) and _LEFT_OVER.search(body):
        return _broken("a comment inside a comment that was not closed", "close the first with `-->`")
    m = _COMMENT.match(body[:4000].strip())
    word = m[1].lower() if m else ""
    if (mark := read_mark(body)) is not None:
        return mark
    if m is None or (word not in _WORDS and not (m[2] and difflib.get_close_matches(word, _WORDS, 1, 0.8))):
        return None
    if word not in _WORDS:
        (meant,) = difflib.get_close_matches(word, _WORDS, 1, 0.8)
        return _broken(f"a comment that begins with `{m[1]}:`", f"write `{meant}:`")
    if not m[2]:
        if not _meant(word, m[3]):
            return None
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


def _meant(word: str, rest: str) -> bool:
    """Whether a comment that begins with a word of ours was meant for us, though it has no colon."""
    if word != "claim":
        return len(rest.split()) <= 6  # "given that …" is an ordinary comment
    from .syntax import parse_claim  # which needs the grammar, as no comment as it should be does

    try:
        parse_claim(rest, "")
    except PerfdocsError:
        return False
    return True


def near_role(name: str) -> str:
    """The role of ours that another is nearly called like; empty where it is none."""
    if name.lower() in ROLES:
        return "" if name in ROLES else name.lower()
    return next(iter(difflib.get_close_matches(name.lower(), ROLES, 1, 0.8)), "")


def misspelt_role(name: str, content: str) -> Found | None:
    """What to say of a role that is nearly called like one of ours; its words would show as if they were checked."""
    meant = near_role(name)
    if not meant or (meant == "claim" and _TARGET.match(content.strip()) is None):
        return None
    return _broken(f"a role `{name}`", f"write `{meant}`")


def misspelt_given(name: str) -> Found | None:
    """The same of a directive that is nearly called `given`."""
    if name == "given" or not difflib.get_close_matches(name.lower(), ("given",), 1, 0.8):
        return None
    return _broken(f"a directive `{name}`", "write `given`")


def may_be_broken(text: str) -> bool:
    """Whether :func:`broken_texts` is worth asking: a quick look."""
    return "<" in text or "{" in text or ":`" in text or "-->" in text


def read_mark(text: str) -> Found | None:
    """What the text of a comment says of the whole page or section, or ``None`` where it is another comment."""
    said = _COMMENT.match(text[:4000].strip())
    word = said[1].lower() if said and said[2] else ""
    if said is None or not difflib.get_close_matches(word, ("perfdocs",), 1, 0.8):
        return None
    m = _MARK.match(said[3].strip())
    if word != "perfdocs" or m is None or (m[2] and not m[1]):
        return _broken(f"a comment `{word}: {' '.join(said[3].split())[:60]}`, which marks nothing", _MARK_HINTS[0])
    if not m[1]:
        return Found("strict", "")
    reason = (m[2] or "").strip()
    if reason:
        return Found("loose", reason)
    return _broken("`perfdocs: not strict` without a reason", _MARK_HINTS[1])


def is_broken_mark(bound: Bound) -> bool:
    """Whether a mark was meant that marks nothing."""
    return bound.form == "broken" and bound.hint in _MARK_HINTS


def comments_in(html: str) -> Iterator[tuple[int, int]]:
    """Where whole comments stand in a piece of HTML."""
    start = html.find("<!--")
    while start >= 0:
        end = html.find("-->", start + 4)
        if end < 0:
            return
        yield start, end + 3
        start = html.find("<!--", end + 3)


def counter_of_lines(text: str) -> Callable[[int], int]:
    """How many lines end before a place of a text, for places asked in order: nothing is counted twice."""
    at = lines = 0

    def before(place: int) -> int:
        nonlocal at, lines
        lines += text.count("\n", at, place)
        at = max(at, place)
        return lines

    return before


def read_role(content: str) -> Found:
    """Split ``text <expression>`` at the last ``<…>`` that holds neither ``<`` nor ``>``."""
    m = _TARGET.match(content.strip())
    if m is None or not m[1].strip() or not m[2].strip():
        return _broken(f"a claim `{content.strip()[:80]}` without an expression", "write `text <expression>`")
    return _exempt_or("claim", m[2].strip(), m[1].strip())


def broken_texts(text: str) -> Iterator[tuple[int, Found]]:
    """Where plain text shows a claim that no parser took for one."""
    for m in _LEFT_OVER.finditer(text):
        if m[0].startswith("<!--"):
            do = "close the comment with `-->`"
        elif m[0].startswith("<") or m[0].endswith("-->"):
            do = "begin the comment with `<!--`"
        else:
            do = "write the role with its backticks, on one line"
        yield m.start(), _broken(f"`{clean(m[0], 60)}` as plain text", do)


@lru_cache(maxsize=8)  # a block is asked for each claim in it
def _cuts(block: str) -> tuple[int, ...]:
    return (0, *(m.end() for m in _BOUNDARY.finditer(block)), len(block))


@lru_cache(maxsize=64)
def _one_line(block: str, first: int, last: int) -> str:
    return " ".join(block[first:last].split())


def sentence_end(block: str, start: int) -> int:
    """Where the sentence of a block ends that ``start`` lies in."""
    cuts = _cuts(block)
    return min(cuts[min(bisect_right(cuts, start), len(cuts) - 1)], start + MAX_SENTENCE)


def sentence_around(block: str, start: int, end: int) -> str:
    """The sentence (or sentences) of a block that ``start``–``end`` lies in, on one line; of a very long one a part."""
    while start < end and block[start].isspace():
        start += 1
    cuts = _cuts(block)
    first = cuts[bisect_right(cuts, start) - 1]
    at = bisect_left(cuts, end)
    last = cuts[at] if at < len(cuts) else len(block)
    if last - first > MAX_SENTENCE:
        first = max(first, start - MAX_SENTENCE // 2)
        last = min(last, first + MAX_SENTENCE)
    return _one_line(block, first, last)
