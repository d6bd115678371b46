"""Every GPU arm of parallelism at small points, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.limits_kit import prepared, verified

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context, Point
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.plan import show

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "parallelism"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
POINTS = [task.at for task in workload.tasks("gpu", True)]

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


@pytest.mark.parametrize("at", POINTS, ids=show)
def test_an_arm_is_right_again_and_again(at: Point, context: Context) -> None:
    problem = workload.problem(at)
    arm: Any = load_arm(FOLDER, "chain")
    if reason := arm.limits(at):
        pytest.skip(reason)
    ready = prepared(FOLDER, "chain", problem, context)
    counts = verified(workload, ready, problem, DEFINITION)
    assert 1 < counts["latency_cycle"] < 200
