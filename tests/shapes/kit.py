"""Small synthetic cards for the definitions of this folder, and the library that holds one of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from perfdocs.frame import rows
from perfdocs.library import Benchmark, load_library
from perfdocs.row import Row
from perfdocs.verdict import Missing

HERE = Path(__file__).resolve().parent
GPU = {"id": "made-up-gpu", "kind": "gpu", "name": "Made Up GPU", "sm_count": 132, "compute_capability": [9, 0]}
GPU |= {"max_clock": 1.98e9, "max_memory_clock": 3.201e9, "memory_bus_width": 6016, "l2_cache": 50 * 2**20}
CPU = {"id": "made-up-cpu", "kind": "cpu", "name": "Made Up CPU", "cores": 8, "simd": "avx2", "max_clock": 3e9}
STEADY = (1.0, 1.002, 0.998, 1.004, 1.001)


def runs(centre: float, spread: Sequence[float] = STEADY) -> list[float]:
    """Samples around a centre; the middle three average to 1.001 of it."""
    return [centre * s for s in spread]


def point(table: str, arm: str, at: Mapping[str, Any] | None = None, /, **values: Any) -> dict[str, Any]:
    """One measurement."""
    return {"table": table, "arm": arm, "at": dict(at or {}), **values}


def card(benchmark: str, measurements: Sequence[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """A synthetic card."""
    return {
        "schema": "perfdocs.card/1",
        "benchmark": benchmark,
        "version": 1,
        "recorded": "2026-11-30T12:00:00Z",
        "origin": {"kind": "synthetic"},
        "device": GPU,
        "host": {},
        "software": {},
        "source": {},
        "method": {"protocol": "block", "warmups": 2, "runs": 5, "ramp": 0.5},
        "measurements": list(measurements),
        **changes,
    }


def load(tmp_path: Path, *cards: dict[str, Any]) -> Benchmark:
    """The benchmark of these cards, which must be without problems."""
    name = cards[0]["benchmark"]
    folder = tmp_path / "benchmarks" / name
    (folder / "cards").mkdir(parents=True)
    (folder / "benchmark.toml").write_bytes((HERE / name / "benchmark.toml").read_bytes())
    for one in cards:
        (folder / "cards" / f"{one['device']['id']}.json").write_text(json.dumps(one), encoding="utf-8")
    library = load_library(tmp_path / "benchmarks")
    assert [str(p) for p in library.problems] == []
    return library.benchmarks[name]


def table(benchmark: Benchmark, key: str, device: str = "made-up-gpu") -> tuple[Row, ...]:
    """Rows of one table of one device."""
    loaded = benchmark.card_of(device)
    assert loaded is not None
    return rows(benchmark, loaded, key)


def reason(row: Row, key: str) -> str:
    """Why a row has no value."""
    with pytest.raises(Missing) as caught:
        row.value(key)
    return caught.value.reason
