"""The numbers a reader sees in tables and fastest lines, out of HTML and out of Markdown, to compare the two."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

__all__ = ["cells_of_html", "cells_of_markdown", "numbers_of_html", "numbers_of_markdown"]

_NUMBER = re.compile(
    "[-−]?\\d[\\d\u202f]*(?:[.:]\\d+)*(?:\u00a0×\u00a010[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*(?:\u00a0[^\\s\\d(,;)]+|×)?"
)
_CLASSES = frozenset({"perfdocs-table", "perfdocs-fastest"})
_VOID = frozenset({"br", "img", "hr", "wbr", "input", "meta", "link", "col"})


class _Cells(HTMLParser):
    """Text of each ``th`` and ``td`` of our tables and each ``li`` of our lines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[str] = []
        self._open: list[str] = []
        self._inside: int | None = None
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        self._open.append(tag)
        names = (dict(attrs).get("class") or "").split()
        if self._inside is None and _CLASSES & set(names):
            self._inside = len(self._open)
        if self._inside is not None and tag in ("th", "td", "li"):
            self._text = []

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        while self._open.pop() != tag:
            pass
        if self._text is not None and tag in ("th", "td", "li"):
            self.cells.append("".join(self._text).strip())
            self._text = None
        if self._inside is not None and len(self._open) < self._inside:
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)


def cells_of_html(html: str) -> tuple[str, ...]:
    """Texts of the cells of perfdocs tables (heads first) and of fastest lines, in order; other content is skipped."""
    parser = _Cells()
    parser.feed(html)
    return tuple(parser.cells)


def _plain(text: str) -> str:
    text = re.sub(r"</?sup>", "", text.strip())
    text = re.sub(r"(?<!\\)\*\*", "", text)
    text = re.sub(r"(?<!\\)\[(.*?)(?<!\\)\]\([^)]*\)", r"\1", text)
    return unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)).strip()


def cells_of_markdown(markdown: str) -> tuple[str, ...]:
    """Texts of the cells of tables and of list items whose lead is bold (fastest lines), in order."""
    cells: list[str] = []
    for line in markdown.split("\n"):
        if line.startswith(("| :--", "| --:")):
            continue
        if line.startswith("| "):
            cells += [_plain(part) for part in re.split(r"(?<!\\)\|", line)[1:-1]]
        elif line.startswith("- **"):
            cells.append(_plain(line[2:]))
    return tuple(cells)


def numbers_of_html(html: str) -> frozenset[str]:
    """Every number, with its unit where one follows, in the tables and fastest lines of a page."""
    return frozenset(m for cell in cells_of_html(html) for m in _NUMBER.findall(cell))


def numbers_of_markdown(markdown: str) -> frozenset[str]:
    """Every number, with its unit where one follows, in the tables and fastest lines of a rendered page."""
    return frozenset(m for cell in cells_of_markdown(markdown) for m in _NUMBER.findall(cell))
