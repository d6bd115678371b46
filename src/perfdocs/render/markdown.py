"""Models as GitHub Markdown, everything escaped: what a forge shows and a reviewer reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .columns import marks
from .facts import legend_lines
from .html import Links, plain
from .model import Cell, Group, Line, LineGroup, TableModel, Why, cells_in, has_rows, whys_in

__all__ = ["escape", "lines_markdown", "notes_markdown", "table_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!@^])")
_START = re.compile(r"^(\s*)([-+=]|\d{1,9}(?=[.)]))")


def escape(text: str) -> str:
    """Text fit for a paragraph, a list item or a table cell; no mark-up, link, entity, emoji or mention comes of it."""
    text = plain(text).strip()
    text = _SPECIAL.sub(r"\\\1", text)
    text = text.replace("&", "&amp;").replace("://", ":\\//").replace("www.", "www\\.")
    text = re.sub(r":(?=[\w+-]+:)", r"\\:", text)
    return _START.sub(lambda m: m[1] + (f"\\{m[2]}" if not m[2][0].isdigit() else m[2]), text)


def _sup(flags: tuple[str, ...]) -> str:
    return f"<sup>{escape(marks(flags))}</sup>" if flags else ""


def _cell(cell: Cell, links: Links | None) -> str:
    text = escape(cell.text)
    if cell.best and text:
        text = f"**{text}**"
    if cell.link and "#" not in cell.link and links is not None and (page := links(cell.link)):
        text = f"[{text}]({page})"
    return text + _sup(cell.flags)


def _group(group: Group, links: Links | None) -> str:
    first = group.rows[0]
    rule = ["--:" if i < len(first) and first[i].number else ":--" for i in range(len(group.head))]
    lines = [f"| {' | '.join(map(escape, group.head))} |", f"| {' | '.join(rule)} |"]
    lines += [f"| {' | '.join(_cell(c, links) for c in row)} |" for row in group.rows]
    return "\n".join(lines) + "\n"


def table_markdown(model: TableModel, links: Links | None = None, *, legend: bool = True, notes: bool = True) -> str:
    """A table model: caption, one table a group under its title in bold, notes, legend. Ends with one newline.

    ``links`` gives a device's page; empty string where there are no rows.
    """
    if not has_rows(model):
        return ""
    parts = [escape(model.caption) + "\n"] if model.caption else []
    for group in model.groups:
        if group.rows:
            parts += [f"**{escape(group.title)}**\n"] if group.title else []
            parts.append(_group(group, links))
    if below := notes_markdown(model, legend=legend, notes=notes):
        parts.append(below)
    return "\n".join(parts)


def _item(line: Line) -> str:
    lead = f"{escape(line.lead)}: " if line.lead else ""
    return f"- {lead}{escape(line.text)}{_sup(line.flags)}\n"


def notes_markdown(model: TableModel, *, legend: bool = True, notes: bool = True) -> str:
    """Why something is missing, and what the marks mean."""
    parts = []
    if notes and model.notes:
        parts.append("Not run:\n\n" + "".join(_item(note) for note in model.notes))
    if legend and model.flags:
        parts.append(_legend(model.flags, whys_in(cells_in(model.groups))))
    return "\n".join(parts)


def _legend(flags: Iterable[str], whys: Iterable[Why]) -> str:
    return "".join(f"- <sup>{escape(f.lead)}</sup> {escape(f.text)}\n" for f in legend_lines(flags, whys))


def lines_markdown(groups: Iterable[LineGroup], *, legend: bool = True) -> str:
    """Fastest lines: a list a group under its title in bold."""
    parts = []
    seen: set[str] = set()
    every = tuple(groups)
    for group in every:
        parts += [f"**{escape(group.title)}**\n"] if group.title else []
        items = []
        for line in group.lines:
            seen.update(line.flags)
            lead = f"**{escape(line.lead)}:** " if line.lead else ""
            items.append(f"- {lead}{escape(line.text)}{_sup(line.flags)}\n")
        parts.append("".join(items))
    if legend and seen:
        parts.append(_legend(seen, whys_in(line for group in every for line in group.lines)))
    return "\n".join(parts)
