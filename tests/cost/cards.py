"""Cards and a definition that no machine measured: made of a device's number alone, and marked synthetic.

Only the standard library is imported, so that the process that times others stays small.
"""

from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

__all__ = ["ARMS", "BENCHMARK", "ROWS", "card", "device_id", "write_benchmark", "write_card"]

BENCHMARK = "cost"
CONFIGS = {"spread-100": 0.1, "spread-1000": 1.0, "uniform-1000": 2.1}
SIZES = (1_000, 10_000, 100_000, 1_000_000)
ARMS = tuple(f"arm_{letter}" for letter in "abcdefghijklmnop")
ROWS = len(CONFIGS) * len(SIZES) * len(ARMS)
SOURCES = ("kernels.cu", "step.cuh", "workload.py")
RUNS = 5

_HEAD = """\
id = "cost"
title = "A benchmark to be rendered"
version = 1
summary = "Made up: three configurations, four batch sizes, sixteen arms. No number of it was measured."

[axes.config]
label = "configuration"
scale = "category"
values = ["spread-100", "spread-1000", "uniform-1000"]

[axes.n]
label = "N"
unit = "sample"
scale = "log"

[groups.gpu]
label = "GPU arms"

[metrics]
wall = { label = "wall", kind = "samples", unit = "s", better = "lower", about = "The integration alone." }
end_to_end = { label = "end to end", kind = "samples", unit = "s", better = "lower", about = "Wall and both copies." }
sm_clock = { label = "SM clock", kind = "samples", unit = "Hz", about = "Read after each run." }
device_memory = { label = "device memory", kind = "count", unit = "byte", better = "lower" }
useful_flop = { label = "useful flop", kind = "count", unit = "flop" }
issued_byte = { label = "issued byte", kind = "count", unit = "byte" }
minimum_byte = { label = "minimum memory", kind = "count", unit = "byte" }
launches = { label = "launches", kind = "count", better = "lower" }
max_difference = { label = "largest difference", kind = "count" }

[derived.flop_rate]
label = "useful flop rate"
is = "useful_flop / wall"
unit = "flop/s"
better = "higher"
of_peak = "device.peak.fp64"

[derived.issued_rate]
label = "issued bandwidth"
is = "issued_byte / wall"
unit = "byte/s"
better = "higher"
of_peak = "device.peak.dram"

[tables.main]
title = "Wall time by configuration and batch size"
axes = ["config", "n"]
split = "config"
across = "n"
by = "wall"
columns = [
  "wall", "end_to_end", "flop_rate", "issued_rate", "sm_clock", "device_memory", "launches", "max_difference",
]

[plots.wall]
title = "Wall time against batch size"
x = "n"
y = "wall"
by = "arm"
split = "config"
"""


def device_id(number: int) -> str:
    """The id of the made-up device of this number."""
    return f"synthetic-gpu-{number:04d}"


def _source(name: str) -> bytes:
    return f"a stand-in for {name}\n".encode()


def write_benchmark(folder: Path, arms: int = len(ARMS)) -> None:
    """Write the definition, with so many arms, and the files its cards name as sources."""
    folder.mkdir(parents=True)
    entries = "".join(
        f'\n[arms.{arm}]\nlabel = "{arm.replace("_", " ")}"\nloop = "one launch; each thread runs its sample"\n'
        'group = "gpu"\non = ["gpu"]\n'
        for arm in ARMS[:arms]
    )
    (folder / "benchmark.toml").write_text(_HEAD + entries, encoding="utf-8")
    for name in SOURCES:
        (folder / name).write_bytes(_source(name))


def card(number: int, edition: int = 0, arms: int = len(ARMS)) -> dict[str, Any]:
    """The card of a made-up device; another ``edition`` has other numbers in every row."""
    dice = random.Random(f"{number} {edition}")
    speed = dice.uniform(0.5, 2.0)
    slowness = {arm: dice.uniform(1.0, 2.0) ** i for i, arm in enumerate(ARMS)}
    measurements = []
    for config, scale in CONFIGS.items():
        for n in SIZES:
            for arm in ARMS[:arms]:
                wall = slowness[arm] * scale * (2e-5 + n * 1e-9) / speed
                measurements.append(_measurement(dice, arm, {"config": config, "n": n}, wall, scale * n))
    return {
        "schema": "perfdocs.card/1",
        "benchmark": BENCHMARK,
        "version": 1,
        "recorded": "2026-01-01T00:00:00Z",
        "origin": {"kind": "synthetic"},
        "device": {
            "id": device_id(number),
            "kind": "gpu",
            "name": f"Synthetic GPU {number}",
            "memory": 80 * 2**30,
            "memory_bus_width": 4096,
            "max_clock": 1.5e9,
            "max_memory_clock": 2e9,
            "sm_count": 100,
            "compute_capability": [9, 0],
            "l2_cache": 50 * 2**20,
        },
        "host": {"os": "Linux", "driver": "0.0"},
        "software": {"numpy": "0.0", "perfdocs": "0.0", "python": "0.0"},
        "source": {"files": {name: sha256(_source(name)).hexdigest() for name in SOURCES}},
        "method": {"protocol": "block", "warmups": 2, "runs": RUNS, "ramp": 0.5, "gate_within": 3.0, "clocks": "nvml"},
        "measurements": measurements,
    }


def _measurement(dice: random.Random, arm: str, at: dict[str, str | int], wall: float, steps: float) -> dict[str, Any]:
    n = float(at["n"])
    walls = [wall * dice.gauss(1.0, 0.01) for _ in range(RUNS)]
    return {
        "table": "main",
        "arm": arm,
        "at": at,
        "block": {"gate": {"waited": 0.5, "temperature": 40.0}, "warmup": [wall, wall], "ramp_runs": 10},
        "wall": walls,
        "end_to_end": [w + 1e-4 + n * 1e-10 for w in walls],
        "sm_clock": [1.5e9] * RUNS,
        "device_memory": 48.0 * n,
        "useful_flop": 44.0 * steps,
        "issued_byte": 64.0 * n,
        "minimum_byte": 40.0 * n,
        "launches": 1,
        "max_difference": dice.uniform(1e-15, 1e-13),
    }


def write_card(folder: Path, number: int, edition: int = 0, arms: int = len(ARMS)) -> None:
    """Write the card of a made-up device where the library finds it, one measurement a line."""
    content = card(number, edition, arms)
    rows = ",\n".join(json.dumps(row) for row in content.pop("measurements"))
    text = f'{json.dumps(content)[:-1]},\n"measurements": [\n{rows}\n]}}\n'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{device_id(number)}.json").write_text(text, encoding="utf-8")
