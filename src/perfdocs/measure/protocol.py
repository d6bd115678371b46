"""How an arm is timed: verification first, then either a block of its own or its turn in a rotation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .arm import Prepared
from .edges import Clock
from .monitor import WINDOW, Monitor, Watch
from .sensors import Readings, Sensors

__all__ = [
    "ClockError",
    "Timed",
    "Timer",
    "has_state",
    "look_after",
    "measure_block",
    "measure_rotate",
    "ramp_up",
    "time_run",
    "warm_up",
]

TRIES = 3
SETTLED = 0.02
"""Timed runs shorter than this (s) follow untimed ones: after a pause, another arm or a reading of NVML a device takes
tens of microseconds more for them."""


class ClockError(Exception):
    """The clock ran backwards or stood still in every try."""


@dataclass(frozen=True, slots=True)
class Timer:
    """Times calls. A run is repeated ``inner`` times so that it lasts at least ``target`` seconds."""

    clock: Clock
    resolution: float
    target: float

    def inner(self, seconds: float) -> int:
        """Repetitions that make a run of ``seconds`` long enough for the timer."""
        return max(1, math.ceil(self.target / seconds - 1e-3)) if seconds > 0 else 1000

    def time(self, call: Callable[[], None], inner: int = 1) -> float:
        """Seconds of one call. A reading that goes backwards is thrown away and the run repeated."""
        for _ in range(TRIES):
            start = self.clock.counter()
            for _ in range(inner):
                call()
            seconds = (self.clock.counter() - start) / inner
            if seconds > 0 and math.isfinite(seconds):
                return seconds
        raise ClockError(f"the clock did not move forward in {TRIES} tries")


@dataclass(slots=True)
class Timed:
    """One arm under measurement; seconds."""

    arm: Prepared
    warmup: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    end_to_end: list[float] = field(default_factory=list)
    inner: int = 1
    ramp_runs: int = 0
    readings: Readings = field(default_factory=Readings)
    facts: dict[str, float] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)

    @property
    def short(self) -> bool:
        """Whether a timed run is too short to be sampled itself."""
        return min(self.warmup, default=0.0) * self.inner < WINDOW

    def again(self) -> Timed:
        """The same arm, warmed up and verified, with nothing timed."""
        watch = Watch(self.watch.device)
        return Timed(self.arm, warmup=self.warmup, inner=self.inner, facts=self.facts, watch=watch)


def warm_up(arm: Prepared, timer: Timer, warmups: int, verify: Callable[[Any], Mapping[str, float]]) -> Timed:
    """Run the warm-ups; the first is verified before anything else is timed.

    Raises what ``verify`` raises: then the arm must not be timed.
    """
    timed = Timed(arm)
    timed.warmup.append(timer.time(arm.run))
    timed.facts.update(verify(arm.result()))
    timed.warmup.extend(timer.time(arm.run) for _ in range(warmups - 1))
    timed.inner = timer.inner(min(timed.warmup))
    return timed


def _settle(timed: Timed, call: Callable[[], None], timer: Timer, settle: float) -> None:
    """Where a run is shorter than :data:`SETTLED`, run untimed for ``settle`` seconds, at least once; 0: never."""
    if settle and min(timed.warmup, default=SETTLED) < SETTLED:
        start = timer.clock.monotonic()
        call()
        while 0 <= timer.clock.monotonic() - start < settle:
            call()


def time_run(timed: Timed, timer: Timer, monitor: Monitor) -> None:
    """One timed run, after what the arm wants before it; sampled itself where it is long enough for that."""
    timed.arm.before()
    if timed.short:
        timed.wall.append(timer.time(timed.arm.run, timed.inner))
    else:
        with monitor.busy(timed.watch, "timed", timed.inner):
            timed.wall.append(timer.time(timed.arm.run, timed.inner))


def has_state(arm: Prepared) -> bool:
    """Whether an arm brings the machine into a state of its own before each timed run."""
    return type(arm).before is not Prepared.before


def _read_each(arm: Prepared, sensors: Sensors) -> bool:
    """Whether sensors are read after each timed run, and not only after the last.

    NVML is left alone until then, unless the arm brings the machine into a state before each run: what is read after
    it is what that state led to.
    """
    return sensors.nvml is None or has_state(arm)


def _until(moment: float, timed: Timed, timer: Timer) -> int:
    """Runs back to back until the monotonic clock shows ``moment``, at least one; how many."""
    runs = 0
    while not runs or timer.clock.monotonic() < moment:
        timed.arm.run()
        runs += 1
    return runs


def ramp_up(timed: Timed, timer: Timer, ramp: float) -> None:
    """Untimed runs back to back until ``ramp`` seconds have gone, at least one."""
    timed.ramp_runs += _until(timer.clock.monotonic() + ramp, timed, timer)


def _watched_ramp(timed: Timed, timer: Timer, ramp: float, monitor: Monitor) -> None:
    """A ramp whose last part is sampled, where it is long enough and the timed runs are too short for that."""
    if not timed.short or ramp < monitor.window:
        ramp_up(timed, timer, ramp)
        return
    end = timer.clock.monotonic() + ramp
    if ramp > monitor.window:
        timed.ramp_runs += _until(end - monitor.window, timed, timer)
    with monitor.busy(timed.watch, "ramp") as window:
        window.runs = _until(end, timed, timer)
    timed.ramp_runs += window.runs


def look_after(timed: Timed, timer: Timer, monitor: Monitor) -> None:
    """Where nothing of the arm's work on a device was sampled, run it untimed for that."""
    if timed.watch.device and not timed.watch.windows and monitor.alive:
        with monitor.busy(timed.watch, "window") as window:
            window.runs = _until(timer.clock.monotonic() + monitor.window, timed, timer)


