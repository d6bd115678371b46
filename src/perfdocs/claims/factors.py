"""Numbers that scale a value of a claim: each has to stand in the text, as it would make any sentence true.

"One thread per sample is faster" would else hold by `simple / 3 faster than stealing`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..expression import Binary, Call, Number
from .nodes import Amount, Item, Tree
from .phrases import phrase
from .reader import Reader
from .scope import Data

__all__ = ["take_factors"]


def _is_constant(tree: Tree) -> bool:
    if isinstance(tree, Binary):
        return _is_constant(tree.left) and _is_constant(tree.right)
    if isinstance(tree, Call):
        return bool(tree.arguments) and all(map(_is_constant, tree.arguments))
    return isinstance(tree, Number)


def _factors(item: Item) -> Iterator[Tree]:
    """The constants that values are multiplied with or divided by, but for one over a value."""
    for part in item.parts:
        if isinstance(part, Binary) and part.operator in "*/" and not _is_constant(part):
            yield from (side for side in (part.left, part.right) if _is_constant(side) and side != Number(1.0))


def take_factors(item: Item, data: Data, reader: Reader) -> None:
    """Take each factor of an item from the text. Raises ``claim-text`` where it is not the next number there."""
    for factor in _factors(item):
        if isinstance(factor, Number) and reader.accept(Amount(factor.value, factor.percent), as_ratio=False):
            continue
        found = f"the factor {phrase(factor)}, which is not the next number of the text"
        do = "print it before the numbers of its values, or compare without it"
        raise data.error("claim-text", found, "each factor in the text", do)
