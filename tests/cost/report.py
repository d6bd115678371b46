"""What was measured, as a table for a terminal and for a page, and the bars it is held against."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import median

from .builds import Build

__all__ = ["Bar", "Figures", "Size", "bars", "machine", "markdown"]

MEGA = 1e6
FOUR_GB = 4e9


@dataclass(slots=True)
class Size:
    """Every build of the sites of one number of cards; lists hold one entry a repetition."""

    cards: int
    shown: dict[str, int] = field(default_factory=dict)
    extension: list[Build] = field(default_factory=list)
    static: list[Build] = field(default_factory=list)
    unchanged: list[Build] = field(default_factory=list)
    changed: list[Build] = field(default_factory=list)
    changed_cold: list[Build] = field(default_factory=list)
    cold: list[Build] = field(default_factory=list)
    figures: int = 0


@dataclass(slots=True)
class Figures:
    """Everything one run measured. ``start``: a project of one empty page, with the extensions of both sites."""

    machine: dict[str, str | int]
    start: list[Build] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: what it asks, what was measured, whether it holds."""

    asked: str
    measured: str
    holds: bool


def machine() -> dict[str, str | int]:
    """What a reader must know of this machine: its class, never its name."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    found: dict[str, str | int] = {
        "system": platform.system(),
        "processor": model or platform.machine(),
        "cores": cores,
    }
    found["python"] = platform.python_version()
    return found | {name: version(name) for name in ("sphinx", "docutils", "myst-parser")}


def _user(builds: Sequence[Build]) -> float:
    return median(b.user for b in builds)


def _peak(builds: Sequence[Build]) -> float:
    return median(b.peak for b in builds)


def bars(found: Figures) -> Iterator[Bar]:
    """The bars that the sizes measured can answer."""
    for size in found.sizes:
        if size.cards == 100 and size.static:
            pairs = list(zip(size.extension, size.static, strict=True))
            time = median(a.user / b.user for a, b in pairs)
            memory = median(a.peak / b.peak for a, b in pairs)
            yield Bar("100 cards: at most half the static site's time", f"{time:.2f}", time <= 0.5)
            yield Bar("100 cards: at most half the static site's memory", f"{memory:.2f}", memory <= 0.5)
        if size.cards == 1000 and size.extension:
            peak = max(b.peak for b in size.extension)
            yield Bar("1000 cards: under 4 GB", f"{peak / MEGA:.0f} MB", peak < FOUR_GB)
        if size.cards >= 100 and size.changed and size.extension:
            share = _user(size.changed) / _user(size.extension)
            yield Bar(f"{size.cards} cards, one changed: under a tenth of the full build", f"{share:.3f}", share < 0.1)


def markdown(found: Figures) -> str:
    """All medians as one table."""
    lines = [
        "| cards | build | pages read | wall (s) | user (s) | peak (MB) | runs |",
        "| --: | :-- | --: | --: | --: | --: | --: |",
    ]
    lines += _row("", "one empty page", found.start)
    for size in found.sizes:
        cards = str(size.cards)
        lines += _row(cards, "perfdocs", size.extension)
        lines += _row(cards, "static Markdown", size.static)
        lines += _row(cards, "perfdocs, nothing changed", size.unchanged)
        lines += _row(cards, "perfdocs, one card changed", size.changed)
        lines += _row(cards, "perfdocs, one card changed, its figure drawn", size.changed_cold)
        lines += _row(cards, f"perfdocs, {size.figures} figures drawn", size.cold)
    return "\n".join(lines) + "\n"


def _row(cards: str, name: str, builds: Sequence[Build]) -> list[str]:
    if not builds:
        return []
    wall, read = median(b.wall for b in builds), len(builds[-1].read)
    numbers = f"{read} | {wall:.1f} | {_user(builds):.1f} | {_peak(builds) / MEGA:.0f} | {len(builds)}"
    return [f"| {cards} | {name} | {numbers} |"]
