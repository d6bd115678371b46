"""Blocks as docutils nodes, for every builder that is not HTML: LaTeX, plain text, manual pages, Texinfo and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from docutils import nodes

from ..render.grid import Grid, grid, lines_text, notes
from .blocks import Block, DeviceList, Downloads, Figure, Folded, Heading, Lines, Paragraph, Table, Tabs

__all__ = ["Draw", "expand"]

Draw = Callable[[Figure], nodes.Node | None]
"""Makes the image of a figure, or ``None`` where the builder shows its description only."""


def expand(blocks: Iterable[Block], draw: Draw, alt: Callable[[Figure], str]) -> list[nodes.Node]:
    """Nodes of all blocks, in order. Tabs and folded parts stand one after the other."""
    return [node for block in blocks for node in _block(block, draw, alt)]


def _block(block: Block, draw: Draw, alt: Callable[[Figure], str]) -> list[nodes.Node]:
    match block:
        case Paragraph(text):
            return [_paragraph(text)]
        case Heading(text):
            return [nodes.rubric("", text)]
        case Table():
            return _tables(block)
        case Lines(make=make):
            return _lines(lines_text(make()))
        case Figure(caption=caption):
            return [_figure(caption, draw(block), alt(block))]
        case Downloads():
            return []
        case DeviceList(lead, devices):
            return [_paragraph(f"{lead}: {', '.join(name for _, name in devices)}.")]
        case Folded(summary, inner):
            inside = expand(inner, draw, alt)
            return [nodes.rubric("", summary), *inside] if inside else []
        case Tabs(_, parts):
            return [node for label, inner in parts for node in (nodes.rubric("", label), *expand(inner, draw, alt))]


def _paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph("", text)


def _lead(lead: str, text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong("", lead), nodes.Text(f": {text}")) if lead else _paragraph(text)


def _list(items: Iterable[nodes.paragraph]) -> nodes.bullet_list:
    return nodes.bullet_list("", *(nodes.list_item("", item) for item in items), bullet="*")


def _lines(groups: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> list[nodes.Node]:
    out: list[nodes.Node] = []
    for title, lines in groups:
        if title:
            out.append(_paragraph(title))
        out.append(_list(_lead(*line) for line in lines))
    return out


def _figure(caption: str, image: nodes.Node | None, alt: str) -> nodes.Node:
    if image is None:
        return _paragraph(f"[{caption}: {alt}]")
    return nodes.figure("", image, nodes.caption("", caption), align="center")


def _tables(block: Table) -> list[nodes.Node]:
    model = block.model()
    if model is None:
        return [_paragraph(block.otherwise)] if block.otherwise else []
    out: list[nodes.Node] = [_table(part, model.title) for part in grid(model)]
    if model.caption:
        out.append(_paragraph(model.caption))
    said = notes(model)  # why something is missing, then what the marks mean
    if said := said if block.notes else said[len(model.notes) :]:
        out.append(_list(map(_paragraph, said)))
    return out


def _table(part: Grid, title: str) -> nodes.table:
    """One table; its caption is the model's title and the group's."""
    widths = [max(3, *(len(row[i]) for row in (part.head, *part.rows))) for i in range(len(part.head))]
    group = nodes.tgroup("", *(nodes.colspec("", colwidth=w) for w in widths), cols=len(widths))
    group += nodes.thead("", _row(part.head))
    group += nodes.tbody("", *(_row(row, {c for r, c in part.best if r == i}) for i, row in enumerate(part.rows)))
    caption = part.title if part.title == title else f"{title} – {part.title}"
    return nodes.table("", *([nodes.title("", caption)] if caption else []), group, classes=["longtable"])


def _row(cells: Sequence[str], best: Iterable[int] = ()) -> nodes.row:
    marked = set(best)
    return nodes.row("", *(nodes.entry("", _cell(text, i in marked)) for i, text in enumerate(cells)))


def _cell(text: str, best: bool) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong("", text)) if best else _paragraph(text)
