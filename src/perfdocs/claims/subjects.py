"""Which arm a word that compares is said of, and which one a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..expression import Binary
from .nodes import Claim, Compared, Plain, Selected, Within, item_names, named
from .proportions import OF_TIME
from .wording import Mention, Prose

__all__ = ["beside_numbers", "subjects"]

_COMPARING = frozenset({"faster", "slower", "within"})
_OBJECT = frozenset(
    {"against", "and", "as", "behind", "beside", "for", "from", "of", "over", "than", "then", "to", "unlike", "where"}
    | {"with"}
)
"""Words before an arm that others are compared with."""


def subjects(claim: Claim, prose: Prose, mentioned: Sequence[Mention]) -> Iterator[tuple[Mention, list[str]]]:
    """The nearest arm before the word that compares is what is compared, unless the word before it says otherwise."""
    item, *others = claim.items
    if not mentioned or any(not isinstance(other, Plain) for other in others):
        return
    first = mentioned[0]
    if (isinstance(item, Compared) and item.relation != "level") or (
        isinstance(item, Within) and len(set(named(item.other))) > 2  # of two, each is within so much of the other
    ):
        word = min((w.start for w in prose.words if w.kind in _COMPARING), default=0)
        before = [m for m in mentioned if m.start < word and not _is_object(m, prose)]
        if before:
            yield before[-1], [name for tree in item.values for name in named(tree)]
    elif isinstance(item, Plain) and (m := OF_TIME.search(prose.plain)):
        ratios = [tree for tree in item.values if isinstance(tree, Binary) and tree.operator == "/"]
        if ratios and first.start < m.start():
            yield first, [name for tree in ratios for name in named(tree.left)]


def _is_object(mention: Mention, prose: Prose) -> bool:
    """Whether the word before an arm makes it what others are compared with."""
    before = re.search(r"([A-Za-z]+)[\s`]*$", prose.text[: mention.start])
    return before is not None and before[1].lower() in _OBJECT


def beside_numbers(claim: Claim, prose: Prose, mentioned: Sequence[Mention]) -> Iterator[tuple[Mention, list[str]]]:
    """An arm stands beside the number it has: before it or behind it, with no other number in between."""
    items, numbers = claim.items, prose.numbers
    alone = all(isinstance(item, Plain) and len(item.values) == 1 for item in items)
    if not alone or len(numbers) != len(items) or any(not isinstance(s, Selected) for s in claim.scope):
        return
    listed = _in_lists(mentioned, [number.start for number in numbers])
    for mention in mentioned:
        behind = sum(number.start < mention.start for number in numbers)
        near = items[max(behind - 1, 0) : behind + 1]
        if mention in listed:
            near = items[listed[mention] : listed[mention] + 1]
        yield mention, [name for item in near for name in item_names(item)]


def _in_lists(mentioned: Sequence[Mention], numbers: Sequence[int]) -> dict[Mention, int]:
    """Of "a and b take 5 and 7 µs" the number of each arm: as many arms one after the other as numbers behind them."""
    runs: list[tuple[list[Mention], list[int]]] = [([], [])]
    places = [(m.start, m) for m in mentioned] + [(start, i) for i, start in enumerate(numbers)]
    for _, said in sorted(places, key=lambda place: place[0]):
        if isinstance(said, int):
            runs[-1][1].append(said)
        elif runs[-1][1]:
            runs.append(([said], []))
        else:
            runs[-1][0].append(said)
    pairs = [(arms, places) for arms, places in runs if len(arms) == len(places) > 1]
    return {mention: place for arms, places in pairs for mention, place in zip(arms, places, strict=True)}