def measure_block(
    timed: Timed,
    timer: Timer,
    sensors: Sensors,
    monitor: Monitor,
    *,
    ramp: float | None,
    settle: float,
    runs: int,
    end_to_end: int,
) -> None:
    """Untimed runs back to back until ``ramp`` seconds have gone (at least one; ``None``: none), then the timed runs.

    Timed runs follow each other; a short one follows untimed ones where it is the first, or sensors were read before.
    """
    if ramp is not None:
        _watched_ramp(timed, timer, ramp, monitor)
    each = _read_each(timed.arm, sensors)
    for run in range(runs):
        if each or not run:
            _settle(timed, timed.arm.run, timer, settle)
        time_run(timed, timer, monitor)
        if each:
            sensors.read(timed.readings)
    if not each:
        sensors.read(timed.readings)
    look_after(timed, timer, monitor)
    _settle(timed, timed.arm.end_to_end, timer, settle)
    timed.end_to_end.extend(timer.time(timed.arm.end_to_end) for _ in range(end_to_end))


def measure_rotate(
    group: Sequence[Timed],
    timer: Timer,
    sensors: Sensors,
    monitor: Monitor,
    *,
    settle: float,
    runs: int,
    end_to_end: int,
    turn: Callable[[int], None] = lambda _: None,
) -> dict[int, Exception]:
    """Every arm once a repetition; the order turns by one each time.

    A short run follows untimed ones, since another arm used the caches and the threads before it.
    An arm that raises takes no further turn; what it raised is returned by its place in ``group``. ``turn`` is told
    the place whose turn it is.
    """
    failed: dict[int, Exception] = {}
    for repetition in range(runs):
        for step in range(len(group)):
            place = (step + repetition) % len(group)
            timed = group[place]
            if place in failed:
                continue
            turn(place)
            try:
                _settle(timed, timed.arm.run, timer, settle)
                time_run(timed, timer, monitor)
                if _read_each(timed.arm, sensors):
                    sensors.read(timed.readings)
                if repetition < end_to_end:
                    timed.end_to_end.append(timer.time(timed.arm.end_to_end))
            except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
                failed[place] = error
    for place, timed in enumerate(group):
        if place not in failed:
            try:
                look_after(timed, timer, monitor)
                if not _read_each(timed.arm, sensors):
                    _settle(timed, timed.arm.run, timer, settle)
                    sensors.read(timed.readings)
            except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
                failed[place] = error
    return failed
