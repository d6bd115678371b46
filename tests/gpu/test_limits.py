"""Every GPU arm of benchmarks that need no care of their own against the reference, on a real device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.limits_kit import BENCHMARKS, prepared, verified

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context
from perfdocs.measure.loader import load_workload

POINTS: dict[str, list[dict[str, Any]]] = {
    "loops": [{"limit": 1500}],
    "nbody": [{"type": t, "bodies": n} for t in ("fp32", "fp64") for n in (1024, 16_384)],
    "reduction": [{"n": 2**10}, {"n": 2**16}, {"n": 2**22}],
    "stride": [{"ints": ints, "shift": shift} for ints in (1, 2, 4) for shift in (0, 1, 4, 5, 10, 20)],
}

pytestmark = [
    pytest.mark.gpu,
    # What other packages warn of when they are imported is theirs.
    pytest.mark.filterwarnings("default"),
]


def cases() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for benchmark, points in POINTS.items():
        for arm, entry in read_definition(BENCHMARKS / benchmark / "benchmark.toml").arms.items():
            if "gpu" in entry.on:
                yield from ((benchmark, arm, at) for at in points)


@pytest.mark.parametrize(("name", "arm", "at"), list(cases()), ids=str)
def test_an_arm_reaches_the_reference_again_and_again(
    name: str, arm: str, at: dict[str, Any], context: Context
) -> None:
    folder = BENCHMARKS / name
    workload: Any = load_workload(folder)
    problem = workload.problem(at)
    ready = prepared(folder, arm, problem, context)
    try:
        assert verified(workload, ready, problem, read_definition(folder / "benchmark.toml"), context)
    finally:
        ready.close()
