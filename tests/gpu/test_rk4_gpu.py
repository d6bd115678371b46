"""Every GPU arm of rk4 against the reference, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lacking import skip_or_fail

from perfdocs.cardfile import read_card
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.cuda import open_gpu
from perfdocs.measure.edges import Gpu
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.runner import run

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "rk4"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
ARMS = [key for key, arm in DEFINITION.arms.items() if "gpu" in arm.on]
workload: Any = load_workload(FOLDER)

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


def prepare(arm: str, problem: Any, context: Context) -> Prepared:
    try:
        return load_arm(FOLDER, arm).prepare(problem, context)
    except Cannot as reason:
        skip_or_fail(reason)


@pytest.mark.parametrize("n", [1, 31, 1000, 4097])
@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_reaches_the_reference_again_and_again(arm: str, n: int, context: Context) -> None:
    problem = workload.draw(n, 100, True, "spread-100")
    ready = prepare(arm, problem, context)
    reference = workload.numpy_reference(problem)
    try:
        for _ in range(3):
            ready.run()
            assert workload.verify(problem, reference, ready.result())["max_difference"] <= 1e-11
        ready.end_to_end()
        workload.verify(problem, reference, ready.result())
        assert set(ready.counts()) <= set(DEFINITION.metrics)
    finally:
        ready.close()


@pytest.mark.parametrize("config", ["spread-100", "spread-1000", "uniform-1000"])
@pytest.mark.parametrize(
    "arm",
    [
        "persistent",
        "per_thread",
        "graph",
        "graph_every_k",
        "graph_compact",
        "graph_reorder",
        "graph_fused",
        "graph_fused_compact",
    ],
)
def test_our_fast_arms_at_a_size_that_uses_the_queue(arm: str, config: str, context: Context) -> None:
    problem = workload.problem({"config": config, "n": 200_000})
    ready = prepare(arm, problem, context)
    reference = workload.reference(problem, context)
    try:
        for _ in range(2):
            ready.run()
            workload.verify(problem, reference, ready.result())
    finally:
        ready.close()


@pytest.mark.parametrize("real", ["float64", "float32"])
@pytest.mark.parametrize(
    "arm", ["graph", "graph_every_k", "graph_compact", "graph_reorder", "graph_fused", "graph_fused_compact", "eager"]
)
def test_a_loop_over_samples_that_end_at_once_or_soon(arm: str, real: str, context: Context) -> None:
    for n in (1, 33, 20_000):
        problem = workload.draw(n, 300, True, "spread-300", real=real)
        problem.nstop[n // 3 :: 3] = 0
        ready = prepare(arm, problem, context)
        reference = workload.numpy_reference(problem)
        for _ in range(3):
            ready.run()
            workload.verify(problem, reference, ready.result())
        problem.nstop[:] = 0
        ready.end_to_end()
        workload.verify(problem, workload.numpy_reference(problem), ready.result())
        ready.close()


@pytest.mark.parametrize(("batch", "refill", "warps"), [(8, 1, 4), (16, 3, 16), (32, 8, 32), (32, 32, 8)])
def test_work_stealing_is_right_however_it_is_tuned(batch: int, refill: int, warps: int, context: Context) -> None:
    device: Any = importlib.import_module(f"{workload.__package__}.device")
    persistent: Any = load_arm(FOLDER, "persistent")
    device.import_cupy()
    problem = workload.draw(50_000, 1000, True, "spread-1000")
    problem.nstop[10:20] = 0  # samples that end before they begin
    reference = workload.numpy_reference(problem)
    ready = persistent.Arm(problem, context, warps=warps, batch=batch, refill=refill)
    for _ in range(3):
        ready.run()
        workload.verify(problem, reference, ready.result())
    ready.close()


@pytest.mark.parametrize("n", [1, 1000, 50_000])
def test_the_call_takes_steps_out_of_range_for_the_nearest(n: int, context: Context) -> None:
    cupy: Any = pytest.importorskip("cupy")
    call: Any = importlib.import_module(f"{workload.__package__}.simulate").simulate
    problem = workload.draw(n, 300, True, "spread-300")
    asked = problem.nstop.copy()
    asked[n // 2 :: 3] = -(2**40)
    asked[n // 2 + 1 :: 3] = 0
    asked[0] = 2**40
    problem.nstop[:] = np.clip(asked, 0, 2**24)
    planes = {name: cupy.asarray(getattr(problem, name)) for name in ("omega", "zeta", "x0", "v0")}
    end = call(
        state={"x": planes["x0"], "v": planes["v0"]},
        parameters={"omega": planes["omega"], "zeta": planes["zeta"]},
        stop={"steps": cupy.asarray(asked)},
    )
    assert (end["steps"].get() == problem.nstop).all()
    problem.nstop[0] = 0  # a reference of so many steps would take too long
    rest = workload.numpy_reference(problem)
    assert np.allclose(end["x"].get()[1:], rest.x[1:], atol=1e-11, rtol=0)
    assert context.sm_count


def test_the_device_stays_healthy(context: Context) -> None:
    gpu = open_gpu()
    assert not isinstance(gpu, str)
    kept: Gpu = gpu
    kept.release()
    assert kept.healthy()
    assert kept.free_memory() > 0
    assert np.isfinite(kept.facts().sm_count)


def test_a_real_card(context: Context, tmp_path: Path) -> None:
    """The runner with the real clock, NVML and CUDA, on three short measurements."""
    options = Options(
        devices="gpu",
        arms=("per_thread", "cpu_openmp"),
        at={"n": (1000,)},
        ramp=0.02,
        gate_budget=1.0,
        out=tmp_path / "cards",
        build=context.build,
    )
    (path,) = run(FOLDER, options)
    card = read_card(path)
    ours = [m for m in card.measurements if m.arm == "per_thread"]
    assert len(ours) == 3
    for one in ours:
        assert {"wall", "end_to_end", "issued_byte", "issued_steps", "max_difference"} <= set(one.values)
        assert ("sm_clock" in one.values) == (card.method.clocks == "nvml")
    assert card.device.sm_count == context.sm_count
    assert card.method.protocol == "rotate"
