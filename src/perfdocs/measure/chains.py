"""Elements of random words, and chains of multiply-adds: what ``perfdocs/chain.hpp`` makes, in NumPy, in closed form.

Values lie within [1.25, 1.75), a is −1 and the two constants are 3 and 3 + drift: a pair of steps moves a value by the
drift exactly, and its bits change at every step. Integers go through x·a + b modulo 2³². A compiler knows none of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .arm import VerificationError
from .words import Words, mixed

__all__ = ["ELEMENTS", "MOST_STEPS", "Element", "Sums", "check_sums"]

MOST_STEPS = 2**20
"""More of them would drift out of the range that is exact."""
DRIFT = 2.0**-22
Levels = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Element:
    """A type of element: how it is made of words, and the constants of its chains.

    ``name`` is its type in C++, ``dtype`` NumPy's; ``mask`` and ``base`` are those of words at even and at odd places;
    ``constants`` are a and the two that are added in turn, as a kernel takes them.
    """

    name: str
    dtype: Any
    size: int
    mask: tuple[int, int]
    base: tuple[int, int]
    constants: tuple[Any, ...]

    @property
    def bits(self) -> Words:
        """The four numbers of the header's ``Bits``."""
        return np.array([self.mask[0], self.base[0], self.mask[1], self.base[1]], dtype=np.uint32)

    def words(self, index: npt.NDArray[Any]) -> Words:
        """The words at these places, in their shape."""
        index = np.asarray(index)
        odd = (index & 1).astype(bool)
        mask, base = (np.where(odd, np.uint32(of[1]), np.uint32(of[0])) for of in (self.mask, self.base))
        return (mixed(index) & mask) + base

    def end(self, words: Words, steps: int) -> Words:
        """What so many steps make of words (…, whole elements), in closed form; at most :data:`MOST_STEPS`."""
        if self.dtype == np.uint32:
            a, b = int(self.constants[0]), int(self.constants[1])
            scale, shift = 1, 0
            for bit in f"{steps:b}":  # the power of a map x ↦ a·x + b, by squaring
                scale, shift = scale * scale % 2**32, (scale * shift + shift) % 2**32
                if bit == "1":
                    scale, shift = a * scale % 2**32, (a * shift + b) % 2**32
            return words * np.uint32(scale) + np.uint32(shift)
        kind = self.dtype
        first = _plain(self.constants[1], kind)
        drift = _plain(self.constants[2], kind) - first
        x = np.ascontiguousarray(words).view(kind) + kind(steps // 2) * drift if drift else words.view(kind)
        return np.ascontiguousarray(first - x if steps % 2 else x).view(np.uint32)


def _plain(constant: Any, kind: Any) -> Any:
    """A constant as a number of its type: of a pair of halves, one of the two."""
    return np.array([constant]).view(kind)[0]


def _pair(value: float) -> np.uint32:
    """A half twice, as one word."""
    return np.uint32(np.array([value, value], dtype=np.float16).view(np.uint32)[0])


def _same(mask: int, base: int) -> dict[str, Any]:
    return {"mask": (mask, mask), "base": (base, base)}


ELEMENTS: Mapping[str, Element] = {
    "fp32": Element(
        "float", np.float32, 4, **_same(0x3FFFFF, 0x3FA00000), constants=tuple(map(np.float32, (-1, 3, 3 + DRIFT)))
    ),
    "fp64": Element(
        "double",
        np.float64,
        8,
        (0xFFFFFFFF, 0x7FFFF),
        (0, 0x3FF40000),
        constants=(np.float64(-1), np.float64(3), np.float64(3 + DRIFT)),
    ),
    # Two halves a word; no drift is small enough for them.
    "fp16": Element(
        "perfdocs::HalfPair",
        np.float16,
        4,
        **_same(0x01FF01FF, 0x3D003D00),
        constants=(_pair(-1), _pair(3), _pair(3)),
    ),
    "int32": Element(
        "unsigned int",
        np.uint32,
        4,
        **_same(0xFFFFFFFF, 0),
        constants=(np.uint32(0x915F77F5), np.uint32(0x2F6E2B1), np.uint32(0x2F6E2B1)),
    ),
}
"""By their keys: single, double, pairs of halves, 32-bit integers."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of words, one for each of several parts of memory, over ``passes`` passes.

    A part holds vectors of ``words`` words. ``within`` says where they lie in it, ``between`` where parts begin: each
    as (how many, how many vectors apart) of its levels, the outermost first.
    """

    values: Words
    words: int
    within: Levels
    between: Levels
    passes: int = 1


def _lies(levels: Levels, number: Any) -> Any:
    """Where a number, or each of several, lies in these levels."""
    place = 0
    for many, apart in reversed(levels):
        place = place + number % many * apart
        number = number // many
    return place


PARTS = 16  # that are checked, the first and the last among them
AT_A_TIME = 1 << 18  # words


def check_sums(sums: Sums, element: Element, steps: int = 0) -> None:
    """Hold some sums against what so many steps make of the words. Raises :class:`VerificationError`."""
    for part in np.unique(np.linspace(0, len(sums.values) - 1, PARTS).astype(np.int64)).tolist():
        wanted, span = 0, max(1, AT_A_TIME // sums.words)
        count = math.prod(many for many, _ in sums.within)
        for first in range(0, count, span):
            numbers = _lies(sums.between, part) + _lies(sums.within, np.arange(first, min(first + span, count)))
            words = element.words((numbers[:, None] * sums.words + np.arange(sums.words)).ravel())
            wanted += int(element.end(words, steps).sum(dtype=np.uint64))
        wanted = wanted * sums.passes % 2**32
        if int(sums.values[part]) != wanted:
            raise VerificationError(
                f"the sum of part {part} of {len(sums.values)} is {sums.values[part]}, expected {wanted}"
            )
