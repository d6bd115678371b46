"""Made-up cards of a made-up benchmark: a tie, a crossing, a noisy row, a slow clock, gaps and an imported card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SIZES = (1000, 10_000, 100_000, 1_000_000)
# microseconds at the sizes; None: not run
WALL: dict[str, dict[str, tuple[float | None, ...]]] = {
    "spread-100": {
        "stealing": (10.0, 12.0, 30.0, 110.0),
        "simple": (8.0, 11.0, 45.0, 300.0),
        "twin": (10.03, 12.02, 30.02, 110.3),
        "masked": (4000.0, 4100.0, 5000.0, 20_000.0),
        "host": (15.0, 100.0, 1000.0, 10_000.0),
    },
    "spread-1000": {
        "stealing": (20.0, 30.0, 60.0, 510.4),
        "simple": (30.0, 45.0, 138.0, 1173.0),
        "twin": (20.02, 31.0, 60.1, 522.0),
        "masked": (40_000.0, 41_000.0, 50_000.0, None),
        "host": (15.0, 140.0, 150.0, 15_000.0),
    },
    "uniform": {
        "stealing": (21.0, 33.0, 90.0, 1780.0),
        "simple": (22.0, 32.0, 80.0, 1690.0),
        "twin": (20.0, 33.1, 90.2, 1850.0),
        "masked": (50_000.0, 51_000.0, 60_000.0, None),
        "host": (16.0, 160.0, 1600.0, 16_000.0),
    },
}
CADENCE = {  # at a million; microseconds
    8: {"loop_16": 1740.0, "stealing": 1000.0},
    16: {"loop_16": 1620.0, "stealing": 900.0},
    32: {"loop_16": 1683.0, "stealing": 900.0},
}
CLOCKS = {("loop_16", 8): 1.0e9}  # Hz, where it is not 1.2 GHz
RUNS = (1.0, 1.001, 0.999, 1.002, 0.998)
NOISY = (1.0, 1.2, 0.8, 1.35, 0.7)


def _row(table: str, arm: str, at: dict[str, Any], wall: float, runs: tuple[float, ...] = RUNS) -> dict[str, Any]:
    n = at["n"]
    return {
        "table": table,
        "arm": arm,
        "at": at,
        "wall": [wall * 1e-6 * r for r in runs],
        "end_to_end": [wall * 1e-6 * r + 2e-4 for r in runs],
        "memory": 48.0 * n,
        "needed": 40.0 * n,
        "launches": 1,
    }


def card(device_id: str, measurements: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A whole card that says it is synthetic."""
    return {
        "schema": "perfdocs.card/1",
        "benchmark": "toy",
        "version": 1,
        "recorded": "2026-11-30T12:00:00Z",
        "origin": {"kind": "synthetic"},
        "device": {"id": device_id, "kind": "gpu", "name": device_id.replace("-", " ").title()},
        "host": {},
        "software": {},
        "source": {},
        "method": {"protocol": "block", "runs": 5},
        "measurements": measurements,
    } | more


def gpu_card() -> dict[str, Any]:
    """The card most cases speak of."""
    rows = [
        _row("main", arm, {"config": config, "n": n}, wall, NOISY if (arm, config, n) in NOISY_ROWS else RUNS)
        for config, arms in WALL.items()
        for arm, walls in arms.items()
        for n, wall in zip(SIZES, walls, strict=True)
        if wall is not None
    ]
    rows += [
        _row("cadence", arm, {"k": k, "n": 1_000_000}, wall) | {"sm_clock": [CLOCKS.get((arm, k), 1.2e9)] * 5}
        for k, arms in CADENCE.items()
        for arm, wall in arms.items()
    ]
    absent = {"arm": "masked", "kind": "out_of_memory", "reason": "out of memory", "at": {"n": 1_000_000}}
    facts = {"id": "toy-gpu", "kind": "gpu", "name": "Toy GPU", "max_memory_clock": 1e9, "memory_bus_width": 800}
    return card("toy-gpu", rows, device=facts, not_run=[absent])


NOISY_ROWS = {("simple", "spread-1000", 100_000), ("twin", "uniform", 100_000)}


def cpu_card() -> dict[str, Any]:
    """Another device, with one arm."""
    rows = [_row("main", "host", {"config": "spread-1000", "n": n}, 3.0 * n**0.5) for n in SIZES]
    rows[0]["block"] = {"repeats": ["foreign load of 2 processors"]}  # and nobody watched the last try
    return card("toy-cpu", rows, device={"id": "toy-cpu", "kind": "cpu", "name": "Toy CPU"})


def imported_card() -> dict[str, Any]:
    """Centres with two digits, as a published table gives them."""
    rows: list[dict[str, Any]] = [
        {
            "table": "main",
            "arm": arm,
            "at": {"config": "spread-1000", "n": 1_000_000},
            "wall": {"centre": centre, "digits": 2},
        }
        for arm, centre in (("stealing", 6.1e-4), ("simple", 1.8e-3))
    ]
    origin = {"kind": "imported", "source": "a made-up table", "licence": "CC0"}
    return card("toy-paper", rows, origin=origin)


def write_toy(folder: Path) -> Path:
    """A folder of benchmarks that holds the toy one with its three cards."""
    here = folder / "toy"
    (here / "cards").mkdir(parents=True)
    (here / "benchmark.toml").write_text((HERE / "toy.toml").read_text(encoding="utf-8"))
    for content in (gpu_card(), cpu_card(), imported_card()):
        (here / "cards" / f"{content['device']['id']}.json").write_text(json.dumps(content))
    return folder
