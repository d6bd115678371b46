"""This project's own site, built once for all tests, from a copy of its sources and its published cards."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.conftest import PROJECT, of_all_workers

LONGEST = 300.0  # seconds for another process to build it
NOT_COPIED = shutil.ignore_patterns("_build", "devices", "__pycache__")


@dataclass(frozen=True)
class Site:
    """The folder ``out`` of its pages, that of its sources, and what the build said and returned, where it was ours."""

    out: Path
    root: Path
    said: str | None = None
    code: int | None = None

    def pages(self) -> dict[str, Page]:
        """Every page by its path in the output."""
        found = sorted(p for p in self.out.rglob("*.html") if "_static" not in p.parts)
        return {p.relative_to(self.out).as_posix(): read(p) for p in found}


@dataclass
class Page:
    """What links and rows a page has."""

    text: str
    ids: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    """Targets of the links in cells of perfdocs tables."""

    def internal(self) -> list[tuple[str, str]]:
        """Path and fragment of each URL that stays in the site."""
        parts = [urlsplit(url) for url in self.urls]
        return [(unquote(p.path), unquote(p.fragment)) for p in parts if not p.scheme and not p.netloc]


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__(convert_charrefs=True)
        self.page, self.in_cell = page, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if known.get("id"):
            self.page.ids.append(str(known["id"]))
        url = known.get("href") or known.get("src")
        if url:
            self.page.urls.append(url)
        if tag in ("td", "th"):
            self.in_cell = True
        elif tag == "a" and self.in_cell and url and re.search("#r[0-9a-f]{8}$", url):
            self.page.cells.append(url)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.in_cell = False


def read(path: Path) -> Page:
    """Parse a page."""
    page = Page(path.read_text(encoding="utf-8"))
    _Reader(page).feed(page.text)
    return page


def built_site(factory: pytest.TempPathFactory) -> Site:
    """The site of this test run; processes that test side by side share one.

    Where the environment names a site that was just built without a warning (`PERFDOCS_SITE`, as `nox -s test` does),
    it is not built once more.
    """
    if built := os.environ.get("PERFDOCS_SITE"):
        return Site(Path(built), PROJECT)
    root = of_all_workers(factory) / "site"
    try:
        root.mkdir()
    except FileExistsError:
        _wait(root / "code.txt")
        return _site_in(root)
    for name in ("docs", "benchmarks", "tests/claims"):
        shutil.copytree(PROJECT / name, root / name, ignore=NOT_COPIED)
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(root / "doctrees"), str(root / "docs"), str(root / "html")],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"NO_COLOR": "1", "PYTHONWARNINGS": "ignore"},
    )
    (root / "said.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    partial = root / "code.part"
    partial.write_text(str(done.returncode))
    partial.rename(root / "code.txt")
    return _site_in(root)


def _site_in(root: Path) -> Site:
    said, code = (root / name for name in ("said.txt", "code.txt"))
    return Site(root / "html", root, said.read_text(encoding="utf-8"), int(code.read_text()))


def _wait(path: Path) -> None:
    end = time.monotonic() + LONGEST
    while not path.exists():
        if time.monotonic() > end:
            pytest.fail("the process that builds the site did not end")
        time.sleep(0.2)
