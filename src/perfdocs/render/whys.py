"""Why a value bears a flag, where it stands, and what a table says of clocks that nobody observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from ..card import Measurement, MetricValue, Summary
from ..expression import names, parse
from ..library import Benchmark
from ..loading import LoadedCard
from ..quantity import scale_for
from ..reasons import Observed, observed, unobserved_reasons
from ..row import Row
from .model import Cell, Why
from .points import ordered_flags, point_text

__all__ = [
    "clock_note",
    "clock_words",
    "mixed",
    "observed_cells",
    "plot_note",
    "repeats_observed",
    "row_text",
    "unobserved_why",
    "whys",
]

NOT_OBSERVED = "not_observed"
WHILE, AFTER = "while the work ran", "after each run"
LONGEST = 300  # characters of a reason that a card gives


def row_text(row: Row) -> str:
    """An arm at a point: ``work stealing, N = 10⁶``."""
    return ", ".join(filter(None, (row.definition.arms[row.arm].label, point_text(row.definition, row.at))))


def whys(row: Row, key: str, flags: Iterable[str]) -> tuple[Why, ...]:
    """The reasons of a value's flags as far as its row knows them, or one that the value is compared with."""
    wanted = ordered_flags(flags)
    if not wanted:
        return ()
    sources = dict.fromkeys((row, *_compared(row, key)))
    found = (Why(flag, s.reasons[flag], row_text(s)) for flag in wanted for s in sources if flag in s.reasons)
    return tuple(found)


def _compared(row: Row, key: str) -> Iterator[Row]:
    """Rows of other arms that a derived quantity reads."""
    derived = row.definition.derived.get(key)
    if derived is None:
        return
    for name in names(parse(derived.is_, f"{row.definition.id}: $.derived.{key}.is")):
        of = row.source(name)
        if of is not None:
            if of is not row:
                yield of
            yield from _compared(of, name.name)


def _measured(found: Iterable[Row]) -> list[Measurement]:
    return [row.raw for part in found for row in (part.series or (part,)) if row.raw is not None]


def clock_note(loaded: LoadedCard, found: Sequence[Row]) -> str:
    """A sentence for a caption where no clock of these rows was observed; empty where one was."""
    why = unobserved_reasons(loaded.card, _measured(found))
    return f"Clock while the work ran: not observed ({why[:LONGEST]})." if why else ""


def mixed(found: Sequence[Row]) -> bool:
    """Whether the clock of some of these rows was observed, so that each of the others has to say that it was not."""
    return any(row.observed is not None and row.observed.clock is not None for row in found)


def unobserved_why(row: Row) -> tuple[Why, ...]:
    """That the clock of this row was not observed, and why."""
    found = row.observed
    return () if found is None or found.clock is not None else (Why(NOT_OBSERVED, found.reason, row_text(row)),)


def clock_words(row: Row) -> str:
    """What a value's title says of its clock; nothing where it stood still, which the row says, or is not ours."""
    seen = row.observed
    steady = seen is not None and seen.clock is not None and seen.clock.low == seen.clock.high
    return "" if seen is None or steady else f"; {seen.text}"


def observed_cells(found: Sequence[Row]) -> tuple[str, tuple[Cell, ...]]:
    """A column of observed clocks: its head and a cell a row."""
    clocks = [row.observed.clock for row in found if row.observed is not None and row.observed.clock is not None]
    scale = scale_for([clock.centre for clock in clocks], "Hz")
    kinds = list(dict.fromkeys(_kind(o) for row in found if (o := row.observed) is not None and o.clock is not None))
    cells = []
    for row in found:
        seen = row.observed
        if seen is None or seen.clock is None:
            reasons = unobserved_why(row)
            cells.append(Cell("not observed", tuple(w.flag for w in reasons), whys=reasons))
            continue
        low, high = (f"{end / scale.factor:.4g}" for end in (seen.clock.low, seen.clock.high))
        text = low if low == high else f"{low}–{high}"
        if _kind(seen) != kinds[0]:
            text = f"{text} ({', '.join(part for part in _kind(seen) if part not in kinds[0])})"
        flags = ordered_flags(row.flags)  # of the row, as at each of its values
        cells.append(Cell(text, flags, whys=whys(row, "", flags)))
    head = f"{' clock '.join(kinds[0])} ({scale.unit})" if kinds else f"clock {WHILE}"
    return head, tuple(cells)


def _kind(seen: Observed) -> tuple[str, str]:
    """Whose clock it is, and when it was seen."""
    return seen.of, AFTER if seen.each else WHILE


def repeats_observed(found: Iterable[Row], key: str) -> bool:
    """Whether a clock that a table has as a quantity is the observed one wherever there is one."""
    if key not in ("sm_clock", "cpu_clock"):
        return False
    read = [(o, row.raw.values[key]) for row in found if (o := row.observed) and row.raw and key in row.raw.values]
    return all(o.clock is not None and _centre(value) == o.clock.centre for o, value in read)


def _centre(value: MetricValue) -> float | None:
    if isinstance(value, tuple):
        return median(value)
    return value.centre if isinstance(value, Summary) else value if isinstance(value, float) else None


def plot_note(benchmark: Benchmark, cards: Sequence[LoadedCard], table: str) -> str:
    """A sentence for the caption of a figure: whose clocks were not observed while the work ran."""
    wanted = benchmark.definition.tables[table].of or table
    found = {c: [m for m in c.card.measurements if m.table == wanted] for c in cards}
    whole = {c: why for c, ms in found.items() if (why := unobserved_reasons(c.card, ms))}
    if len(cards) == 1:
        why = whole.get(cards[0], "")
        return f" Clock while the work ran: not observed ({why[:LONGEST]})." if why else _part(*found.popitem())
    return f" Clock while the work ran not observed on {', '.join(c.device_id for c in whole)}." if whole else ""


def _part(loaded: LoadedCard, measurements: Sequence[Measurement]) -> str:
    every = [o for m in measurements if (o := observed(loaded.card, m)) is not None]
    lacking = sum(o.clock is None for o in every)
    return f" Clock not observed for {lacking} of {len(every)} values: the table says which." if lacking else ""
