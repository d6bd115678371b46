"""What a page shows, before any output format: tables of cells and lines of text.

Renderers (:mod:`.html`, :mod:`.markdown`, the docutils writer of the extension) turn these into a format and escape
everything they print; models hold plain text.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Cell", "Group", "Line", "TableModel"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: ``text`` as shown (number without its column's unit), flags, and what a reader can ask of it.

    ``best``: nothing beats it in its column. ``missing``: the reason why there is no number. ``detail``: unrounded
    value, interval, samples (a tooltip and the tidy CSV say the same). ``anchor``: a permanent id, where this cell
    starts a row. ``link``: an id on the device's page where the row stands.
    """

    text: str
    flags: tuple[str, ...] = ()
    best: bool = False
    missing: str = ""
    detail: str = ""
    anchor: str = ""
    link: str = ""
    number: bool = True


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading whose numeric columns share one unit each (``head`` names column and unit)."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class TableModel:
    """A table with its caption and the legend of every flag in it."""

    key: str
    title: str
    groups: tuple[Group, ...]
    caption: str = ""
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of a list: ``lead`` in bold, then text."""

    lead: str
    text: str
    flags: tuple[str, ...] = ()
