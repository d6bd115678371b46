"""A small benchmark with every kind of table, and synthetic cards for it, laid out in a folder and loaded."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from perfdocs.library import Benchmark, Library, load_library
from perfdocs.loading import LoadedCard

DEFINITION = """
id = "demo"
title = "Demonstration"
summary = "Numbers made up to test how pages show numbers."

[axes.config]
label = "configuration"
scale = "category"
values = ["thin", "dense"]
labels = { thin = "thinning", dense = "dense batch" }

[axes.n]
label = "N"
unit = "sample"
scale = "log"

[axes.size]
label = "footprint"
unit = "byte"
scale = "log"

[axes.width]
label = "width"
unit = "byte"

[groups.gpu]
label = "GPU arms"

[groups.cpu]
label = "CPU arms"

[tags.oracle]
label = "arms that know the stop steps"
apart = true

[arms.steal]
label = "work stealing"
loop = "one launch"
group = "gpu"
on = ["gpu"]

[arms.thread]
label = "one thread per sample"
loop = "one launch"
group = "gpu"
on = ["gpu"]

[arms.sorted]
label = "longest first"
loop = "one launch, sorted"
group = "gpu"
on = ["gpu"]
tags = ["oracle"]

[arms.peer]
label = "peer | masked"
loop = "many launches"
group = "gpu"
on = ["gpu"]

[arms.host]
label = "host"
loop = "a loop"
group = "cpu"
on = ["cpu", "gpu"]

[metrics.wall]
label = "wall"
kind = "samples"
unit = "s"
better = "lower"

[metrics.clock]
label = "clock"
kind = "samples"
unit = "Hz"

[metrics.flop]
label = "flop"
kind = "count"
unit = "flop"

[metrics.moved]
label = "moved"
kind = "count"
unit = "byte"

[metrics.launches]
label = "launches"
kind = "count"

[metrics.mode]
label = "mode"
kind = "choice"

[derived.flop_rate]
label = "flop rate"
is = "flop / wall"
unit = "flop/s"
better = "higher"
of_peak = "device.peak.fp64"

[derived.bandwidth]
label = "bandwidth"
is = "moved / wall"
unit = "byte/s"
better = "higher"
of_peak = "device.peak.dram"

[derived.knee]
label = "knee"
is = "least(size, bandwidth, 99%)"
unit = "byte"
over = ["size"]

[tables.main]
title = "Wall time"
axes = ["config", "n"]
split = "config"
across = "n"
by = "wall"
columns = ["wall", "flop_rate", "bandwidth", "clock", "launches", "mode"]

[tables.ladder]
title = "Bandwidth"
axes = ["width", "size"]
arms = ["thread"]
columns = ["bandwidth", "wall"]

[tables.knees]
title = "Knees"
axes = ["width"]
of = "ladder"
columns = ["knee"]

[tables.once]
title = "One number each"
columns = ["wall"]

[plots.wall]
title = "Wall time against batch size"
x = "n"
y = "wall"
by = "arm"
split = "config"

[plots.ladder]
title = "Bandwidth against footprint"
table = "ladder"
x = "size"
y = "bandwidth"
by = "width"

