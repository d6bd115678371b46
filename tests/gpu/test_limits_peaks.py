"""Every GPU arm of peaks at small points, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.limits_kit import prepared, verified

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context, Point
from perfdocs.measure.loader import load_workload
from perfdocs.measure.plan import show

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "peaks"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
POINTS = [task.at for task in workload.tasks("gpu", False)]

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


def small(at: Point) -> Any:
    """The problem at a point, with less memory."""
    problem = workload.problem(at)
    if "pattern" in at:
        return replace(problem, words=2**24 + 2**20)
    if "direction" in at:
        return replace(problem, words=2**22)
    if "way" in at:
        return replace(problem, repeats=50)
    if "side" in dir(problem):
        return replace(problem, side=256)
    return problem


def arms_at(at: Point) -> Iterator[str]:
    """The GPU arms of the table that the axes tell."""
    for key, table in DEFINITION.tables.items():
        if table.of is None and set(table.axes) == set(at):
            for arm in DEFINITION.arms_of(key):
                if "gpu" in DEFINITION.arms[arm].on:
                    yield arm


@pytest.mark.parametrize("at", POINTS, ids=show)
def test_an_arm_is_right_again_and_again(at: Point, context: Context) -> None:
    problem = small(at)
    for arm in arms_at(at):
        ready = prepared(FOLDER, arm, problem, context)
        try:
            assert verified(workload, ready, problem, DEFINITION)
        finally:
            ready.close()
