"""Headlines: what each benchmark says of a device in a few numbers, for one device or across several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..definition import Definition, Headline
from ..frame import Missing, Row, find, rows, share_of_peak
from ..library import Benchmark, LoadedCard
from ..quantity import format_percent, format_value
from ..verdict import Value
from .columns import digits_of, missing_cell
from .devices import by_interest
from .model import Cell, Group, TableModel, flags_in, words
from .points import ordered_flags, point_text
from .whys import clock_words, whys

__all__ = ["Found", "headline", "in_numbers", "numbers_compared"]


@dataclass(frozen=True, slots=True)
class Found:
    """A headline's value on one device, the row it stands in, and its share of a limit where one is known."""

    device_id: str
    row: Row
    value: Value
    share: Value | None


def headline(benchmark: Benchmark, loaded: LoadedCard, key: str) -> Found | None:
    """The best centre among the measurements that the headline selects; ``None`` where the card has none."""
    definition = benchmark.definition
    entry = definition.headlines[key]
    sign = -1.0 if definition.quantity(entry.quantity).better == "higher" else 1.0
    best: tuple[Row, Value] | None = None
    for row in find(rows(benchmark, loaded, entry.table), **entry.at):
        if entry.arms and row.arm not in entry.arms:
            continue
        try:
            value = row.value(entry.quantity)
        except Missing:
            continue
        if best is None or sign * value.centre < sign * best[1].centre:
            best = row, value
    return None if best is None else Found(loaded.device_id, *best, _share(best[0], entry))


def _share(row: Row, entry: Headline) -> Value | None:
    try:
        return share_of_peak(row, entry.quantity) if entry.share is None else row.value(entry.share)
    except Missing:
        return None


def in_numbers(pairs: Sequence[tuple[Benchmark, LoadedCard]]) -> TableModel:
    """One device: a part for each benchmark that has headlines, a row for each that the card can give."""
    groups = tuple(g for benchmark, loaded in pairs if (g := _device_group(benchmark, loaded)).rows)
    caption = "The share is of the device's own limit, at the clock that its quantity says."
    return TableModel("numbers", "The best that was measured", groups, caption, ordered_flags(flags_in(groups)))


def _device_group(benchmark: Benchmark, loaded: LoadedCard) -> Group:
    definition = benchmark.definition
    body = []
    for key, entry in definition.headlines.items():
        found = headline(benchmark, loaded, key)
        if found is not None:
            share = _share_cell(found.share, found.row)
            body.append((words(entry.label), _value_cell(definition, entry, found), share, words(_where(found, entry))))
    return Group(("figure", "value", "of the limit", "reached by"), tuple(body), definition.title)


def _value_cell(definition: Definition, entry: Headline, found: Found) -> Cell:
    unit, value, row = definition.quantity(entry.quantity).unit, found.value, found.row
    ends = (value.show_lo, value.show_hi)
    spread = "" if ends[0] == ends[1] else " – ".join(format_value(end, unit) for end in ends)
    detail = (spread + clock_words(row)).removeprefix("; ")
    text = format_value(value.centre, unit, digits=digits_of(row, entry.quantity))
    return Cell(
        text,
        ordered_flags(value.flags),
        detail=detail,
        link=f"{found.device_id}#{row.anchor}",
        whys=whys(row, entry.quantity, value.flags),
    )


def _share_cell(share: Value | None, row: Row) -> Cell:
    if share is None:
        return missing_cell("no limit is known")
    link = f"{row.card.device.id}#{row.anchor}"
    return Cell(format_percent(share.centre), ordered_flags(share.flags), link=link)


def _where(found: Found, entry: Headline) -> str:
    """The arm, and what of the point the headline leaves open."""
    definition = found.row.definition
    rest = {axis: value for axis, value in found.row.at.items() if axis not in entry.at}
    return ", ".join(filter(None, (definition.arms[found.row.arm].label, point_text(definition, rest))))


def numbers_compared(
    benchmarks: Sequence[Benchmark], devices: Sequence[str], names: Mapping[str, str]
) -> Iterator[TableModel]:
    """Several devices side by side in the order of interest, a table for each benchmark that has headlines."""
    for benchmark in benchmarks:
        chosen = sorted((c for d in devices if (c := benchmark.card_of(d)) is not None), key=by_interest)
        body = tuple(row for key in benchmark.definition.headlines if (row := _compared_row(benchmark, chosen, key)))
        if body:
            head = ("figure", *(names[c.device_id] for c in chosen))
            group = (Group(head, body),)
            title = benchmark.definition.title
            yield TableModel(f"{benchmark.definition.id}-numbers", title, group, "", ordered_flags(flags_in(group)))


def _compared_row(benchmark: Benchmark, cards: Sequence[LoadedCard], key: str) -> tuple[Cell, ...] | None:
    definition, entry = benchmark.definition, benchmark.definition.headlines[key]
    found = [headline(benchmark, card, key) for card in cards]
    if not any(found):
        return None
    cells = (_value_cell(definition, entry, one) if one else missing_cell("not measured there") for one in found)
    return words(entry.label), *cells
