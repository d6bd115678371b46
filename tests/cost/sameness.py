"""Whether two built sites show the same: tables, rows, cells and figures of each page, and the text of each cell.

Run as a program, in a process of its own: pages are large, and must not make its caller large.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from html.parser import HTMLParser
from pathlib import Path

__all__ = ["Counts", "Differing", "compare", "shown"]

_BREAKS = re.compile(r"[\s\u2060]+")  # a word joiner keeps a forge from making links


class Differing(Exception):  # noqa: N818 - it is not an error of the program
    """Two sites don't show the same; the message says where."""


@dataclass(slots=True)
class Counts:
    """How much a page, or a whole site, shows."""

    pages: int = 0
    tables: int = 0
    rows: int = 0
    cells: int = 0
    images: int = 0

    def add(self, other: Counts) -> None:
        """Add what another page shows."""
        self.pages += other.pages
        self.tables += other.tables
        self.rows += other.rows
        self.cells += other.cells
        self.images += other.images


@dataclass(slots=True)
class _Parser(HTMLParser):
    counts: Counts = field(default_factory=lambda: Counts(pages=1))
    cells: list[str] = field(default_factory=list)
    inside: bool = False

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counts.tables += tag == "table"
        self.counts.rows += tag == "tr"
        self.counts.images += tag == "img"
        if tag in ("td", "th"):
            self.counts.cells += 1
            self.cells.append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def shown(page: str) -> tuple[Counts, tuple[str, ...]]:
    """What a page counts, and the text of each of its cells in order."""
    parser = _Parser()
    parser.feed(page)
    return parser.counts, tuple(_BREAKS.sub(" ", cell).strip() for cell in parser.cells)


def _pages(site: Path) -> Iterator[str]:
    """Pages of documents: those that perfdocs writes beside them, of every value, static Markdown has not."""
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        values = name.startswith("numbers/") or name.count("/") > 1
        if not name.startswith("_") and not values and name not in ("search.html", "genindex.html"):
            yield name


def compare(a: Path, b: Path) -> Counts:
    """What both sites show. Raises :class:`Differing` at the first page that differs."""
    if list(_pages(a)) != list(_pages(b)):
        raise Differing(f"the pages: {sorted(set(_pages(a)) ^ set(_pages(b)))[:5]}")
    total = Counts()
    for name in _pages(a):
        (one, cells), (other, others) = (shown((site / name).read_text(encoding="utf-8")) for site in (a, b))
        for text, same in zip(cells, others, strict=False):
            if text != same:
                raise Differing(f"{name}: {text!r} and {same!r}")
        if one != other:
            raise Differing(f"{name}: {one} and {other}")
        total.add(one)
    return total


if __name__ == "__main__":
    try:
        print(json.dumps(asdict(compare(Path(sys.argv[1]), Path(sys.argv[2])))))
    except Differing as differing:
        sys.exit(f"the two sites differ: {differing}")
