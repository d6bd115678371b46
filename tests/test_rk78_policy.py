"""The policy and the problem-level call of rk78, without a GPU."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from perfdocs.measure.loader import load_workload

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "rk78"
workload: Any = load_workload(FOLDER)
policy: Any = importlib.import_module(f"{workload.__package__}.policy")
simulate: Any = importlib.import_module(f"{workload.__package__}.simulate")
GIVEN: dict[str, Any] = {
    "state": {"place": np.ones((3, 4)), "speed": np.ones((3, 4))},
    "parameters": {"mu": 1.0, "tolerance": 1e-10},
    "stop": {"time": 64.0},
}


@pytest.mark.parametrize(
    ("n", "sm_count", "picked"), [(1, 132, "per_thread"), (16_896, 132, "per_thread"), (16_897, 132, "persistent")]
)
def test_the_policy_picks_from_size_and_device_alone(n: int, sm_count: int, picked: str) -> None:
    assert policy.pick(n, sm_count) == picked
    assert callable(policy.arm(picked).plan)


@pytest.mark.parametrize(
    ("part", "given", "message"),
    [
        ("state", {"place": np.ones((3, 4))}, "state: place given, place, speed expected"),
        ("state", {"place": np.ones((3, 4)), "speed": np.ones((3, 5))}, "of shape"),
        ("state", {"place": np.ones((2, 4)), "speed": np.ones((2, 4))}, "of shape"),
        ("state", {"place": np.ones(3), "speed": np.ones(3)}, "of shape"),
        ("state", {"place": np.ones((3, 4), dtype=np.float32), "speed": np.ones((3, 4))}, "float64"),
        ("parameters", {"mu": 0.0, "tolerance": 1e-10}, "mu: 0.0 given, a positive number"),
        ("parameters", {"mu": 1.0, "tolerance": float("nan")}, "tolerance: nan given"),
        ("parameters", {"mu": "1", "tolerance": 1e-10}, "mu: '1' given"),
        ("state", {"place": [1.0], "speed": np.ones((3, 4))}, "CuPy arrays"),
        ("stop", {"time": float("inf")}, "time: inf given"),
        ("stop", {}, "stop: nothing given, time expected"),
    ],
)
def test_the_call_refuses_what_it_cannot_run(
    part: str, given: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulate, "import_cupy", lambda: np)
    with pytest.raises(ValueError, match=message):
        simulate.simulate(**{**GIVEN, part: given})


def test_the_call_runs_the_plan_that_the_policy_picks(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, ...]] = []

    def plan(*key: Any) -> Any:
        seen.append(key)

        def launch(start: Any, end: Any, accepted: Any, _: Any) -> None:
            end[:6] = start
            accepted[:] = 7

        return launch

    class Plane(np.ndarray):
        device: Any = SimpleNamespace(id=0)  # NumPy's own is a text

    stream = SimpleNamespace(get_current_stream=lambda: SimpleNamespace(ptr=5))
    fake = SimpleNamespace(ndarray=np.ndarray, concatenate=np.concatenate, empty=np.empty, cuda=stream)
    monkeypatch.setattr(simulate, "_plan", plan)
    monkeypatch.setattr(simulate, "import_cupy", lambda: fake)
    state = {"place": np.full((3, 4), 2.0).view(Plane), "speed": np.full((3, 4), 3.0).view(Plane)}
    end = simulate.simulate(**{**GIVEN, "state": state})
    assert seen == [(4, 0, 5, 1.0, 1e-10, 64.0)]
    assert (end["place"] == 2).all()
    assert (end["speed"] == 3).all()
    assert (end["accepted"] == 7).all()
