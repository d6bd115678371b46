"""Which arm is measured where, and what that will cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from perfdocs.card import AxisValue
from perfdocs.definition import Definition
from perfdocs.errors import PerfdocsError, clean, nearest

from .arm import How, Kind, Point, Task, Workload
from .monitor import WINDOW
from .options import Options

__all__ = ["Cell", "Foresight", "cells_of", "chosen_arms", "chosen_tasks", "matches", "show", "wanted_cells"]

GUESS = 0.5  # the power of the width before two widths are known

ORDER: tuple[How, ...] = ("timed", "compile", "memory", "traced")
"""What is measured first: nothing that is timed follows a profiler."""
NEEDED: Mapping[How, tuple[str, ...]] = {
    "compile": ("ready",),
    "memory": ("device_memory", "host_memory"),
    "traced": ("kernel_time", "kernels", "launches"),
}
"""Metrics of which a definition has at least one."""
FRESH_SECONDS = 6.0
"""A first guess of what a fresh process takes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One arm at one point of one table."""

    arm: str
    task: Task

    @property
    def key(self) -> str:
        """A text that is the same for the same cell."""
        return f"{self.task.table}/{self.arm}/{show(self.task.at)}"


def show(at: Mapping[str, AxisValue]) -> str:
    """``config=spread-100, n=1000``."""
    return ", ".join(
        f"{axis}={value:g}" if isinstance(value, float) else f"{axis}={value}" for axis, value in sorted(at.items())
    )


def chosen_arms(definition: Definition, kind: Kind, only: Sequence[str], where: str = "--arm") -> tuple[str, ...]:
    """Arms that run on this kind of device, in the definition's order, narrowed to ``only``, which ``where`` gave.

    Raises :class:`PerfdocsError` where one of those is unknown.
    """
    for arm in only:
        if arm not in definition.arms:
            raise PerfdocsError(
                "unknown-arm",
                where,
                f'"{clean(arm, 60)}"',
                f"an arm of {definition.id}{nearest(arm, definition.arms)}",
                f"choose from {', '.join(definition.arms)}",
            )
    return tuple(key for key, arm in definition.arms.items() if kind in arm.on and (not only or key in only))


def matches(at: Mapping[str, AxisValue], wanted: Mapping[str, Sequence[AxisValue]]) -> bool:
    """Whether a point has one of the wanted values on every axis named."""
    return all(
        axis in at and any(at[axis] == value or str(at[axis]) == str(value) for value in values)
        for axis, values in wanted.items()
    )


def chosen_tasks(definition: Definition, workload: Workload, kind: Kind, options: Options) -> list[Task]:
    """Points to measure, in the workload's order.

    A point asked for by ``options.at`` or ``options.tables`` may be one that only the full set has. What is timed comes
    first, traces last. Raises :class:`PerfdocsError` where an axis or a table is unknown, no point asked for is there,
    or the definition lacks what a task needs.
    """
    for axis in options.at:
        if axis not in definition.axes:
            raise PerfdocsError(
                "unknown-axis",
                f"--at {clean(axis, 40)}",
                f'"{clean(axis, 40)}"',
                f"an axis of {definition.id}{nearest(axis, definition.axes)}",
                f"choose from {', '.join(definition.axes)}",
            )
    for table in options.tables:
        measured = [key for key, entry in definition.tables.items() if entry.of is None]
        if table not in measured:
            raise PerfdocsError(
                "unknown-table",
                f"--table {clean(table, 40)}",
                f'"{clean(table, 40)}"',
                f"a table of measurements of {definition.id}{nearest(table, measured)}",
                f"choose from {', '.join(measured)}",
            )

    def chosen(quick: bool) -> list[Task]:
        every = workload.tasks(kind, quick)
        return [t for t in every if matches(t.at, options.at) and (not options.tables or t.table in options.tables)]

    kept = chosen(not options.full)
    if not kept and (options.at or options.tables):
        kept = chosen(False)
    if not kept and options.at:
        wanted = "; ".join(f"{a}={'/'.join(map(str, v))}" for a, v in options.at.items())
        raise PerfdocsError(
            "no-point", "--at", clean(wanted, 120), f"a point of {definition.id} on this device", "see --list"
        )
    for task in kept:
        _check_task(definition, task)
    return sorted(kept, key=lambda task: ORDER.index(task.how))


def _check_task(definition: Definition, task: Task) -> None:
    """Refuse a task whose numbers the definition has no place for. Raises :class:`PerfdocsError`."""
    needed = NEEDED.get(task.how, ())
    at = f"{definition.id}: workload.tasks"
    if needed and not any(key in definition.metrics for key in needed):
        raise PerfdocsError(
            "task-metric",
            at,
            f'the table "{clean(task.table, 40)}" measured by `{task.how}`, and no metric for it',
            f"the metric {' or '.join(needed)}",
            "add its entry to benchmark.toml",
        )
    if task.how == "compile" and task.at.get("start") not in ("cold", "warm"):
        raise PerfdocsError(
            "task-start",
            at,
            f'a point of the table "{clean(task.table, 40)}" measured by `compile`, {clean(show(task.at), 60)}',
            "start=cold or start=warm at each of its points",
            "add the axis start to the table and its values to the points",
        )


def cells_of(definition: Definition, arms: Sequence[str], tasks: Sequence[Task]) -> list[Cell]:
    """Every pair the tables allow, point by point."""
    return [Cell(arm, task) for task in tasks for arm in arms if arm in definition.arms_of(task.table)]


def wanted_cells(definition: Definition, workload: Workload, kind: Kind, options: Options) -> list[Cell]:
    """Everything that the options ask for on one kind of device."""
    arms = chosen_arms(definition, kind, options.arms)
    return cells_of(definition, arms, chosen_tasks(definition, workload, kind, options))


class Foresight:
    """How long a run of an arm will take, from how long it took at other points of the table.

    The time of a run is taken as its depth (what must be done one after the other) times a power of its width (the
    work over the depth). The power lies between none, of an arm that waits for launches, and one, of an arm that is
    busy; two widths tell it, and before that it is guessed to be a half.
    """

    def __init__(self, workload: Workload) -> None:
        self._work = workload.work
        self._depth: Callable[[Point], float] = getattr(workload, "depth", lambda _: 1.0)
        self._seen: dict[tuple[str, str], dict[float, tuple[float, Task]]] = {}
        self._apart: dict[str, dict[str, float]] = {}
        self._starts: dict[str, float] = {}

    def learn(self, cell: Cell, seconds: float) -> None:
        """One run of ``cell`` took that long."""
        depth = self._depth(cell.task.at)
        width = self._work(cell.task.at) / depth
        self._seen.setdefault((cell.task.table, cell.arm), {})[width] = (seconds / depth, cell.task)

    def run(self, cell: Cell) -> tuple[float, Task] | None:
        """Seconds of one run and the point they were foreseen from; ``None`` where nothing is known."""
        seen = self._seen.get((cell.task.table, cell.arm))
        if not seen:
            return None
        depth = self._depth(cell.task.at)
        width = self._work(cell.task.at) / depth
        known = min(seen, key=lambda other: abs(math.log(other / width)) if other > 0 < width else 0.0)
        seconds, task = seen[known]
        if width > known > 0:
            smaller = max((other for other in seen if 0 < other < known), default=None)
            power = GUESS if smaller is None else math.log(seconds / seen[smaller][0]) / math.log(known / smaller)
            seconds *= (width / known) ** min(max(power, 0.0), 1.0)
        return seconds * depth, task

    def learn_start(self, cell: Cell, seconds: float) -> None:
        """To prepare, warm up and verify the arm took that long, which is mostly compiling."""
        self._starts[cell.arm] = max(seconds, self._starts.get(cell.arm, 0.0))

    def learn_apart(self, cell: Cell, seconds: float) -> None:
        """The whole of ``cell``, measured in fresh processes, took that long."""
        self._apart.setdefault(cell.task.how, {})[cell.arm] = seconds

    def cell(self, cell: Cell, options: Options, ramp: float) -> float | None:
        """Seconds of the whole measurement."""
        how = cell.task.how
        if how != "timed":
            known = self._apart.get(how, {})
            guess = sum(known.values()) / len(known) if known else FRESH_SECONDS
            return known.get(cell.arm, guess if known or how != "compile" else guess * options.fresh_runs)
        run = self.run(cell)
        if run is None:
            return None
        # later points of a curve on a GPU have no ramp, but a window in which their state is sampled
        ramps = 0.0 if not ramp else max(ramp if cell.task.curve is None else WINDOW, run[0])
        runs = options.warmups + options.runs + options.end_to_end_runs
        return self._starts.get(cell.arm, 0.0) + run[0] * runs + ramps
