"""The parts of a claim as frozen records. :mod:`.syntax` makes them from text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
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
    "named",
    "parts_of",
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


class _Expressions:
    """What is asked of an item at every point, told once."""

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Its expressions."""
        return ()

    @cached_property
    def parts(self) -> tuple[Tree, ...]:
        """Every expression of it and all within them."""
        return tuple([part for tree in self.trees for part in parts_of(tree)])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name it says of arms and metrics, in the order it is written; members of sets included."""
        return self.said((ARM,))

    def said(self, arm: Sequence[str]) -> tuple[str, ...]:
        """The same; ``arm``: what the word for each arm of a set stands for."""
        return tuple([name for tree in self.trees for name in named(tree, arm)])


@dataclass(frozen=True)
class Plain(_Expressions):
    """Each value reads as the next printed number; several values share one."""

    values: tuple[Tree, ...]

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The values."""
        return self.values


@dataclass(frozen=True)
class Bounded(_Expressions):
    """Each value against a sum."""

    values: tuple[Tree, ...]
    how: Literal["=", "under", "over", "about"]
    limit: Tree

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The values and the sum."""
        return (*self.values, self.limit)


@dataclass(frozen=True)
class Compared(_Expressions):
    """Each value stands to a sum as the relation says, optionally by an amount."""

    values: tuple[Tree, ...]
    relation: Relation
    other: Tree
    how: How = ""
    by: Amount | None = None

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The values and the sum."""
        return (*self.values, self.other)


@dataclass(frozen=True)
class Within(_Expressions):
    """Each value is at most this far from a sum."""

    values: tuple[Tree, ...]
    amount: Amount
    other: Tree

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The values and the sum."""
        return (*self.values, self.other)


@dataclass(frozen=True)
class Leads(_Expressions):
    """Exactly these arms are beaten by nobody in the set; ``then`` removes them and asks again.

    With ``last`` exactly these beat nobody in it.
    """

    ranks: tuple[tuple[str, ...], ...]
    among: tuple[str, ...]
    but: tuple[str, ...] = ()
    metric: str | None = None
    last: bool = False

    def said(self, arm: Sequence[str]) -> tuple[str, ...]:
        """The arms and sets that it says."""
        del arm  # it has no such word
        return tuple(name for rank in (self.ranks[0], self.among, self.but, *self.ranks[1:]) for name in rank)


@dataclass(frozen=True)
class Overtakes(_Expressions):
    """The value takes the lead over another along an axis, at or by a point."""

    value: Tree
    other: Tree
    how: Literal["at", "by"]
    about: bool
    axis: str
    point: Amount

    @property
    def trees(self) -> tuple[Tree, ...]:
        """What overtakes, and what is overtaken."""
        return (self.value, self.other)


@dataclass(frozen=True)
class Trend(_Expressions):
    """The value rises or falls over an axis, optionally from one printed number to another."""

    value: Tree
    direction: Literal["rises", "falls"]
    axis: str
    first: Amount | None = None
    last: Amount | None = None

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The value."""
        return (self.value,)


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


@dataclass(frozen=True, eq=False)
class Claim:
    """A whole claim: what it speaks of, and what it says. It is parsed once and told by identity."""

    scope: tuple[Scope, ...]
    items: tuple[Item, ...]

    @cached_property
    def parts(self) -> tuple[Tree, ...]:
        """Every expression of it and all within them."""
        return tuple([part for item in self.items for part in item.parts])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name of its items, in the order it is written."""
        return tuple([name for item in self.items for name in item.names])

    @cached_property
    def selects(self) -> bool:
        """Whether a part of it has selectors of its own: without any, all are of one device and of one point."""
        return any(isinstance(part, (At, Name)) and part.selectors for part in self.parts)


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
