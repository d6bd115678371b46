"""Tables across devices: what was measured on what, and how the devices' best arms compare."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from ..card import AxisValue
from ..definition import Definition
from ..extent import extent
from ..frame import find, rows
from ..library import Benchmark
from ..loading import LoadedCard
from ..quantity import NBSP, format_ratio, scale_for
from ..row import Row
from ..verdict import Value, fastest, ratio
from .columns import digits_of, head_text, missing_cell, range_text, value_text
from .facts import DEVICE_KINDS, UNDATED, named, surroundings
from .fastest import Statement, statement
from .model import Cell, Group, TableModel, flags_in, words
from .points import by_axis, labels_of, ordered_flags, point_text, ruler
from .whys import whys

__all__ = ["by_interest", "comparison", "measured_on"]


def measured_on(benchmarks: Sequence[Benchmark], device_ids: Collection[str] | None = None) -> TableModel:
    """One row for each device and benchmark: what, when, how much, by what method, from which sources."""
    several = len(benchmarks) > 1
    head = [
        "device",
        "kind",
        *(["benchmark"] if several else []),
        "recorded",
        "measurements",
        "extent",
        "driver and runtime, or threads",
        "origin",
        "sources",
    ]
    found = [
        (loaded, benchmark)
        for benchmark in benchmarks
        for loaded in benchmark.cards
        if device_ids is None or loaded.device_id in device_ids
    ]
    found.sort(key=lambda pair: (*by_interest(pair[0]), pair[1].definition.id))
    body = tuple(_measured_row(loaded, benchmark, several) for loaded, benchmark in found)
    groups = (Group(tuple(head), body),) if body else ()
    return TableModel("measured-on", "Devices", groups, "", ordered_flags(flags_in(groups)))


def by_interest(loaded: LoadedCard) -> tuple[bool, bool, bool, str]:
    """The order of devices: those measured here before imported ones, GPUs before CPUs, published ones first."""
    card = loaded.card
    return card.origin.kind == "imported", card.device.kind != "gpu", not loaded.published, loaded.device_id


def _measured_row(loaded: LoadedCard, benchmark: Benchmark, several: bool) -> tuple[Cell, ...]:
    card = loaded.card
    flags = () if card.origin.kind == "measured" else (card.origin.kind,)
    changed, files = len(loaded.earlier_sources), len(card.source.files)
    sources = f"{changed} of {files} changed since" if changed else "as measured"
    return (
        Cell(card.device.name, flags, link=loaded.device_id, number=False, foreign=True),
        words(DEVICE_KINDS[card.device.kind]),
        *([words(benchmark.definition.title)] if several else []),
        _when(loaded),
        Cell(str(len(card.measurements))),
        words(extent(card)),
        words(_driver(loaded), foreign=True),
        words(card.origin.kind),
        words(sources if files else "not recorded"),
    )


def _when(loaded: LoadedCard) -> Cell:
    """The day of the measurement; of an imported card when its source appeared, and the day it was typed in."""
    card = loaded.card
    day = card.recorded.partition("T")[0]
    if card.origin.kind != "imported":
        return Cell(day)
    published = card.origin.published
    said = f"published {published}" if published and published[0].isdigit() else f"published: {published or UNDATED}"
    return words(f"{said}; imported {day}", foreign=True)


def _driver(loaded: LoadedCard) -> str:
    card = loaded.card
    runtime = card.software.get("cuda-runtime")
    parts = [card.host.driver or "", f"CUDA{NBSP}{runtime}" if runtime else "", surroundings(loaded)]
    return ", ".join(filter(None, parts))


def comparison(
    benchmark: Benchmark,
    table: str,
    at: Mapping[str, AxisValue] | None = None,
    device_ids: Collection[str] | None = None,
) -> TableModel | None:
    """Devices compared by their best arms, best device first; one part for each point.

    ``at`` fixes axes. Axes left free: each value of ``split`` is a part; of ``across`` the largest value that most
    devices share is taken; every other axis gives parts. ``None`` where fewer than two devices share a point.
    """
    definition = benchmark.definition
    by = ruler(definition, table)
    chosen = [c for c in benchmark.cards if device_ids is None or c.device_id in device_ids]
    if by is None or len(chosen) < 2:
        return None
    points: dict[tuple[AxisValue, ...], dict[LoadedCard, list[Row]]] = {}
    for loaded in chosen:
        for row in find(rows(benchmark, loaded, table), **(at or {})):
            points.setdefault(tuple(row.at.values()), {}).setdefault(loaded, []).append(row)
    shared = {p: devices for p, devices in points.items() if len(devices) > 1}
    across = definition.tables[table].across
    if across is not None and across not in (at or {}):
        shared = _largest(definition, table, across, shared)
    first = [next(iter(devices.values()))[0] for devices in shared.values()]
    order = _ordered(first, definition.tables[table].split)
    groups = tuple(_device_group(definition, shared[tuple(row.at.values())], by) for row in order)
    if not groups:
        return None
    title = f"{definition.title}: devices compared"
    caption = "Each device by its best arm; best device first; bold: no device beats it."
    return TableModel(f"{definition.id}-{table}-devices", title, groups, caption, ordered_flags(flags_in(groups)))


def _largest(
    definition: Definition, table: str, across: str, shared: Mapping[tuple[AxisValue, ...], dict[LoadedCard, list[Row]]]
) -> dict[tuple[AxisValue, ...], dict[LoadedCard, list[Row]]]:
    """Of the points that differ in ``across`` only, the last that the most devices share."""
    place = definition.tables[table].axes.index(across)
    best: dict[tuple[AxisValue, ...], tuple[AxisValue, ...]] = {}
    for _, members in by_axis([next(iter(d.values()))[0] for d in shared.values()], across):
        for row in members:
            point = tuple(row.at.values())
            rest = point[:place] + point[place + 1 :]
            if rest not in best or len(shared[point]) >= len(shared[best[rest]]):
                best[rest] = point
    return {point: shared[point] for point in best.values()}


def _ordered(found: Sequence[Row], split: str | None) -> list[Row]:
    return [row for _, part in by_axis(found, split) for row in part]


def _arms_text(definition: Definition, state: Statement) -> str:
    names = ", ".join(labels_of(definition, state.arms))
    return f"{names} ({state.kind})" if state.kind in ("level", "undecided") else names


def _device_group(definition: Definition, devices: Mapping[LoadedCard, Sequence[Row]], by: str) -> Group:
    quantity = definition.quantity(by)
    said: dict[LoadedCard, Statement] = {
        c: s for c, found in devices.items() if (s := statement(definition, found, by))
    }
    values: dict[str, Value] = {c.device_id: s.values[0] for c, s in said.items()}
    scale = scale_for([v.centre for v in values.values()], quantity.unit)
    sign = -1.0 if quantity.better == "higher" else 1.0
    first = next(iter(devices.values()))[0]
    head = ("device", "best arm", head_text(quantity.label, scale), "to the best")
    title = point_text(definition, first.at)
    if not values:
        return Group(head, (), title)
    best = fastest(values, better=quantity.better or "lower", tolerance=definition.tolerance)
    body = []
    for loaded in sorted(said, key=lambda c: (sign * values[c.device_id].centre, c.device_id)):
        state, value = said[loaded], values[loaded.device_id]
        row = next(r for r in devices[loaded] if r.arm == state.arms[0])
        digits = digits_of(row, by)
        text = value_text(value, quantity, scale, digits)
        text += range_text(value, quantity, text, scale, digits) if value.show_lo != value.show_hi else ""
        where = f"{loaded.device_id}#{row.anchor}"
        name = Cell(named(loaded), link=loaded.device_id, number=False, foreign=True)
        flags = ordered_flags(value.flags)
        number = Cell(text, flags, loaded.device_id in best, link=where, whys=whys(row, by, flags))
        pair = (value, values[best[0]])
        body.append((name, words(_arms_text(definition, state)), number, _ratio_cell(*pair, quantity.better, where)))
    return Group(head, tuple(body), title)


def _ratio_cell(value: Value, leader: Value, better: str | None, link: str) -> Cell:
    """How far a device is from the best: at least 1 whichever end is better."""
    share = ratio(leader, value) if better == "higher" else ratio(value, leader)
    if not math.isfinite(share.centre):
        return missing_cell("no ratio to zero")
    return Cell(format_ratio(share.centre), ordered_flags(share.flags), link=link)
