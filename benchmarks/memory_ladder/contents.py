"""The doubles that the streams go through, computed on the host independently of ``contents.hpp``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from perfdocs.measure.words import PERIOD, mixed

if TYPE_CHECKING:
    Reals = npt.NDArray[np.float64]

REAL_APART = 2.0**-8  # added to the factor of every real of a period, once for each period before it


@lru_cache(maxsize=1)
def reals() -> tuple[Reals, Reals]:
    """The first period of each array of reals: random bits in [0.5, 1)."""
    found = []
    for which in (0, 1):
        at = np.arange(PERIOD, dtype=np.uint32) * np.uint32(4) + np.uint32(2 * which)
        high, low = mixed(at).astype(np.uint64), mixed(at + np.uint32(1)).astype(np.uint64)
        bits = np.uint64(0x3FE << 52) | (high & np.uint64(0xFFFFF)) << np.uint64(32) | low
        found.append(bits.view(np.float64))
    return found[0], found[1]


def factor(period: int) -> float:
    """What the reals of a period are those of the first one times."""
    return 1.0 + period * REAL_APART
