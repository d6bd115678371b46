"""What is seen of the machine while sides have their turns, over a fake sampler."""

from __future__ import annotations

from dataclasses import dataclass, field
from dataclasses import replace as changed

import pytest
from tests.measure.fakes import FakeClock, FakeSampler

from perfdocs.ab.observer import MonitorObserver
from perfdocs.ab.record import SideFacts
from perfdocs.ab.rounds import contaminated
from perfdocs.ab.sides import ArmSide, CommandSide
from perfdocs.card import Spread, State
from perfdocs.measure.arm import Prepared
from perfdocs.measure.edges import Sampler
from perfdocs.measure.monitor import Monitor, Watch
from perfdocs.measure.protocol import Timed, Timer
from perfdocs.measure.sampler import PERIOD, Sample


def observer(sampler: Sampler | str, clock: FakeClock, limit: float = 0.5) -> MonitorObserver:
    return MonitorObserver(Monitor(sampler, clock), limit)


@dataclass
class Arm(Prepared):
    """Takes so long and notes when it ran."""

    clock: FakeClock
    seconds: float
    begun: list[float] = field(default_factory=list)

    def run(self) -> None:
        self.begun.append(self.clock.seconds)
        self.clock.turn(self.seconds)


def arm_side(clock: FakeClock, seconds: float, *, gpu: bool) -> ArmSide:
    """One that times ten runs together, settled by one."""
    timed = Timed(Arm(clock, seconds), warmup=[seconds], inner=10, watch=Watch(gpu))
    return ArmSide(SideFacts(label="made up", kind="arm"), {}, timed, Timer(clock, 1e-7, 0.01), settling=1)


def begun(side: ArmSide) -> list[float]:
    arm = side._timed.arm
    assert isinstance(arm, Arm)
    return arm.begun


class Turning(CommandSide):
    """A command that takes ``seconds`` of the fake clock."""

    def __init__(self, clock: FakeClock, seconds: float, *, gpu: bool = True) -> None:
        super().__init__("A", ["made up"], 9, gpu=gpu)
        self._clock, self._seconds = clock, seconds

    def _output(self) -> str:
        self._clock.turn(self._seconds)
        return "perfdocs-region main 0.5"


@dataclass
class Partly(FakeSampler):
    """A GPU that is busy in the middle of a turn only, and at a lower clock while it is idle."""

    def sample(self, time: float, device: bool) -> Sample:
        found = super().sample(time, device)
        idle = not 0.38 < time - 1000 < 0.62
        return changed(found, utilisation=0.01, sm_clock=3e8, p_state=8) if device and idle else found


def seen(found: State | None) -> State:
    assert found is not None
    return found


def test_beside_a_command_the_gpu_is_sampled_throughout_and_idle_samples_have_no_clock() -> None:
    clock = FakeClock()
    sampler = Partly(clock)
    turn = observer(sampler, clock).turn(Turning(clock, 1.0))
    assert [what for _, what in sampler.watched] == ["host", "device", "host", "nothing"]
    assert turn.regions == {"main": 0.5}
    state = seen(turn.state)
    assert (state.window, state.seconds, state.samples) == ("timed", 1.0, 6)
    assert state.sm_clock == Spread(low=1.98e9, centre=1.98e9, high=1.98e9)
    assert (state.p_states, state.temperature, state.utilisation, state.foreign_processes) == ((0,), 50.0, 1.0, 0)
    assert state.power == Spread(low=300.0, centre=300.0, high=300.0)
    assert state.energy == pytest.approx(300.0, rel=1e-3)  # of all of it
    assert state.foreign_load == pytest.approx(0.0, abs=0.01)


def test_a_process_of_others_is_seen_while_the_gpu_is_idle_too() -> None:
    clock = FakeClock()
    turn = observer(Partly(clock, foreign_processes=2), clock).turn(Turning(clock, 0.3))
    assert (seen(turn.state).samples, seen(turn.state).sm_clock) == (0, None)
    assert contaminated(turn.state) == "2 foreign processes on the device"


def test_what_a_gpu_hides_is_named() -> None:
    clock = FakeClock()
    sampler = FakeSampler(clock, hidden=frozenset({"utilisation", "foreign_processes"}))
    state = seen(observer(sampler, clock).turn(Turning(clock, 1.0)).state)
    assert (state.samples, state.foreign_processes) == (0, None)
    assert {"utilisation", "foreign_processes"} <= set(state.unobserved)
    assert contaminated(state) is None


