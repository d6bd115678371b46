"""What the caller may choose about a measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from perfdocs.card import AxisValue

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices; seconds, kelvin.

    ``limit`` is the most one measurement may be foreseen to take (``None``: 15 quick, 60 full), ``ramp`` how long a GPU
    works before a block (``None``: 0.25 quick, 0.5 full). ``deadline`` counts from the start: when it nears, what is
    measured stays in the partial file for the next run to complete, or, with ``close``, the card is written and the
    rest recorded as out of time. ``fresh_runs`` is the number of pairs of fresh processes, cold and warm, that a
    start-up time is measured in.
    """

    devices: Literal["cpu", "gpu", "auto"] = "auto"
    full: bool = False
    arms: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    at: Mapping[str, tuple[AxisValue, ...]] = field(default_factory=dict)
    out: Path = Path("build/cards")
    build: Path = Path("build/measure")
    as_name: str | None = None
    deadline: float | None = None
    close: bool = False
    limit: float | None = None
    runs: int = 5
    warmups: int = 2
    end_to_end_runs: int = 5
    ramp: float | None = None
    settle: float = 0.002
    fresh_runs: int = 3
    gate_within: float = 3.0
    gate_wait: float = 20.0
    gate_budget: float = 120.0
    repeats: int = 2
    """A block that was throttled or contaminated is measured again at most so often."""
    repeat_budget: float = 45.0
    no_energy: bool = False
    """Sample each arm no longer than its clocks take, also where the benchmark has a metric of its energy."""
    commit: str | None = None
    """The commit of the sources, where they were copied here without their history."""
    fresh: bool = False
    """Measure anew even where a partial file could be completed."""

    @property
    def ramp_time(self) -> float:
        """Seconds of untimed runs before the timed ones of a block on a GPU."""
        return self.ramp if self.ramp is not None else 0.5 if self.full else 0.25

    @property
    def cell_limit(self) -> float:
        """Seconds one measurement may be foreseen to take."""
        return self.limit if self.limit is not None else 60.0 if self.full else 15.0

    @property
    def hang_limit(self) -> float:
        """Seconds after which an arm that is made ready, warmed up or timed is taken to hang."""
        return max(300.0, 10 * self.cell_limit)

    @property
    def fresh_limit(self) -> float:
        """Seconds a fresh process may take for one answer: importing and compiling take long, whatever a cell may."""
        return max(180.0, self.cell_limit)
