"""The times that a command tells of itself: a line a region on its standard output.

::

    perfdocs-region NAME SECONDS

A name has letters, digits, ``_``, ``.`` and ``-``; seconds lie between :data:`LEAST` and :data:`MOST`, as ``0.0123``
or ``1.23e-2``. Each region is told once a run, :data:`REGIONS` at most. Lines end with a line feed, or a carriage
return and one; those that begin otherwise are the command's own.
"""

from __future__ import annotations

import math
import re

from perfdocs.errors import PerfdocsError, clean

__all__ = ["regions_of", "same_regions"]

WORD = "perfdocs-region"
LINE = re.compile(
    rf"{WORD}[ \t]+(?P<name>[A-Za-z0-9][A-Za-z0-9_.-]{{0,63}})[ \t]+(?P<seconds>[0-9.eE+-]{{1,40}})[ \t]*"
)
LEAST, MOST = 1e-12, 1e6
"""Seconds of a region. No clock tells less, no run takes more, and every ratio of two is a finite number."""
REGIONS = 1000
FORM = f"`{WORD} NAME SECONDS`, seconds from {LEAST:g} to {MOST:g}"


def regions_of(text: str, where: str) -> dict[str, float]:
    """Seconds by region. Raises :class:`PerfdocsError` for a line that is not as it should be, and without any."""
    found: dict[str, float] = {}
    for number, ended in enumerate(text.split("\n"), 1):
        line = ended.removesuffix("\r")
        if line.split(maxsplit=1)[:1] != [WORD]:
            continue
        name, seconds = _parsed(line, f"{where}, line {number}")
        if name in found:
            raise PerfdocsError(
                "ab-region",
                f"{where}, line {number}",
                f'"{name}" again',
                "each region once a run",
                "add the times up first",
            )
        if len(found) == REGIONS:
            raise PerfdocsError(
                "ab-region",
                f"{where}, line {number}",
                f"more than {REGIONS} regions",
                f"at most {REGIONS} in one run",
                "add some of them up",
            )
        found[name] = seconds
    if not found:
        raise PerfdocsError(
            "ab-region", where, f"no line that begins with `{WORD}`", FORM, "let the command print one for each region"
        )
    return found


def _parsed(line: str, where: str) -> tuple[str, float]:
    match = LINE.fullmatch(line)
    try:
        seconds = float(match["seconds"]) if match else math.nan
    except ValueError:
        seconds = math.nan
    if match is None or not LEAST <= seconds <= MOST:
        raise PerfdocsError("ab-region", where, f"`{clean(line, 120)}`", FORM, "correct what the command prints")
    return match["name"], seconds


def same_regions(known: set[str], found: set[str], where: str) -> None:
    """Every run of both sides tells the same regions. Raises :class:`PerfdocsError` where one does not."""
    if known != found:
        odd = ", ".join(sorted(known ^ found)[:5])
        raise PerfdocsError(
            "ab-region",
            where,
            f"other regions than before: {odd}",
            f"the same in every run of both sides: {', '.join(sorted(known)[:8])}",
            "let both commands tell the same regions",
        )
