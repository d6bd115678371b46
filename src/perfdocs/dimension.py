"""What kind of quantity an expression is: only like may be added to, subtracted from or compared with like.

A dimension is told by units: every word of a unit is a kind of its own, except that `Hz` is `1/s`, `W` is `J/s`, and a
number of samples is a plain number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from .errors import PerfdocsError
from .expression import Binary, Call, Name, Node, Number

__all__ = ["PLAIN", "Dimension", "dimension", "unit_dimension"]

Dimension = frozenset[tuple[str, int]]
"""The kinds and their powers, none of them zero; empty for a plain number."""

PLAIN: Dimension = frozenset()
OF_X_AND_Y = {"half": "x", "ceiling": "y", "misfit_hyperbola": "", "knee": "x", "plateau": "y", "misfit_corner": ""}
"""Functions of two unlike arguments: which of them the result is like, or neither."""
SAME_AS = {"Hz": "1/s", "W": "J/s", "sample": "", "1": "", "%": ""}


def _product(a: Dimension, b: Dimension, power: int = 1) -> Dimension:
    """``a`` times ``b`` to the power 1 or −1."""
    powers = Counter(dict(a))
    for kind, n in b:
        powers[kind] += power * n
    return frozenset((kind, n) for kind, n in powers.items() if n)


def unit_dimension(unit: str) -> Dimension:
    """The dimension of a unit such as ``s``, ``byte/s`` or ``W·s``."""
    found = PLAIN
    for i, part in enumerate(unit.split("/")):
        for word in filter(None, re.split(r"[·*\s]+", part)):
            alias = SAME_AS.get(word)
            this = frozenset({(word, 1)}) if alias is None else unit_dimension(alias)
            found = _product(found, this, -1 if i else 1)
    return found


def _shown(dimension: Dimension) -> str:
    def words(sign: int) -> list[str]:
        return sorted(kind for kind, n in dimension for _ in range(n * sign))

    below = "".join(f"/{kind}" for kind in words(-1))
    return ("·".join(words(1)) or ("1" if below else "")) + below or "a plain number"


def dimension(node: Node, of: Callable[[Name], Dimension], where: str) -> Dimension | None:
    """The dimension of an expression, ``None`` for a zero, which is of every one; ``of`` gives that of a name.

    Raises :class:`PerfdocsError` where unlike quantities are added, subtracted or compared; ``where`` names the place.
    """
    if isinstance(node, Number):
        return None if node.value == 0 else PLAIN
    if isinstance(node, Name):
        return of(node)
    if isinstance(node, Binary):
        a, b = dimension(node.left, of, where), dimension(node.right, of, where)
        if node.operator in "+-":
            return _alike([a, b], f'"{node.operator}"', where)
        return None if a is None or b is None else _product(a, b, 1 if node.operator == "*" else -1)
    if isinstance(node, Call):
        found = [dimension(argument, of, where) for argument in node.arguments]
        if node.function == "least":
            _alike([found[2], PLAIN], "the share in `least`", where)
            return found[0]
        if node.function == "share":
            _alike(found, "`share`", where)
            return PLAIN
        if node.function in OF_X_AND_Y:
            return {"x": found[0], "y": found[1], "": PLAIN}[OF_X_AND_Y[node.function]]
        return _alike(found, f"`{node.function}`", where)
    return None


def _alike(found: list[Dimension | None], what: str, where: str) -> Dimension | None:
    """The one dimension that all have. Raises :class:`PerfdocsError` where there are two."""
    kinds = list(dict.fromkeys(one for one in found if one is not None))
    if len(kinds) > 1:
        raise PerfdocsError(
            "expression-dimension",
            where,
            f"{what} of unlike quantities: {' and '.join(map(_shown, kinds))}",
            "quantities of one unit",
            "correct the expression, or the units of the metrics in it",
        )
    return kinds[0] if kinds else None
