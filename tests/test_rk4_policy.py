"""The policy, the problem-level call and the counts of rk4's own kernels, without a GPU."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from perfdocs.measure.loader import load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "rk4"
workload: Any = load_workload(FOLDER)
policy: Any = importlib.import_module(f"{workload.__package__}.policy")
simulate: Any = importlib.import_module(f"{workload.__package__}.simulate")


@pytest.mark.parametrize(
    ("n", "sm_count", "picked"),
    [(1, 132, "per_thread"), (16_896, 132, "per_thread"), (16_897, 132, "longest_first"), (10**6, 8, "longest_first")],
)
def test_the_policy_picks_from_size_and_device_alone(n: int, sm_count: int, picked: str) -> None:
    assert policy.pick(n, sm_count) == picked


@pytest.mark.parametrize("name", ["per_thread", "longest_first"])
def test_what_the_policy_may_pick_has_a_plan_and_counts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = policy.arm(name)
    problem = workload.draw(1000, 100, True)
    monkeypatch.setattr(policy.arm("longest_first"), "shared_memory", lambda: (227 * 1024, 228 * 1024))
    assert callable(module.plan)
    assert module.issued_steps(problem, 4) >= problem.sample_steps


@pytest.mark.parametrize(
    ("a_block", "an_sm", "shape"),
    [
        (227, 228, (2, 1920)),  # compute capability 9.0
        (163, 164, (2, 1920)),  # 8.0
        (99, 100, (2, 1184)),  # 8.6, 12.0
        (96, 96, (2, 1152)),  # 7.0
        (64, 64, (1, 1568)),  # 7.5
        (16, 16, (1, 288)),
    ],
)
def test_a_tile_fits_the_shared_memory_of_the_device(a_block: int, an_sm: int, shape: tuple[int, int]) -> None:
    module = policy.arm("longest_first")
    resident, tile = found = module.fit("float64", a_block * 1024, an_sm * 1024)
    assert found == shape
    assert module.shared_bytes(tile, "float64") <= min(a_block * 1024, an_sm * 1024 // resident - module.RESERVED)


def test_warps_step_until_their_longest_sample_ends() -> None:
    nstop = np.array([5] * 31 + [7] + [2], dtype=np.int64)
    assert workload.warp_steps(nstop) == 32 * (7 + 2)


def test_sorting_wastes_few_lanes_and_no_order_at_all_many() -> None:
    problem = workload.draw(100_000, 100, True)
    sorted_share = (
        policy.arm("longest_first").issued_steps(problem, 8, policy.arm("longest_first").Shape(2, 1920))
        / problem.sample_steps
    )
    own_share = policy.arm("per_thread").issued_steps(problem, 8) / problem.sample_steps
    assert 1 <= sorted_share < 1.1
    assert own_share > 3


def planes(n: int = 4, **other: Any) -> dict[str, Any]:
    """Stands for device arrays, as far as the checks look at them."""
    kept = {name: np.ones(n) for name in ("x", "v", "omega", "zeta")} | {"steps": np.ones(n, dtype=np.int64)}
    return kept | other


def call(p: dict[str, Any]) -> Any:
    names = {"state": ("x", "v"), "parameters": ("omega", "zeta"), "stop": ("steps",)}
    return simulate.simulate(**{part: {k: p[k] for k in keys if k in p} for part, keys in names.items()})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": np.ones(4, dtype=np.float16)}, "one real type"),
        ({"omega": np.ones(4, dtype=np.float32)}, "one real type"),
        ({"steps": np.ones(4, dtype=np.int32)}, "steps of int64"),
        ({"zeta": np.ones(5)}, "one length"),
        ({"zeta": 0.1}, "CuPy arrays"),
        ({"x": np.ones((2, 2))}, "one length"),
        ({"v": np.ones(8)[::2]}, "contiguous"),
    ],
)
def test_the_call_refuses_other_shapes_and_types(
    given: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulate, "import_cupy", lambda: np)
    with pytest.raises(ValueError, match=message):
        call(planes(**given))


def test_the_call_names_what_is_missing() -> None:
    with pytest.raises(ValueError, match="parameters: omega given, omega, zeta expected"):
        simulate.simulate(state={"x": 1, "v": 1}, parameters={"omega": 1}, stop={"steps": 1})


def test_the_call_runs_the_plan_that_the_policy_picks(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int, str]] = []

    def plan(n: int, device: int, real: str) -> Any:
        seen.append((n, device, real))

        def launch(_omega: Any, _zeta: Any, x: Any, _v: Any, _steps: Any, x_end: Any, *_: Any) -> None:
            x_end[:] = x + 1

        return launch

    monkeypatch.setattr(simulate, "_plan", plan)
    monkeypatch.setattr(simulate, "import_cupy", lambda: np)

    class Plane(np.ndarray):
        device: Any = SimpleNamespace(id=0)  # NumPy's own is a text

    p = {name: array.view(Plane) for name, array in planes().items()}
    out = call(p)
    assert seen == [(4, 0, "float64")]
    assert (out["x"] == 2).all()
    assert set(out) == {"x", "v", "steps"}


def test_auto_and_the_call_have_their_arms() -> None:
    for name in ("auto", "simulate"):
        assert callable(load_arm(FOLDER, name).prepare)
