"""An A/B for people: a table with a row a region of each reading, and a line for each that is absent."""

from __future__ import annotations

import io
from collections.abc import Iterator

from perfdocs.errors import clean
from perfdocs.quantity import format_value

from .record import Comparison, Reading, Record, SideFacts

__all__ = ["report"]

HEAD = ("reading", "region", "A", "B", "B / A", "95 % interval", "rounds", "repeated", "verdict")
WIDTH = 120
DIGITS = 16
"""Of a sha256, in the report; the record has all."""


def report(record: Record) -> str:
    """The table, then what is absent and why, then the verdict."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for i, head in enumerate(HEAD):
        table.add_column(head, justify="right" if 2 <= i <= 7 else "left", no_wrap=i != 1)
    for row in _rows(record):
        table.add_row(*(Text(cell) for cell in row))  # a text, since a label may look like markup
    out = io.StringIO()
    if table.row_count:
        Console(file=out, width=WIDTH, color_system=None).print(table)
    sides = [line for name, side in (("A", record.a), ("B", record.b)) for line in _side(name, side)]
    lines = (line.rstrip() for line in out.getvalue().splitlines())
    verdict = f"{record.verdict}: {clean(record.why, 400)}"
    return "\n".join([*sides, *lines, *_notes(record), verdict])


def _side(name: str, side: SideFacts) -> Iterator[str]:
    """What a side is, and the files of a command, so that a later reader knows what ran."""
    yield f"{name} {clean(side.label, 80)}"
    for file in side.files:
        told = f"sha256 {file.sha256[:DIGITS]}…" if file.sha256 else clean(file.why or "not read", 80)
        yield f"  {file.role} {clean(file.name, 60)}: {told}"
    if side.changed:
        yield f"  changed while it was measured: {clean(', '.join(side.changed), 200)}"


def _rows(record: Record) -> Iterator[tuple[str, ...]]:
    for key, reading in record.readings.items():
        for region, found in reading.regions.items():
            yield _row(key.replace("_", " "), region, found, reading)


def _row(name: str, region: str, found: Comparison, reading: Reading) -> tuple[str, ...]:
    return (
        name,
        clean(region, 40),
        format_value(found.a, "s", digits=4),
        format_value(found.b, "s", digits=4),
        f"{found.ratio:.4f}",
        f"{found.low:.4f} to {found.high:.4f}",
        str(found.rounds),
        str(len(reading.repeats)),
        found.verdict or "not gated",
    )


def _notes(record: Record) -> Iterator[str]:
    for key, reading in record.readings.items():
        name = key.replace("_", " ")
        if reading.absent is not None:
            yield f"{name}: absent, {clean(reading.absent, 300)}"
        elif reading.ended is not None:
            yield f"{name}: ended early, {clean(reading.ended, 300)}"
        if reading.clocks is not None:
            sm, memory = reading.clocks
            yield f"{name}: SM {sm / 1e6:.0f} MHz, memory {memory / 1e6:.0f} MHz, by {reading.how}"
        if reading.restored is False:
            yield f"{name}: the clocks could not be reset; run `perfdocs ab --reset`"
        for region, found in reading.regions.items():
            if found.verdict is None and found.why not in (None, "not gated"):
                yield f"{name}, {clean(region, 40)}: {found.why}"
