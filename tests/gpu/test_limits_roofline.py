"""Every GPU arm of roofline at small points, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.limits_kit import prepared, verified

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context, Point
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.plan import show

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "roofline"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
POINTS = [task.at for task in workload.tasks("gpu", False) if task.at["chain"] in (0, 1, 7, 8, 24, 192, 1024)]

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


def small(at: Point) -> Any:
    """The problem at a point, with less memory."""
    problem = workload.problem(at)
    if "rows" in dir(problem):
        return replace(problem, rows=3000)
    return replace(problem, words=2**24 + 2**20)


@pytest.fixture(scope="module", autouse=True)
def small_buffer(context: Context) -> Any:
    """A buffer of less than the gigabytes of a card."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_arm(FOLDER, "fma"), "MOST_WORDS", 2**25)
        yield


@pytest.mark.parametrize("at", POINTS, ids=show)
def test_an_arm_is_right_again_and_again(at: Point, context: Context) -> None:
    problem = small(at)
    ready = prepared(FOLDER, "fma" if "words" in dir(problem) else "matmul", problem, context)
    try:
        assert verified(workload, ready, problem, DEFINITION)
    finally:
        ready.close()
