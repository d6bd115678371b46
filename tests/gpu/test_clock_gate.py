"""Every GPU arm of clock_gate against its reference, and `perfdocs ab` between two arms, on a real device."""

from __future__ import annotations

import importlib
import time
from pathlib import Path
from typing import Any

import pytest
from tests.limits_kit import BENCHMARKS, prepared
from tests.measure.fakes import Quiet

from perfdocs.ab.opening import Wanted, opened
from perfdocs.ab.session import Asked, run_session
from perfdocs.ab.sides import ArmWords
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context
from perfdocs.measure.edges import real_edges
from perfdocs.measure.loader import load_workload
from perfdocs.measure.monitor import Monitor, Watch

FOLDER = BENCHMARKS / "clock_gate"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
others: Any = importlib.import_module(f"{workload.__package__}.others")

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


@pytest.mark.parametrize(
    ("arm", "problem"),
    [
        ("device_chain", workload.Chain(1001, 0.0, 0.0)),
        ("sampled_device", workload.Chain(1001)),
        ("itself_device", workload.Pair({"gpu": workload.SHORT}, 2)),
        ("pair_device", workload.Pair({"gpu": workload.SHORT})),
    ],
)
def test_an_arm_reaches_the_reference(arm: str, problem: Any, context: Context) -> None:
    ready = prepared(FOLDER, arm, problem, context)
    try:
        ready.run()  # a warm-up, as the protocol has it: it opens what a gate compares
        for _ in range(2):
            ready.before()
            ready.run()
            facts = workload.verify(problem, workload.reference(problem, context), ready.result())
        assert {*facts, *ready.counts(), *workload.counts(problem)} <= set(DEFINITION.metrics)
    finally:
        ready.close()


def test_two_arms_have_a_default_reading_with_clocks(tmp_path: Path, context: Context) -> None:
    wanted = Wanted(
        a=ArmWords("rk4", "per_thread"),
        b=ArmWords("rk4", "persistent"),
        benchmarks=lambda: BENCHMARKS,
        build=tmp_path,
        at={"config": ("spread-100",), "n": (1000,)},
        device="gpu",
        limit=60.0,
    )
    asked = Asked(foreign_load=4096, shortest=1e-6)
    with opened(wanted, asked, real_edges(), Quiet()) as session:
        record = run_session(session, asked)
    default = record.readings["default_clocks"]
    assert len(default.rounds) == 20
    assert default.regions["run"].verdict is not None
    state = default.rounds[0].a.state
    assert record.method.sampler_reason is None
    assert state is not None
    assert (state.window, state.samples > 0) == ("window", True)
    assert state.sm_clock is not None or "sm_clock" in state.unobserved


def test_others_on_the_gpu_are_seen(context: Context) -> None:
    edges = real_edges()
    monitor, watch = Monitor(edges.open_sampler(True), edges.clock), Watch(device=True)
    beside = others.Others("gpu")
    try:
        with monitor.span():
            beside.work()
            with monitor.busy(watch, "timed", 1):
                time.sleep(0.5)
        state = monitor.state(watch, 0.5)
    finally:
        beside.close()
        monitor.close()
    assert state is not None
    assert state.foreign_processes == 1 or "foreign_processes" in state.unobserved
    assert state.utilisation is None or state.utilisation > 0
