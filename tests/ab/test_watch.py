"""What the machine does while a side runs, over fakes of NVML, the clock and the system's files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from tests.measure.fakes import FakeClock, FakeFiles, FakeNvml

from perfdocs.ab.clocks import RefusedError
from perfdocs.ab.machine import Machine
from perfdocs.ab.watch import LEAST_SPAN, TICKS, EdgeWatch, busy_seconds, foreign_of
from perfdocs.measure.edges import Nvml, NvmlError


def stat(*busy: float) -> str:
    """``/proc/stat`` of processors that were busy for so many seconds, and idle and waiting for others."""
    lines = [f"cpu{i} {int(b * TICKS)} 0 0 7777 99 0 0 0 5 5" for i, b in enumerate(busy)]
    return "\n".join(["cpu  1 2 3 4 5 6 7 8 9 10", *lines, "intr 5", "procs_running 3"])


def test_busy_is_neither_idle_nor_waiting_and_only_our_processors_count() -> None:
    assert busy_seconds(stat(1.0, 2.0, 4.0), frozenset({0, 2})) == 5.0


@pytest.mark.parametrize(
    ("text", "processors"), [("", {0}), ("cpu 1 2 3 4 5 6 7 8", {0}), (stat(1.0), {0, 1}), (stat(1.0), set())]
)
def test_what_is_not_told_is_not_zero(text: str, processors: set[int]) -> None:
    assert busy_seconds(text, frozenset(processors)) is None


class Turns:
    """A watch over a clock, files and our own seconds that are turned by hand."""

    def __init__(self, nvml: Nvml | str = "no NVML here", foreign: Callable[[], int | str] = lambda: 0) -> None:
        self.clock, self.files, self.own = FakeClock(), FakeFiles({"/proc/stat": stat(0.0, 0.0)}), 0.0
        self.watch = EdgeWatch(
            self.clock, self.files, nvml, foreign, own=lambda: self.own, processors=frozenset({0, 1})
        )

    def turn(self, seconds: float, busy: float, own: float) -> None:
        self.watch.begin()
        self.clock.turn(seconds)
        self.files.texts["/proc/stat"] = stat(busy, 0.0)
        self.own = own


def test_foreign_load_is_busy_time_that_is_not_ours() -> None:
    t = Turns()
    t.turn(2.0, busy=3.0, own=2.0)
    assert t.watch.end().foreign_load == 0.5
    t.turn(1.0, busy=4.0, own=3.0)  # since the turn before
    assert t.watch.end().foreign_load == 0.0


def test_short_turns_are_told_together_once_they_are_long_enough() -> None:
    t = Turns()
    t.turn(LEAST_SPAN / 2, busy=0.3, own=0.0)
    first = t.watch.end()
    assert first.foreign_load is None
    assert "foreign load" in first.unobserved
    t.turn(LEAST_SPAN / 2 + 1e-6, busy=0.3, own=0.1)
    assert t.watch.end().foreign_load == pytest.approx(1.0, rel=0.01)


def test_where_the_system_tells_nothing_nothing_is_made_up() -> None:
    t = Turns(foreign=lambda: "NVML does not start")
    del t.files.texts["/proc/stat"]
    t.clock.turn(5)
    t.watch.begin()
    state = t.watch.end()
    assert (state.samples, state.sm_clock, state.foreign_processes, state.foreign_load) == (0, None, None, None)
    assert state.unobserved == (
        "clocks: no NVML here",
        "foreign processes: NVML does not start",
        "foreign load",
    )


def test_a_side_of_this_process_is_sampled_right_after_it() -> None:
    clock = FakeClock()
    t = Turns(FakeNvml(clock, reasons=("power_cap",)), lambda: 2)
    t.watch.begin()
    state = t.watch.end()
    assert (state.samples, state.busy, state.sm_clock, state.memory_clock) == (1, 1, (1.98e9,) * 2, (1e9,) * 2)
    assert (state.throttle, state.foreign_processes) == (("power_cap",), 2)


def test_nvml_that_dies_is_said_from_then_on() -> None:
    clock = FakeClock()
    t = Turns(FakeNvml(clock, lives=4))
    t.watch.begin()
    assert t.watch.end().samples == 1
    for _ in range(2):
        t.watch.begin()
        state = t.watch.end()
        assert (state.samples, state.busy) == (0, 0)
        assert "clocks: NVML stopped answering: GPU is lost" in state.unobserved


class Sampled(FakeNvml):
    """Lets go of a test once it was asked often enough."""

    idle: tuple[int, ...] = ()

    def utilisation(self) -> float:
        self.asked = getattr(self, "asked", 0) + 1
        return 0.0 if self.asked in self.idle else 0.9

    def sm_clock(self) -> float:
        return 1e9 if self.asked in self.idle else 1.5e9


def test_beside_a_command_a_thread_samples_and_idle_samples_have_no_clock() -> None:
    clock, nvml = FakeClock(), Sampled(FakeClock())
    nvml.idle = (1, 2)
    watch = EdgeWatch(clock, FakeFiles(), nvml, lambda: 0, period=1e-3, processors=frozenset())
    watch.begin()
    while getattr(nvml, "asked", 0) < 5:  # no time is meant: it ends when the thread has sampled
        os.sched_yield()
    state = watch.end()
    assert state.samples >= 5
    assert state.busy == state.samples - 2
    assert state.sm_clock == (1.5e9, 1.5e9)


STAT = "{0} (a ) name) S {1} 1 1 0"


def system(parents: dict[int, int]) -> FakeFiles:
    return FakeFiles({f"/proc/{child}/stat": STAT.format(child, parent) for child, parent in parents.items()})


def test_processes_that_descend_from_this_one_are_not_foreign() -> None:
    files = system({1: 0, 50: 1, 51: 50, 52: 51, 60: 1})
    assert foreign_of(frozenset({50, 52, 60}), files, 50) == 1
    assert foreign_of(frozenset(), files, 50) == 0


def test_ids_of_another_namespace_cannot_be_told_apart() -> None:
    assert (
        foreign_of(frozenset({50, 4711}), system({50: 1}), 50) == "ids of its processes are those of another namespace"
    )


@dataclass
class Control:
    """A GPU with these processes."""

    pids: frozenset[int] | str = frozenset()
    slices: str | None = None

    def processes(self) -> frozenset[int]:
        if isinstance(self.pids, str):
            raise RefusedError(self.pids)
        return self.pids

    def shared(self) -> str | None:
        return self.slices

    def target(self, mode: str) -> tuple[int, int]:
        raise NvmlError

    def lock_sm(self, clock: int) -> None:
        raise NvmlError

    def lock_memory(self, clock: int) -> None:
        raise NvmlError

    def reset(self) -> None:
        raise NvmlError


@pytest.mark.parametrize(
    ("control", "why"),
    [
        (Control(), None),
        (Control(frozenset({60})), "the GPU is shared, processes of others on it: 1"),
        (Control(frozenset({99})), "nobody can tell whether the GPU is shared: ids of its processes"),
        (Control("not permitted"), "nobody can tell whether the GPU is shared: not permitted"),
        (Control(slices="the GPU is in slices"), "the GPU is in slices"),
        ("no NVML", "nobody can tell whether the GPU is shared: no NVML"),
    ],
)
def test_a_gpu_is_locked_only_where_nobody_else_is_seen(control: Control | str, why: str | None) -> None:
    found = Machine(control, system({1: 0, 60: 1})).may_lock()
    assert found is None if why is None else str(found).startswith(why)


@pytest.mark.parametrize(("pids", "fine"), [({99}, True), ({98, 99}, False)])
def test_the_only_process_there_is_this_one_where_it_has_a_context(pids: set[int], fine: bool) -> None:
    control = Control(frozenset(pids))
    assert (Machine(control, system({}), context=True).may_lock() is None) == fine
    assert Machine(control, system({})).may_lock() is not None