[plots.rate]
title = "Rate against wall"
x = "wall"
y = "flop_rate"
"""

STEADY = (1.0, 1.002, 0.998, 1.001, 0.999)
EXACT = (1.0, 1.0, 1.0, 1.0, 1.0)
NOISY = (1.0, 1.3, 0.8, 1.1, 0.9)


def point(
    table: str, arm: str, at: dict[str, Any], wall: float, spread: tuple[float, ...] = STEADY, **more: Any
) -> Any:
    """One measurement of five runs around ``wall`` seconds."""
    return {"table": table, "arm": arm, "at": at, "wall": [wall * s for s in spread]} | more


def gpu_card(device: str = "made-up-gpu", factor: float = 1.0) -> dict[str, Any]:
    """A synthetic GPU card: a leader, a level pair, an undecided pair, a cell out of memory, a throttled one."""
    us = 1e-6 * factor
    walls: dict[str, dict[tuple[str, int], Any]] = {
        "steal": {("thin", 1000): 23, ("thin", 10**6): 666, ("dense", 1000): 71, ("dense", 10**6): 1784},
        "thread": {("thin", 1000): 25, ("thin", 10**6): 1527, ("dense", 1000): 71, ("dense", 10**6): 1692},
        "sorted": {("thin", 1000): 110, ("thin", 10**6): 371, ("dense", 1000): 117, ("dense", 10**6): 2038},
        "peer": {("thin", 1000): 3860, ("dense", 1000): 29200},
        "host": {("thin", 1000): 437, ("thin", 10**6): 94000, ("dense", 1000): 419, ("dense", 10**6): 191000},
    }
    found = []
    for arm, line in walls.items():
        for (config, n), wall in line.items():
            level = (config, n) == ("dense", 1000) and arm in ("steal", "thread")
            noisy = (config, n) == ("dense", 10**6) and arm == "steal"
            spread = EXACT if level else NOISY if noisy else STEADY
            more: dict[str, Any] = {
                "flop": 9.47e6 * n / 1000,
                "moved": 64 * n,
                "launches": 1 if arm != "peer" else 12345,
            }
            if arm == "peer":
                more["mode"] = "graph"
            if arm == "thread":
                more["clock"] = [1.98e9, 1.98e9, 1.95e9, 1.98e9, 1.98e9]
            if (arm, n) == ("sorted", 10**6):
                more["block"] = {"throttle": ["sw_power_cap"]}
            found.append(point("main", arm, {"config": config, "n": n}, wall * us, spread, **more))
    for width in (4, 16):
        for i, size in enumerate((2**20, 2**21, 2**22, 2**30)):
            at, moved = {"width": width, "size": size}, 2**30
            found.append(point("ladder", "thread", at, 5e-4 * us * 1e6 / min(i + width / 4, 4), EXACT, moved=moved))
    found += [point("once", arm, {}, w * us, EXACT) for arm, w in (("steal", 6.2), ("thread", 11.1))]
    return {
        "schema": "perfdocs.card/1",
        "benchmark": "demo",
        "version": 1,
        "recorded": "2026-11-30T12:00:00Z",
        "origin": {"kind": "synthetic"},
        "device": {
            "id": device,
            "kind": "gpu",
            "name": device.replace("-", " ").title(),
            "sm_count": 100,
            "compute_capability": [9, 0],
            "max_clock": 1.5e9,
            "max_memory_clock": 2e9,
            "memory_bus_width": 4096,
            "memory": 80 * 2**30,
            "l2_cache": 50 * 2**20,
        },
        "host": {"os": "Linux", "driver": "580.1"},
        "software": {"numpy": "2.4", "cuda-runtime": "13.0"},
        "source": {"files": {"step.cuh": "0" * 64}, "commit": "abcdef0123456"},
        "method": {"protocol": "block", "warmups": 2, "runs": 5, "ramp": 0.5, "gate_within": 3, "gate_wait": 20},
        "measurements": found,
        "not_run": [
            {"arm": "peer", "kind": "out_of_memory", "reason": "needs 90 GiB", "table": "main", "at": {"n": 10**6}},
            {"arm": "sorted", "kind": "out_of_time", "reason": "out of time", "table": "once"},
        ],
    }


def cpu_card(device: str = "made-up-cpu") -> dict[str, Any]:
    """A synthetic CPU card: one arm."""
    card = gpu_card(device)
    card["device"] = {"id": device, "kind": "cpu", "name": "Made Up Cpu", "cores": 8, "threads": 16}
    card["measurements"] = [m for m in card["measurements"] if m["arm"] == "host"]
    card["not_run"] = []
    return copy.deepcopy(card)


def lay_out(root: Path, *cards: dict[str, Any], definition: str = DEFINITION) -> Path:
    """Write the benchmark with these cards under ``root`` and return the folder of benchmarks."""
    folder = root / "benchmarks" / "demo"
    (folder / "cards").mkdir(parents=True, exist_ok=True)
    (folder / "benchmark.toml").write_text(definition, encoding="utf-8")
    for card in cards:
        path = folder / "cards" / f"{card['device']['id']}.json"
        path.write_text(json.dumps(card), encoding="utf-8")
    return folder.parent


def load(root: Path, *cards: dict[str, Any], definition: str = DEFINITION) -> Library:
    """The library of the benchmark with these cards, which must all be valid."""
    library = load_library(lay_out(root, *cards, definition=definition))
    assert library.problems == ()
    return library


def demo(root: Path, *cards: dict[str, Any], definition: str = DEFINITION) -> tuple[Benchmark, LoadedCard]:
    """The benchmark and its first card."""
    benchmark = load(root, *cards, definition=definition).benchmarks["demo"]
    loaded = benchmark.card_of(cards[0]["device"]["id"])
    assert loaded is not None
    return benchmark, loaded
