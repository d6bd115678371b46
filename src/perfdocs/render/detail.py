"""The detail of a table: every column of its definition, one part for each point that arms are compared at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..definition import Definition
from ..frame import rows
from ..library import Benchmark
from ..loading import LoadedCard
from ..plateau import NotReached
from ..row import Row, of_intervals
from ..verdict import Missing, fastest
from .absent import absence_notes
from .columns import Column, column
from .model import Cell, Group, TableModel, flags_in, words
from .points import (
    axis_value_text,
    by_axis,
    has_overview,
    ordered_flags,
    ruler,
    selection_text,
    values_by_arm,
)
from .whys import clock_note, mixed, observed_cells, repeats_observed, row_text

__all__ = ["LONG", "detail", "spread_words"]

INTERVALS = "Other ranges: what samples of a clock, steps of a counter or the number of trials leave open."
SERIES = "Values of whole series (what the noise of their points leaves open)."

LONG = 10
"""Rows of a table of details from which on it is folded."""


def detail(benchmark: Benchmark, loaded: LoadedCard, table: str) -> TableModel:
    """Rows are arms (and what axes remain), columns the table's, in one unit a column and part; an anchor a row.

    Parts follow ``split`` and ``across``; where one arm only was measured, ``across`` stays a column, so that a sweep
    is one part. A column without any value in the card is dropped.
    """
    definition = benchmark.definition
    entry = definition.tables[table]
    found = rows(benchmark, loaded, table)
    several = len({row.arm for row in found}) > 1
    across = entry.across if several else None
    groups = tuple(_groups(definition, found, table, entry.split, across))
    said = SERIES if entry.of else spread_words(loaded, _runs(found))
    if loaded.card.origin.kind != "imported" and any(of_intervals(r, k) for r in found for k in entry.columns):
        said = f"{said} {INTERVALS}"
    order = " Best first." if several and ruler(definition, table) else ""
    return TableModel(
        f"{definition.id}-{table}-detail",
        f"{entry.title}: every measurement" if has_overview(definition, table) else entry.title,
        groups,
        " ".join(filter(None, (said + order, _not_reached(found, entry.columns), clock_note(loaded, found)))),
        ordered_flags(flags_in(groups)),
        absence_notes(benchmark, loaded, table),
        folded=len(groups) > 1 and len(found) > LONG,
    )


def _not_reached(found: Sequence[Row], keys: Sequence[str]) -> str:
    """Of which series a plateau was not reached, and why, once for each reason: cells that lack a value show a dash."""
    lacking: dict[str, dict[str, None]] = {}
    for row in found:
        for key in keys:
            try:
                row.value(key)
            except NotReached as missing:
                lacking.setdefault(missing.reason, {})[row_text(row)] = None
            except Missing:
                continue
    said = {reason.removeprefix("not reached: "): where for reason, where in lacking.items()}
    return " ".join(f"Not reached ({reason}): {'; '.join(where)}." for reason, where in said.items())


def _runs(found: Sequence[Row]) -> int | None:
    """The most samples any value has: a table of fresh processes or traces has fewer than the card's method says."""
    values = (value for row in found if row.raw for value in row.raw.values.values())
    return max((len(value) for value in values if isinstance(value, tuple)), default=None)


def spread_words(loaded: LoadedCard, runs: int | None = None) -> str:
    """What a centre and the range in brackets are, by the method of a card, of ``runs`` runs or as many as it says."""
    method = loaded.card.method
    if loaded.card.origin.kind == "imported":
        return "Values as they were published."
    runs = runs or method.runs
    if method.protocol == "rotate":
        return f"Timed values: median of {runs} runs (interquartile range)."
    if runs == 3:
        return "Timed values: the middle one of 3 runs."
    if runs > 3:
        return f"Timed values: mean of the middle {runs - 2} of {runs} runs (range of those)."
    return f"Timed values: mean of {runs} runs (their range)."


def _groups(
    definition: Definition, found: Sequence[Row], table: str, split: str | None, across: str | None
) -> Iterator[Group]:
    keys = tuple(k for k in definition.tables[table].columns if _held(found, k))
    by = ruler(definition, table)
    for outer, part in by_axis(found, split):
        for inner, members in by_axis(part, across):
            pairs = ((split, outer), (across, inner))
            title = ", ".join(selection_text(definition, a, v) for a, v in pairs if a is not None and v is not None)
            axes = [a for a in members[0].at if a not in (split, across)]
            yield _group(definition, members, axes, keys, by, title, mixed(found))


def _best_first(members: Sequence[Row], axes: Sequence[str], by: str, better: str) -> list[Row]:
    """Rows in the order of the values of ``axes``, those of one point best first, those without a value last."""
    if not axes:
        return sorted(members, key=lambda row: _rank(row, by, better))
    parts = by_axis(members, axes[0])
    return [row for _, part in parts for row in _best_first(part, axes[1:], by, better)]


def _rank(row: Row, by: str, better: str) -> float:
    try:
        centre = row.value(by).centre
    except Missing:
        return float("inf")
    return -centre if better == "higher" else centre


def _held(found: Sequence[Row], key: str) -> bool:
    """Whether any row holds a value: stops at the first."""
    for row in found:
        if row.choice(key):
            return True
        try:
            row.value(key)
        except Missing:
            continue
        return True
    return False


def _group(
    definition: Definition,
    members: Sequence[Row],
    axes: Sequence[str],
    keys: Sequence[str],
    by: str | None,
    title: str,
    tell: bool,
) -> Group:
    """``tell``: a column says at which clock each row was observed."""
    better = definition.quantity(by).better or "lower" if by else "lower"
    best: tuple[str, ...] = ()
    ordered = list(members)
    if by is not None:
        values = values_by_arm(members, by) if not axes else {}
        if len(values) > 1:
            best = fastest(values, better=better, tolerance=definition.tolerance)
        ordered = _best_first(members, axes, by, better)
    several = len({row.arm for row in members}) > 1 or not axes
    if tell:
        keys = [k for k in keys if not repeats_observed(ordered, k)]
    columns: list[Column] = [c for k in keys if (c := column(ordered, k, best if k == by else ()))]
    if tell:
        columns.append(Column(*observed_cells(ordered)))
    head = (["arm"] if several else []) + [definition.axes[a].label for a in axes] + [c.head for c in columns]
    body = []
    for i, row in enumerate(ordered):
        lead = [words(definition.arms[row.arm].label)] if several else []
        lead += [words(axis_value_text(definition, a, row.at[a])) for a in axes]
        link = f"{row.card.device.id}#{row.anchor}"
        lead[0] = Cell(lead[0].text, number=False, anchor=row.anchor, link=link)
        body.append((*lead, *(c.cells[i] for c in columns)))
    return Group(tuple(head), tuple(body), title)
