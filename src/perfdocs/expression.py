"""The small language of derived quantities, and the part of it that claims share: sums, products, names, calls.

Text becomes a tree of frozen nodes; :func:`evaluate` computes a tree over :class:`~perfdocs.verdict.Value` with
interval arithmetic. Nothing is handed to Python's ``eval``; length and depth are bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .errors import PerfdocsError, nearest
from .functions import ARGUMENTS, POINT_FUNCTIONS, SERIES_FUNCTIONS, combine
from .verdict import Missing, Value

if TYPE_CHECKING:
    from lark import Lark

__all__ = [
    "Binary",
    "Call",
    "Hole",
    "Name",
    "Node",
    "Number",
    "Selector",
    "check_calls",
    "depth",
    "evaluate",
    "evaluate_series",
    "names",
    "parse",
    "parts",
]

MAX_LENGTH = 2000
MAX_DEPTH = 50
MAX_OPERATORS = 200


@dataclass(frozen=True, slots=True)
class Selector:
    """``n=1e6``, ``config=spread-100`` or a bare name whose axis the definition tells."""

    axis: str | None
    value: float | str


@dataclass(frozen=True, slots=True)
class Number:
    """A literal; a percentage is its fraction."""

    value: float
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Hole:
    """``?``: the next number printed in the text of a claim."""


@dataclass(frozen=True, slots=True)
class Name:
    """A metric, an arm, a device's fact…, optionally with selectors in brackets."""

    name: str
    selectors: tuple[Selector, ...] = ()

    @property
    def arm(self) -> str | None:
        """The reference arm in the brackets of a derived quantity: ``wall[jax_while]``."""
        return str(self.selectors[0].value) if self.selectors else None


@dataclass(frozen=True, slots=True)
class Call:
    """A function of :data:`FUNCTIONS`, or one that its user (the claims language) gives."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """``+ - * /``."""

    operator: str
    left: Node
    right: Node


Node = Number | Hole | Name | Call | Binary


def builder() -> type[Any]:
    """The transformer from lark's tree to nodes; the claims grammar subclasses it."""
    from lark import Transformer, v_args

    @v_args(inline=True)
    class Build(Transformer):  # type: ignore[type-arg] # lark's class is generic only in its stubs
        def number(self, number: Any, percent: Any = None) -> Number:
            value = float(number)
            return Number(value / 100, True) if percent is not None else Number(value)

        def hole(self) -> Hole:
            return Hole()

        def name(self, token: Any) -> str:
            return str(token)

        def reference(self, name: str, *selectors: Selector | None) -> Name:
            return Name(name, tuple(s for s in selectors if s is not None))

        def call(self, name: str, *arguments: Node | None) -> Call:
            return Call(name, tuple(a for a in arguments if a is not None))

        def group(self, node: Node) -> Node:
            return node

        def negative(self, node: Node) -> Node:
            return Binary("-", Number(0.0), node)

        def axis_number(self, axis: Any, number: Any) -> Selector:
            return Selector(str(axis), float(number))

        def axis_name(self, axis: Any, name: Any) -> Selector:
            return Selector(str(axis), str(name))

        def bare(self, name: Any) -> Selector:
            return Selector(None, str(name))

        def sum(self, *parts: Any) -> Node:
            return _fold(parts)

        def product(self, *parts: Any) -> Node:
            return _fold(parts)

    return Build


def _fold(parts: Sequence[Any]) -> Node:
    node: Node = parts[0]
    for operator, right in zip(parts[1::2], parts[2::2], strict=True):
        node = Binary(str(operator), node, right)
    return node


@lru_cache(maxsize=1)
def _parser() -> Lark:
    from lark import Lark

    grammar = files("perfdocs").joinpath("expression.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", start="sum", transformer=builder()(), maybe_placeholders=True)


def check_bounds(text: str, where: str) -> None:
    """Refuse a text too long or too deeply nested to be meant. Raises :class:`PerfdocsError`."""
    depth = deepest = 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        deepest = max(deepest, depth)
    operators = sum(text.count(c) for c in "+-*/")
    if len(text) > MAX_LENGTH or deepest > MAX_DEPTH or operators > MAX_OPERATORS:
        raise PerfdocsError(
            "expression-size",
            where,
            f"{len(text)} characters, {operators} operators, nested {deepest} deep",
            f"at most {MAX_LENGTH} characters, {MAX_OPERATORS} operators and {MAX_DEPTH} levels",
            "split the expression",
        )


def syntax_problem(text: str, error: Exception, where: str, code: str = "expression-syntax") -> PerfdocsError:
    """Turn one of lark's errors into one located message."""
    column = getattr(error, "column", None)
    token = getattr(error, "token", None)
    found = f'"{token}"' if token is not None and str(token) else "an unexpected end or character"
    if token is None and getattr(error, "char", None):
        found = f'"{error.char}"'  # type: ignore[attr-defined] # UnexpectedCharacters has it
    at = f" at column {column}" if isinstance(column, int) and column > 0 else ""
    return PerfdocsError(code, where, f"{found}{at} in `{text}`", "an expression", "see the reference of the language")


