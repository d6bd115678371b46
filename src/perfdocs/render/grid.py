"""Models as grids of plain strings, which the extension turns into docutils tables for LaTeX, text and manual pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .columns import marks
from .facts import legend_lines
from .html import plain
from .model import Cell, LineGroup, TableModel, cells_in, whys_in

__all__ = ["Grid", "cell_text", "grid", "lines_text", "notes"]


@dataclass(frozen=True, slots=True)
class Grid:
    """One table of strings. ``best``: (row, column) to set strong; ``numbers``: columns to align right."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]] = frozenset()
    numbers: frozenset[int] = frozenset()


def cell_text(cell: Cell) -> str:
    """A cell as plain text, its flags' marks in square brackets behind it."""
    return plain(cell.text) + (f" [{marks(cell.flags)}]" if cell.flags else "")


def grid(model: TableModel) -> tuple[Grid, ...]:
    """One grid for each group that has rows; its title is the group's, or the table's where the group has none."""
    return tuple(
        Grid(
            plain(group.title or model.title),
            tuple(map(plain, group.head)),
            tuple(tuple(cell_text(c) for c in row) for row in group.rows),
            frozenset((i, j) for i, row in enumerate(group.rows) for j, c in enumerate(row) if c.best),
            frozenset(j for j, c in enumerate(group.rows[0]) if c.number),
        )
        for group in model.groups
        if group.rows
    )


def notes(model: TableModel) -> tuple[str, ...]:
    """Why something is missing, then what the marks mean and why they are there: one plain line each."""
    missing = [plain(f"{n.lead}: {n.text}") for n in model.notes]
    legend = legend_lines(model.flags, whys_in(cells_in(model.groups)))
    return (*missing, *(plain(f"[{f.lead}] {f.text}") for f in legend))


def lines_text(groups: Iterable[LineGroup]) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Fastest lines as (title, ((lead, text), …)), marks in square brackets behind the text."""
    return tuple(
        (
            plain(g.title),
            tuple((plain(x.lead), plain(x.text) + (f" [{marks(x.flags)}]" if x.flags else "")) for x in g.lines),
        )
        for g in groups
    )
