"""From a request to blocks: what each directive shows. Pure functions of the library."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ..claims.matrix import Page, matrix
from ..library import Benchmark, Library
from ..loading import LoadedCard
from ..render.absent import not_run
from ..render.detail import LONG, detail
from ..render.devices import comparison, measured_on
from ..render.facts import arms, device_facts, device_line, method_facts, software, sources, terms
from ..render.fastest import fastest_lines
from ..render.headlines import in_numbers, numbers_compared
from ..render.matrix import device_order, legend, page_table, parts_of, reasons_table, summary, totals
from ..render.model import TableModel, has_rows
from ..render.overview import overview
from ..render.plots import UNMEASURED, origin_notes
from ..render.points import has_overview, origin_of
from ..render.repeats import (
    arms_table,
    changed_facts,
    contradictions,
    moved_cells,
    repeats_of,
    single_cells,
    summary_table,
)
from ..render.series import has_values
from ..render.whys import plot_note
from .blocks import Block, DeviceList, Downloads, Figure, Folded, Heading, Lines, Paragraph, Table, Tabs
from .project import device_names
from .spec import Kind, Spec, chosen_cards, chosen_repeats

__all__ = ["content", "held_tables"]

NOT_MEASURED = "Not measured on any device yet."
NO_CLAIMS = "No page has a claim."
NOT_REPEATED = "No device was measured twice yet."


def content(spec: Spec, library: Library, pages: tuple[Page, ...] = ()) -> tuple[Block, ...]:
    """What a request shows. Whatever is absent from the library is left out: the directive has reported it.

    ``pages`` are those with claims, for a request that shows them.
    """
    if spec.kind == "claims":
        return tuple(_claims(spec, library, pages))
    return tuple(_MAKERS[spec.kind](spec, library))


def _benchmarks(spec: Spec, library: Library) -> list[Benchmark]:
    keys = spec.benchmarks or tuple(sorted(library.benchmarks))
    return [library.benchmarks[key] for key in keys if key in library.benchmarks]


def _cards(spec: Spec, library: Library) -> Iterator[tuple[Benchmark, LoadedCard]]:
    for benchmark in _benchmarks(spec, library):
        for card in chosen_cards(spec, benchmark):
            yield benchmark, card


def _table(spec: Spec, benchmark: Benchmark) -> str:
    return spec.table or next(iter(benchmark.definition.tables))


def _one_for_each_device(
    make: Callable[[Spec, Benchmark, LoadedCard], Iterator[Block]],
) -> Callable[[Spec, Library], Iterator[Block]]:
    """Blocks of each chosen card, under the device's name where there are several."""

    def blocks(spec: Spec, library: Library) -> Iterator[Block]:
        pairs = list(_cards(spec, library))
        if not pairs:
            yield Paragraph(NOT_MEASURED)
        names = device_names(library)
        for benchmark, card in pairs:
            if len(pairs) > 1:
                yield Heading(names[card.device_id], foreign=True)
            yield from make(spec, benchmark, card)

    return blocks


def _results(spec: Spec, library: Library) -> Iterator[Block]:
    pairs = list(_cards(spec, library))
    if not pairs:
        yield Paragraph(NOT_MEASURED)
        return
    names = device_names(library)
    shown, others = pairs[: spec.limit], pairs[spec.limit :]
    parts = tuple((names[c.device_id], tuple(_result(spec, b, c))) for b, c in shown)
    if len(parts) > 1:
        yield Tabs("Devices", parts)
    else:
        for _, blocks in parts:
            yield from blocks
    if others:
        yield DeviceList("More devices", tuple((c.device_id, names[c.device_id]) for _, c in others))


def _result(spec: Spec, benchmark: Benchmark, card: LoadedCard) -> Iterator[Block]:
    table = _table(spec, benchmark)
    yield _fastest(benchmark, card, table, legend=False)
    if has_overview(benchmark.definition, table):
        yield Table(partial(overview, benchmark, card, table))
        yield from _plots(benchmark, card, table)
        yield Folded("All measurements", (Table(partial(detail, benchmark, card, table), notes=False),))
    else:
        yield Table(partial(detail, benchmark, card, table))
        yield from _plots(benchmark, card, table)
    yield Downloads(benchmark, card)


def _fastest(benchmark: Benchmark, card: LoadedCard, table: str, *, legend: bool = True) -> Block:
    return Lines(partial(fastest_lines, benchmark, card, table), legend)


def _plots(benchmark: Benchmark, card: LoadedCard, table: str) -> Iterator[Block]:
    for key, plot in benchmark.definition.plots.items():
        if plot.table == table and _has_table(benchmark, card, table) and has_values(benchmark, card, key):
            yield _figure(benchmark, (card,), key)


