"""What the machine does while a side runs, read over the edges of measuring. The one place where a monitor plugs in."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from perfdocs.measure.edges import Clock, Files, Nvml, NvmlError

from .record import State

__all__ = ["EdgeWatch", "Foreign", "allowed_processors", "busy_seconds", "foreign_of", "own_seconds"]

BUSY = 0.05  # share of the last sampling period
LEAST_SPAN = 0.2
"""Seconds over which foreign load is read at least: the system counts busy time in hundredths of a second."""
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100

Foreign = Callable[[], int | str]
"""How many processes of others are on the GPU, or why that cannot be seen."""


def busy_seconds(stat: str, processors: frozenset[int]) -> float | None:
    """Busy seconds of these processors since the machine began, from ``/proc/stat``; ``None`` where one is not told."""
    found: dict[int, float] = {}
    for line in stat.splitlines():
        name, *numbers = line.split() or [""]
        if name.startswith("cpu") and name[3:].isdecimal() and len(numbers) >= 8 and all(map(str.isdecimal, numbers)):
            ticks = [int(number) for number in numbers[:8]]
            found[int(name[3:])] = (sum(ticks) - ticks[3] - ticks[4]) / TICKS  # neither idle nor waiting for a disk
    if not processors or not processors <= found.keys():
        return None
    return sum(found[processor] for processor in processors)


def own_seconds() -> float:
    """Seconds of processor time that this process and the children it has waited for took."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def foreign_of(processes: frozenset[int], files: Files, me: int) -> int | str:
    """How many of these processes are neither ``me`` nor started by it, or why that cannot be seen."""
    foreign = 0
    for process in processes:
        line = _descent(process, files)
        if line is None:
            return "ids of its processes are those of another namespace"
        foreign += me not in line
    return foreign


def _descent(process: int, files: Files) -> list[int] | None:
    """A process and those it descends from; ``None`` where the system does not know it."""
    line: list[int] = []
    while process > 0 and process not in line:
        stat = files.read(f"/proc/{process}/stat")
        if stat is None:
            return line or None
        line.append(process)
        process = int(stat.rpartition(")")[2].split()[1])  # the name before it may hold anything
    return line


def allowed_processors() -> frozenset[int]:
    """Those this process may use; none where the system does not tell."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


@dataclass(slots=True)
class _Seen:
    """Samples of one turn; hertz."""

    samples: int = 0
    sm: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    throttle: set[str] = field(default_factory=set)


class EdgeWatch:
    """Reads over NVML and ``/proc``.

    With ``period`` (s) a thread samples while a side runs in a process of its own. Without, one sample is taken right
    after a side that ran in this process, and counts as busy: reading in between would slow it
    (docs/decisions/0008).
    """

    def __init__(
        self,
        clock: Clock,
        files: Files,
        nvml: Nvml | str,
        foreign: Foreign,
        period: float | None = None,
        own: Callable[[], float] = own_seconds,
        processors: frozenset[int] | None = None,
    ) -> None:
        self._clock, self._files, self._foreign, self._period, self._own = clock, files, foreign, period, own
        self._nvml: Nvml | None = None if isinstance(nvml, str) else nvml
        self._reason = nvml if isinstance(nvml, str) else None
        self._processors = allowed_processors() if processors is None else processors
        self._seen = _Seen()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._anchor = self._load()

    def begin(self) -> None:
        """Look from here on."""
        self._seen = _Seen()
        if self._anchor is None:
            self._anchor = self._load()
        if self._period is not None and self._nvml is not None:
            self._stop = threading.Event()
            self._thread = threading.Thread(target=self._follow, args=(self._stop, self._period), daemon=True)
            self._thread.start()

    def end(self) -> State:
        """Look a last time, and say what was seen."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None
        self._sample(always=self._period is None)
        seen, unobserved = self._seen, [] if self._reason is None else [f"clocks: {self._reason}"]
        foreign = self._foreign()
        if isinstance(foreign, str):
            unobserved.append(f"foreign processes: {foreign}")
        load = self._foreign_load()
        if load is None:
            unobserved.append("foreign load")
        return State(
            samples=seen.samples,
            busy=len(seen.sm),
            sm_clock=(min(seen.sm), max(seen.sm)) if seen.sm else None,
            memory_clock=(min(seen.memory), max(seen.memory)) if seen.memory else None,
            throttle=tuple(sorted(seen.throttle)),
            foreign_processes=None if isinstance(foreign, str) else foreign,
            foreign_load=load,
            unobserved=tuple(unobserved),
        )

    def _follow(self, stop: threading.Event, period: float) -> None:
        while not stop.wait(period) and self._nvml is not None:
            self._sample()

    def _sample(self, *, always: bool = False) -> None:
        if self._nvml is None:
            return
        try:
            busy = always or self._nvml.utilisation() > BUSY
            sm, memory, reasons = self._nvml.sm_clock(), self._nvml.memory_clock(), self._nvml.throttle()
        except NvmlError as error:
            self._nvml, self._reason = None, str(error)
            return
        self._seen.samples += 1
        if busy:
            self._seen.sm.append(sm)
            self._seen.memory.append(memory)
            self._seen.throttle.update(reasons)

    def _load(self) -> tuple[float, float, float] | None:
        busy = busy_seconds(self._files.read("/proc/stat") or "", self._processors)
        return None if busy is None else (self._clock.monotonic(), busy, self._own())

    def _foreign_load(self) -> float | None:
        """Cores that others kept busy since the load was last told; ``None`` where that is not long enough ago."""
        before, now = self._anchor, self._load()
        if before is None or now is None or now[0] - before[0] < LEAST_SPAN:
            return None
        span, busy, own = (late - early for late, early in zip(now, before, strict=True))
        self._anchor = now
        return round(max(0.0, busy - own) / span, 3)
