"""Tables on repeatability: what two runs of one device agree on, and the cells that moved."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ..definition import Definition
from ..library import Benchmark
from ..quantity import NBSP, format_percent, number_text, scale_for
from ..repeat import LIMITS, MOVED, Repeat, Summary, TableRepeat, compare_runs, summary
from ..repeat import Cell as Both
from ..verdict import Value
from .absent import reason_text
from .model import MISSING, Cell, Group, TableModel, flags_in, words
from .points import labels_of, ordered_flags, point_text

__all__ = [
    "arms_table",
    "changed_facts",
    "contradictions",
    "moved_cells",
    "repeat_models",
    "repeats_of",
    "single_cells",
    "summary_table",
]

DIGITS = 4  # two runs that differ by half a percent must not read the same
ABOUT = (
    "Two runs of the same device, in the quantity that ranks a table's arms. Difference: how far the two "
    "centres are apart (max / min − 1). Pairs: all pairs of arms at a point; a tie is level or undecided."
)


def _limit(limit: float) -> str:
    return f"{limit * 100:g}{NBSP}%"


CLOSENESS = ("cells", "median difference", *(f"within {_limit(limit)}" for limit in LIMITS))
"""Columns on how far the cells of two runs are apart."""


def repeats_of(benchmark: Benchmark, device_ids: Sequence[str] = ()) -> tuple[Repeat, ...]:
    """Both runs of each of these devices, or of all that were measured twice."""
    found = []
    for again in benchmark.repeats:
        first = benchmark.card_of(again.device_id)
        if first is not None and (not device_ids or again.device_id in device_ids):
            found.append(compare_runs(benchmark, first, again))
    return tuple(found)


def repeat_models(repeats: Sequence[Repeat], table: str = "") -> Iterator[TableModel]:
    """Every table on these pairs of runs; ``table`` names one of the benchmark's, none means all."""
    for make in (summary_table, arms_table, moved_cells, contradictions, single_cells):
        yield make(repeats, table)
    yield changed_facts(repeats)


def _model(key: str, title: str, groups: Iterable[Group], caption: str = "") -> TableModel:
    shown = tuple(groups)
    return TableModel(key, title, shown, caption, ordered_flags(flags_in(shown)))


def _several(repeats: Sequence[Repeat]) -> bool:
    return len({r.definition.id for r in repeats}) > 1


def summary_table(repeats: Sequence[Repeat], table: str = "") -> TableModel:
    """One row for each pair of runs and table, and one for all tables of a pair where there are several."""
    several = _several(repeats)
    head = (
        "device",
        *(["benchmark"] if several else []),
        "table",
        *CLOSENESS,
        "pairs",
        "same verdict",
        "one is a tie",
        "contradict",
    )
    body = tuple(row for repeat in repeats for row in _summary_rows(repeat, table, several))
    return _model("repeatability", "Repeatability", (Group(head, body),) if body else (), ABOUT)


def _summary_rows(repeat: Repeat, table: str, several: bool) -> Iterator[tuple[Cell, ...]]:
    chosen = [t for t in repeat.chosen(table) if t.cells]
    parts = [(repeat.definition.tables[t.table].title, summary([t])) for t in chosen]
    if len(parts) > 1:
        parts.append(("all tables", summary(chosen)))
    device = repeat.first.card.device
    origin = repeat.first.card.origin.kind
    for title, figures in parts:
        yield (
            Cell(device.name, () if origin == "measured" else (origin,), link=device.id, number=False, foreign=True),
            *([words(repeat.definition.title)] if several else []),
            words(title),
            *_figures(figures),
        )


def _closeness(figures: Summary) -> Iterator[Cell]:
    """What :data:`CLOSENESS` names."""
    yield Cell(str(figures.cells))
    yield Cell(_percent(figures.median or 0.0))
    for share in figures.within or ():
        yield Cell(format_percent(share))


def _figures(figures: Summary) -> Iterator[Cell]:
    yield from _closeness(figures)
    for count in (figures.pairs, figures.same, figures.ties, figures.contradict):
        yield Cell(str(count))


def arms_table(repeats: Sequence[Repeat], table: str = "") -> TableModel:
    """One row for each arm of a pair of runs, over all its cells; the one whose cells lie closest first."""
    groups = []
    for repeat in repeats:
        parts = repeat.chosen(table)
        arms = dict.fromkeys(cell.arm for part in parts for cell in part.cells)
        figures = {arm: summary(_only(part, arm) for part in parts) for arm in arms}
        rows = tuple(
            (_label(repeat.definition, arm), *_closeness(figures[arm]))
            for arm in sorted(arms, key=lambda a: (figures[a].median or 0.0, a))
        )
        title = ", ".join([repeat.first.device_id, repeat.definition.title]) if len(repeats) > 1 else ""
        groups.append(Group(("arm", *CLOSENESS), rows, title))
    return _model("repeatability-arms", "Repeatability by arm", [g for g in groups if g.rows])


def _only(part: TableRepeat, arm: str) -> TableRepeat:
    """What two runs hold of an arm, less how it stands to others."""
    return replace(part, cells=tuple(cell for cell in part.cells if cell.arm == arm), pairs=())


def _percent(fraction: float) -> str:
    """A difference: two digits say enough, and below 0.01 % it is that."""
    if 0 < abs(fraction) < 1e-4:
        return f"<{NBSP}0.01{NBSP}%"
    return format_percent(fraction, 2 if abs(fraction) < 0.1 else 3)


