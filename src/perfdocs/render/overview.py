"""The overview of a table: arms by the values of one axis, one quantity, one part for each value of another axis."""

from __future__ import annotations

from collections.abc import Sequence

from ..card import AxisValue
from ..definition import Definition
from ..frame import absences, rows
from ..library import Benchmark
from ..loading import LoadedCard
from ..quantity import NBSP, Scale, scale_for
from ..row import Row
from ..verdict import Missing, Value, fastest
from .absent import absence_notes, reason_text
from .columns import digits_of, head_text, missing_cell, range_text, value_text
from .detail import detail
from .model import Cell, Group, TableModel, flags_in, words
from .points import (
    axis_value_text,
    by_axis,
    ordered_flags,
    point_text,
    ruler,
    selection_text,
)
from .whys import clock_note, clock_words, mixed, unobserved_why, whys

__all__ = ["overview", "winners"]

Key = tuple[object, ...]


def overview(benchmark: Benchmark, loaded: LoadedCard, table: str) -> TableModel:
    """One part for each value of ``split``: arms by the values of ``across``, one unit a column.

    Cells hold the centre of ``by``. Arms stand best first at the last column. A table without
    ``across`` gives its detail.
    """
    definition = benchmark.definition
    entry = definition.tables[table]
    by = ruler(definition, table)
    if entry.across is None or by is None:  # the two questions of has_overview, asked so that types narrow
        return detail(benchmark, loaded, table)
    found = rows(benchmark, loaded, table)
    tell = mixed(found)
    groups = tuple(
        _group(
            definition, part, "" if value is None else _title(definition, entry.split, value), entry.across, by, tell
        )
        for value, part in by_axis(found, entry.split)
    )
    note = clock_note(loaded, found)
    what = f"{definition.quantity(by).label} by {definition.axes[entry.across].label}"
    order = "best first at the last column, where that is empty at the one before"
    return TableModel(
        f"{definition.id}-{table}-overview",
        entry.title,
        groups,
        f"{what[:1].upper()}{what[1:]}, one unit a column; {order}; bold: no arm beats it. {note}".strip(),
        ordered_flags(flags_in(groups)),
        absence_notes(benchmark, loaded, table),
    )


def _title(definition: Definition, axis: str | None, value: AxisValue) -> str:
    return selection_text(definition, axis, value) if axis is not None else ""


def winners(definition: Definition, found: Sequence[Row], by: str) -> frozenset[Row]:
    """Rows that the best row of their point does not beat; none at a point where a single arm was measured."""
    points: dict[Key, dict[Row, Value]] = {}
    for row in found:
        try:
            points.setdefault(tuple(row.at.values()), {})[row] = row.value(by)
        except Missing:
            continue
    better = definition.quantity(by).better or "lower"
    return frozenset(
        row
        for values in points.values()
        if len(values) > 1
        for row in _fastest(values, better=better, tolerance=definition.tolerance)
    )


def _fastest(values: dict[Row, Value], **options: object) -> tuple[Row, ...]:
    by_arm = {row.arm: row for row in values}
    best = fastest({row.arm: value for row, value in values.items()}, **options)  # type: ignore[arg-type] # forwarded
    return tuple(by_arm[arm] for arm in best)


def _group(definition: Definition, part: Sequence[Row], title: str, across: str, by: str, tell: bool) -> Group:
    """One part: rows are arms (and the axes that are neither split nor across)."""
    columns = [value for value, _ in by_axis(part, across)]
    split = definition.tables[part[0].table].split
    others = [a for a in part[0].at if a not in (across, split)]
    lines: dict[Key, dict[AxisValue | None, Row]] = {}
    for row in part:
        lines.setdefault((row.arm, *(row.at[a] for a in others)), {})[row.at[across]] = row
    quantity = definition.quantity(by)
    sign = -1.0 if quantity.better == "higher" else 1.0
    scales = {
        c: scale_for([v.centre for line in lines.values() if (v := _value(line.get(c), by))], quantity.unit)
        for c in columns
    }
    best = winners(definition, part, by)
    order = list(lines)

    def rank(key: Key) -> tuple[tuple[float, ...], int]:
        centres = [_value(lines[key].get(c), by) for c in reversed(columns)]
        return tuple(sign * v.centre if v else float("inf") for v in centres), order.index(key)

    several = len({row.arm for row in part}) > 1 or not others
    head = (["arm"] if several else []) + [definition.axes[a].label for a in others]
    head += [head_text(selection_text(definition, across, c), scales[c]) for c in columns if c is not None]
    body = []
    for key in sorted(lines, key=rank):
        first = next(iter(lines[key].values()))
        lead = [words(definition.arms[first.arm].label)] if several else []
        lead += [words(axis_value_text(definition, a, first.at[a])) for a in others]
        cells = [_cell(lines[key].get(c), first, across, c, by, scales[c], best, tell) for c in columns]
        body.append((*lead, *cells))
    return Group(tuple(head), tuple(body), title)


def _value(row: Row | None, by: str) -> Value | None:
    try:
        return row.value(by) if row is not None else None
    except Missing:
        return None


def _cell(
    row: Row | None,
    line: Row,
    across: str,
    column: AxisValue | None,
    by: str,
    scale: Scale,
    best: frozenset[Row],
    tell: bool,
) -> Cell:
    """``tell``: mark a value whose clock was not observed."""
    definition = line.definition
    if row is None:
        at = {**line.at, across: column if column is not None else ""}
        hits = absences(line.card, line.table, line.arm, at)
        return missing_cell(
            reason_text(definition, hits[0].reason) if hits else f"not measured at {point_text(definition, at)}"
        )
    try:
        value = row.value(by)
    except Missing as missing:
        return missing_cell(missing.reason)
    unseen = unobserved_why(row) if tell else ()
    quantity, digits = definition.quantity(by), digits_of(row, by)
    text = value_text(value, quantity, scale, digits)
    spread = range_text(value, quantity, text, scale, digits).strip(f"{NBSP}()")
    detail_text = f"{spread or text} {scale.unit}".strip() + (f", {value.samples} runs" if value.samples else "")
    link = f"{row.card.device.id}#{row.anchor}"
    flags = value.flags | {w.flag for w in unseen}
    found = (*whys(row, by, value.flags), *unseen)
    return Cell(
        text,
        ordered_flags(flags),
        row in best,
        "",
        detail_text + (clock_words(row) if tell else ""),
        "",
        link,
        whys=found,
    )
