"""An A/B for people: a table with a row a region of each reading, and a line for each that is absent."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator

from perfdocs.errors import clean
from perfdocs.quantity import format_value
from perfdocs.reasons import spread_text

from .caveats import LEGEND, unwatched
from .record import Comparison, Reading, Record, Seen, SideFacts

__all__ = ["report"]

HEAD = ("reading", "region", "A", "B", "B / A", "95 % interval", "rounds", "repeated", "verdict", "in cycles")
WIDTH = 120
FEW = 8
"""So many lines of a kind are told; the record has all."""
DIGITS = 16
"""Of a sha256, in the report; the record has all."""


def report(record: Record) -> str:
    """The table, then what is absent and why, what was seen and what the marks mean, then the verdict."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    rows = list(_rows(record))
    for i, head in enumerate(HEAD[: max(map(len, rows), default=0)]):
        table.add_column(head, justify="left" if i in (0, 1, 8) else "right", no_wrap=i != 1)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # a text, since a label may look like markup
    out = io.StringIO()
    if table.row_count:
        Console(file=out, width=WIDTH, color_system=None).print(table)
    sides = [line for name, side in (("A", record.a), ("B", record.b)) for line in _side(name, side)]
    lines = (line.rstrip() for line in out.getvalue().splitlines())
    flags = f"; flagged: {', '.join(flag.replace('_', ' ') for flag in record.flags)}" if record.flags else ""
    verdict = f"{record.verdict}: {clean(record.why, 400)}{flags}"
    return "\n".join([*sides, *lines, *_notes(record), *_marks(record), verdict])


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
        " ".join((found.verdict or "not gated", *(LEGEND[flag].mark for flag in found.flags if flag in LEGEND))),
        *(() if found.cycles is None else (f"{found.cycles:.4f}",)),
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
        yield from (f"{name}: {line}" for line in _few(_whys(reading), "regions"))
        for why, times in Counter(repeat.why for repeat in reading.repeats).most_common(FEW):
            yield f"{name}: repeated {times} times, {clean(why, 200)}"
        yield from (f"{name}, {side.upper()}: {_seen(found)}" for side, found in reading.seen.items())
        yield from (f"{name}: not observed: {line}" for line in _hidden(record, reading))


def _whys(reading: Reading) -> Iterator[str]:
    for region, found in reading.regions.items():
        if found.verdict is None and found.why not in (None, "not gated"):
            yield f"{clean(region, 40)}: {found.why}"


def _few(lines: Iterator[str], what: str) -> Iterator[str]:
    """The first of the lines, and how many more there are."""
    every = list(lines)
    yield from every[:FEW]
    if len(every) > FEW:
        yield f"and {len(every) - FEW} more {what}"


def _seen(side: Seen) -> str:
    """Clocks and P-states of a side."""
    clocks = (("SM clock", side.sm_clock), ("memory clock", side.memory_clock), ("processor clock", side.cpu_clock))
    told = [f"{what} {spread_text(clock)}" for what, clock in clocks if clock is not None]
    told += [", ".join(f"P{state}" for state in side.p_states)] if side.p_states else []
    return ", ".join(told) or "no clock was observed"


def _hidden(record: Record, reading: Reading) -> Iterator[str]:
    """How many rounds nobody watched, and what the machine did not tell in the others."""
    rounds, why = len(reading.rounds), record.method.sampler_reason
    if blind := unwatched(reading.rounds):
        yield f"{blind} of {rounds} rounds were not watched: {clean(why or 'no sampler answered', 300)}"
    elif why is not None and rounds:
        yield clean(why, 300)
    most: Counter[str] = Counter()
    for side in reading.seen.values():
        most |= Counter(side.unobserved)
    for times in sorted(set(most.values()), reverse=True):
        keys = ", ".join(sorted(key.replace("_", " ") for key, count in most.items() if count == times))
        yield f"{keys}, in {times} of {rounds} rounds"


def _marks(record: Record) -> Iterator[str]:
    """The legend of the marks, each with what it is about in each reading and region."""
    for flag, meant in LEGEND.items():
        found = {
            f"{key.replace('_', ' ')}, {clean(region, 40)}: {clean(compared.flags[flag], 200)}": None
            for key, reading in record.readings.items()
            for region, compared in reading.regions.items()
            if flag in compared.flags
        }
        if found:
            yield f"{meant.mark}  {meant.about}"
            yield from (f"   {line}" for line in _few(iter(found), "of them"))
