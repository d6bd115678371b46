"""All pairs as array expressions over some rows of the matrix of pairs at a time, for NumPy and CuPy."""

from __future__ import annotations

from typing import Any

from .workload import SOFTENING


def accelerate(xp: Any, bodies: Any, out: Any, pairs: int) -> None:
    """Accelerations (3, n) of bodies (n, 4) into ``out``; ``pairs`` are held in memory at a time, about."""
    n = len(bodies)
    places, mass = [bodies[:, axis].copy() for axis in range(3)], bodies[:, 3].copy()
    rows = max(1, pairs // n)
    for first in range(0, n, rows):
        part = slice(first, first + rows)
        apart = [place - place[part, None] for place in places]
        squared = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] + bodies.dtype.type(SOFTENING)
        strength = mass / (squared * xp.sqrt(squared))
        for axis in range(3):
            out[axis, part] = (strength * apart[axis]).sum(axis=1)
