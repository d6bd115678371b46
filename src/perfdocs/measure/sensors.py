"""What is read outside the timed region, after the timed runs or after each: clocks, throttle reasons, load."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field

from .edges import Files, Nvml, NvmlError
from .machine import cpu_clock

__all__ = ["Readings", "Sensors"]


@dataclass(slots=True)
class Readings:
    """Readings of one block, one entry a timed run; hertz, keys, runnable processes."""

    sm_clock: list[float] = field(default_factory=list)
    memory_clock: list[float] = field(default_factory=list)
    cpu_clock: list[float] = field(default_factory=list)
    throttle: set[str] = field(default_factory=set)
    load: list[float] = field(default_factory=list)


class Sensors:
    """Reads what the machine tells. NVML may be absent or die: the run goes on, and ``reason`` says so."""

    def __init__(self, files: Files, nvml: Nvml | str) -> None:
        self._files = files
        self.nvml: Nvml | None = None if isinstance(nvml, str) else nvml
        self.reason: str | None = nvml if isinstance(nvml, str) else None

    def lost(self, error: NvmlError) -> None:
        """NVML no longer answers: do without it from here on."""
        self.nvml, self.reason = None, f"{error}; measurements after that have no clocks and no gate"[:500]

    def read(self, into: Readings) -> None:
        """Add one reading."""
        if self.nvml is not None:
            try:
                sm, memory, reasons = self.nvml.sm_clock(), self.nvml.memory_clock(), self.nvml.throttle()
            except NvmlError as error:
                self.lost(error)
            else:
                into.sm_clock.append(sm)
                into.memory_clock.append(memory)
                into.throttle.update(reasons)
        clock = cpu_clock(self._files)
        if clock:
            into.cpu_clock.append(clock)
        with suppress(OSError, AttributeError):
            into.load.append(round(os.getloadavg()[0], 2))
