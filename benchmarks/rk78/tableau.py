"""Fehlberg's tableau of orders 7 and 8, for the arms that are written in Python."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["ERROR", "ROWS", "WEIGHTS"]

_ROWS: tuple[dict[int, Fraction], ...] = (
    {},
    {0: Fraction(2, 27)},
    {0: Fraction(1, 36), 1: Fraction(1, 12)},
    {0: Fraction(1, 24), 2: Fraction(1, 8)},
    {0: Fraction(5, 12), 2: Fraction(-25, 16), 3: Fraction(25, 16)},
    {0: Fraction(1, 20), 3: Fraction(1, 4), 4: Fraction(1, 5)},
    {0: Fraction(-25, 108), 3: Fraction(125, 108), 4: Fraction(-65, 27), 5: Fraction(125, 54)},
    {0: Fraction(31, 300), 4: Fraction(61, 225), 5: Fraction(-2, 9), 6: Fraction(13, 900)},
    {
        0: Fraction(2),
        3: Fraction(-53, 6),
        4: Fraction(704, 45),
        5: Fraction(-107, 9),
        6: Fraction(67, 90),
        7: Fraction(3),
    },
    {
        0: Fraction(-91, 108),
        3: Fraction(23, 108),
        4: Fraction(-976, 135),
        5: Fraction(311, 54),
        6: Fraction(-19, 60),
        7: Fraction(17, 6),
        8: Fraction(-1, 12),
    },
    {
        0: Fraction(2383, 4100),
        3: Fraction(-341, 164),
        4: Fraction(4496, 1025),
        5: Fraction(-301, 82),
        6: Fraction(2133, 4100),
        7: Fraction(45, 82),
        8: Fraction(45, 164),
        9: Fraction(18, 41),
    },
    {
        0: Fraction(3, 205),
        5: Fraction(-6, 41),
        6: Fraction(-3, 205),
        7: Fraction(-3, 41),
        8: Fraction(3, 41),
        9: Fraction(6, 41),
    },
    {
        0: Fraction(-1777, 4100),
        3: Fraction(-341, 164),
        4: Fraction(4496, 1025),
        5: Fraction(-289, 82),
        6: Fraction(2193, 4100),
        7: Fraction(51, 82),
        8: Fraction(33, 164),
        9: Fraction(12, 41),
        11: Fraction(1),
    },
)

ROWS: tuple[dict[int, float], ...] = tuple({j: float(a) for j, a in row.items()} for row in _ROWS)
"""What each of the thirteen stages takes of the slopes before it; coefficients that are zero are left out."""

WEIGHTS: dict[int, float] = {
    5: 34 / 105,
    6: 9 / 35,
    7: 9 / 35,
    8: 9 / 280,
    9: 9 / 280,
    11: 41 / 840,
    12: 41 / 840,
}
"""Of the slopes in the propagated, eighth order."""

ERROR = 41 / 840
"""The error is this times the step times (k0 + k10 - k11 - k12)."""
