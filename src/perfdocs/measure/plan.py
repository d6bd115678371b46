"""Which arm is measured where, and what that will cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfdocs.card import AxisValue
from perfdocs.definition import Definition
from perfdocs.errors import PerfdocsError, clean, nearest

from .arm import Kind, Task, Workload
from .options import Options

__all__ = ["Cell", "Foresight", "cells_of", "chosen_arms", "chosen_tasks", "matches", "show"]


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


def chosen_arms(definition: Definition, kind: Kind, only: Sequence[str]) -> tuple[str, ...]:
    """Arms that run on this kind of device, in the definition's order, narrowed to ``only``."""
    for arm in only:
        if arm not in definition.arms:
            raise PerfdocsError(
                "unknown-arm",
                "--arm",
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

    A point asked for by ``options.at`` may be one that only the full set has. Raises :class:`PerfdocsError` where an
    axis is unknown or nothing is left.
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
    found = list(workload.tasks(kind, not options.full))
    if not options.at:
        return found
    every = [task for task in workload.tasks(kind, False) if matches(task.at, options.at)]
    kept = [task for task in found if matches(task.at, options.at)] or every
    if not kept:
        wanted = "; ".join(f"{a}={'/'.join(map(str, v))}" for a, v in options.at.items())
        raise PerfdocsError(
            "no-point", "--at", clean(wanted, 120), f"a point of {definition.id} on this device", "see --list"
        )
    return kept


def cells_of(definition: Definition, arms: Sequence[str], tasks: Sequence[Task]) -> list[Cell]:
    """Every pair the tables allow, point by point."""
    return [Cell(arm, task) for task in tasks for arm in arms if arm in definition.arms_of(task.table)]


class Foresight:
    """How long a run of an arm will take, from how long it took at another point of the table."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._seen: dict[tuple[str, str], list[tuple[float, float, Task]]] = {}

    def learn(self, cell: Cell, seconds: float) -> None:
        """One run of ``cell`` took that long."""
        self._seen.setdefault((cell.task.table, cell.arm), []).append(
            (self._workload.work(cell.task.at), seconds, cell.task)
        )

    def run(self, cell: Cell) -> tuple[float, Task] | None:
        """Seconds of one run and the point they were foreseen from; ``None`` where nothing is known."""
        seen = self._seen.get((cell.task.table, cell.arm))
        if not seen:
            return None
        work = self._workload.work(cell.task.at)
        known, seconds, task = min(seen, key=lambda entry: abs(entry[0] - work))
        return (seconds * max(1.0, work / known) if known > 0 else seconds), task

    def cell(self, cell: Cell, options: Options, ramp: float) -> float | None:
        """Seconds of the whole measurement."""
        run = self.run(cell)
        if run is None:
            return None
        return run[0] * (options.warmups + options.runs + options.end_to_end_runs) + max(ramp, run[0] if ramp else 0.0)
