"""Every value of a card as it is: a page of HTML with a permanent anchor a row. Everything from a card is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from ..card import Summary
from ..definition import Derived, Metric
from ..frame import rows
from ..library import Benchmark
from ..loading import LoadedCard
from ..row import Row
from ..verdict import Missing
from .exact import exact_text, interval_text, runs_text
from .facts import recorded_text
from .html import escape, isolate
from .points import ordered_flags
from .whys import row_text

__all__ = ["CardLinks", "card_facts", "flag_words", "row_id", "rows_html"]


def row_id(anchor: str) -> str:
    """The short permanent id of a row on the page of its card, from its anchor (:attr:`perfdocs.row.Row.anchor`)."""
    return f"r{sha256(anchor.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class CardLinks:
    """Where the card is told about, and its files; empty where they are not."""

    device: str = ""
    json: str = ""
    csv: str = ""


def flag_words(flags: frozenset[str], row: Row | None = None) -> str:
    """Flags in words, with the reasons that a row has of them."""
    reasons = row.reasons if row is not None else {}
    told = ordered_flags(flags)
    return "; ".join(": ".join(filter(None, (flag.replace("_", " "), reasons.get(flag, "")))) for flag in told)


def card_facts(benchmark: Benchmark, loaded: LoadedCard) -> Iterator[tuple[str, str]]:
    """What a card is: name and HTML of each fact, its whole hashes included."""
    card = loaded.card
    yield "device", isolate(card.device.name)
    yield "recorded", escape(recorded_text(card.recorded))
    origin = isolate(card.origin.source) if card.origin.source else ""
    yield "origin", escape(card.origin.kind) + (f": {origin}" if origin else "")
    yield "sha256 of the card", f"<code>{escape(loaded.digest)}</code>"
    yield "sha256 of the definition", f"<code>{escape(benchmark.digest)}</code>"
    if card.source.commit:
        changed = ", with uncommitted changes" if card.source.dirty else ""
        yield "commit it was measured at", f"<code>{escape(card.source.commit)}</code>{changed}"


def rows_html(benchmark: Benchmark, loaded: LoadedCard, links: CardLinks) -> str:
    """The body of the page: the card, the formulas, then each table row by row."""
    definition = benchmark.definition
    files = [f'<a href="{escape(url)}">{name}</a>' for url, name in ((links.json, "JSON"), (links.csv, "CSV")) if url]
    facts = dict(card_facts(benchmark, loaded))
    if links.device:
        facts["device"] = f'<a href="{escape(links.device)}">{facts["device"]}</a>'
    if files:
        facts["files"] = " · ".join(files)
    parts = [
        '<div class="perfdocs">\n',
        f"<p>{escape(_about(loaded))}</p>\n",
        facts_html(facts.items()),
        _formulas(benchmark, loaded),
    ]
    for key, table in definition.tables.items():
        found = rows(benchmark, loaded, key)
        if found:
            title = escape(table.title or key)
            parts += [f"<h2>{title}</h2>\n", _table(found, table.title or key)]
    return "".join([*parts, "</div>\n"])


def facts_html(facts: Iterable[tuple[str, str]]) -> str:
    """Names and values (HTML) as a list."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{value}</dd>" for name, value in facts)
    return f'<dl class="simple perfdocs-line">{items}</dl>\n'


def _about(loaded: LoadedCard) -> str:
    method = loaded.card.method
    if loaded.card.origin.kind == "imported":
        return "Every value as it was published, with its interval where the source has one."
    middle = "the mean of the runs without the highest and the lowest" if method.protocol == "block" else "the median"
    if method.protocol == "block" and method.runs < 3:
        middle = "the mean of the runs"
    return (
        f"Every value to nine digits. Of a timed one the centre is {middle}, and the interval, which decides what is "
        "faster, is that of all runs; they stand behind it in the order in which they were made."
    )


def _formulas(benchmark: Benchmark, loaded: LoadedCard) -> str:
    """What derived quantities are computed by."""
    every = [row for key in benchmark.definition.tables for row in rows(benchmark, loaded, key)]
    used = {key for key in benchmark.definition.derived if any(_holds(row, key) for row in every)}
    formulas = [
        (derived.label, f"<code>{escape(formula_text(derived))}</code>")
        for key, derived in benchmark.definition.derived.items()
        if key in used
    ]
    return f"<h2>Formulas</h2>\n{facts_html(formulas)}" if formulas else ""


def formula_text(derived: Derived) -> str:
    """``needed / wall``, and over which axes."""
    return derived.is_ + (f" over {', '.join(derived.over)}" if derived.over else "")


def _holds(row: Row, key: str) -> bool:
    try:
        row.value(key)
    except Missing:
        return False
    return True


def _table(found: tuple[Row, ...], title: str) -> str:
    """Its columns are aligned by their place, so that a page of thousands of values needs no class for each."""
    names = ("measurement", "quantity", "value", "interval", "runs", "flags")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "".join(_row(row) for row in found)
    label = escape(title)
    return (
        f'<div class="perfdocs-table perfdocs-rows" tabindex="0" role="region" aria-label="{label}">\n'
        f"<table><thead><tr>{head}</tr></thead>{body}</table>\n</div>\n"
    )


def _row(row: Row) -> str:
    lines = list(_lines(row)) or ["<td>no value</td>"]
    name = f'<th scope="rowgroup" rowspan="{len(lines)}">{escape(row_text(row))}</th>'
    first, *others = lines
    rest = "".join(f"<tr>{line}</tr>\n" for line in others)
    return f'<tbody id="{row_id(row.anchor)}"><tr>{name}{first}</tr>\n{rest}</tbody>\n'


def _lines(row: Row) -> Iterator[str]:
    """The cells of each quantity; empty ones at the end are left out."""
    definition = row.definition
    for key in (*definition.metrics, *definition.derived):
        quantity = definition.quantity(key)
        label = escape(quantity.label)
        if (chosen := row.choice(key)) is not None:
            yield f"<td>{label}</td><td>{isolate(chosen)}</td>"
            continue
        try:
            value = row.value(key)
        except Missing:
            continue
        cells = [
            label,
            escape(exact_text(value.centre, quantity.unit)),
            escape(interval_text(value, quantity.unit)),
            escape(runs_of(row, key, quantity)),
            isolate(words) if (words := flag_words(value.flags, row)) else "",
        ]
        while not cells[-1]:
            del cells[-1]
        yield "".join(f"<td>{cell}</td>" for cell in cells)


def runs_of(row: Row, key: str, quantity: Metric | Derived) -> str:
    """The runs of a metric, how a source gave it, or of how many points a value of a series is."""
    raw = row.raw.values.get(key) if row.raw else None
    if isinstance(raw, tuple):
        text = runs_text(raw, row.value(key).centre, quantity.unit)
        return f"{len(raw)}: {text}"
    if isinstance(raw, Summary):
        return f"{raw.digits} digits" if raw.digits else "as published"
    if isinstance(quantity, Derived):
        return f"of {len(row.series)} points" if row.series else ""
    return ""
