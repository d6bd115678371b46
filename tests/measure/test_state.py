"""From synthetic samples to the record of a card."""

from __future__ import annotations

from typing import Any

import pytest

from perfdocs.card import Block, Spread, State
from perfdocs.conditions import unwatched
from perfdocs.measure.sampler import Sample
from perfdocs.measure.state import Window, energy_of_a_run, foreign_load, state_of


def sample(at: float, **values: Any) -> Sample:
    return Sample(**{"time": at, "device": True, "busy": at, "own": at, "run_queue": 1, **values})


def state(*samples: Sample, windows: tuple[Window, ...] = (Window(0.0, 1.0, 1),), device: bool = True) -> State:
    return state_of(samples, windows, "timed", device=device, foreign_limit=0.5)


def test_idle_time_never_enters_an_observed_clock() -> None:
    found = state(
        sample(-0.1, sm_clock=3e8, throttle=("thermal",)),
        sample(0.2, sm_clock=1.9e9),
        sample(0.4, sm_clock=2e9),
        sample(0.6, sm_clock=1.95e9),
        sample(1.1, sm_clock=3e8, foreign_processes=4),
    )
    assert found.sm_clock == Spread(low=1.9e9, centre=1.95e9, high=2e9)
    assert (found.samples, found.seconds, found.throttle, found.foreign_processes) == (3, 1.0, (), None)


def test_a_reading_that_ends_after_the_work_does_not_count() -> None:
    found = state(sample(0.5, end=0.51, sm_clock=2e9), sample(0.99, end=1.01, sm_clock=3e8))
    assert found.sm_clock == Spread(low=2e9, centre=2e9, high=2e9)


def test_a_device_of_which_nothing_is_told_is_said_so_and_is_not_watched() -> None:
    host = [Sample(time=0.1 * i, busy=0.01 * i, own=0.01 * i, run_queue=1) for i in range(11)]
    found = state(*host)
    assert found.foreign_load == 0
    assert found.samples == 0
    assert {"sm_clock", "foreign_processes", "throttle"} <= {*found.unobserved}
    assert unwatched(Block(state=found), sampling=True)
    assert not unwatched(Block(state=state(*host, device=False)), sampling=True)
    told = [sample(0.1 * i, sm_clock=2e9) for i in range(11)]  # a container hides who else is there
    assert not unwatched(Block(state=state(*told)), sampling=True)


def test_a_stretch_in_which_our_own_time_fell_tells_nothing() -> None:
    ours = [(0.0, 0.0), (0.25, 0.25), (0.5, 0.0), (0.75, 0.125)]  # a child of ours ended, and nobody asked for its time
    assert foreign_load([sample(at, busy=at, own=own) for at, own in ours]) == pytest.approx(0.5)
    assert foreign_load([sample(at, busy=at, own=own) for at, own in ours[1:3]]) is None


def test_a_run_without_a_sample_is_not_observed() -> None:
    found = state(sample(5.0, sm_clock=3e8))
    assert (found.samples, found.sm_clock) == (0, None)
    assert "sm_clock" not in found.unobserved  # nobody looked


def test_what_is_hidden_is_named_and_not_zero() -> None:
    found = state(sample(0.2, busy=None, sm_clock=2e9, throttle=()), sample(0.6, busy=None, sm_clock=2e9, throttle=()))
    assert (found.foreign_load, found.foreign_limit, found.energy, found.utilisation) == (None, None, None, None)
    assert set(found.unobserved) == {
        "foreign_load", "cpu_clock", "memory_clock", "power", "temperature", "utilisation", "p_states",
        "foreign_processes", "energy",
    }  # fmt: skip


def test_a_processor_lists_nothing_of_a_device() -> None:
    found = state(sample(0.2, device=False), sample(0.6, device=False), device=False)
    assert set(found.unobserved) == {"cpu_clock", "energy"}
    assert found.samples == 2


def test_a_load_over_too_short_a_stretch_is_not_observed() -> None:
    found = state(sample(0.2, device=False), sample(0.3, device=False), device=False)
    assert found.foreign_load is None
    assert "foreign_load" in found.unobserved


def test_readings_of_the_host_alone_are_no_samples_of_the_device() -> None:
    assert state(sample(0.2, device=False), sample(0.6, sm_clock=1e9)).samples == 1


@pytest.mark.parametrize(("others", "expected"), [(0.0, 0.0), (1.5, 1.5), (-0.2, 0.0)])
def test_foreign_load_is_what_is_busy_less_what_is_ours(others: float, expected: float) -> None:
    samples = [sample(t / 10, busy=(2 + others) * t / 10, own=2 * t / 10) for t in range(11)]
    assert foreign_load(samples) == pytest.approx(expected)


def test_foreign_load_is_the_highest_of_its_stretches() -> None:
    times = [t / 10 for t in range(31)]
    samples = [sample(t, busy=t + 2 * min(max(t - 1.0, 0.0), 0.5), own=t) for t in times]
    assert foreign_load(samples) == pytest.approx(2.0)


def test_a_stretch_too_short_for_the_counters_of_the_host_tells_no_load() -> None:
    assert foreign_load([sample(0.0), sample(0.1, busy=5.0)]) is None
    assert foreign_load([]) is None


def counter(watts: float, step: float, seconds: float, period: float = 0.01) -> list[Sample]:
    """Joules of a counter that moves each ``step`` seconds."""
    times = [i * period for i in range(round(seconds / period) + 1)]
    return [sample(t, energy=watts * step * int(t / step + 1e-9)) for t in times]


def test_joules_of_a_run_and_what_the_counter_leaves_open() -> None:
    found = energy_of_a_run(counter(300.0, 0.02, 1.0), [Window(0.0, 1.0, 100)], "energy")
    assert found is not None
    assert found == pytest.approx((3.0, 0.06))


def test_windows_of_timed_runs_add_up() -> None:
    found = energy_of_a_run(counter(100.0, 0.02, 3.0), [Window(0.0, 1.0, 1), Window(2.0, 3.0, 1)], "energy")
    assert found is not None
    assert found[0] == pytest.approx(100.0)


@pytest.mark.parametrize("step", [0.1, 5.0])
def test_a_window_too_short_for_the_counter_has_no_energy(step: float) -> None:
    assert energy_of_a_run(counter(300.0, step, 0.25), [Window(0.0, 0.25, 10)], "energy") is None


def test_a_record_is_small() -> None:
    found = state(*(sample(t / 10, sm_clock=1e9 / 3 + t, power=100 / 3 + t) for t in range(11)))
    assert found.power is not None
    assert found.power.low == 33.333
