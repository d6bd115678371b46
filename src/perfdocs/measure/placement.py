"""Which processors the threads of a compiled arm run on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["core", "cores_first", "processors"]

SYSTEM = Path("/sys/devices/system/cpu")


def cores_first(allowed: Collection[int], core_of: Callable[[int], object]) -> list[int]:
    """The allowed processors in ascending order, every core's first before any core's second, and so on."""
    taken: dict[object, int] = {}
    turns = []
    for cpu in sorted(allowed):
        mine = core_of(cpu)
        taken[mine] = taken.get(mine, 0) + 1
        turns.append((taken[mine], cpu))
    return [cpu for _, cpu in sorted(turns)]


def core(cpu: int, folder: Path = SYSTEM) -> int:
    """The lowest processor of the core that ``cpu`` is a hardware thread of; itself where the system does not tell."""
    try:
        text = (folder / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text()
    except OSError:
        return cpu
    first = re.match(r"\d+", text)
    return int(first[0]) if first else cpu


def processors(threads: int) -> npt.NDArray[np.intc] | None:
    """A processor for each of so many threads: on cores of their own as far as there are such.

    ``None`` where the system does not tell which are allowed, or allows fewer.
    """
    if not hasattr(os, "sched_getaffinity"):
        return None
    order = cores_first(os.sched_getaffinity(0), core)
    return np.array(order[:threads], dtype=np.intc) if len(order) >= threads else None
