"""Blocks as HTML, well-formed as XHTML too (EPUB). Tabs and folding need no script."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..render.html import Links, details_html, escape, isolate, lines_html, table_html
from .blocks import Block, DeviceList, Downloads, Figure, Folded, Heading, Lines, Paragraph, Table, Tabs

__all__ = ["Page", "html"]


@dataclass(frozen=True, slots=True)
class Page:
    """What the writer must know of the page: where things are, and what its format can do.

    ``device``: URL of a link of a cell, as of a device's page. ``image``: URL of a figure in the light or dark scheme.
    ``download``: URL of a card's file by suffix (``json``, ``csv``), or ``None`` where the format has no downloads.
    ``paged``: a book, where tabs and folding make no sense. ``prefix``: start of ids, unique on the page.
    """

    device: Links
    image: Callable[[Figure, bool], str]
    alt: Callable[[Figure], str]
    download: Callable[[Downloads, str], str] | None
    paged: bool
    prefix: str


def html(blocks: Iterable[Block], page: Page) -> str:
    """All blocks in one container."""
    return f'<div class="perfdocs">\n{_blocks(blocks, page)}</div>\n'


def _blocks(blocks: Iterable[Block], page: Page) -> str:
    return "".join(_block(block, page) for block in blocks)


def _block(block: Block, page: Page) -> str:
    match block:
        case Paragraph(text, foreign):
            return f"<p>{isolate(text) if foreign else escape(text)}</p>\n"
        case Heading(text, foreign):
            return f'<p class="perfdocs-heading">{isolate(text) if foreign else escape(text)}</p>\n'
        case Table():
            model = block.model()
            if model is None:
                return f"<p>{escape(block.otherwise)}</p>\n" if block.otherwise else ""
            return table_html(model, page.device, anchors=block.anchors, notes=block.notes, folds=not page.paged)
        case Lines(make, legend):
            return lines_html(make(), legend=legend, folds=not page.paged)
        case Figure():
            return _figure(block, page)
        case Downloads():
            return _downloads(block, page)
        case DeviceList(lead, devices):
            items = ", ".join(_device(device_id, name, page) for device_id, name in devices)
            return f'<p class="perfdocs-devices">{escape(lead)}: {items}.</p>\n'
        case Folded(summary, inner):
            return _folded(summary, inner, page)
        case Tabs():
            return _tabs(block, page)


def _figure(figure: Figure, page: Page) -> str:
    alt = escape(page.alt(figure))
    caption = f"<figcaption>{escape(figure.caption)}</figcaption>"
    if page.paged:  # a book has one scheme
        return (
            f'<figure class="perfdocs-figure"><img src="{page.image(figure, False)}" alt="{alt}"/>{caption}</figure>\n'
        )
    images = (  # a browser shows the image of the scheme in use, and reads out only that one
        f'<a class="perfdocs-{name}" href="{url}"><img src="{url}" alt="{alt}"/></a>'
        for name, url in (("light", page.image(figure, False)), ("dark", page.image(figure, True)))
    )
    return f'<figure class="perfdocs-figure">{"".join(images)}{caption}</figure>\n'


def _downloads(block: Downloads, page: Page) -> str:
    if page.download is None:
        return ""
    links = (
        f'<a href="{page.download(block, suffix)}" download="{block.card.device_id}.{suffix}">{text}</a>'
        for suffix, text in (("json", "the card (JSON)"), ("csv", "its values (CSV)"))
    )
    device = _device(block.card.device_id, "", page)
    about = f"All about {device} · " if device else ""
    return f'<p class="perfdocs-downloads">{about}Download {" · ".join(links)}</p>\n'


def _device(device_id: str, name: str, page: Page) -> str:
    url = page.device(device_id)
    text = isolate(name or "this device")
    if not url:
        return text if name else ""
    return f'<a class="reference internal" href="{escape(url)}">{text}</a>'


def _folded(summary: str, inner: Iterable[Block], page: Page) -> str:
    content = _blocks(inner, page)
    if page.paged or not content:
        return _block(Heading(summary), page) + content if content else ""
    return details_html(summary, content)


def _tabs(tabs: Tabs, page: Page) -> str:
    """Tabs from radio buttons: the arrow keys move between them; without CSS all parts show, one after the other."""
    if page.paged:
        return "".join(_block(Heading(label, True), page) + _blocks(inner, page) for label, inner in tabs.parts)
    out = [f'<div class="perfdocs-tabs" role="group" aria-label="{escape(tabs.label)}">\n']
    for i, (label, inner) in enumerate(tabs.parts):
        key = f"{page.prefix}-{i}"
        checked = ' checked="checked"' if i == 0 else ""
        out.append(
            f'<input type="radio" name="{page.prefix}" id="{key}"{checked}/>'
            f'<label for="{key}">{isolate(label)}</label>\n'
            f'<div class="perfdocs-panel"><p class="perfdocs-panel-title">{isolate(label)}</p>\n'
            f"{_blocks(inner, page)}</div>\n"
        )
    return "".join([*out, "</div>\n"])
