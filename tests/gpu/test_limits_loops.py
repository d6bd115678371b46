"""Every GPU arm of loops against the reference, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perfdocs.definition import read_definition
from perfdocs.measure.arm import Cannot, Context
from perfdocs.measure.loader import load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "loops"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
ARMS = [key for key, arm in DEFINITION.arms.items() if "gpu" in arm.on]
workload: Any = load_workload(FOLDER)

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


@pytest.mark.parametrize("at", [{"limit": 1500}], ids=str)
@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_reaches_the_reference_again_and_again(arm: str, at: dict[str, Any], context: Context) -> None:
    problem = workload.problem(at)
    try:
        ready = load_arm(FOLDER, arm).prepare(problem, context)
    except Cannot as reason:
        pytest.skip(str(reason))
    try:
        for _ in range(2):
            ready.run()
            facts = workload.verify(problem, workload.reference(problem, context), ready.result())
        assert {*facts, *ready.counts()} <= set(DEFINITION.metrics)
    finally:
        ready.close()
