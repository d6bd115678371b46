"""Models as HTML: small, well-formed (XHTML too, for EPUB), everything escaped, no script and no style.

Numbers are the default of a cell, so that they cost no class: ``td.t`` is text, ``td.b`` best, ``td.m`` missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from .columns import marks
from .facts import flag_legend, legend_lines, reason_lines
from .model import Cell, Group, Line, LineGroup, TableModel, Why, cells_in, has_rows, whys_in
from .points import ORIGINS

__all__ = ["Links", "details_html", "escape", "isolate", "lines_html", "notes_html", "plain", "table_html"]

Links = Callable[[str], str | None]
"""A link of a cell to its URL: ``""`` for this page, ``None`` for none. See :attr:`perfdocs.render.model.Cell.link`."""

FEW = 3
"""Notes that are shown as they are; more are folded."""
_SPACE = re.compile(r"[\t\n\v\f\r\u0085\u2028\u2029]+")
_BAD = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff]"
)


def plain(text: str) -> str:
    """Text fit for a line of any format: breaks become spaces; controls and overrides of direction a visible mark."""
    if text.isprintable():
        return text
    return _BAD.sub("\N{REPLACEMENT CHARACTER}", _SPACE.sub(" ", text))


def escape(text: str) -> str:
    """Text fit for HTML, in an element or in a quoted attribute."""
    text = plain(text)
    if text.isalnum():
        return text
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")


def isolate(text: str) -> str:
    """Text from a card, escaped, its direction of writing kept from what stands around it."""
    return f"<bdi>{escape(text)}</bdi>"


def _sup(flags: tuple[str, ...], whys: tuple[Why, ...]) -> str:
    """Marks behind a value, with the reasons that a card gives; what a mark means the legend says."""
    parts = []
    for flag in flags:
        mark = escape(marks((flag,)))
        reason = "; ".join(w.text for w in whys if w.flag == flag)
        title = f"{flag.replace('_', ' ')}: {reason}"
        parts.append(mark if not reason or flag in ORIGINS else f'<abbr title="{escape(title)}">{mark}</abbr>')
    return f"<sup>{''.join(parts)}</sup>"


def _content(cell: Cell, links: Links | None) -> str:
    text = isolate(cell.text) if cell.foreign else escape(cell.text)
    if cell.link and links is not None and (url := links(cell.link)) and url != f"#{cell.anchor}":
        text = f'<a href="{escape(url)}">{text}</a>'
    return text + _sup(cell.flags, cell.whys) if cell.flags else text


def _cell(cell: Cell, links: Links | None) -> str:
    if cell.missing:
        name = "m" if cell.number else "m t"
        return f'<td class="{name}" title="{escape(cell.missing)}">{escape(cell.text)}</td>'
    if cell.number and not cell.best and not cell.detail:
        return f"<td>{_content(cell, links)}</td>"
    name = "" if cell.number else "t"
    if cell.best:
        name = f"{name} b".strip()
    attributes = (f' class="{name}"' if name else "") + (f' title="{escape(cell.detail)}"' if cell.detail else "")
    return f"<td{attributes}>{_content(cell, links)}</td>"


def _rows(group: Group, links: Links | None, anchors: bool) -> Iterator[str]:
    for row in group.rows:
        first = row[0]
        anchor = f' id="{escape(first.anchor)}"' if anchors and first.anchor else ""
        yield f'<tr{anchor}><th scope="row">{_content(first, links)}</th>'
        for cell in row[1:]:
            yield _cell(cell, links)
        yield "</tr>\n"


def _head(group: Group) -> str:
    texts = group.rows[0] if group.rows else ()
    cells = []
    for i, name in enumerate(group.head):
        kind = ' class="t"' if i < len(texts) and not texts[i].number else ""
        cells.append(f'<th scope="col"{kind}>{escape(name)}</th>')
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def table_html(
    model: TableModel,
    links: Links | None = None,
    *,
    anchors: bool = True,
    legend: bool = True,
    notes: bool = True,
    folds: bool = False,
) -> str:
    """A table model: caption, one ``table`` a group in one container that scrolls, notes and the legend of its flags.

    ``anchors`` gives rows their ids, for the one page where they live. ``folds``: whether the parts of a folded model,
    and more than a few notes, may be closed until a reader opens them. Empty string where there are no rows.
    """
    if not has_rows(model):
        return ""
    groups = [group for group in model.groups if group.rows]
    titled = any(group.title for group in groups)
    caption = f'<p class="perfdocs-caption">{escape(model.caption)}</p>\n' if model.caption else ""
    parts = [f'<p class="perfdocs-title">{escape(model.title)}</p>\n{caption}' if titled else caption]
    if folds and model.folded:
        for group in groups:
            title = group.title or model.title
            table = _container([group], title, links, anchors)
            parts.append(details_html(title, table))
    else:
        parts.append(_container(groups, model.title, links, anchors))
    parts.append(notes_html(model, legend=legend, notes=notes, folds=folds))
    return "".join(parts)


def _container(groups: Iterable[Group], title: str, links: Links | None, anchors: bool) -> str:
    """Tables that scroll together, within the page."""
    parts = [f'<div class="perfdocs-table" tabindex="0" role="region" aria-label="{escape(title)}">\n']
    for group in groups:
        parts.append(f"<table><caption>{escape(group.title or title)}</caption>{_head(group)}<tbody>\n")
        parts.extend(_rows(group, links, anchors))
        parts.append("</tbody></table>\n")
    return "".join([*parts, "</div>\n"])


def details_html(summary: str, content: str) -> str:
    """Content (HTML) that a reader opens, without a script."""
    return f'<details class="perfdocs-folded"><summary>{escape(summary)}</summary>\n{content}</details>\n'


def _line(line: Line, join: str) -> str:
    text = isolate(line.text) if line.foreign else escape(line.text)
    return f"{escape(line.lead)}{join}{text}"


def notes_html(model: TableModel, *, legend: bool = True, notes: bool = True, folds: bool = False) -> str:
    """Why something is missing, and what the marks mean: readable without hovering."""
    parts = []
    if notes and model.notes:
        items = "".join(f"<li>{_line(note, ': ')}</li>" for note in model.notes)
        said = f'<ul class="perfdocs-notes">{items}</ul>\n'
        folded = folds and len(model.notes) > FEW
        parts.append(details_html("Not run", said) if folded else f'<p class="perfdocs-notes">Not run:</p>\n{said}')
    if legend and model.flags:
        parts.append(_legend(model.flags, whys_in(cells_in(model.groups)), folds=folds))
    return "".join(parts)


def _legend(flags: Iterable[str], whys: Iterable[Why], *, folds: bool) -> str:
    """What marks mean, and why they stand where they stand."""
    found = tuple(whys)
    reasons = reason_lines(found)
    if not folds or len(reasons) <= FEW:
        return _flag_list(legend_lines(flags, found))
    return _flag_list(flag_legend(flags)) + details_html("Reasons of these marks", _flag_list(reasons))


def _flag_list(lines: Iterable[Line]) -> str:
    items = "".join(f"<li><sup>{escape(f.lead)}</sup> {_line(Line('', f.text, (), f.foreign), '')}</li>" for f in lines)
    return f'<ul class="perfdocs-flags">{items}</ul>\n'


def lines_html(groups: Iterable[LineGroup], *, legend: bool = True, folds: bool = False) -> str:
    """Fastest lines: a list a group, its title before it. ``folds``: more than a few reasons of marks may be closed."""
    parts = []
    seen: set[str] = set()
    every = tuple(groups)
    for group in every:
        if group.title:
            parts.append(f'<p class="perfdocs-title">{escape(group.title)}</p>\n')
        items = []
        for line in group.lines:
            seen.update(line.flags)
            lead = f"<strong>{escape(line.lead)}:</strong> " if line.lead else ""
            text = isolate(line.text) if line.foreign else escape(line.text)
            items.append(f"<li>{lead}{text}{_sup(line.flags, line.whys) if line.flags else ''}</li>\n")
        parts.append(f'<ul class="perfdocs-fastest">\n{"".join(items)}</ul>\n')
    if legend and seen:
        parts.append(_legend(seen, whys_in(line for group in every for line in group.lines), folds=folds))
    return "".join(parts)