def test_without_a_gpu_nobody_asks_for_one() -> None:
    clock = FakeClock()
    sampler = FakeSampler(clock)
    state = seen(observer(sampler, clock).turn(Turning(clock, 1.0, gpu=False)).state)
    assert {what for _, what in sampler.watched} == {"host", "nothing"}
    assert (state.sm_clock, state.samples) == (None, 26)


def test_a_gpu_is_left_alone_while_a_short_region_is_timed() -> None:
    clock = FakeClock()
    sampler = FakeSampler(clock)
    side = arm_side(clock, 1e-3, gpu=True)
    look = observer(sampler, clock)
    for _ in range(2):
        begun(side).clear()
        sampler.watched.clear()
        state = seen(look.turn(side).state)
        assert [what for _, what in sampler.watched] == ["host", "device", "host", "nothing"]
        on = sampler.watched[1][0]
        assert sum(moment < on for moment in begun(side)) == 11  # settled, then timed
        assert state.window == "window"
        assert state.seconds == pytest.approx(0.25, abs=0.002)
        assert state.sm_clock is not None
        assert state.p_states == (0,)
        assert state.energy == pytest.approx(0.3, rel=0.01)  # of one run
        assert state.samples in (6, 7)


def test_a_long_region_is_sampled_itself() -> None:
    clock = FakeClock()
    state = seen(observer(FakeSampler(clock), clock).turn(arm_side(clock, 0.1, gpu=True)).state)
    assert state.window == "timed"
    assert state.seconds == pytest.approx(1.0, rel=1e-3)
    assert state.energy == pytest.approx(30.0, rel=1e-3)


def test_a_short_turn_is_watched_until_it_tells_the_load_beside_it() -> None:
    clock = FakeClock()
    sampler = FakeSampler(clock, foreign=0.7)
    look, side = observer(sampler, clock), arm_side(clock, 0.01, gpu=False)
    found = [seen(look.turn(side).state) for _ in range(3)]
    assert {what for _, what in sampler.watched} == {"host", "nothing"}
    assert {(state.window, state.seconds, state.foreign_load) for state in found} == {("rotation", 0.11, 0.7)}
    assert contaminated(found[0]) == "foreign load of 0.7 processors"


def test_nobody_waits_for_a_load_that_cannot_matter() -> None:
    clock = FakeClock()
    look = observer(FakeSampler(clock, foreign=0.7), clock, limit=4096.0)
    begun = clock.seconds
    state = seen(look.turn(arm_side(clock, 0.01, gpu=False)).state)
    assert clock.seconds - begun == pytest.approx(0.11, abs=0.01)
    assert state.foreign_load is None


def test_a_load_that_was_told_is_not_told_again() -> None:
    clock = FakeClock()
    sampler = FakeSampler(clock, foreign=1.0, disturbed=(1000.0, 1000.3))
    look, command = observer(sampler, clock), Turning(clock, 0.6)
    assert [seen(look.turn(command).state).foreign_load for _ in range(3)] == [1.0, 0.0, 0.0]


def test_the_limit_is_the_observer_s() -> None:
    clock = FakeClock()
    look = observer(FakeSampler(clock, foreign=0.7), clock, limit=0.8)
    state = seen(look.turn(Turning(clock, 0.5)).state)
    assert (state.foreign_load, state.foreign_limit, contaminated(state)) == (0.7, 0.8, None)


@pytest.mark.parametrize("lives", range(4))
def test_a_sampler_dies_anywhere_and_the_turns_go_on(lives: int) -> None:
    clock = FakeClock()
    look = observer(FakeSampler(clock, lives=lives), clock)
    for _ in range(2):
        turn = look.turn(arm_side(clock, 1e-3, gpu=True))
        assert turn.state is None
        assert turn.regions == {"run": pytest.approx(1e-3, rel=1e-3)}
    assert look.period == PERIOD
    assert "does not answer" in str(look.reason)


def test_without_a_sampler_or_a_gpu_the_reason_is_told() -> None:
    clock = FakeClock()
    assert (observer("no sampler here", clock).reason, observer("none", clock).period) == ("no sampler here", None)
    assert MonitorObserver(Monitor(FakeSampler(clock), clock), 0.5, "no clocks: none").reason == "no clocks: none"
    assert observer(FakeSampler(clock), clock).reason is None
