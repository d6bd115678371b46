"""The one way perfdocs reports what is wrong: a place, what was found, what was expected, what to do."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PerfdocsError", "Problem", "clean", "nearest", "place"]


def place(path: Path, at: str = "") -> str:
    """Name ``path`` relative to the working directory where that is shorter, then ``at`` (a JSON path or line)."""
    try:
        text = os.path.relpath(path)
    except ValueError:  # another drive on Windows
        text = str(path)
    if text.startswith(os.pardir + os.sep + os.pardir + os.sep):
        text = str(path)
    return f"{text}: {at}" if at else text


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean "x"?`` for the known word nearest to ``word``, or the empty string."""
    hits = difflib.get_close_matches(word[:80], sorted(set(known)), n=1, cutoff=0.5)
    return f'; did you mean "{hits[0]}"?' if hits else ""


def clean(text: str, limit: int = 200) -> str:
    """Make text from a stranger fit for one line of a terminal or a log: printable, bounded."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[: limit + 1])
    return shown[:limit] + "…" if len(shown) > limit else shown


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    ``code`` is a stable kebab-case key (``card-syntax``, ``unknown-arm``, …): Sphinx uses it as the warning's subtype.
    """

    code: str
    where: str
    found: str
    expected: str
    do: str

    def __str__(self) -> str:
        where, expected, do = (clean(text, 400) for text in (self.where, self.expected, self.do))
        return f"{where}: found {clean(self.found)}, expected {expected}; {do} [{self.code}]"


class PerfdocsError(Exception):
    """Carries a :class:`Problem` to the edge that shows it (command line, Sphinx, test)."""

    def __init__(self, code: str, where: str, found: str, expected: str, do: str) -> None:
        self.problem = Problem(code, where, found, expected, do)
        super().__init__(str(self.problem))
