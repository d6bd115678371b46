"""Where the numbers of a page come from: one entry a number, with the data that it is made of. HTML, all escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..claims.model import Datum, Line
from ..definition import Derived
from ..facts import FACT_UNITS, device_fact
from ..frame import rows_of_card
from ..library import Benchmark, Library
from ..loading import LoadedCard
from ..peaks import peak
from ..row import Row
from ..verdict import Missing, Value
from .exact import exact_text, interval_text
from .facts import flag_legend, recorded_text
from .html import escape, isolate
from .rows import facts_html, flag_words, formula_text, runs_of
from .whys import row_text

__all__ = ["MOST", "Entry", "entries_html"]

MOST = 48
"""Data that an entry lists; of more the rest is counted."""

RowLinks = Callable[[Datum], str | None]
"""The URL of the row that a datum stands in, or of the device whose fact it is."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A printed number: its permanent ``anchor`` on the page of its document, and where its words are there.

    ``given`` and ``expression`` are those of its claim.
    """

    anchor: str
    text: str
    sentence: str
    place: str
    given: tuple[str, ...]
    expression: str
    flags: tuple[str, ...]
    line: Line


def entries_html(entries: Iterable[Entry], library: Library, page: str, links: RowLinks) -> str:
    """A section for each number; ``page`` is the URL of the document they are printed on."""
    parts = [_entry(entry, library, page, links) for entry in entries]
    return f'<div class="perfdocs">\n{"".join(parts)}</div>\n'


def _entry(entry: Entry, library: Library, page: str, links: RowLinks) -> str:
    line = entry.line
    back = f"{page}#{entry.place}" if entry.place else page
    facts = list(_facts(entry))
    data = _data(line, library, links)
    cards = _cards(line, library, links)
    words = isolate((entry.sentence or entry.text).replace("`", ""))
    said = f'<p class="perfdocs-quote"><a href="{escape(back)}">{words}</a></p>\n'
    return (
        f'<section class="perfdocs-number" id="{escape(entry.anchor)}">\n<h2>{isolate(entry.text)}</h2>\n'
        f"{said}{facts_html(facts)}{data}{cards}</section>\n"
    )


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    line = entry.line
    yield "formula", f"<code>{escape(line.formula)}</code>"
    if entry.expression != line.formula:
        yield "claim", f"<code>{escape(entry.expression)}</code>"
    if entry.given:
        yield "given", "<br/>".join(f"<code>{escape(given)}</code>" for given in entry.given)
    if line.value is not None:
        value = Value(line.value, line.low, line.high, line.low, line.high, line.runs)
        ratio = "×" if not line.unit and line.less else ""
        yield "value", escape(exact_text(line.value, line.unit) + ratio)
        if line.less:
            yield "printed as", escape(f"that less {line.less:g}: {exact_text((line.value - line.less) * 100, '')} %")
        if interval := interval_text(value, line.unit):
            yield "interval", escape(interval)
        if line.runs:
            yield "runs", str(line.runs) if len(line.data) == 1 else f"{line.runs} or more of each"
    if entry.flags:
        yield "flags", "<br/>".join(isolate(f"{f.lead} {f.text}") for f in flag_legend(entry.flags))


def _data(line: Line, library: Library, links: RowLinks) -> str:
    """The data that the number is the value of, then the others that were looked at."""
    chosen = [datum for datum in line.data if datum in line.chosen]
    others = [datum for datum in line.data if datum not in line.chosen]
    narrowed = bool(chosen and others)
    parts = [_list("It is the value of" if narrowed else "From", chosen, library, links)]
    parts.append(_list("Looked at besides" if narrowed else "Looked at", others, library, links))
    return "".join(parts)


def _list(title: str, data: Sequence[Datum], library: Library, links: RowLinks) -> str:
    if not data:
        return ""
    items = "".join(f"<li>{_datum(datum, library, links)}</li>\n" for datum in data[:MOST])
    more = f"<li>and {len(data) - MOST} more</li>\n" if len(data) > MOST else ""
    return f'<p class="perfdocs-heading">{title}</p>\n<ul>{items}{more}</ul>\n'


def _found(datum: Datum, library: Library) -> tuple[Benchmark, LoadedCard, Row | None] | None:
    benchmark = library.benchmarks.get(datum.benchmark)
    loaded = benchmark.card_of(datum.device) if benchmark else None
    if benchmark is None or loaded is None:
        return None
    row = rows_of_card(benchmark, loaded).place(datum.table, datum.arm, datum.at) if datum.table else None
    return benchmark, loaded, row


def _datum(datum: Datum, library: Library, links: RowLinks) -> str:
    found = _found(datum, library)
    if found is None:
        return escape(datum.key)
    benchmark, loaded, row = found
    name = isolate(row_text(row)) if row is not None else isolate(loaded.card.device.name)
    url = links(datum)
    shown = f'<a href="{escape(url)}">{name}</a>' if url else name
    where = "" if row is None else f" on {isolate(loaded.card.device.name)}"
    return f"{shown}{where}: {_said(datum, benchmark, loaded, row)}"


def _said(datum: Datum, benchmark: Benchmark, loaded: LoadedCard, row: Row | None) -> str:
    """Quantity, value, interval, runs and flags."""
    if row is None:
        return _fact(datum.key, loaded)
    quantity = benchmark.definition.quantity(datum.key)
    try:
        value = row.value(datum.key)
    except Missing as missing:
        return escape(missing.reason)
    label = escape(quantity.label)
    if isinstance(quantity, Derived):
        label += f" = <code>{escape(formula_text(quantity))}</code>"
    parts = [f"{label} <strong>{escape(exact_text(value.centre, quantity.unit))}</strong>"]
    if interval := interval_text(value, quantity.unit):
        parts.append(f"interval {escape(interval)}")
    if runs := runs_of(row, datum.key, quantity):
        parts.append(f"runs {escape(runs)}" if row.raw and ":" in runs else escape(runs))
    if value.flags:
        parts.append(isolate(flag_words(value.flags, row)))
    return "; ".join(parts)


def _fact(key: str, loaded: LoadedCard) -> str:
    name = key.removeprefix("device.")
    try:
        value = device_fact(loaded.card.device, key)
    except Missing as missing:
        return escape(missing.reason)
    part = name.removeprefix("peak.")
    top = peak(loaded.card.device, part) if name.startswith("peak.") else None
    unit = FACT_UNITS.get(name, "")
    by = f" = {escape(top.formula)}" if top is not None else ""
    return f"<code>{escape(key)}</code> <strong>{escape(exact_text(value.centre, unit))}</strong>{by}"


def _cards(line: Line, library: Library, links: RowLinks) -> str:
    """Each card once: recorded when, and how its file and its definition begin; the whole stands with its rows."""
    items = []
    for key, device in dict.fromkeys((d.benchmark, d.device) for d in line.data):
        benchmark = library.benchmarks.get(key)
        loaded = benchmark.card_of(device) if benchmark else None
        if benchmark is None or loaded is None:
            continue
        name = f"{escape(benchmark.definition.title)} on {isolate(loaded.card.device.name)}"
        url = links(Datum(key, device, "", anchor="card"))
        shown = f'<a href="{escape(url)}">{name}</a>' if url else name
        items.append(
            f"<li>{shown}, recorded {escape(recorded_text(loaded.card.recorded))}; "
            f"sha256 <code>{escape(loaded.digest[:16])}</code>…, "
            f"definition <code>{escape(benchmark.digest[:16])}</code>…</li>\n"
        )
    title = "Card" if len(items) == 1 else "Cards"
    return f'<p class="perfdocs-heading">{title}</p>\n<ul>{"".join(items)}</ul>\n' if items else ""
