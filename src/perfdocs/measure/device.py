"""One device's card, from the first gate to the final file."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from perfdocs.card import Block, Gate
from perfdocs.cardfile import decode_card, encode_card, read_card
from perfdocs.definition import Definition
from perfdocs.errors import PerfdocsError, place

from .again import Again
from .apart import Apart
from .arm import Cannot, Context, Kind, Task, Workload
from .edges import Edges, Gpu
from .failure import Stopped, reason_of
from .head import head_of, open_gate, open_timer
from .loader import arm_path
from .machine import allowed_threads
from .monitor import ENERGY_WINDOW, WINDOW, Monitor
from .options import Options
from .partial import partial_path
from .plan import Cell, Foresight, chosen_arms, show, wanted_cells
from .progress import Progress
from .room import NO_SPACE, disk_full, refuse_full
from .rounds import Rounds
from .sampler import PERIOD
from .sensors import Sensors
from .session import Session, measurement_of
from .spent import Spent
from .start import Started, Starter, TooSlow, close
from .watchdog import Watchdog
from .worth import Worth

__all__ = ["DeviceRun"]


def _spare(final: Path, chosen: Collection[tuple[str, str, str]]) -> None:
    """Refuse to put a narrowed card in the place of one that holds more."""
    try:
        known = read_card(final)
    except PerfdocsError:
        return  # none, or none that can be read
    lost = sum((m.table, m.arm, show(m.at)) not in chosen for m in known.measurements)
    if lost:
        raise PerfdocsError(
            "card-wider",
            place(final),
            f"a card with {lost} measurements that this run would not repeat",
            "none that would be lost",
            "give the narrowed card a name of its own (`--as NAME`), or replace the other (`--fresh`)",
        )


class DeviceRun:
    """The measuring of one benchmark on one device; ``begun`` is when the whole run began (s, monotonic)."""

    def __init__(
        self,
        folder: Path,
        definition: Definition,
        workload: Workload,
        kind: Kind,
        gpu: Gpu | None,
        options: Options,
        edges: Edges,
        progress: Progress,
        begun: float,
    ) -> None:
        if "end_to_end" not in definition.metrics:
            options = dataclasses.replace(options, end_to_end_runs=0)
        self._folder, self._definition, self._workload = folder, definition, workload
        self._gpu, self._options, self._edges, self._progress = gpu, options, edges, progress
        self._spent = Spent(edges.clock.monotonic)
        self._sensors = Sensors(edges.files, edges.open_nvml() if gpu else "a CPU has no NVML")
        self._timer = open_timer(edges)
        self._gate = open_gate(edges, self._sensors, options)
        self._cells = wanted_cells(definition, workload, kind, options)
        self._rotating = gpu is None or definition.protocol == "rotate"
        context = Context(
            kind=kind, build=options.build, threads=allowed_threads(), sm_count=gpu.facts().sm_count if gpu else None
        )
        self._context = context
        self._starter = Starter(
            folder,
            workload,
            context,
            definition.metrics,
            self._timer,
            options,
            edges.files,
            gpu,
            self._spent,
            together=self._rotating,
        )
        self._foresight = Foresight(workload)
        self._watchdog = Watchdog(options.hang_limit, edges.clock.monotonic, self._hangs)
        self._ramp = options.ramp_time if gpu else 0.0
        self._again = Again(options.repeats, options.repeat_budget)
        self._monitor = Monitor("it is opened when measuring begins", edges.clock)
        self._curve_gate: tuple[Gate | None] | None = None
        """The gate of the curve at hand, once a point of it was measured."""
        self._session = self._open_session(chosen_arms(definition, kind, options.arms))
        self._worth = Worth(
            folder=folder,
            on_gpu=gpu is not None,
            options=options,
            session=self._session,
            foresight=self._foresight,
            clock=edges.clock,
            begun=begun,
            ramp=self._ramp,
        )

    def _open_session(self, arms: Sequence[str]) -> Session:
        o = self._options
        for arm in arms:
            path = arm_path(self._folder, arm)
            if not path.is_file():
                raise PerfdocsError(
                    "benchmark-arm",
                    place(path),
                    "nothing",
                    f'the code of the arm "{arm}"',
                    "write it, or remove the arm from benchmark.toml",
                )
        head = head_of(
            self._folder,
            self._definition,
            arms,
            self._gpu,
            self._edges,
            self._sensors,
            self._gate,
            self._timer,
            o,
            rotate=self._rotating,
            traced=any(cell.task.how == "traced" for cell in self._cells),
            programs=getattr(self._workload, "versions", dict),
        )
        final = o.out / self._definition.id / f"{head.device.id}.json"
        decode_card(encode_card(head), final)  # what a card may not hold is better known before hours of measuring
        wanted = sorted((axis, sorted(map(str, values))) for axis, values in o.at.items())
        narrowed = f"{sorted(o.arms)}{wanted}" if o.arms or wanted else ""
        if o.tables:
            narrowed += f"{sorted(o.tables)}"
        if narrowed and not o.fresh:
            _spare(final, {(c.task.table, c.arm, show(c.task.at)) for c in self._cells})
        session, line = Session.open(head, final, partial_path(final, narrowed), o.fresh, self._spent)
        if line:
            self._progress.note(line)
        for cell in self._cells:
            wall = session.done[cell.key].values.get("wall") if cell.key in session.done else None
            if isinstance(wall, tuple):
                self._foresight.learn(cell, min(wall))
        return session

    def measure(self) -> Path:
        """Measure everything asked for and write the card.

        Raises :class:`Stopped` where the run ends before: an interrupt, the deadline, a full disk, a device that no
        longer works.
        """
        session = self._session
        self._progress.begin(f"{self._definition.id} on {session.head.device.name}", len(self._cells))
        sampler = self._edges.open_sampler(self._gpu is not None)
        wanted = self._options.full and not self._options.no_energy
        energy = self._gpu is not None and wanted and "energy" in self._definition.metrics
        window = ENERGY_WINDOW if energy else WINDOW
        self._monitor = Monitor(sampler, self._edges.clock, self._progress.note, window)
        self._tell_sampler()
        try:
            with self._watchdog:
                self._measure_cells()
            self._tell_sampler()
            session.keep_fuller()
            written = session.close()
        except KeyboardInterrupt:
            raise Stopped(
                f"interrupted: {session.leave()}; run the same command again to complete the card", 130
            ) from None
        except Exception as error:
            if not disk_full(error):
                raise
            raise Stopped(
                f"stopped, {NO_SPACE}: {session.leave()}; free some and run the same command again to go on", 1
            ) from None
        finally:
            self._monitor.close()
            self._progress.end()
        self._progress.note(f"where the time went: {self._spent.line()}")
        return written

    def _tell_sampler(self) -> None:
        """Say in the card's method whether there is a sampler, or from when on there was none."""
        begun, monitor, head = self._session.head.method.sample_period, self._monitor, self._session.head
        method = replace(
            head.method,
            sample_period=PERIOD if monitor.alive else begun,
            state_window=monitor.window if monitor.alive or begun else None,
            sampler_reason=monitor.reason,
        )
        self._session.head = replace(head, method=method)

    def _measure_cells(self) -> None:
        session = self._session
        timed = [cell for cell in self._cells if cell.task.how == "timed"]
        points = {(cell.task.table, show(cell.task.at)): cell.task for cell in timed}
        curves: dict[tuple[str, str], list[Task]] = {}
        for (table, at), task in points.items():
            if task.curve is not None and not self._rotating:
                curves.setdefault((table, task.curve), []).append(task)
                continue
            here = [c for c in timed if (c.task.table, show(c.task.at)) == (table, at)]
            self._point(task, session.open_cells(here))
        for tasks in curves.values():
            self._curve(tasks, timed)
        if self._gpu is not None and len(timed) < len(self._cells):
            self._gpu.release()  # the fresh processes need the memory
        with self._spent.on("fresh processes"):
            self._apart().measure([cell for cell in self._cells if cell.task.how != "timed"])
        if self._gpu is not None and self._sensors.reason:
            method = replace(session.head.method, clocks_reason=self._sensors.reason)
            session.head = replace(session.head, method=method)

    def _apart(self) -> Apart:
        return Apart(
            folder=self._folder,
            definition=self._definition,
            context=self._context,
            options=self._options,
            session=self._session,
            foresight=self._foresight,
            progress=self._progress,
            clock=self._edges.clock,
            ask=self._edges.ask,
            worth=self._worth,
            report=self._show,
        )

    def _point(self, task: Task, cells: Sequence[Cell]) -> None:
        wanted: list[Cell] = []
        beside = 0.0
        for cell in cells:
            if self._worth.timed(cell, beside):
                wanted.append(cell)
                if self._rotating:  # they are measured to the end together
                    beside += self._foresight.cell(cell, self._options, self._ramp) or 0.0
        if not wanted:
            return
        problem, reference = self._problem(task)
        groups = [wanted] if self._rotating else [[cell] for cell in wanted]
        while groups:
            if crowded := self._group(groups.pop(0), problem, reference):
                groups.append(crowded)

    def _curve(self, tasks: Sequence[Task], timed: Sequence[Cell]) -> None:
        """Arm after arm, the points of one curve behind one gate and one ramp."""
        known: dict[str, tuple[Any, Any]] = {}
        for arm in dict.fromkeys(cell.arm for cell in timed):
            self._curve_gate = None
            for task in tasks:
                cells = [c for c in timed if c.arm == arm and (c.task.table, c.task.at) == (task.table, task.at)]
                for cell in self._session.open_cells(cells):
                    if not self._worth.timed(cell):
                        continue
                    if (at := show(task.at)) not in known:
                        known[at] = self._problem(task)
                    self._group([cell], *known[at])

    def _problem(self, task: Task) -> tuple[Any, Any]:
        with self._spent.on("problem and reference"):
            problem = self._workload.problem(task.at)
            return problem, self._workload.reference(problem, self._context)

    def _group(self, cells: Sequence[Cell], problem: Any, reference: Any) -> list[Cell]:
        """One block, or all arms of a point in rotation; returns those that found no memory beside the others."""
        started: list[Started] = []
        crowded: list[Cell] = []
        try:
            for cell in cells:
                if self._worth.in_time(cell) and self._session.begin(cell):
                    self._show(cell)
                    self._watchdog.watch(cell)
                    begun = self._edges.clock.monotonic()
                    try:
                        started.append(self._starter.start(cell, problem, reference))
                        self._foresight.learn_start(cell, self._edges.clock.monotonic() - begun)
                    except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
                        if started and reason_of(error)[0] == "out_of_memory":
                            self._session.settle(cell)
                            crowded.append(cell)
                        else:
                            self._failed(cell, error)
            self._watchdog.rest()  # a gate may wait as long as it is told to
            with self._spent.on("ramps and timed runs"):
                if started and not self._rotating:
                    self._rounds().block(started[0], self._curve_gate if started[0].cell.task.curve else None)
                elif started:
                    self._rounds().rotate(started)
        finally:
            for one in started:
                close(one.timed.arm)
            self._watchdog.rest()
        return crowded

    def _hangs(self, cell: Cell) -> None:
        reason = f"no end within {self._options.hang_limit:g} s: it hangs"
        self._progress.note(
            f"{cell.arm} {show(cell.task.at)}: {reason}; run the same command again to record that and go on"
        )
        self._progress.end()
        self._session.give_up(cell, reason)

    def _show(self, cell: Cell) -> None:
        remaining = self._session.open_cells(self._cells)
        limit = self._options.cell_limit
        known = [
            min(seconds, limit)
            for c in remaining
            if (seconds := self._foresight.cell(c, self._options, self._ramp)) is not None
        ]
        left = sum(known) / len(known) * len(remaining) if known else None
        self._progress.at(len(self._cells) - len(remaining), f"{cell.arm} {show(cell.task.at)}", left)

    def _failed(self, cell: Cell, error: Exception) -> None:
        if isinstance(error, PerfdocsError):
            raise error
        if isinstance(error, TooSlow):
            self._foresight.learn(cell, error.seconds)
        kind, reason = reason_of(error)
        refuse_full(kind, reason, self._options.build)
        everywhere = isinstance(error, Cannot) and kind in ("not_installed", "unsupported")
        self._session.settle(cell)
        self._session.skip(cell, kind, reason, everywhere)
        self._session.save()
        self._progress.note(f"{cell.arm} {show(cell.task.at)}: {reason}")
        if self._gpu is not None and kind in ("error", "out_of_memory") and not self._gpu.healthy():
            raise Stopped(
                f"the device takes no more work after {cell.arm} at {show(cell.task.at)} ({reason}); run the "
                "same command again to go on",
                4,
            )

    def _rounds(self) -> Rounds:
        return Rounds(
            options=self._options,
            edges=self._edges,
            timer=self._timer,
            sensors=self._sensors,
            gate=self._gate,
            monitor=self._monitor,
            watchdog=self._watchdog,
            again=self._again,
            spent=self._spent,
            progress=self._progress,
            on_gpu=self._gpu is not None,
            processors=self._context.threads,
            left=self._worth.left,
            failed=self._failed,
            keep=self._keep,
        )

    def _keep(self, one: Started, block: Block) -> None:
        self._curve_gate = (block.gate,)
        self._foresight.learn(one.cell, sorted(one.timed.wall)[len(one.timed.wall) // 2])
        toml = self._folder / "benchmark.toml"
        facts: dict[str, float | str] = {**one.counts, **one.choices}
        self._session.finish(one.cell, measurement_of(one.cell, one.timed, facts, block, self._definition, toml))
