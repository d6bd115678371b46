"""Every clock of timers on every kernel, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.limits_kit import prepared, verified

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context
from perfdocs.measure.loader import load_workload

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "timers"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


@pytest.mark.parametrize("arm", ["perfdocs", "events", "cupyx", "nvbench"])
def test_a_clock_tells_a_time_of_every_kernel(arm: str, context: Context) -> None:
    for problem in workload.PROBLEMS.values():
        ready = prepared(FOLDER, arm, problem, context)
        try:
            counts = verified(workload, ready, problem, DEFINITION)
        finally:
            ready.close()
        assert counts["samples"] >= 1
        assert ("host_time" if arm == "perfdocs" else "gpu_time") in counts
        assert all(value > 0 for value in counts.values())
