"""What a page shows, before any output format: tables of cells and lines of text.

Renderers (:mod:`.html`, :mod:`.markdown`, :mod:`.grid`) turn these into a format and escape everything they print;
models hold plain text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = [
    "MISSING",
    "Cell",
    "Group",
    "Line",
    "LineGroup",
    "TableModel",
    "Why",
    "cells_in",
    "flags_in",
    "has_rows",
    "whys_in",
    "words",
]

MISSING = "—"


@dataclass(frozen=True, slots=True)
class Why:
    """The reason of a flag, in words from a card, and the arm and point that it is of."""

    flag: str
    text: str
    where: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: ``text`` as shown (number without its column's unit), flags, and what a reader can ask of it.

    ``best``: nothing beats it among its peers. ``missing``: the reason why there is no number. ``detail``: range and
    number of runs (the detail table and the tidy CSV say the same). ``anchor``: a permanent id, where this cell starts
    a row. ``link``: ``device-id`` or ``device-id#anchor``, the page and row
    where this stands, or ``/document#anchor``, a place in another document. ``foreign``: the text
    comes from a card, so its direction of writing is unknown. ``whys``: reasons of its flags.
    """

    text: str
    flags: tuple[str, ...] = ()
    best: bool = False
    missing: str = ""
    detail: str = ""
    anchor: str = ""
    link: str = ""
    number: bool = True
    foreign: bool = False
    whys: tuple[Why, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading whose numeric columns share one unit each (``head`` names column and unit).

    The first cell of a row is its header.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of a list: ``lead`` stands out, then text (``foreign``: the text comes from a card)."""

    lead: str
    text: str
    flags: tuple[str, ...] = ()
    foreign: bool = False
    whys: tuple[Why, ...] = ()


@dataclass(frozen=True, slots=True)
class LineGroup:
    """Statements under one heading; no heading where a table has one part only."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class TableModel:
    """A table with its caption, the flags that occur in it (in the legend's order) and notes on what is missing.

    ``folded``: its parts are many; where a format can, each is closed until a reader opens it.
    """

    key: str
    title: str
    groups: tuple[Group, ...]
    caption: str = ""
    flags: tuple[str, ...] = ()
    notes: tuple[Line, ...] = ()
    folded: bool = False


def words(text: str, *, foreign: bool = False) -> Cell:
    """A cell of text."""
    return Cell(text, number=False, foreign=foreign)


def has_rows(model: TableModel) -> bool:
    """Whether there is anything to show."""
    return any(group.rows for group in model.groups)


def whys_in(parts: Iterable[Cell | Line]) -> tuple[Why, ...]:
    """The reasons of all flags, each once, in the order in which they are met."""
    return tuple(dict.fromkeys(why for part in parts for why in part.whys))


def cells_in(groups: Iterable[Group]) -> Iterator[Cell]:
    """Every cell."""
    return (cell for group in groups for row in group.rows for cell in row)


def flags_in(groups: Iterable[Group]) -> frozenset[str]:
    """Every flag of every cell."""
    return frozenset(flag for cell in cells_in(groups) for flag in cell.flags)
