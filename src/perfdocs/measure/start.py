"""Bring one arm to the point where it may be timed: prepared, warmed up, verified, its memory read.

Memory is read in this process. Device memory is what the arm's own allocator holds where it tells, else the driver's
free memory before the arm was prepared less that after its warm-up; host memory is the growth of the resident set over
the same span. Pages that the process held already are therefore not counted. Where the arms of a point are alive
together on one GPU, none of its memory is read here: a task of its own does that, in fresh processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .arm import Cannot, Context, Prepared, Workload
from .edges import Files, Gpu
from .loader import load_arm
from .machine import resident_bytes
from .options import Options
from .plan import Cell
from .protocol import Timed, Timer, warm_up
from .spent import Spent

__all__ = ["Started", "Starter", "TooSlow", "close"]


class TooSlow(Cannot):
    """Warm-up runs of ``seconds`` each: all runs together would be over the limit."""

    def __init__(self, seconds: float, limit: float) -> None:
        self.seconds = seconds
        super().__init__("out_of_time", f"{seconds:.2g} s a run: more than {limit:g} s for the measurement")


@dataclass(slots=True)
class Started:
    """An arm that may be timed, and its counted facts."""

    cell: Cell
    timed: Timed
    counts: dict[str, float]
    choices: dict[str, str]


@dataclass(frozen=True, slots=True)
class Starter:
    """Starts arms of one benchmark on one device. ``wanted`` are the metrics the definition has.

    ``together``: the arms of a point are alive at once.
    """

    folder: Path
    workload: Workload
    context: Context
    wanted: Mapping[str, object]
    timer: Timer
    options: Options
    files: Files
    gpu: Gpu | None
    spent: Spent
    together: bool = False

    def start(self, cell: Cell, problem: Any, reference: Any) -> Started:
        """Prepare, warm up, verify. Raises what the arm or the verification raises; the arm is closed then."""
        with self.spent.on("preparing and compiling"):
            return self._start(cell, problem, reference)

    def _start(self, cell: Cell, problem: Any, reference: Any) -> Started:
        gpu = self.gpu
        if gpu is not None:
            gpu.release()
        resident, free = resident_bytes(self.files), gpu.free_memory() if gpu else 0
        arm = load_arm(self.folder, cell.arm).prepare(problem, self.context)
        try:
            timed = warm_up(
                arm, self.timer, self.options.warmups, lambda result: self._verify(problem, reference, result)
            )
            counts = {**self.workload.counts(problem), **timed.facts, **arm.counts()}
            after = resident_bytes(self.files)
            if resident is not None and after is not None and "host_memory" in self.wanted:
                counts["host_memory"] = max(0, after - resident)
            alone = gpu is not None and not self.together
            if gpu is not None and alone and not arm.on_host and "device_memory" in self.wanted:
                own = arm.device_memory()
                counts["device_memory"] = own if own is not None else max(0, free - gpu.free_memory())
            self._refuse_slow(min(timed.warmup))
        except BaseException:
            close(arm)
            raise
        return Started(cell, timed, counts, dict(arm.choices()))

    def _verify(self, problem: Any, reference: Any, result: Any) -> Mapping[str, float]:
        with self.spent.on("verification"):
            return self.workload.verify(problem, reference, result)

    def _refuse_slow(self, seconds: float) -> None:
        o = self.options
        if seconds * (o.runs + o.end_to_end_runs) > o.cell_limit:
            raise TooSlow(seconds, o.cell_limit)


def close(arm: Prepared) -> None:
    """Close an arm that may be in any state; what it raises then is of no interest."""
    with suppress(Exception):
        arm.close()
