"""The gate: cool and idle, or a limit a block, or a budget a card."""

from __future__ import annotations

import pytest

from perfdocs.measure.edges import NvmlError
from perfdocs.measure.gate import GateKeeper

from .fakes import FakeClock, FakeNvml


def keeper(clock: FakeClock, *, idle: float = 30.0, most: float = 20.0, budget: float = 60.0) -> GateKeeper:
    return GateKeeper(clock, idle, 3.0, most, budget)


def test_a_cool_idle_device_is_not_waited_for() -> None:
    clock = FakeClock()
    gate = keeper(clock).wait(FakeNvml(clock, hot=33.0))
    assert (gate.waited, gate.timed_out, gate.temperature) == (0.0, False, 33.0)


def test_a_hot_device_is_waited_for_until_within_three_degrees() -> None:
    clock = FakeClock()
    gate = keeper(clock).wait(FakeNvml(clock, hot=40.0, cooling=1.0))
    assert gate.waited == pytest.approx(7.0, abs=0.11)
    assert not gate.timed_out
    assert gate.temperature is not None
    assert gate.temperature <= 33.0


@pytest.mark.parametrize("nvml", [{"hot": 80.0}, {"hot": 30.0, "busy": 1.0}])
def test_a_device_that_stays_hot_or_busy_times_out(nvml: dict[str, float]) -> None:
    clock = FakeClock()
    gate = keeper(clock).wait(FakeNvml(clock, **nvml))  # type: ignore[arg-type] # floats only
    assert gate.timed_out
    assert gate.waited == pytest.approx(20.0, abs=0.11)
    assert gate.skipped is None


def test_the_budget_of_the_card_ends_all_waiting() -> None:
    clock = FakeClock()
    one = keeper(clock, budget=50.0)
    gates = [one.wait(FakeNvml(clock, hot=80.0)) for _ in range(4)]
    assert [g.waited for g in gates] == pytest.approx([20.0, 20.0, 10.0, 0.0], abs=0.2)
    assert [g.skipped is None for g in gates] == [True, True, False, False]
    assert one.spent == pytest.approx(50.0, abs=0.3)
    assert clock.slept == pytest.approx(50.0, abs=0.3)


def test_nvml_that_dies_is_the_callers_to_handle() -> None:
    clock = FakeClock()
    with pytest.raises(NvmlError):
        keeper(clock).wait(FakeNvml(clock, hot=80.0, lives=5))
