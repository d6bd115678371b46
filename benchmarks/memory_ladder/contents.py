"""What the buffers hold, computed on the host independently of ``contents.hpp``; sums over whole buffers by formula."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    Words = npt.NDArray[np.uint32]
    Reals = npt.NDArray[np.float64]

PERIOD = 2**20
"""Elements, words or reals, before the random bits repeat."""
WORD_APART = 0x9E3779B9  # added to every word of a period, once for each period before it
REAL_APART = 2.0**-8  # added to the factor of every real of a period, likewise


def mixed(x: Words) -> Words:
    """A hash of 32-bit words (Wellons' lowbias32)."""
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


@lru_cache(maxsize=1)
def words() -> Words:
    """The first period of words."""
    return mixed(np.arange(PERIOD, dtype=np.uint32))


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


def word_sum(periods: int, apart: int, width: int) -> int:
    """The sum, modulo 2³², of the first ``width`` byte of every ``apart`` byte of so many periods of words."""
    inside = np.arange(PERIOD) * 4 % apart < width
    first, chosen = int(words()[inside].sum(dtype=np.uint64)), int(inside.sum())
    return (periods * first + chosen * WORD_APART * (periods * (periods - 1) // 2)) % 2**32


def factor(period: int) -> float:
    """What the reals of a period are those of the first one times."""
    return 1.0 + period * REAL_APART
