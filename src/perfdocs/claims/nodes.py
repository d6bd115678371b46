"""The parts of a claim as frozen records. :mod:`.syntax` makes them from text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from ..expression import Binary, Call, Hole, Name, Node, Number, Selector

__all__ = [
    "ARM",
    "OPEN",
    "Amount",
    "At",
    "Bounded",
    "Claim",
    "Clean",
    "Compared",
    "Counted",
    "FromOn",
    "Item",
    "Leads",
    "Over",
    "Overtakes",
    "Plain",
    "Quantified",
    "Scope",
    "Selected",
    "Tree",
    "Trend",
    "Valued",
    "Within",
    "all_parts",
    "item_names",
    "named",
    "parts_of",
    "trees_of",
]

ARM = "arm"
"""What each arm of a set is called in an expression, and what the axis of them is called in a scope."""

OPEN = "?"
"""The value of a selector ``n=?``: the next "N = …" of the text."""
How = Literal["under", "over", "about", ""]
Relation = Literal["faster", "slower", "more", "less", "ahead", "behind", "level"]


@dataclass(frozen=True, slots=True)
class At:
    """A call with selectors behind it: ``wall(persistent)[n=1e6]``."""

    node: Call
    selectors: tuple[Selector, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """A function of all values along an axis: ``geomean(simple / persistent over n)``, or of fewer of them."""

    function: str
    value: Tree
    axis: str
    below: float | None = None
    of: tuple[str | float, ...] = ()
    but: tuple[str | float, ...] = ()


Tree = Node | At | Over


@dataclass(frozen=True, slots=True)
class Amount:
    """A literal number (``percent`` where written so), or ``None``: the next number of the text."""

    value: float | None
    percent: bool = False

    @property
    def quantum(self) -> float:
        """One unit of the last digit of a literal."""
        shown = Decimal(f"{(self.value or 0) * (100 if self.percent else 1):.12g}").normalize()
        exponent = min(int(shown.as_tuple().exponent), 0)
        return float(10.0**exponent) * (0.01 if self.percent else 1)


@dataclass(frozen=True, slots=True)
class Plain:
    """Each value reads as the next printed number; several values share one."""

    values: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Bounded:
    """Each value against a sum."""

    values: tuple[Tree, ...]
    how: Literal["=", "under", "over", "about"]
    limit: Tree


@dataclass(frozen=True, slots=True)
class Compared:
    """Each value stands to a sum as the relation says, optionally by an amount."""

    values: tuple[Tree, ...]
    relation: Relation
    other: Tree
    how: How = ""
    by: Amount | None = None


@dataclass(frozen=True, slots=True)
class Within:
    """Each value is at most this far from a sum."""

    values: tuple[Tree, ...]
    amount: Amount
    other: Tree


@dataclass(frozen=True, slots=True)
class Leads:
    """Exactly these arms are beaten by nobody in the set; ``then`` removes them and asks again.

    With ``last`` exactly these beat nobody in it.
    """

    ranks: tuple[tuple[str, ...], ...]
    among: tuple[str, ...]
    but: tuple[str, ...] = ()
    metric: str | None = None
    last: bool = False


@dataclass(frozen=True, slots=True)
class Overtakes:
    """The value takes the lead over another along an axis, at or by a point."""

    value: Tree
    other: Tree
    how: Literal["at", "by"]
    about: bool
    axis: str
    point: Amount


@dataclass(frozen=True, slots=True)
class Trend:
    """The value rises or falls over an axis, optionally from one printed number to another."""

    value: Tree
    direction: Literal["rises", "falls"]
    axis: str
    first: Amount | None = None
    last: Amount | None = None


Item = Plain | Bounded | Compared | Within | Leads | Overtakes | Trend


@dataclass(frozen=True, slots=True)
class Selected:
    """One selector for the whole claim."""

    selector: Selector


@dataclass(frozen=True, slots=True)
class Quantified:
    """``every``, ``each``, ``some`` or ``no`` value of an axis, fewer where limited, with exceptions that fail."""

    quantifier: Literal["every", "each", "some", "no"]
    axis: str
    below: float | None = None
    of: tuple[str | float, ...] = ()
    but: tuple[tuple[Selector, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class FromOn:
    """At and above a value of an axis; with ``only`` it fails below."""

    only: bool
    axis: str
    value: Amount


@dataclass(frozen=True, slots=True)
class Counted:
    """In so many of so many places along an axis, or of those ``among`` them that are named."""

    count: Amount
    of: Amount
    axis: str
    below: float | None = None
    among: tuple[str | float, ...] = ()


@dataclass(frozen=True, slots=True)
class Clean:
    """Nothing that the claim looks at may bear a flag, but for those of the card's origin."""


