"""The runner with a sampler: what is watched when, what the card says, and what is measured again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from perfdocs.card import Block, Card, State, Summary
from perfdocs.flags import flags_by_measurement, sm_clock
from perfdocs.measure.again import foreign_limit
from perfdocs.measure.arm import Prepared, Task
from perfdocs.measure.failure import Stopped
from perfdocs.measure.protocol import Timed
from perfdocs.measure.sampler import PERIOD
from perfdocs.measure.session import block_of
from perfdocs.reasons import flag_reasons

from .fakes import FakeSampler


@pytest.fixture
def watched(toy: SimpleNamespace) -> SimpleNamespace:
    """The toy with a sampler."""
    toy.sampler = FakeSampler(toy.clock)
    return toy


def block(card: Card, arm: str = "good", n: int = 10) -> Block:
    (found,) = [m.block for m in card.measurements if m.arm == arm and m.at["n"] == n]
    assert found is not None
    return found


def state(card: Card, arm: str = "good", n: int = 10) -> State:
    found = block(card, arm, n).state
    assert found is not None
    return found


def test_the_ramp_of_short_runs_is_their_window(watched: SimpleNamespace) -> None:
    card = watched.measure("good", device="gpu", at={"n": (10,)})
    found = state(card)
    assert found.window == "ramp"
    assert found.seconds == pytest.approx(0.25, abs=0.002)
    assert found.samples in (6, 7)
    assert found.sm_clock is not None
    assert (found.sm_clock.centre, found.p_states, found.temperature) == (1.98e9, (0,), 50.0)
    assert found.energy == pytest.approx(300.0 * 1e-3, rel=1e-2)
    assert (card.method.sample_period, card.method.state_window, card.method.sampler_reason) == (PERIOD, 0.25, None)
    assert watched.sampler.closed
    assert "energy" not in card.measurements[0].values  # the definition has no such metric


def test_short_runs_are_timed_while_the_device_is_left_alone(watched: SimpleNamespace) -> None:
    begun: list[float] = []
    watched.workload.before_run[0] = lambda _arm, _run: begun.append(watched.clock.seconds)
    watched.measure("good", device="gpu", at={"n": (10,)}, end_to_end_runs=1)
    assert [what for _, what in watched.sampler.watched] == ["host", "device", "host", "nothing"]
    _, (on, _), (off, _), _ = watched.sampler.watched
    assert sum(moment >= off for moment in begun) >= 6  # five timed runs and one end to end
    assert sum(on <= moment < off for moment in begun) == 250


def test_a_ramp_with_a_window_takes_no_longer(toy: SimpleNamespace) -> None:
    def runs() -> int:
        toy.workload.calls.clear()
        toy.measure("good", device="gpu", at={"n": (10,)}, fresh=True)
        return sum(what == "run" for _, what in toy.workload.calls)

    before = runs()
    toy.sampler = FakeSampler(toy.clock)
    assert runs() - before in (-1, 0, 1)


ENERGY = '[metrics.energy]\nlabel = "energy"\nkind = "samples"\nunit = "J"\n'


def test_energy_is_a_metric_where_the_definition_has_it(watched: SimpleNamespace) -> None:
    toml = watched.folder / "benchmark.toml"
    toml.write_text(f"{toml.read_text()}\n{ENERGY}")
    gpu, cpu = (watched.measure("good", device=device, at={"n": (10,)}) for device in ("gpu", "cpu"))
    energy = gpu.measurements[0].values["energy"]
    assert isinstance(energy, Summary)
    assert energy.low is not None
    assert energy.high is not None
    assert energy.low < energy.centre < energy.high
    assert energy.centre == pytest.approx(300.0 * 1e-3, rel=1e-2)
    assert "energy" not in cpu.measurements[0].values  # this processor does not tell
    full = watched.measure("good", device="gpu", at={"n": (10,)}, full=True, fresh=True)
    assert (gpu.method.state_window, full.method.state_window) == (0.25, 1.0)  # for the counter's steps
    assert state(full).seconds == pytest.approx(1.0, abs=0.01)
    clocks = watched.measure("good", device="gpu", at={"n": (10,)}, full=True, fresh=True, no_energy=True)
    assert clocks.method.state_window == 0.25


@pytest.mark.parametrize("device", ["gpu", "cpu"])
def test_long_runs_are_sampled_themselves(
    watched: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    monkeypatch.setattr(watched.workload, "tasks", lambda kind, quick: [Task("main", {"n": 4000})])
    found = state(watched.measure("good", "double", device=device), n=4000)
    assert found.window == "timed"
    assert found.seconds == pytest.approx(5 * 0.4, rel=1e-3)
    assert found.samples in range(50, 56)
    assert (found.energy is None) == (device == "cpu")


@pytest.mark.parametrize("rotates", [False, True])
def test_the_clock_of_short_runs_is_that_of_the_window(watched: SimpleNamespace, rotates: bool) -> None:
    if rotates:
        toml = watched.folder / "benchmark.toml"
        toml.write_text(f'protocol = "rotate"\n{toml.read_text()}')
    watched.sampler.clock_rate = 1.41e9
    (one,) = watched.measure("good", device="gpu", at={"n": (10,)}).measurements
    assert one.values["sm_clock"] == Summary(centre=1.41e9, low=1.41e9, high=1.41e9)
    assert sm_clock(one) == 1.41e9


def test_points_of_a_curve_without_a_ramp_have_a_window_of_their_own(
    watched: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [Task("main", {"n": n}, curve="n") for n in (10, 20)]
    monkeypatch.setattr(watched.workload, "tasks", lambda kind, quick: tasks)
    card = watched.measure("good", device="gpu")
    assert [state(card, n=n).window for n in (10, 20)] == ["ramp", "window"]
    assert state(card, n=20).seconds == pytest.approx(0.25, abs=0.01)


def test_a_rotation_on_a_gpu_has_a_window_for_each_arm(watched: SimpleNamespace) -> None:
    toml = watched.folder / "benchmark.toml"
    toml.write_text(f'protocol = "rotate"\n{toml.read_text()}')
    card = watched.measure("good", "double", "hosted", device="gpu", at={"n": (10,)})
    assert [state(card, arm).window for arm in ("good", "double", "hosted")] == ["window", "window", "rotation"]
    assert state(card, "hosted").sm_clock is None
    hosted = state(card, "hosted")  # watched until it tells a load, though it ran for 25 ms
    assert (hosted.foreign_load, hosted.foreign_limit) == (0.0, 0.5)
    assert hosted.seconds == pytest.approx(0.025, abs=1e-3)


def test_processors_are_watched_over_the_whole_rotation(watched: SimpleNamespace) -> None:
    card = watched.measure("good", "double", at={"n": (100,)})
    found = state(card, n=100)
    assert (found.window, found.foreign_load, found.foreign_limit) == ("rotation", 0.0, 0.5)
    assert found.unobserved == ("cpu_clock", "energy")
    assert {what for _, what in watched.sampler.watched} == {"nothing", "host"}


def test_without_a_sampler_the_card_says_why(toy: SimpleNamespace) -> None:
    card = toy.measure("good", device="gpu", at={"n": (10,)})
    assert block(card).state is None
    assert (card.method.sample_period, card.method.sampler_reason) == (None, "no sampler here")


@pytest.mark.parametrize("lives", range(9))
def test_a_sampler_dies_anywhere_and_the_run_goes_on(watched: SimpleNamespace, lives: int) -> None:
    """Four questions a block: the host from its begin, the device in the window, the host after it, nothing."""
    watched.sampler.lives = lives
    card = watched.measure("good", device="gpu")
    assert [len(m.values["wall"]) for m in card.measurements] == [5, 5]
    assert [m.block.state is not None for m in card.measurements if m.block] == [lives >= 4, lives >= 8]
    assert ("not sampled" in (card.method.sampler_reason or "")) == (lives < 8)
    assert ["not_watched" in found for found in flags(card)] == [lives < 4, lives < 8]
    assert card.method.sample_period == PERIOD
    assert sum("not sampled" in line for line in watched.quiet.lines) == (lives < 8)


def flags(card: Card) -> list[set[str]]:
    return [set(found) for found in flags_by_measurement(card)]


def test_a_last_try_that_nobody_watched_is_not_clean(watched: SimpleNamespace) -> None:
    watched.sampler.foreign, watched.sampler.lives = 1.5 + foreign_limit(64, True), 6
    card = watched.measure("good", device="gpu", at={"n": (10,)})
    (why,) = block(card).repeats
    assert why.startswith("foreign load of ")
    assert block(card).state is None
    assert flags(card) == [{"not_watched"}]
    assert flag_reasons(card.measurements[0]) == {"not_watched": f"the try before it was thrown away: {why}"}


def test_a_contaminated_block_is_measured_again_and_says_why(watched: SimpleNamespace) -> None:
    watched.sampler.foreign, watched.sampler.disturbed = 1.5 + foreign_limit(64, True), (0.0, 1000.4)
    card = watched.measure("good", device="gpu", at={"n": (10,)})
    (why,) = block(card).repeats
    assert why.startswith("foreign load of ")
    assert flags(card) == [set()]
    assert len(card.measurements[0].values["wall"]) == 5


@pytest.mark.parametrize(
    ("changes", "repeats", "flag"),
    [
        ({"foreign_processes": 1}, ["1 foreign process on the device"] * 2, "contaminated"),
        ({"throttle": ("thermal",)}, ["thermal"] * 2, "throttled"),
        ({"throttle": ("power_cap",)}, ["power_cap"], "throttled"),
        ({"throttle": ("application_clocks",)}, [], "throttled"),
    ],
)
def test_the_last_try_is_kept_and_flagged(
    watched: SimpleNamespace, changes: dict[str, Any], repeats: list[str], flag: str
) -> None:
    for key, value in changes.items():
        setattr(watched.sampler, key, value)
    card = watched.measure("good", device="gpu", at={"n": (10,)})
    assert list(block(card).repeats) == repeats
    assert flags(card) == [{flag}]
    assert (card.method.repeats, card.method.repeat_budget) == (2, 45.0)


@pytest.mark.parametrize("choices", [{"repeats": 0}, {"repeat_budget": 0.3}])
def test_repeats_are_limited_by_number_and_by_time(watched: SimpleNamespace, choices: dict[str, Any]) -> None:
    watched.sampler.throttle = ("thermal",)
    card = watched.measure("good", device="gpu", at={"n": (10,)}, **choices)
    assert block(card).repeats == ()
    assert flags(card) == [{"throttled"}]


def test_repeats_use_up_the_budget(watched: SimpleNamespace) -> None:
    watched.sampler.throttle = ("thermal",)
    card = watched.measure("good", device="gpu", repeat_budget=1.3)
    assert [len(m.block.repeats) for m in card.measurements if m.block] == [2, 0]  # half a second each


def test_no_repeat_goes_beyond_the_deadline(watched: SimpleNamespace) -> None:
    watched.sampler.throttle = ("thermal",)
    card = watched.measure("good", device="gpu", at={"n": (10,)}, deadline=1.0)
    assert block(card).repeats == ()


def test_all_arms_of_a_rotation_are_measured_again(watched: SimpleNamespace) -> None:
    watched.sampler.foreign, watched.sampler.disturbed = 1.0, (0.0, 1000.3)
    card = watched.measure("good", "double", at={"n": (100,)})
    assert block(card, "good", 100).repeats == block(card, "double", 100).repeats == ("foreign load of 1 processors",)
    assert flags(card) == [set(), set()]


def test_an_arm_that_fails_in_a_repeat_keeps_its_last_try(watched: SimpleNamespace) -> None:
    def fail(_arm: str, run: int) -> None:
        if run > 600:  # in the ramp of the second try
            raise RuntimeError("made up")

    watched.sampler.throttle = ("thermal",)
    watched.workload.before_run[0] = fail
    card = watched.measure("good", device="gpu", at={"n": (10,)})
    assert not card.not_run
    assert len(card.measurements[0].values["wall"]) == 5
    assert flags(card) == [{"throttled"}]


def test_an_interrupt_in_a_repeat_keeps_what_was_measured(watched: SimpleNamespace) -> None:
    def interrupt(_arm: str, run: int) -> None:
        if run > 600:  # in the ramp of the second try
            raise KeyboardInterrupt

    watched.sampler.throttle = ("thermal",)
    watched.workload.before_run[0] = interrupt
    with pytest.raises(Stopped, match="1 measurement is kept"):
        watched.measure("good", device="gpu", at={"n": (10,)})
    assert watched.sampler.closed


def test_an_arm_of_a_gpu_needs_one_processor_only() -> None:
    assert (foreign_limit(2, False), foreign_limit(128, False)) == (0.5, 0.5)
    assert (foreign_limit(1, True), foreign_limit(2, True), foreign_limit(128, True)) == (0.5, 1.0, 64.0)


def test_no_window_stands_for_the_clock_of_an_arm_that_a_state_comes_before(watched: SimpleNamespace) -> None:
    class Surrounded(Prepared):
        def before(self) -> None:
            """Pause."""

    sampled = state(watched.measure("good", device="gpu", at={"n": (10,)}))
    assert sampled.window == "ramp"
    sampled = replace(sampled, throttle=("sw_power_cap",), throttle_samples={"sw_power_cap": 1})
    cell: Any = SimpleNamespace(task=Task("main", {}))
    kept = block_of(cell, Timed(Prepared()), None, sampled).state
    assert kept == sampled
    left = block_of(cell, Timed(Surrounded()), None, sampled).state
    assert left is not None
    assert (left.sm_clock, left.memory_clock, left.cpu_clock, left.energy, left.energy_error) == (None,) * 5
    assert (left.throttle, left.throttle_samples) == ((), {})
    assert sampled.energy is not None
    assert (left.samples, left.power, left.foreign_load) == (sampled.samples, sampled.power, sampled.foreign_load)
    own = replace(sampled, window="timed")
    assert block_of(cell, Timed(Surrounded()), None, own).state == own
