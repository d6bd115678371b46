"""Headlines: what each benchmark says of a device in a few numbers, for one device or across several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..definition import Definition, Headline
from ..frame import absences, find, rows
from ..library import Benchmark
from ..loading import LoadedCard
from ..quantity import format_percent, format_value
from ..row import Row, share_of_peak
from ..verdict import Missing, Value
from .absent import UNSAID, reason_text
from .columns import digits_of, missing_cell
from .devices import by_interest
from .facts import DEVICE_KINDS, named
from .model import Cell, Group, Line, TableModel, flags_in, words
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
    """Of the measurements that the headline selects the one whose worst run is best, so that noise does not choose.

    ``None`` where the card has none.
    """
    definition = benchmark.definition
    entry = definition.headlines[key]
    highest = definition.quantity(entry.quantity).better == "higher"

    def from_worst_end(value: Value) -> tuple[float, float]:
        return (-value.lo, -value.centre) if highest else (value.hi, value.centre)

    best: tuple[Row, Value] | None = None
    for row in find(rows(benchmark, loaded, entry.table), **entry.at):
        if entry.arms and row.arm not in entry.arms:
            continue
        try:
            value = row.value(entry.quantity)
        except Missing:
            continue
        if best is None or from_worst_end(value) < from_worst_end(best[1]):
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
    imported = all(loaded.card.origin.kind == "imported" for _, loaded in pairs)
    title = f"The best that was {'published' if imported else 'measured'}"
    return TableModel("numbers", title, groups, caption, ordered_flags(flags_in(groups)))


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
            head = ("figure", *(named(c, names[c.device_id]) for c in chosen))
            group = (Group(head, body),)
            title, flags = benchmark.definition.title, ordered_flags(flags_in(group))
            notes = _lacking(head[1:], body)
            yield TableModel(f"{benchmark.definition.id}-numbers", title, group, "", flags, notes)


def _compared_row(benchmark: Benchmark, cards: Sequence[LoadedCard], key: str) -> tuple[Cell, ...] | None:
    definition, entry = benchmark.definition, benchmark.definition.headlines[key]
    found = [headline(benchmark, card, key) for card in cards]
    if not any(found):
        return None
    reached = [one.row for one in found if one]
    cells = (
        _value_cell(definition, entry, one) if one else missing_cell(_why_not(definition, card, entry, reached))
        for one, card in zip(found, cards, strict=True)
    )
    return words(entry.label), *cells


def _why_not(definition: Definition, loaded: LoadedCard, entry: Headline, reached: Sequence[Row]) -> str:
    """Why a card has no value of a headline that others ``reached`` by these rows: as the card says, where it does."""
    card = loaded.card
    able = [a for a in definition.arms_of(entry.table) if a in (entry.arms or definition.arms)]
    reasons = [n for arm in able for n in absences(card, entry.table, arm, entry.at)]
    if reasons:
        return reason_text(definition, reasons[0].reason)
    if card.origin.kind == "imported":
        return "its source gives no such figure"
    kinds = {kind for row in reached for kind in definition.arms[row.arm].on}
    if kinds and card.device.kind not in kinds:
        return f"measured by an arm that runs on no {DEVICE_KINDS[card.device.kind]}"
    others = {row.card.device.kind for row in reached}
    if card.device.kind not in others:
        return f"measured on {' and '.join(f'{DEVICE_KINDS[kind]}s' for kind in sorted(others))} only"
    return UNSAID


def _lacking(devices: Sequence[str], body: Sequence[tuple[Cell, ...]]) -> tuple[Line, ...]:
    """Below the table what each gap of it says: for every device its figures of one reason together."""
    said: dict[tuple[str, str], list[str]] = {}
    for label, *cells in body:
        for device, cell in zip(devices, cells, strict=True):
            if cell.missing:
                said.setdefault((device, cell.missing), []).append(label.text)
    return tuple(Line(f"{device}, {'; '.join(figures)}", why, (), True) for (device, why), figures in said.items())
