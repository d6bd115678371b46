"""Which arm a word that compares is said of, and which one a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..expression import Binary, Hole, Number
from ..quantity import Printed
from .findings import Finding
from .nodes import Bounded, Claim, Clean, Compared, Item, Plain, Selected, Trend, Within, named
from .phrases import word_finding
from .proportions import OF_TIME
from .wording import Mention, Prose

__all__ = ["beside_numbers", "inverted", "nameless", "spoken_order", "subjects"]

_COMPARING = frozenset({"faster", "slower", "within"})
_OBJECT = frozenset(
    {"against", "and", "as", "behind", "beside", "for", "from", "of", "over", "than", "then", "to", "unlike", "where"}
    | {"with"}
)
"""Words before an arm that others are compared with."""


_FASTER = r"(?:faster|quicker|slower|better|worse|swifter)(?:\s+still)?\s+than|ahead\s+of|behind"
_INVERTED = re.compile(
    rf"\b(?:{_FASTER})\s+(?:the\s+)?[`*]*(?P<object>\ue000+)[`*]*,?\s+(?:(?:still|only|also)\s+)?"
    r"(?:is|are|was|were|runs?|comes?|stands?)\s+(?:only\s+)?(?:the\s+)?[`*]*(?P<subject>\ue000+)",
    re.IGNORECASE,
)
"""The subject behind the verb: "faster than a is b"."""
_BEFORE_ALL = re.compile(
    r"(?:(?P<new>^|[.;:]\s|[–—])|,|\band\b|\bbut\b)\s*(?:[\d.]+\s?(?:×|%|times)\s+)?(?:(?:much|far|even|still|clearly)\s+)?(?:compared\s+(?:to|with)|in\s+(?:comparison|contrast)\s+(?:to|with)|relative\s+to"
    rf"|against|versus|unlike|beside|next\s+to|than|{_FASTER})\s+(?:the\s+)?[`*]*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:.]\s|[–—]")
_TAKES = re.compile(
    r"[`*]*\s+(?:still\s+|only\s+|even\s+)?(?:takes?|took|needs?|needed|lasts?|requires?|reach(?:es)?|has|have|runs?\s+in)\s+"
    r"(?:only\s+|about\s+|some\s+)?[`*]*",
    re.IGNORECASE,
)
_NAMELESS = re.compile(r"\bthe\s+(?:latter|former)\b(?!\s+(?:half|part|third|quarter|case)\b)", re.IGNORECASE)


def nameless(prose: Prose) -> Iterator[Finding]:
    """Words for the first or the last of two, which nothing here can tell."""
    for m in _NAMELESS.finditer(prose.plain):
        yield word_finding(m[0], "the name of what is meant", "write the name in its place")


def inverted(prose: Prose, mentioned: Sequence[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Of sentences whose subject stands behind the verb: object and subject."""
    at = {mention.start: mention for mention in mentioned}
    for m in _INVERTED.finditer(prose.plain):
        first, second = at.get(m.start("object")), at.get(m.start("subject"))
        if first is not None and second is not None:
            yield first, second


def spoken_order(prose: Prose, mentioned: Sequence[Mention]) -> list[Mention]:
    """Arms with the one that is compared before the one that it is compared with: "compared to b, a is faster"."""
    ordered = list(mentioned)
    for i, mention in enumerate(ordered[:-1]):
        behind = ordered[i + 1]
        m = _BEFORE_ALL.search(prose.plain, max(mention.start - 40, 0), mention.start)
        if m and (i == 0 or m["new"] is not None) and mention is ordered[i] and behind.keys != mention.keys:
            ordered[i], ordered[i + 1] = behind, mention
    return ordered


def subjects(claim: Claim, prose: Prose, mentioned: Sequence[Mention]) -> Iterator[tuple[Mention, list[str]]]:
    """The nearest arm before the word that compares is what is compared, unless the word before it says otherwise."""
    item, *others = claim.items
    if not mentioned or any(not isinstance(other, Plain) for other in others):
        return
    first = mentioned[0]
    if (isinstance(item, Compared) and item.relation != "level") or (
        isinstance(item, Within) and len(set(named(item.other))) > 2  # of two, each is within so much of the other
    ):
        for _, subject in inverted(prose, mentioned):
            yield subject, [name for tree in item.values for name in named(tree)]
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


def beside_numbers(claim: Claim, prose: Prose, mentioned: Sequence[Mention]) -> Iterator[tuple[Mention, list[Item]]]:
    """A name stands beside the number it has: before it or behind it, with no other number in between.

    Among items that compare, where a name need have no number, only those that take turns with them are told, or stand
    in lists.
    """
    counted = [item for item in claim.items for _ in range(_printed(item))]
    if len(prose.numbers) != len(counted) or any(not isinstance(s, (Clean, Selected)) for s in claim.scope):
        return
    alone = all(isinstance(item, Plain) and len(item.values) == 1 for item in claim.items)
    pairs = [(n, item) for n, item in zip(prose.numbers, counted, strict=True) if isinstance(item, Plain)]
    if not pairs:
        return
    numbers = [number for number, _ in pairs]
    items: list[Item] = [item for _, item in pairs]
    starts = [number.start for number in numbers]
    mentioned = sorted(mentioned, key=lambda m: m.start)
    listed = _in_turn(mentioned, starts) | _behind_all(mentioned, starts)
    turned = spoken_order(prose, mentioned) != mentioned or any(inverted(prose, mentioned))
    if alone or not turned:
        listed = _in_lists(mentioned, starts) | listed
    for mention in mentioned:
        behind = sum(start < mention.start for start in starts)
        if mention in listed:
            yield mention, items[listed[mention] : listed[mention] + 1]
        elif alone:
            first = behind if 0 < behind < len(items) and _of_next(mention, numbers, behind, prose) else behind - 1
            yield mention, items[max(first, 0) : behind + 1]


def _printed(item: Item) -> int:
    """How many numbers of the text an item is said with."""
    if isinstance(item, Bounded):
        return int(isinstance(item.limit, (Hole, Number)))
    if isinstance(item, Trend):
        return sum(amount is not None for amount in (item.first, item.last))
    if isinstance(item, Compared):
        return int(item.by is not None)
    return int(isinstance(item, (Plain, Within)))


def _of_next(mention: Mention, numbers: Sequence[Printed], behind: int, prose: Prose) -> bool:
    """Whether a name begins the clause of the number behind it: "against 5 µs, a takes 7 µs"."""
    before = prose.plain[numbers[behind - 1].end : mention.start]
    after = prose.plain[mention.end : numbers[behind].start]
    return bool(_CLAUSE.search(before)) and bool(_TAKES.fullmatch(after))


def _in_turn(mentioned: Sequence[Mention], numbers: Sequence[int]) -> dict[Mention, int]:
    """Of "5 µs with a, 7 µs with b" the number of each: as many names as numbers, one after the other by turns."""
    places = sorted([(m.start, 0) for m in mentioned] + [(start, 1) for start in numbers])
    turns = [kind for _, kind in places]
    if len(mentioned) != len(numbers) or len(numbers) < 2 or any(a == b for a, b in pairwise(turns)):
        return {}
    return {mention: place for place, mention in enumerate(mentioned)}


def _behind_all(mentioned: Sequence[Mention], numbers: Sequence[int]) -> dict[Mention, int]:
    """Of "5 and 7 µs with a and b" the number of each."""
    if len(mentioned) != len(numbers) or not mentioned or mentioned[0].start < max(numbers):
        return {}
    return {mention: place for place, mention in enumerate(mentioned)}


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
