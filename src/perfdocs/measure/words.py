"""Random words that are known from their place: what ``perfdocs/words.hpp`` makes, in NumPy, and sums of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["PERIOD", "PERIOD_APART", "Words", "mixed", "word_at", "word_sum"]

Words = npt.NDArray[np.uint32]

PERIOD = 2**20
"""Words before the random bits of :func:`word_at` repeat."""
PERIOD_APART = 0x9E3779B9
"""What is added to every word of a period, once for each period before it."""


def mixed(index: npt.NDArray[Any]) -> Words:
    """The hash of places below 2³², any shape."""
    i = np.asarray(index).astype(np.uint32)
    i = (i ^ (i >> np.uint32(16))) * np.uint32(0x21F0AAAD)
    i = (i ^ (i >> np.uint32(15))) * np.uint32(0x735A2D97)
    return i ^ (i >> np.uint32(15))


def word_at(index: npt.NDArray[Any]) -> Words:
    """The words at these places, in their shape."""
    return mixed(index % PERIOD) + (index // PERIOD).astype(np.uint32) * np.uint32(PERIOD_APART)


@lru_cache(maxsize=1)
def _first_period() -> Words:
    return mixed(np.arange(PERIOD))


def word_sum(periods: int, apart: int = 4, width: int = 4) -> int:
    """The sum, modulo 2³², of the first ``width`` byte of every ``apart`` byte of so many periods of words."""
    inside = np.arange(PERIOD) * 4 % apart < width
    first, chosen = int(_first_period()[inside].sum(dtype=np.uint64)), int(inside.sum())
    return (periods * first + chosen * PERIOD_APART * (periods * (periods - 1) // 2)) % 2**32
