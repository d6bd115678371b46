"""The edges of an A/B on this machine: who is on the GPU, whether it may be locked, and where it lies."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

from perfdocs.measure.edges import Files

from .clocks import ClockControl, RefusedError
from .watch import foreign_of

__all__ = ["Machine", "bus_of_gpu"]


def bus_of_gpu() -> str | None:
    """Where the current CUDA device lies on the bus, since NVML may number devices otherwise; ``None``: not known."""
    with suppress(Exception):
        from cupy.cuda import runtime

        return str(runtime.deviceGetPCIBusId(runtime.getDevice()))
    return None


@dataclass(frozen=True, slots=True)
class Machine:
    """The GPU as its driver shows it; ``control`` is a reason where there is none to see.

    ``context``: this process has one on the GPU, so the driver's list has it, by whatever id.
    """

    control: ClockControl | str
    files: Files
    context: bool = False

    def foreign(self) -> int | str:
        """Processes on the GPU that are not this one's, or why they cannot be seen."""
        if isinstance(self.control, str):
            return self.control
        try:
            return foreign_of(self.control.processes(), self.files, os.getpid())
        except RefusedError as error:
            return str(error)

    def may_lock(self) -> str | None:
        """Why the clocks must be left alone, or ``None``."""
        if isinstance(self.control, str):
            return f"nobody can tell whether the GPU is shared: {self.control}"
        try:
            why, count = self.control.shared(), len(self.control.processes())
        except RefusedError as error:
            return f"nobody can tell whether the GPU is shared: {error}"
        foreign = self.foreign()
        if why is not None or (isinstance(foreign, str) and self.context and count == 1):
            return why  # the one process there is this one, though its id is that of another namespace
        if isinstance(foreign, str):
            return f"nobody can tell whether the GPU is shared: {foreign}"
        return f"the GPU is shared, processes of others on it: {foreign}" if foreign else None
