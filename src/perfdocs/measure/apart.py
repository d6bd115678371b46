"""Cells that are measured in fresh processes: start-up cold and warm, memory, and what a profiler sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfdocs.card import AxisValue, Measurement, MetricValue
from perfdocs.definition import Definition
from perfdocs.errors import place

from .arm import Context, Point, Reason
from .edges import Clock
from .folders import temporary_folder
from .fresh import Answer, Ask, Reply, Request, fresh_folder
from .options import Options
from .plan import Cell, Foresight, show
from .progress import Progress
from .room import refuse_full
from .session import Session, number
from .worth import Worth

__all__ = ["Apart"]


@dataclass(frozen=True, slots=True)
class Apart:
    """Measures cells of one device in fresh processes, and keeps each or the reason why there is none.

    Raises the :class:`OSError` of a full disk where a process fails for that.

    ``worth`` says whether a cell is to be measured, and ``report`` shows one as begun.
    """

    folder: Path
    definition: Definition
    context: Context
    options: Options
    session: Session
    foresight: Foresight
    progress: Progress
    clock: Clock
    ask: Ask
    worth: Worth
    report: Callable[[Cell], None]

    def measure(self, cells: Sequence[Cell]) -> None:
        """Measure cells that are not timed, those that share processes together, traces last."""
        for group in _groups(cells):
            wanted = [cell for cell in self.session.open_cells(group) if self.worth.apart(cell)]
            wanted = [cell for cell in wanted if self.session.begin(cell)]
            if not wanted:
                continue
            self.report(wanted[0])
            begun = self.clock.monotonic()
            if wanted[0].task.how == "compile":
                self._start_up(wanted)
            else:
                self._points(wanted)
            seconds = (self.clock.monotonic() - begun) / len(wanted)
            for cell in wanted:
                self.foresight.learn_apart(cell, seconds)

    def _points(self, cells: Sequence[Cell]) -> None:
        """One process for all; one more for the points after one that ended it."""
        rest = list(cells)
        while rest:
            reply = self._ask(rest[0], [cell.task.at for cell in rest])
            done, rest = rest[: len(reply.answers)], rest[len(reply.answers) :]
            self._keep(done, reply.answers)
            last = reply.answers[-1].refused if reply.answers else None
            if reply.cut:
                self._late(rest)
                return
            if last is not None and last[0] == "out_of_time":  # it would take as long again for each
                for cell in rest:
                    self._refuse(cell, (last[0], f"not tried after an earlier point: {last[1]}"))
                return

    def _ask(self, cell: Cell, points: Sequence[Point], caches: Path | None = None) -> Reply:
        build = self.options.build
        request = Request(
            how=cell.task.how,
            folder=self.folder,
            arm=cell.arm,
            points=tuple(points),
            kind=self.context.kind,
            build=build if caches is None else caches / "build",
            shared=build,
            threads=self.context.threads,
            sm_count=self.context.sm_count,
            caches=caches,
        )
        reply = self.ask(request, self.options.fresh_limit, self.worth.left())
        if reply.log is not None:
            self.progress.note(f"{cell.arm}: what the process wrote is in {place(reply.log)}")
        return reply

    def _start_up(self, cells: Sequence[Cell]) -> None:
        """Pairs of processes: the first finds the caches empty and fills them, the second finds them full."""
        wanted = {str(cell.task.at["start"]): cell for cell in cells}
        samples: dict[str, list[float]] = {start: [] for start in wanted}
        first = cells[0]
        starts = ["cold", *(["warm"] if "warm" in wanted else [])]
        for _ in range(self.options.fresh_runs):
            with temporary_folder(fresh_folder(self.options.build), f"{first.arm}-caches") as folder:
                (folder / "build").mkdir()
                for start in starts:
                    at: dict[str, AxisValue] = {**first.task.at, "start": start}
                    reply = self._ask(first, [at], folder)
                    if reply.cut:
                        self._late(cells)
                        return
                    (answer,) = reply.answers
                    if answer.refused is not None:
                        self._keep(cells, (answer,) * len(cells))
                        return
                    ready = answer.values["ready"]
                    if start in samples and isinstance(ready, float):
                        samples[start].append(ready)
        for start, cell in wanted.items():
            self._finish(cell, Answer({**answer.values, "ready": tuple(samples[start])}))

    def _keep(self, cells: Sequence[Cell], answers: Sequence[Answer]) -> None:
        for cell, answer in zip(cells, answers, strict=True):
            if answer.refused is None:
                self._finish(cell, answer)
            else:
                refuse_full(*answer.refused, self.options.build)
                self._refuse(cell, answer.refused)

    def _late(self, cells: Sequence[Cell]) -> None:
        for cell in cells:
            self.session.settle(cell)
            self.worth.late(cell)

    def _finish(self, cell: Cell, answer: Answer) -> None:
        values: dict[str, MetricValue] = {
            key: tuple(map(number, value)) if isinstance(value, tuple) else value
            for key, value in answer.values.items()
            if key in self.definition.metrics
        }
        if answer.absent:
            self.session.skip(cell, "unsupported", answer.absent)
            self.progress.note(f"{cell.arm} {show(cell.task.at)}: {answer.absent}")
        task = cell.task
        self.session.finish(cell, Measurement(table=task.table, arm=cell.arm, at=dict(task.at), values=values))

    def _refuse(self, cell: Cell, refused: tuple[Reason, str]) -> None:
        self.session.settle(cell)
        self.session.skip(cell, *refused)
        self.session.save()
        self.progress.note(f"{cell.arm} {show(cell.task.at)}: {refused[1]}")


def _groups(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Cells that share processes: both starts of an arm at a point; all traces of an arm; memory alone."""
    groups: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        how, at = cell.task.how, dict(cell.task.at)
        if how == "compile":
            at.pop("start", None)
        key = (how, cell.arm) if how == "traced" else (how, cell.arm, cell.task.table, show(at))
        groups.setdefault(key, []).append(cell)
    yield from groups.values()