Scope = Selected | Quantified | FromOn | Counted | Clean


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """A whole claim: what it speaks of, and what it says. It is parsed once and told by identity."""

    scope: tuple[Scope, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Valued:
    """The expression of the ``value`` role; with a relation it is the ratio between the two sums."""

    given: tuple[Selector, ...]
    value: Tree
    relation: Relation | None = None
    other: Tree | None = None


def named(tree: Tree, arm: Sequence[str] = (ARM,)) -> Iterator[str]:
    """Every name and function in a tree, left to right; ``arm``: what the word for each of a set stands for."""
    if isinstance(tree, At):
        yield from named(tree.node, arm)
    elif isinstance(tree, Over):
        yield from named(tree.value, tuple(map(str, tree.of)) if tree.axis == ARM else arm)
    elif isinstance(tree, Name):
        yield from arm if tree.name == ARM else (tree.name,)
    elif isinstance(tree, Call):
        yield tree.function
        for argument in tree.arguments:
            yield from named(argument, arm)
    elif isinstance(tree, Binary):
        yield from named(tree.left, arm)
        yield from named(tree.right, arm)
    elif not isinstance(tree, (Number, Hole)):
        raise TypeError(tree)


def item_names(item: Item, arm: Sequence[str] = (ARM,)) -> Iterator[str]:
    """Every name an item says of arms and metrics, in the order it is written; members of sets included.

    ``arm``: what the word for each arm of a set stands for.
    """
    if isinstance(item, Leads):
        yield from (name for rank in (item.ranks[0], item.among, item.but, *item.ranks[1:]) for name in rank)
        return
    trees: list[Tree] = []
    if isinstance(item, (Plain, Bounded, Compared, Within)):
        trees.extend(item.values)
    else:
        trees.append(item.value)
    if isinstance(item, Bounded):
        trees.append(item.limit)
    elif isinstance(item, (Compared, Within, Overtakes)):
        trees.append(item.other)
    for tree in trees:
        yield from named(tree, arm)


def trees_of(item: Item) -> tuple[Tree, ...]:
    """The expressions of an item."""
    if isinstance(item, Leads):
        return ()
    if isinstance(item, (Overtakes, Trend)):
        return (item.value, item.other) if isinstance(item, Overtakes) else (item.value,)
    others = {Bounded: "limit", Compared: "other", Within: "other"}
    return (*item.values, *(getattr(item, name) for kind, name in others.items() if isinstance(item, kind)))


def parts_of(tree: Tree) -> Iterator[Tree]:
    """A tree and all within it."""
    yield tree
    if isinstance(tree, At):
        yield from parts_of(tree.node)
    elif isinstance(tree, Over):
        yield from parts_of(tree.value)
    elif isinstance(tree, Call):
        for argument in tree.arguments:
            yield from parts_of(argument)
    elif isinstance(tree, Binary):
        yield from parts_of(tree.left)
        yield from parts_of(tree.right)


@lru_cache(maxsize=4096)
def all_parts(claim: Claim) -> tuple[Tree, ...]:
    """Every expression of a claim and all within it."""
    return tuple([part for item in claim.items for tree in trees_of(item) for part in parts_of(tree)])
