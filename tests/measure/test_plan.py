"""How long a run is foreseen to take."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from perfdocs.measure.arm import Task
from perfdocs.measure.options import Options
from perfdocs.measure.plan import Cell, Foresight


def cell(n: int, steps: int = 1) -> Cell:
    return Cell("arm", Task("main", {"n": n, "steps": steps}))


def foresight(depth: bool = True) -> Foresight:
    workload: Any = SimpleNamespace(work=lambda at: float(at["n"] * at["steps"]))
    if depth:
        workload.depth = lambda at: float(at["steps"])
    return Foresight(workload)


def seconds(known: Foresight, n: int, steps: int = 1) -> float:
    run = known.run(cell(n, steps))
    assert run is not None
    return run[0]


def test_a_point_of_a_curve_has_a_window_in_place_of_a_ramp() -> None:
    known = foresight()
    known.learn(cell(10), 1e-3)
    runs, curve = 12e-3, Cell("arm", Task("main", {"n": 10, "steps": 1}, curve="n"))
    assert known.cell(cell(10), Options(), 0.5) == pytest.approx(0.5 + runs)
    assert known.cell(curve, Options(), 0.5) == pytest.approx(0.25 + runs)
    assert known.cell(curve, Options(), 0.0) == pytest.approx(runs)


def test_preparing_an_arm_is_foreseen_once_it_was_seen() -> None:
    known = foresight()
    known.learn(cell(10), 1e-3)
    known.learn_start(cell(100), 7.0)
    known.learn_start(cell(10), 5.0)
    assert known.cell(cell(10), Options(), 0.0) == pytest.approx(7.0 + 12e-3)


def test_nothing_is_foreseen_from_nothing() -> None:
    assert foresight().run(cell(10)) is None


def test_depth_counts_in_proportion() -> None:
    known = foresight()
    known.learn(cell(1000, 100), 0.1)
    assert seconds(known, 1000, 1000) == pytest.approx(1.0)


def test_one_width_tells_half_the_power() -> None:
    known = foresight()
    known.learn(cell(100), 1.0)
    assert seconds(known, 10_000) == pytest.approx(10.0)
    assert seconds(known, 10) == 1.0  # a smaller batch may wait for launches as long


@pytest.mark.parametrize(("second", "third"), [(1.0, 1.0), (10.0, 100.0), (0.5, 0.5), (40.0, 400.0), (2.0, 4.0)])
def test_two_widths_tell_the_power_between_none_and_one(second: float, third: float) -> None:
    known = foresight()
    known.learn(cell(100), 1.0)
    known.learn(cell(1000), second)
    assert seconds(known, 10_000) == pytest.approx(third)


def test_the_same_width_at_another_depth_is_the_best_guess() -> None:
    known = foresight()
    known.learn(cell(100, 10), 0.01)
    known.learn(cell(10**6, 10), 5.0)
    assert seconds(known, 10**6, 100) == pytest.approx(50.0)


def test_without_a_depth_all_work_is_width() -> None:
    known = foresight(depth=False)
    known.learn(cell(100, 1), 1.0)
    known.learn(cell(100, 10), 10.0)
    assert seconds(known, 100, 100) == pytest.approx(100.0)
