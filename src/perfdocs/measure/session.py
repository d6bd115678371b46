"""One card in the making: what is measured so far, what is not and why, and the files that hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from perfdocs.card import Block, Card, Gate, Measurement, MetricValue, NotRun, Spread, State, Summary
from perfdocs.cardfile import read_card, write_card
from perfdocs.definition import Definition
from perfdocs.errors import PerfdocsError, clean, nearest, place

from .arm import Reason
from .failure import Stopped
from .partial import Partial, fingerprint, read_partial, write_partial
from .plan import Cell, show
from .protocol import Timed, has_state
from .spent import Spent

__all__ = ["Session", "block_of", "measurement_of", "number"]

MAX_TRIES = 2


def number(value: float) -> float:
    """Seven significant digits: finer than any timer here resolves."""
    return float(f"{value:.7g}")


def block_of(
    cell: Cell, timed: Timed, gate: Gate | None, state: State | None = None, repeats: tuple[str, ...] = ()
) -> Block:
    """What surrounded the timed runs."""
    return Block(
        gate=gate,
        curve=cell.task.curve,
        warmup=tuple(map(number, timed.warmup)),
        ramp_runs=timed.ramp_runs,
        inner=timed.inner,
        throttle=tuple(sorted(timed.readings.throttle)),
        load=tuple(timed.readings.load),
        state=_without_runs(state) if state is not None and has_state(timed.arm) else state,
        repeats=repeats,
    )


OF_A_RUN = ("sm_clock", "memory_clock", "cpu_clock", "energy", "energy_error")


def _without_runs(state: State) -> State:
    """What was sampled, less what it tells of a run, where no state came before the work as before each timed run."""
    if state.window == "timed":
        return state
    return replace(state, **dict.fromkeys(OF_A_RUN), throttle=(), throttle_samples={})


def measurement_of(
    cell: Cell, timed: Timed, counts: Mapping[str, float | str], block: Block, definition: Definition, path: Path
) -> Measurement:
    """The record of a finished measurement. Raises :class:`PerfdocsError` for a count the definition lacks."""
    for key in counts:
        if key not in definition.metrics:
            raise PerfdocsError(
                "unknown-metric",
                place(path, f"$.metrics.{clean(key, 60)}"),
                f'"{clean(key, 60)}"',
                f"a metric of {definition.id}{nearest(key, definition.metrics)}",
                "add its entry, or do not record it",
            )
    found = {
        "wall": tuple(map(number, timed.wall)),
        "end_to_end": tuple(map(number, timed.end_to_end)),
        **_clocks(timed, block),
    }
    values: dict[str, MetricValue] = {
        key: value for key, value in found.items() if value not in (None, ()) and key in definition.metrics
    }
    values.update({key: value if isinstance(value, str) else float(value) for key, value in counts.items()})
    if block.state is not None and block.state.energy is not None and "energy" in definition.metrics:
        joules, error = block.state.energy, block.state.energy_error or 0.0
        values["energy"] = Summary(centre=joules, low=number(joules - error), high=number(joules + error))
    return Measurement(table=cell.task.table, arm=cell.arm, at=dict(cell.task.at), block=block, values=dict(values))


def _clocks(timed: Timed, block: Block) -> dict[str, MetricValue | None]:
    """Of the timed runs where one was read after each, else of the windows in which the work was sampled.

    Where nothing was sampled, the one that was read after the last run.
    """
    readings, state = timed.readings, block.state
    several = {key: getattr(readings, key) for key in ("sm_clock", "memory_clock", "cpu_clock")}
    found: dict[str, MetricValue | None] = {}
    for key, read in several.items():
        seen: Spread | None = getattr(state, key, None)
        if len(read) > 1 or (read and has_state(timed.arm)):
            found[key] = tuple(map(number, read))
        elif seen is not None:
            found[key] = Summary(centre=seen.centre, low=seen.low, high=seen.high)
        else:
            found[key] = number(read[0]) if read else None
    return found


@dataclass(slots=True)
class Session:
    """Finished blocks by cell. ``head`` is the card without measurements."""

    head: Card
    final: Path
    partial: Path
    identity: str
    spent: Spent
    done: dict[str, Measurement] = field(default_factory=dict)
    not_run: dict[str, NotRun] = field(default_factory=dict)
    everywhere: dict[tuple[str, str | None], NotRun] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    hangs: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, head: Card, final: Path, partial: Path, fresh: bool, spent: Spent) -> tuple[Session, str | None]:
        """A session with the blocks of an earlier, interrupted run where they belong, and a line about it."""
        identity = fingerprint(head)
        session = cls(head, final, partial, identity, spent)
        left = None if fresh else read_partial(partial)
        if left is None:
            return session, None
        if isinstance(left, str):
            return session, f"measuring anew: the partial file is there, but {left}"
        if left.fingerprint != identity:
            return session, "measuring anew: the sources, the software or the method changed since the partial file"
        cells = {_key(m): m for m in left.card.measurements}
        session.done.update(cells)
        # a reason beside a measurement tells why a part of it is left out
        session.not_run.update({key: n for n in left.card.not_run if (key := _key(n)) in cells})
        session.tries.update(left.tries)
        session.hangs.update(left.hangs)
        return session, f"{len(cells)} measurements of the interrupted run are kept"

    def card(self) -> Card:
        """The card as it stands."""
        return replace(
            self.head,
            measurements=tuple(self.done.values()),
            not_run=(*self.everywhere.values(), *self.not_run.values()),
        )

    def save(self) -> None:
        """Write the partial file."""
        with self.spent.on("saving"):
            write_partial(self.partial, Partial(self.identity, self.card(), self.tries, self.hangs))

    def begin(self, cell: Cell) -> bool:
        """Note that a cell is about to run; ``False`` where it hung, or the process has died in it too often."""
        if cell.key in self.hangs:
            self.skip(cell, "out_of_time", self.hangs[cell.key])
            return False
        if self.tries.get(cell.key, 0) >= MAX_TRIES:
            self.skip(cell, "error", f"the process ended {MAX_TRIES} times while measuring this")
            return False
        self.tries[cell.key] = self.tries.get(cell.key, 0) + 1
        self.begun.add(cell.key)
        self.save()
        return True

    def settle(self, cell: Cell) -> None:
        """The cell ended in an orderly way: its attempt does not count."""
        self.tries.pop(cell.key, None)
        self.begun.discard(cell.key)

    def forgive(self) -> None:
        """The run stops in an orderly way: an attempt of this run does not count, those of killed runs do."""
        for key in self.begun:
            self.tries[key] -= 1
            if self.tries[key] <= 0:
                del self.tries[key]
        self.begun.clear()

    def give_up(self, cell: Cell, reason: str) -> None:
        """The cell hangs and the process is about to end: the next run records the reason instead of trying again."""
        self.forgive()
        self.hangs[cell.key] = reason
        self.save()

    def leave(self) -> str:
        """Save what there is for the next run, as far as the disk takes it, and say where it lies."""
        self.forgive()
        try:
            self.save()
        except OSError:
            return f"what was saved before is kept in {place(self.partial)}"
        kept = "1 measurement is" if len(self.done) == 1 else f"{len(self.done)} measurements are"
        return f"{kept} kept in {place(self.partial)}"

    def finish(self, cell: Cell, measurement: Measurement) -> None:
        """Keep a finished block."""
        self.settle(cell)
        self.done[cell.key] = measurement
        self.save()

    def skip(self, cell: Cell, kind: Reason, reason: str, everywhere: bool = False) -> None:
        """Record why a cell has no measurement, or every cell of its arm, in its table or in all of them.

        What is not installed is so in every table; what one table asks of an arm, another may not.
        """
        if everywhere:
            table = None if kind == "not_installed" else cell.task.table
            self.everywhere[cell.arm, table] = NotRun(arm=cell.arm, kind=kind, reason=reason, table=table)
        else:
            self.not_run[cell.key] = NotRun(
                arm=cell.arm, kind=kind, reason=reason, table=cell.task.table, at=dict(cell.task.at)
            )

    def ruled_out(self, cell: Cell) -> bool:
        """Whether nothing of the cell's arm is to be measured in its table."""
        return (cell.arm, None) in self.everywhere or (cell.arm, cell.task.table) in self.everywhere

    def open_cells(self, cells: list[Cell]) -> list[Cell]:
        """Cells without a measurement or a reason."""
        return [c for c in cells if c.key not in self.done and c.key not in self.not_run and not self.ruled_out(c)]

    def keep_fuller(self) -> None:
        """Leave a card in its place that holds more than this run had time for. Raises :class:`Stopped`."""
        if not any(n.kind == "out_of_time" and n.reason not in self.hangs.values() for n in self.not_run.values()):
            return
        try:
            there = len(read_card(self.final).measurements)
        except PerfdocsError:  # none is there, or none that is worth keeping
            return
        if there > len(self.done):
            raise Stopped(
                f"stopped at the deadline: the card in {place(self.final)} stays, since it holds {there} measurements "
                f"and this run {len(self.done)}; {self.leave()}: run the same command again with more time, or remove "
                "that card first",
                3,
            )

    def close(self) -> Path:
        """Write the final card, then remove the partial file."""
        with self.spent.on("saving"):
            write_card(self.card(), self.final)
            self.partial.unlink(missing_ok=True)
        return self.final


def _key(entry: Measurement | NotRun) -> str:
    return f"{entry.table}/{entry.arm}/{show(entry.at)}"