def _groups(
    repeats: Sequence[Repeat],
    table: str,
    head: Callable[[bool], tuple[str, ...]],
    body: Callable[[Repeat, TableRepeat], Iterable[tuple[Cell, ...]]],
) -> Iterator[Group]:
    """A part for each pair of runs and table that has rows; ``head`` asks whether the table has axes."""
    for repeat in repeats:
        for part in repeat.chosen(table):
            if shown := tuple(body(repeat, part)):
                yield Group(head(bool(_axes(repeat, part))), shown, _title(repeats, repeat, part))


def _title(repeats: Sequence[Repeat], repeat: Repeat, part: TableRepeat) -> str:
    lead = [repeat.first.device_id] if len({r.first.device_id for r in repeats}) > 1 else []
    lead += [repeat.definition.title] if _several(repeats) else []
    return ", ".join([*lead, repeat.definition.tables[part.table].title])


def _axes(repeat: Repeat, part: TableRepeat) -> tuple[str, ...]:
    return repeat.definition.tables[part.table].axes


def _label(definition: Definition, arm: str) -> Cell:
    labels = dict(zip(definition.arms, labels_of(definition, definition.arms), strict=True))
    return words(labels[arm])


def moved_cells(repeats: Sequence[Repeat], table: str = "", limit: float = MOVED) -> TableModel:
    """Cells whose centres are more than ``limit`` apart, the furthest first; in brackets the range of all runs."""

    def head(axes: bool) -> tuple[str, ...]:
        return ("arm", *(["point"] if axes else []), "first run", "second run", "difference", "intervals", "SM clock")

    def body(repeat: Repeat, part: TableRepeat) -> Iterator[tuple[Cell, ...]]:
        for cell in repeat.moved(part.table, limit):
            yield _moved_row(repeat, part, cell)

    caption = (
        "The furthest apart first. In brackets: the verdict interval, the range of all timed runs. "
        "Difference: max / min − 1, below zero where the second run is the smaller one."
    )
    groups = [_without_empty_clock(g) for g in _groups(repeats, table, head, body)]
    return _model("repeatability-moved", f"Cells that moved more than {_limit(limit)}", groups, caption)


def _without_empty_clock(group: Group) -> Group:
    """No column of clocks where no row has one."""
    if any(not row[-1].missing for row in group.rows):
        return group
    return Group(group.head[:-1], tuple(row[:-1] for row in group.rows), group.title)


def _moved_row(repeat: Repeat, part: TableRepeat, cell: Both) -> tuple[Cell, ...]:
    definition = repeat.definition
    unit = definition.quantity(part.by).unit
    sign = "+" if cell.difference > 0 else ""
    clock = Cell(MISSING, missing="not recorded in both runs")
    if cell.clock is not None:
        clock = Cell(("+" if cell.clock > 0 else "") + _percent(cell.clock))
    return (
        _label(definition, cell.arm),
        *([words(point_text(definition, cell.at))] if cell.at else []),
        Cell(
            _interval(cell.first, unit), ordered_flags(cell.first.flags), link=f"{repeat.first.device_id}#{cell.anchor}"
        ),
        Cell(_interval(cell.second, unit), ordered_flags(cell.second.flags)),
        Cell(sign + _percent(cell.difference)),
        words("overlap" if cell.overlaps else "apart"),
        clock,
    )


def _interval(value: Value, unit: str) -> str:
    """The centre with its unit, and its verdict interval in the same unit."""
    scale = scale_for([value.centre], unit)
    centre, low, high = (number_text(v / scale.factor, DIGITS) for v in (value.centre, value.lo, value.hi))
    text = f"{centre}{NBSP}{scale.unit}".strip()
    return text if low == centre == high or math.isnan(value.lo) else f"{text}{NBSP}({low}–{high})"


def contradictions(repeats: Sequence[Repeat], table: str = "") -> TableModel:
    """Pairs of arms that one run calls faster and the other slower."""

    def head(axes: bool) -> tuple[str, ...]:
        return ("arm", "against", *(["point"] if axes else []), "first run", "second run")

    def body(repeat: Repeat, part: TableRepeat) -> Iterator[tuple[Cell, ...]]:
        definition = repeat.definition
        for pair in repeat.contradictions(part.table):
            where = [words(point_text(definition, pair.at))] if pair.at else []
            yield (*(_label(definition, a) for a in pair.arms), *where, words(pair.first), words(pair.second))

    groups = _groups(repeats, table, head, body)
    return _model("repeatability-contradictions", "Verdicts that contradict each other", groups)


def single_cells(repeats: Sequence[Repeat], table: str = "") -> TableModel:
    """Cells that only one of two runs has, and why the other lacks them."""

    def head(axes: bool) -> tuple[str, ...]:
        return ("arm", *(["point"] if axes else []), "lacking in", "reason")

    def body(repeat: Repeat, part: TableRepeat) -> Iterator[tuple[Cell, ...]]:
        definition = repeat.definition
        for single in part.singles:
            where = [words(point_text(definition, single.at))] if single.at else []
            run = words(f"the {single.lacking} run")
            yield (
                _label(definition, single.arm),
                *where,
                run,
                words(reason_text(definition, single.reason), foreign=True),
            )

    return _model("repeatability-single", "Cells of one run only", _groups(repeats, table, head, body))


def changed_facts(repeats: Sequence[Repeat]) -> TableModel:
    """What the cards of two runs say differently of device, host, software, sources and method."""
    groups = []
    for repeat in repeats:
        lead = [repeat.definition.title] if _several(repeats) else []
        title = ", ".join([repeat.first.device_id, *lead]) if len(repeats) > 1 else ""
        body = tuple(
            (
                words(c.fact, foreign=True),
                words(c.first or MISSING, foreign=True),
                words(c.second or MISSING, foreign=True),
            )
            for c in repeat.changes
        )
        groups.append(Group(("fact", "first run", "second run"), body, title))
    return _model("repeatability-changes", "What differed between the runs", groups)