def _figure(benchmark: Benchmark, cards: tuple[LoadedCard, ...], key: str) -> Figure:
    """A plot, its caption the title, what was not measured here and what was not observed."""
    plot = benchmark.definition.plots[key]
    notes = [*origin_notes(benchmark, cards, key), plot_note(benchmark, cards, plot.table).strip()]
    said = " ".join(filter(None, notes))
    return Figure(benchmark, cards, key, f"{plot.title}. {said}" if said else plot.title)


def _has_table(benchmark: Benchmark, card: LoadedCard, table: str) -> bool:
    wanted = benchmark.definition.tables[table].of or table
    return any(m.table == wanted for m in card.card.measurements)


def _compare(spec: Spec, library: Library) -> Iterator[Block]:
    for benchmark in _benchmarks(spec, library):
        make = partial(comparison, benchmark, _table(spec, benchmark), dict(spec.at) or None, spec.devices or None)
        yield Table(make, otherwise="Measured there on fewer than two devices: nothing to compare yet.")


def _numbers(spec: Spec, library: Library) -> Iterator[Block]:
    """One device in numbers, or several side by side."""
    benchmarks = _benchmarks(spec, library)
    names = device_names(library)
    devices = spec.devices or tuple(names)
    if len(devices) == 1:
        pairs = [(b, c) for b in benchmarks if (c := b.card_of(devices[0])) is not None]
        yield Table(partial(in_numbers, pairs), otherwise="No benchmark says anything of it in one number.")
        return
    found = tuple(numbers_compared(benchmarks, devices, names))
    for model in found:
        yield Table(partial(_same, model))
    if not found:
        yield Paragraph(NOT_MEASURED)


def _same(model: TableModel) -> TableModel:
    return model


def _repeatability(spec: Spec, library: Library) -> Iterator[Block]:
    """Figures, the cells that moved, and, where there are any, contradictions, lone cells and other changes."""
    benchmarks = _benchmarks(spec, library)
    chosen = [(b, [c.device_id for c in chosen_repeats(spec, b)]) for b in benchmarks]
    repeats = tuple(r for b, devices in chosen if devices for r in repeats_of(b, devices))
    yield Table(partial(summary_table, repeats, spec.table), otherwise=NOT_REPEATED)
    if not repeats:
        return
    moved = moved_cells(repeats, spec.table)
    if not has_rows(moved):
        yield Paragraph(f"{moved.title}: none.")
    further = (make(repeats, spec.table) for make in (contradictions, single_cells))
    for model in (arms_table(repeats, spec.table), moved, *further):
        yield from _folded_if_long(model)
    changes = changed_facts(repeats)
    yield Folded(changes.title, (Table(lambda: changes),))


def _folded_if_long(model: TableModel) -> Iterator[Block]:
    shown = Table(lambda: model)
    rows = sum(len(group.rows) for group in model.groups)
    if rows:
        yield Folded(model.title, (shown,)) if rows > LONG else shown


def _claims(spec: Spec, library: Library, pages: tuple[Page, ...]) -> Iterator[Block]:
    """Totals, what the signs mean, then a table for each page."""
    asked = tuple(page for page in pages if not spec.pages or page.document in spec.pages)
    made = matrix(asked, library)
    parts = parts_of(made, spec.benchmarks)
    if not parts:
        yield Paragraph(NO_CLAIMS)
        return
    names = device_names(library)
    devices = tuple(d for d in device_order(library, made.devices) if not spec.devices or d in spec.devices)
    rows = [row for _, found in parts for row in found]
    yield Paragraph(summary(rows, len(parts)))
    yield Table(partial(totals, rows, devices, names, library))
    yield Lines(legend, legend=False)
    for page, found in parts:
        shown = (
            Table(partial(page_table, page, found, devices, names)),
            Folded("Why some have no verdict", (Table(partial(reasons_table, found, devices, names)),)),
        )
        title = f"{page.title}: {len(found)} claim{'' if len(found) == 1 else 's'}"
        yield from (Folded(title, shown),) if len(parts) > 1 else shown


def _plot(spec: Spec, library: Library) -> Iterator[Block]:
    for benchmark in _benchmarks(spec, library):
        plot = benchmark.definition.plots[spec.plot]
        cards = tuple(c for c in chosen_cards(spec, benchmark) if _has_table(benchmark, c, plot.table))
        yield _figure(benchmark, cards, spec.plot) if cards else Paragraph(NOT_MEASURED)