@lru_cache(maxsize=4096)
def _parse(text: str, where: str) -> Node:
    from lark.exceptions import LarkError

    check_bounds(text, where)
    try:
        node: Node = _parser().parse(text)  # type: ignore[assignment] # the transformer returns nodes, not a tree
    except (LarkError, RecursionError) as error:
        raise syntax_problem(text, error, where) from None
    return node


def parse(text: str, where: str) -> Node:
    """Parse an expression; ``where`` names its place in messages. Raises :class:`PerfdocsError`."""
    return _parse(text.strip(), where)


def parts(node: Node) -> Iterator[Node]:
    """Every node of the tree, from the left."""
    stack = [node]
    while stack:
        item = stack.pop()
        yield item
        if isinstance(item, Call):
            stack.extend(reversed(item.arguments))
        elif isinstance(item, Binary):
            stack.extend((item.right, item.left))


def names(node: Node) -> Iterator[Name]:
    """Every name in the tree, left to right."""
    return (part for part in parts(node) if isinstance(part, Name))


def depth(node: Node) -> int:
    """How many operations and calls stand one inside the other."""
    deepest, stack = 0, [(node, 1)]
    while stack:
        item, level = stack.pop()
        deepest = max(deepest, level)
        inner = (
            (item.left, item.right) if isinstance(item, Binary) else item.arguments if isinstance(item, Call) else ()
        )
        stack.extend((part, level + 1) for part in inner)
    return deepest


def check_calls(node: Node, where: str, *, series: bool) -> None:
    """Check what the grammar lets through and a derived quantity may not hold. Raises :class:`PerfdocsError`.

    ``series``: it is computed over a whole series, so that a value of one point may stand only inside a function of
    the series. Outside of one, only numbers and facts of the device are the same at every point.
    """
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        item, inside = stack.pop()
        if isinstance(item, Hole):
            raise PerfdocsError(
                "expression-hole", where, '"?"', "a quantity", "only a claim has text whose number it could stand for"
            )
        if isinstance(item, Name):
            if item.selectors and (len(item.selectors) > 1 or item.selectors[0].axis is not None):
                raise PerfdocsError(
                    "expression-selector",
                    where,
                    f'these brackets behind "{item.name}"',
                    f"`{item.name}`, or `{item.name}[arm]` for that of another arm at the same point",
                    "name one arm in the brackets and nothing else, or leave them out",
                )
            if series and not inside and not item.name.startswith("device."):
                raise PerfdocsError(
                    "expression-series",
                    where,
                    f'"{item.name}", which differs from point to point',
                    f"it inside one of {', '.join(SERIES_FUNCTIONS)}",
                    "say which of the points is meant",
                )
        elif isinstance(item, Binary):
            stack += [(item.left, inside), (item.right, inside)]
        elif isinstance(item, Call):
            over_series = series and not inside and item.function in SERIES_FUNCTIONS
            if not over_series and item.function not in POINT_FUNCTIONS:
                known = [*POINT_FUNCTIONS, *(SERIES_FUNCTIONS if series and not inside else ())]
                apart = item.function in SERIES_FUNCTIONS
                raise PerfdocsError(
                    "expression-function",
                    where,
                    f'the function "{item.function}"',
                    f"one of {', '.join(known)}{nearest(item.function, known)}",
                    "name the axis of the series in `over`, and do not nest it" if apart else "correct the name",
                )
            wanted = ARGUMENTS.get(item.function)
            if not item.arguments or (wanted is not None and len(item.arguments) != len(wanted)):
                raise PerfdocsError(
                    "expression-arguments",
                    where,
                    f"{len(item.arguments)} arguments of {item.function}",
                    f"{item.function}({', '.join(wanted or ('a', 'b', '…'))})",
                    "correct the arguments",
                )
            stack += [(argument, inside or over_series) for argument in item.arguments]


def evaluate(node: Node, lookup: Callable[[Name], Value]) -> Value:
    """Compute the tree at one point; ``lookup`` gives a name's value or raises :class:`Missing`."""
    if isinstance(node, Number):
        return Value.exact(node.value)
    if isinstance(node, Name):
        return lookup(node)
    if isinstance(node, Binary):
        return combine(node.operator, evaluate(node.left, lookup), evaluate(node.right, lookup))
    if isinstance(node, Call) and node.function in POINT_FUNCTIONS:
        return POINT_FUNCTIONS[node.function](*(evaluate(a, lookup) for a in node.arguments))
    raise Missing(f"{node.function if isinstance(node, Call) else '?'} has no value at one point")


def evaluate_series(node: Node, lookups: Sequence[Callable[[Name], Value]]) -> Value:
    """Compute the tree over a whole series, one ``lookup`` a point: series functions see every point."""
    if isinstance(node, Call) and node.function in SERIES_FUNCTIONS:
        series = [[evaluate(a, lookup) for lookup in lookups] for a in node.arguments]
        return SERIES_FUNCTIONS[node.function](*series)
    if isinstance(node, Binary):
        return combine(node.operator, evaluate_series(node.left, lookups), evaluate_series(node.right, lookups))
    if isinstance(node, Call) and node.function in POINT_FUNCTIONS:
        return POINT_FUNCTIONS[node.function](*(evaluate_series(a, lookups) for a in node.arguments))
    return evaluate(node, lookups[0])
