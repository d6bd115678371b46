"""How messages put an expression, an order and a verdict into words."""

from __future__ import annotations

from functools import lru_cache

from ..expression import Binary, Call, Name, Number, Selector
from ..quantity import axis_text, format_percent
from ..verdict import Order
from .findings import Finding, Later, Ternary, Text
from .nodes import At, Over, Tree

__all__ = [
    "AS_WORDS",
    "SIZE_WORDS",
    "SPEED_WORDS",
    "TREND_WORDS",
    "false",
    "order_finding",
    "phrase",
    "selector_text",
    "verdict",
    "word_finding",
]

AS_WORDS = {
    "faster": "faster than",
    "slower": "slower than",
    "more": "more than",
    "less": "less than",
    "ahead": "ahead of",
    "behind": "behind",
    "level": "level with",
}
SPEED_WORDS = {Order.FASTER: "faster than", Order.SLOWER: "slower than", Order.LEVEL: "level with"}
SIZE_WORDS = {Order.FASTER: "more than", Order.SLOWER: "less than", Order.LEVEL: "level with"}
TREND_WORDS = {Order.FASTER: "rises", Order.SLOWER: "falls", Order.LEVEL: "stays level"}


def selector_text(selector: Selector) -> str:
    """A selector in words: ``n=10⁶``."""
    value = axis_text(selector.value)
    return f"{selector.axis}={value}" if selector.axis else value


def _selectors(selectors: tuple[Selector, ...]) -> str:
    inside = ", ".join(map(selector_text, selectors))
    return f"[{inside}]" if inside else ""


def _limits(tree: Over) -> str:
    below = "" if tree.below is None else f" below {axis_text(tree.below)}"
    pairs = ((" of ", tree.of), (" but ", tree.but))
    return below + "".join(word + " and ".join(map(axis_text, values)) for word, values in pairs if values)


@lru_cache(maxsize=1024)  # a claim says it at every point
def phrase(tree: Tree) -> str:
    """An expression as it was written."""
    if isinstance(tree, At):
        return phrase(tree.node) + _selectors(tree.selectors)
    if isinstance(tree, Over):
        return f"{tree.function}({phrase(tree.value)} over {tree.axis}{_limits(tree)})"
    if isinstance(tree, Name):
        return tree.name + _selectors(tree.selectors)
    if isinstance(tree, Number):
        return format_percent(tree.value) if tree.percent else f"{tree.value:g}"
    if isinstance(tree, Call):
        return f"{tree.function}({', '.join(phrase(a) for a in tree.arguments)})"
    if isinstance(tree, Binary):
        right = phrase(tree.right)
        return f"{phrase(tree.left)} {tree.operator} {f'({right})' if isinstance(tree.right, Binary) else right}"
    return "?"


def false(code: str, said: Text, measured: Text, do: Text = "correct the sentence") -> Finding:
    """What was said is not as measured."""
    return Finding(Ternary.FALSE, code, said, Later(lambda: f"{measured}, as measured"), do, measured)


def verdict(truth: bool, code: str, said: Text, measured: Text) -> Finding:
    """A finding that is decided."""
    return Finding(Ternary.TRUE, measured=measured) if truth else false(code, said, measured)


def order_finding(
    order: Order, wanted: Order, said: Text, measured: Text, words: dict[Order, str], advice: Text = ""
) -> Finding:
    """The finding on a comparison; ``words`` name the orders in the advice, ``advice`` says what would decide."""
    if order is wanted:
        return Finding(Ternary.TRUE, measured=measured)
    if order is Order.UNDECIDED:
        expected = Later(lambda: f"{measured}: the runs decide neither way")
        do = Later(lambda: f"say less, or measure again: {advice}".removesuffix(": "))
        return Finding(Ternary.UNKNOWN, "claim-undecided", said, expected, do, measured)
    return false("claim-order", said, measured, f'write "{words[order]}"')


def word_finding(found: str, expected: str, do: str = "add it to the claim, or choose another word") -> Finding:
    """Words of the text that the claim does not bear out."""
    return Finding(Ternary.FALSE, "claim-word", f'"{" ".join(found.split())}"', expected, do)