def _device(spec: Spec, library: Library) -> Iterator[Block]:
    pairs = list(_cards(spec, library))
    if pairs and spec.parts in ("all", "facts"):
        yield from _unmeasured(pairs)
        yield Paragraph(device_line(pairs[0][1]), foreign=True)
        yield Folded("Every fact of the device", (Table(partial(device_facts, pairs[0][1])),))
    for benchmark, card in pairs if spec.parts != "facts" else ():
        if spec.parts == "all":
            yield Heading(benchmark.definition.title)
        if spec.parts != "about":
            yield from _device_tables(spec, benchmark, card)
        if not spec.table:
            yield from _about(benchmark, card)


def _unmeasured(pairs: Sequence[tuple[Benchmark, LoadedCard]]) -> Iterator[Block]:
    """What was not measured here: all of a device, or which benchmarks."""
    for origin, said in UNMEASURED.items():
        titles = [benchmark.definition.title for benchmark, card in pairs if origin_of(card.card) == origin]
        if titles:
            yield Paragraph(f"{said}." if len(titles) == len(pairs) else f"{said}: {', '.join(titles)}.")


def held_tables(benchmark: Benchmark, card: LoadedCard) -> tuple[str, ...]:
    """Keys of the tables that a card has measurements for, in the definition's order."""
    return tuple(table for table in benchmark.definition.tables if _has_table(benchmark, card, table))


def _device_tables(spec: Spec, benchmark: Benchmark, card: LoadedCard) -> Iterator[Block]:
    """Everything one card holds of a table, or of each: the first is open, another one folded where it is long."""
    held = held_tables(benchmark, card)
    for table in [spec.table] if spec.table else held:
        title = benchmark.definition.tables[table].title
        if not spec.table and table != held[0]:
            yield Heading(title)
        folded = table != held[0] and sum(m.table == table for m in card.card.measurements) > LONG
        yield _fastest(benchmark, card, table, legend=folded)
        shown = tuple(_device_table(spec, benchmark, card, table))
        yield from [Folded(title, shown)] if folded else shown


def _device_table(spec: Spec, benchmark: Benchmark, card: LoadedCard, table: str) -> Iterator[Block]:
    """What was not run is said once, behind the tables."""
    whole = Table(partial(detail, benchmark, card, table), spec.anchors, notes=False)
    if not has_overview(benchmark.definition, table):
        yield from _plots(benchmark, card, table)
        yield whole
        return
    yield Table(partial(overview, benchmark, card, table), notes=False)
    yield from _plots(benchmark, card, table)
    yield Folded("All measurements", (whole,))


def _about(benchmark: Benchmark, card: LoadedCard) -> Iterator[Block]:
    """What a card says besides its tables."""
    lacking = Table(partial(not_run, benchmark, card))
    yield Folded("Not run", (lacking,)) if len(card.card.not_run) > LONG else lacking
    yield Folded("Method, software and sources", tuple(_method(card)))
    yield Downloads(benchmark, card)


def _method(card: LoadedCard) -> Iterator[Block]:
    for make in (method_facts, software, sources):
        yield Table(partial(make, card))


def _arms(spec: Spec, library: Library) -> Iterator[Block]:
    for benchmark in _benchmarks(spec, library):
        yield Table(partial(arms, benchmark))


def _terms(spec: Spec, library: Library) -> Iterator[Block]:
    for benchmark in _benchmarks(spec, library):
        yield Table(partial(terms, benchmark))


def _measured_on(spec: Spec, library: Library) -> Iterator[Block]:
    make = partial(measured_on, _benchmarks(spec, library), spec.devices or None)
    yield Table(make, otherwise=NOT_MEASURED)


def _overview_of(spec: Spec, benchmark: Benchmark, card: LoadedCard) -> Iterator[Block]:
    yield Table(partial(overview, benchmark, card, _table(spec, benchmark)))


def _detail_of(spec: Spec, benchmark: Benchmark, card: LoadedCard) -> Iterator[Block]:
    yield Table(partial(detail, benchmark, card, _table(spec, benchmark)), spec.anchors)
    yield Downloads(benchmark, card)


def _fastest_of(spec: Spec, benchmark: Benchmark, card: LoadedCard) -> Iterator[Block]:
    yield _fastest(benchmark, card, _table(spec, benchmark))


def _method_of(_: Spec, __: Benchmark, card: LoadedCard) -> Iterator[Block]:
    method, *rest = _method(card)
    yield method
    yield Folded("Software and sources", tuple(rest))


_MAKERS: dict[Kind, Callable[[Spec, Library], Iterator[Block]]] = {
    "results": _results,
    "overview": _one_for_each_device(_overview_of),
    "detail": _one_for_each_device(_detail_of),
    "fastest": _one_for_each_device(_fastest_of),
    "method": _one_for_each_device(_method_of),
    "plot": _plot,
    "arms": _arms,
    "terms": _terms,
    "device": _device,
    "measured-on": _measured_on,
    "compare": _compare,
    "repeatability": _repeatability,
    "numbers": _numbers,
}
