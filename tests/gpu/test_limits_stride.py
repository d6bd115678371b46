"""The GPU arm of stride against the reference, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perfdocs.definition import read_definition
from perfdocs.measure.arm import Context
from perfdocs.measure.loader import load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "stride"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


@pytest.mark.parametrize("ints", [1, 2, 4])
@pytest.mark.parametrize("shift", [0, 1, 4, 5, 10, 20])
def test_the_walk_reads_what_is_predicted(ints: int, shift: int, context: Context) -> None:
    problem = workload.problem({"ints": ints, "shift": shift})
    reference = workload.reference(problem, context)
    ready = load_arm(FOLDER, "device_kernel").prepare(problem, context)
    try:
        for _ in range(2):
            ready.run()
            workload.verify(problem, reference, ready.result())
        assert set(ready.counts()) <= set(DEFINITION.metrics)
    finally:
        ready.close()
