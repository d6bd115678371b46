"""`perfdocs repeat`: how far two complete runs of one device agree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import nearest
from ..files import digest
from ..library import Benchmark, Library
from ..loading import LoadedCard
from .project import Project, card_anywhere, examples, format_option, show_json

if TYPE_CHECKING:
    from ..render.model import TableModel
    from ..repeat import Cell, Repeat, Summary
    from ..verdict import Value

__all__ = ["repeat"]


@click.command(
    epilog=examples(
        "perfdocs repeat benchmarks/rk4/cards/my-gpu.json build/cards/rk4/my-gpu.json",
        "perfdocs repeat first.json second.json --table main --format json",
    )
)
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--table", metavar="TABLE", default="", help="Only this table of the benchmark.")
@format_option
@click.pass_obj
def repeat(project: Project, first: Path, second: Path, table: str, style: str) -> int:
    """Hold two complete runs of one device against each other.

    FIRST and SECOND are two cards of one benchmark and device, wherever they lie and whatever they are called.

    To show a second run on the site, measure the device again as the published card was (`perfdocs run --full`) and
    move the card from build/cards/ to benchmarks/<id>/repeats/<device>.json.
    """
    from ..repeat import compare_runs

    benchmark, a = _load(first, project.library())
    _, b = _load(second, Library({benchmark.definition.id: benchmark}))
    if table and table not in benchmark.definition.tables:
        known = list(benchmark.definition.tables)
        raise click.UsageError(f'no table "{table}" in {benchmark.definition.id}{nearest(table, known)}')
    found = compare_runs(benchmark, a, b)
    if style == "json":
        show_json(_listing(found, table))
    else:
        for line in _lines(found, table):
            click.echo(line)
    return 0


def _load(path: Path, library: Library) -> tuple[Benchmark, LoadedCard]:
    benchmark, card, data = card_anywhere(path, library)
    return benchmark, LoadedCard(card, path, digest(data))


def _lines(found: Repeat, table: str) -> Iterator[str]:
    from ..render.model import has_rows
    from ..render.repeats import repeat_models

    models = [model for model in repeat_models([found], table) if has_rows(model)]
    for i, model in enumerate(models):
        yield from [""] if i else []
        yield from _aligned(model)


def _aligned(model: TableModel) -> Iterator[str]:
    """A table in columns of equal width, its groups one after the other."""
    from ..render.grid import grid, notes

    yield model.title
    for part in grid(model):
        if part.title != model.title:
            yield f"  {part.title}"
        lines = (part.head, *part.rows)
        widths = [max(len(line[i]) for line in lines) for i in range(len(part.head))]
        for line in lines:
            yield "    " + "  ".join(_padded(line, widths, part.numbers)).rstrip()
    for note in notes(model):
        yield f"  {note}"


def _padded(line: Sequence[str], widths: Sequence[int], numbers: frozenset[int]) -> Iterator[str]:
    for i, (text, width) in enumerate(zip(line, widths, strict=True)):
        yield text.rjust(width) if i in numbers else text.ljust(width)


def _listing(found: Repeat, table: str) -> dict[str, Any]:
    from ..repeat import summary

    chosen = found.chosen(table)
    singles = [
        {"table": s.table, "arm": s.arm, "at": dict(s.at), "lacking": s.lacking, "reason": s.reason}
        for t in chosen
        for s in t.singles
    ]
    contradictions = [
        {"table": p.table, "at": dict(p.at), "arms": list(p.arms), "first": str(p.first), "second": str(p.second)}
        for p in found.contradictions(table)
    ]
    return {
        "benchmark": found.definition.id,
        "device": found.first.device_id,
        "all": _figures(summary(chosen)),
        "tables": {t.table: {"by": t.by} | _figures(summary([t])) for t in chosen},
        "moved": [_cell(c) for c in found.moved(table)],
        "contradictions": contradictions,
        "one_run_only": singles,
        "changes": [{"fact": c.fact, "first": c.first, "second": c.second} for c in found.changes],
    }


def _figures(figures: Summary) -> dict[str, Any]:
    from ..repeat import LIMITS

    shares = figures.within or ()
    return {
        "cells": figures.cells,
        "median_difference": _number(figures.median),
        "within": {f"{limit:g}": share for limit, share in zip(LIMITS, shares, strict=False)},
        "pairs": figures.pairs,
        "same": figures.same,
        "ties": figures.ties,
        "contradict": figures.contradict,
    }


def _number(number: float | None) -> float | None:
    """JSON has no infinity: a distance from zero has no number."""
    return number if number is not None and math.isfinite(number) else None


def _value(value: Value) -> dict[str, Any]:
    return {"centre": value.centre, "lo": value.lo, "hi": value.hi, "flags": sorted(value.flags)}


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "table": cell.table,
        "arm": cell.arm,
        "at": dict(cell.at),
        "first": _value(cell.first),
        "second": _value(cell.second),
        "difference": _number(cell.difference),
        "overlap": cell.overlaps,
        "sm_clock": cell.clock,
    }
