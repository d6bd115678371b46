"""Whether the GPU of this machine may be locked: who is on it, as far as its driver tells."""

from __future__ import annotations

import os
from dataclasses import dataclass

from perfdocs.measure.edges import Files
from perfdocs.measure.sampler import tree

from .clocks import ClockControl, RefusedError

__all__ = ["Machine", "foreign_of"]


def foreign_of(processes: frozenset[int], files: Files, me: int) -> int | str:
    """How many of these processes are neither ``me`` nor descend from it, or why that cannot be seen."""
    if any(files.read(f"/proc/{process}/stat") is None for process in processes):
        return "ids of its processes are those of another namespace"
    own, _ = tree(files.read, me, 1.0)
    return len(processes - own)


@dataclass(frozen=True, slots=True)
class Machine:
    """The GPU as its driver shows it; ``control`` is a reason where there is none to see.

    ``context``: this process has one on the GPU, so the driver's list has it, by whatever id.
    """

    control: ClockControl | str
    files: Files
    context: bool = False

    def may_lock(self) -> str | None:
        """Why the clocks must be left alone, or ``None``."""
        if isinstance(self.control, str):
            return f"nobody can tell whether the GPU is shared: {self.control}"
        try:
            why, processes = self.control.shared(), self.control.processes()
        except RefusedError as error:
            return f"nobody can tell whether the GPU is shared: {error}"
        foreign = foreign_of(processes, self.files, os.getpid())
        if why is not None or (isinstance(foreign, str) and self.context and len(processes) == 1):
            return why  # the one process there is this one, though its id is that of another namespace
        if isinstance(foreign, str):
            return f"nobody can tell whether the GPU is shared: {foreign}"
        return f"the GPU is shared, processes of others on it: {foreign}" if foreign else None
