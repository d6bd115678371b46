"""Every GPU arm of memory_ladder against the reference, on a real device: ``pytest tests/gpu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context
from perfdocs.measure.loader import load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "memory_ladder"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]

# What a thread loads at a time must fit the registers that so many threads leave it.
RUNGS = [(w, n, warps) for w in (4, 8, 16) for n in (1, 2, 4, 8) for warps in (4, 32, 64) if w * n <= 64 or warps <= 32]


def reaches(arm: str, at: dict[str, int], context: Context) -> None:
    problem = workload.problem(at)
    reference = workload.reference(problem, context)
    module: Any = load_arm(FOLDER, arm)
    if arm == "read" and module.limits(at):
        pytest.skip(module.limits(at))
    ready = module.prepare(problem, context)
    try:
        for _ in range(2):
            ready.run()
            workload.verify(problem, reference, ready.result())
        assert set(ready.counts()) <= set(DEFINITION.metrics)
    finally:
        ready.close()


@pytest.mark.parametrize("arm", ["copy", "scale", "add", "triad", "dot"])
def test_a_stream_reaches_the_reference(arm: str, context: Context) -> None:
    reaches(arm, {}, context)


@pytest.mark.parametrize(("width", "loads", "warps"), RUNGS)
def test_a_rung_of_stride_one_reads_what_is_predicted(width: int, loads: int, warps: int, context: Context) -> None:
    reaches("read", {"width": width, "loads": loads, "warps": warps}, context)


@pytest.mark.parametrize("stride", [1, 2, 4, 8, 16, 32, 64, 128, 256])
def test_a_rung_of_strides_reads_what_is_predicted(stride: int, context: Context) -> None:
    reaches("read", {"stride": stride}, context)
