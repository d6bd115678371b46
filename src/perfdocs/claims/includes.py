"""Files that a page includes: followed inside the project, where no page of its own is checked there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import PerfdocsError, clean, place
from ..files import read_bytes
from .forms import Found

__all__ = ["SUFFIXES", "Included", "Includes"]

MAX_DEPTH = 10
MAX_FILES = 200
SUFFIXES = (".md", ".rst")
"""Pages whose source is read."""


@dataclass(frozen=True, slots=True)
class Included:
    """What an include puts in its place. ``file`` names it in messages."""

    file: str
    text: str
    first_line: int
    rst: bool


class Includes:
    """The includes of one page, none of which leads out of ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))
        self._files = 0
        self.depth = 0
        """How many includes the present one stands in."""

    def read(self, file: str, argument: str, options: Mapping[str, str], *, rst: bool) -> Included | Found | None:
        """What ``file`` includes; ``None`` where it holds no claims of that page.

        That is so of code, of what docutils itself brings, of a page that is checked by itself, and of a file that is
        not there, which the build reports.
        """
        if not argument or argument.startswith("<") or {"literal", "code"} & options.keys():
            return None
        path = self._path(Path(os.path.realpath(file)), argument)
        self._files += 1
        if self.depth >= MAX_DEPTH or self._files > MAX_FILES:
            what = f"more than {MAX_DEPTH} includes in each other, or {MAX_FILES} on a page"
            return Found("broken", what, "include less")
        if not path.exists() or self._is_page(path):
            return None
        try:
            text = read_bytes(path, self._root, "include").decode("utf-8")
        except (PerfdocsError, UnicodeDecodeError) as error:
            why = error.problem.found if isinstance(error, PerfdocsError) else "bytes that are not UTF-8"
            outside = isinstance(error, PerfdocsError) and error.problem.code == "include-outside"
            why = "a file outside of the project" if outside else why
            shown = clean(argument, 100)
            return Found(
                "broken", f"an include of `{shown}`, {why}, which is not read", "include a text of the project"
            )
        first, part = _part(text, options)
        parser = options.get("parser", "")
        named = True if "rst" in parser or "restructuredtext" in parser else False if "myst" in parser else rst
        return Included(place(path), part, first, named)

    def _path(self, page: Path, argument: str) -> Path:
        if not argument.startswith("/"):
            return page.parent / argument
        sources = next((f for f in page.parents if (f / "conf.py").is_file()), page.parent)
        return sources / argument.lstrip("/")

    def _is_page(self, path: Path) -> bool:
        """Whether it is checked by itself, as what lies in no hidden folder and no build folder is."""
        real = Path(os.path.realpath(path))
        if real.suffix not in SUFFIXES or not real.is_relative_to(self._root):
            return False
        return not any(part.startswith(("_", ".")) for part in real.relative_to(self._root).parts[:-1])


def _part(text: str, options: Mapping[str, str]) -> tuple[int, str]:
    """The part of a text that the options ask for, with the number of its first line."""

    def number(name: str) -> int | None:
        try:
            return int(options[name])
        except (KeyError, ValueError):
            return None

    lines = text.splitlines()
    start = number("start-line") or 0
    first = max(start + len(lines), 0) if start < 0 else start
    text = "\n".join(lines[start : number("end-line")])
    if (after := options.get("start-after", "")) and (at := text.find(after)) >= 0:
        first += text.count("\n", 0, at + len(after))
        text = text[at + len(after) :]
    if (before := options.get("end-before", "")) and (at := text.find(before)) >= 0:
        text = text[:at]
    return first + 1, text
