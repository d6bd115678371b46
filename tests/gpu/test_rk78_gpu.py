"""Every GPU arm of rk78 against the reference, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lacking import skip_or_fail

from perfdocs.cardfile import read_card
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.runner import run

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "rk78"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
ARMS = [key for key, arm in DEFINITION.arms.items() if "gpu" in arm.on]
OURS = ["persistent", "per_thread", "graph", "graph_compact", "graph_reorder"]
workload: Any = load_workload(FOLDER)

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


def prepare(arm: str, problem: Any, context: Context, **knobs: Any) -> Prepared:
    try:
        module: Any = load_arm(FOLDER, arm)
        ready: Prepared = module.Arm(problem, context, **knobs) if knobs else module.prepare(problem, context)
    except Cannot as reason:
        skip_or_fail(reason)
    return ready


def reaches(ready: Prepared, problem: Any, context: Context, runs: int = 2) -> dict[str, float]:
    """Verify every run; the facts of the last."""
    reference = workload.reference(problem, context)
    facts: dict[str, float] = {}
    for _ in range(runs):
        ready.run()
        facts = workload.verify(problem, reference, ready.result())
    ready.end_to_end()
    workload.verify(problem, reference, ready.result())
    return facts


@pytest.mark.parametrize("n", [1, 31, 1000, 4097])
@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_reaches_the_reference_again_and_again(arm: str, n: int, context: Context) -> None:
    problem = workload.draw(n)
    ready = prepare(arm, problem, context)
    try:
        facts = reaches(ready, problem, context)
        assert facts["max_difference"] < 1e-9
        counts = ready.counts()
        assert set(counts) <= set(DEFINITION.metrics)
        assert counts["issued_byte"] >= 112 * n
        assert (ready.least_kernels() or 1) >= 1
    finally:
        ready.close()


@pytest.mark.parametrize("arm", OURS)
def test_our_arms_at_a_size_that_uses_the_queue_and_the_map(arm: str, context: Context) -> None:
    problem = workload.draw(100_000)
    ready = prepare(arm, problem, context)
    try:
        assert reaches(ready, problem, context)["different_path"] <= 2
    finally:
        ready.close()


@pytest.mark.parametrize(
    ("warps", "blocks_an_sm", "batch", "refill"), [(1, 12, 1, 1), (2, 6, 8, 4), (4, 2, 32, 16), (8, 2, 4, 32)]
)
def test_work_stealing_is_right_however_it_is_tuned(
    warps: int, blocks_an_sm: int, batch: int, refill: int, context: Context
) -> None:
    problem = workload.draw(60_000)
    ready = prepare("persistent", problem, context, warps=warps, blocks_an_sm=blocks_an_sm, batch=batch, refill=refill)
    try:
        reaches(ready, problem, context, runs=3)
    finally:
        ready.close()


@pytest.mark.parametrize("every", [1, 5, 64])
@pytest.mark.parametrize("arm", ["graph_compact", "graph_reorder"])
def test_maps_are_right_however_often_they_are_made(arm: str, every: int, context: Context) -> None:
    problem = workload.draw(3000)
    ready = prepare(arm, problem, context, every=every)
    try:
        reaches(ready, problem, context, runs=3)
    finally:
        ready.close()


@pytest.mark.parametrize("theta", [0.0, 0.99])
def test_planes_are_right_however_often_they_are_moved(theta: float, context: Context) -> None:
    problem = workload.draw(3000)
    ready = prepare("graph_reorder", problem, context, theta=theta)
    try:
        reaches(ready, problem, context)
    finally:
        ready.close()


@pytest.mark.parametrize("n", [100, 20_000])
@pytest.mark.parametrize("time", [0.25, 1.0, 3.0])
def test_the_call_ends_when_it_is_told_to(n: int, time: float, context: Context) -> None:
    cupy: Any = pytest.importorskip("cupy")
    call: Any = importlib.import_module(f"{workload.__package__}.simulate").simulate
    problem = workload.draw(n)
    start = cupy.asarray(problem.start)
    end = call(
        state={"place": start[:3], "speed": start[3:]}, parameters={"mu": 1.0, "tolerance": 1e-10}, stop={"time": time}
    )
    assert (end["time"] == time).all()
    assert float(np.abs(end["place"].get() - workload.truth(problem, time)).max()) < 1e-6
    assert context.sm_count


ROOTS = """
#include "step.cuh"
extern "C" __global__ void roots(int n, const double* x, double* ninth, double* eighth, double* reciprocal,
                                 double* cubed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  ninth[i] = rk78::inverse_root(x[i], true);
  eighth[i] = rk78::inverse_root(x[i], false);
  reciprocal[i] = rk78::reciprocal(x[i]);
  cubed[i] = rk78::cubed_inverse(x[i], 1.0);
}
"""


def test_the_device_rounds_roots_and_reciprocals_to_the_last_places(context: Context) -> None:
    device: Any = importlib.import_module(f"{workload.__package__}.device")
    cupy = device.import_cupy()
    step = (FOLDER / "step.cuh").read_text().replace("#pragma once", "")
    kernel = cupy.RawModule(code=ROOTS.replace('#include "step.cuh"', step), options=device.OPTIONS).get_function(
        "roots"
    )
    x = np.exp(np.linspace(math.log(2**-30), math.log(2**20), 1_000_003))
    got = [cupy.empty(len(x)) for _ in range(4)]
    kernel((len(x) // 256 + 1,), (256,), (np.int32(len(x)), cupy.asarray(x), *got))
    exact = np.asarray(x, dtype=np.longdouble)
    for plane, power, places in zip(got, (9, 8, 1, 0), (1.5, 1.5, 1.1, 3.0), strict=True):
        wanted = 1 / (exact * np.sqrt(exact)) if power == 0 else exact ** (-1 / np.longdouble(power))
        values = plane.get()
        assert float((np.abs(values - wanted) / np.spacing(values)).max()) < places
    assert context.sm_count


def test_a_real_card(context: Context, tmp_path: Path) -> None:
    """The runner with the real clock, NVML and CUDA, arms in rotation."""
    options = Options(
        devices="gpu",
        arms=("persistent", "per_thread", "cpu_openmp"),
        at={"n": (1000,)},
        ramp=0.02,
        gate_budget=1.0,
        out=tmp_path / "cards",
        build=context.build,
    )
    (path,) = run(FOLDER, options)
    card = read_card(path)
    assert card.method.protocol == "rotate"
    ours = [m for m in card.measurements if m.arm != "cpu_openmp"]
    assert len(ours) == 2
    for one in ours:
        assert {"wall", "end_to_end", "attempts", "different_path", "worst_share", "code_lines"} <= set(one.values)
