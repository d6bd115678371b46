"""From the text of a claim to a tree of frozen records. Grammar: ``grammar.lark`` on top of ``expression.lark``."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..errors import PerfdocsError, nearest
from ..expression import Call, Name, Number, Selector, builder, check_bounds
from .nodes import (
    OPEN,
    Amount,
    At,
    Bounded,
    Claim,
    Clean,
    Compared,
    Counted,
    FromOn,
    Leads,
    Over,
    Overtakes,
    Plain,
    Quantified,
    Scope,
    Selected,
    Tree,
    Trend,
    Valued,
    Within,
)

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["parse_claim", "parse_given", "parse_valued"]


def _single(values: tuple[Tree, ...], what: str) -> Tree:
    if len(values) != 1:
        raise ValueError(f"`{what}` takes one value before it")
    return values[0]


def _keys(values: tuple[Tree, ...], rank: str) -> tuple[str, ...]:
    if not all(isinstance(v, Name) and not v.selectors for v in values):
        raise ValueError(f"`{rank}` takes names of arms before it")
    return tuple(v.name for v in values if isinstance(v, Name))


def _finite(token: Any) -> float:
    value = float(token)
    if not math.isfinite(value):
        raise ValueError(f"the number {str(token)[:20]} is too large")
    return value


def _limits(limit: Any) -> tuple[float | None, tuple[Any, ...]]:
    """What leaves places of an axis out: those from a number on, and all but some."""
    return limit if isinstance(limit, float) else None, limit if isinstance(limit, tuple) else ()


def _build() -> type[Any]:
    from lark import v_args

    class Build(builder()):  # type: ignore[misc] # a class made at run time, so that lark is imported only when used
        @v_args(inline=True)
        def number(self, number: Any, percent: Any = None) -> Number:
            return Number(_finite(number) / (100 if percent is not None else 1), percent is not None)

        @v_args(inline=True)
        def axis_number(self, axis: Any, number: Any) -> Selector:
            return Selector(str(axis), _finite(number))

        @v_args(inline=True)
        def axis_hole(self, axis: Any) -> Selector:
            return Selector(str(axis), OPEN)

        def call_at(self, children: list[Any]) -> At:
            name, *rest = children
            call = Call(name, tuple(c for c in rest if c is not None and not isinstance(c, Selector)))
            return At(call, tuple(c for c in rest if isinstance(c, Selector)))

        @v_args(inline=True)
        def over_axis(self, name: Any, value: Any, axis: Any, limit: Any, but: Any) -> Over:
            return Over(name, value, str(axis), *_limits(limit), but or ())

        def given(self, children: list[Selector]) -> tuple[Selector, ...]:
            return tuple(children)

        def values(self, children: list[Any]) -> tuple[Any, ...]:
            return tuple(children)

        def keys(self, children: list[Any]) -> tuple[str, ...]:
            return tuple(map(str, children))

        def thens(self, children: list[Any]) -> tuple[Any, ...]:
            return tuple(children)

        def point(self, children: list[Selector]) -> tuple[Selector, ...]:
            return tuple(children)

        @v_args(inline=True)
        def named(self, name: Any) -> Any:
            return str(name)

        @v_args(inline=True)
        def axis_amount(self, number: Any) -> float:
            return _finite(number)

        @v_args(inline=True)
        def literal(self, number: Any, percent: Any = None) -> Amount:
            return Amount(_finite(number) / (100 if percent is not None else 1), percent is not None)

        def open(self, _: list[Any]) -> Amount:
            return Amount(None)

        def _word(self, children: list[Any]) -> str:
            return str(children[0])

        rel = quant = only = about = at_by = how = trends = rank = _word
        locals()["is"] = _word  # a rule called like the word it reads

        @v_args(inline=True)
        def selected(self, selector: Selector) -> Selected:
            return Selected(selector)

        def scope(self, children: list[Any]) -> tuple[Scope, ...]:
            return tuple(Selected(Selector(None, c)) if isinstance(c, str) else c for c in children)

        @v_args(inline=True)
        def below(self, number: Any) -> float:
            return _finite(number)

        def axis_values(self, children: list[Any]) -> tuple[Any, ...]:
            return tuple(children)

        @v_args(inline=True)
        def only_of(self, values: Any) -> Any:
            return values

        @v_args(inline=True)
        def quantified(self, quantifier: Any, axis: Any, limit: Any, *but: Any) -> Quantified:
            return Quantified(quantifier, str(axis), *_limits(limit), tuple(p for p in but if p is not None))

        @v_args(inline=True)
        def from_on(self, only: Any, axis: Any, value: Amount) -> FromOn:
            return FromOn(only is not None, str(axis), value)

        @v_args(inline=True)
        def counted(self, count: Amount, of: Amount, axis: Any, limit: Any) -> Counted:
            return Counted(count, of, str(axis), *_limits(limit))

        def clean(self, _: list[Any]) -> Clean:
            return Clean()

        @v_args(inline=True)
        def plain(self, values: Any) -> Plain:
            return Plain(values)

        @v_args(inline=True)
        def bounded(self, values: Any, how: Any, limit: Any) -> Bounded:
            return Bounded(values, how, limit)

        @v_args(inline=True)
        def compared(self, values: Any, relation: Any, other: Any, how: Any, by: Any) -> Compared:
            return Compared(values, relation, other, how or "", by)

        @v_args(inline=True)
        def within(self, values: Any, amount: Amount, other: Any) -> Within:
            return Within(values, amount, other)

        @v_args(inline=True)
        def leads(self, values: Any, rank: str, among: Any, but: Any, then: Any, metric: Any) -> Leads:
            by, last = None if metric is None else str(metric), rank.startswith("trail")
            return Leads((_keys(values, rank), *(then or ())), among, but or (), by, last)

        @v_args(inline=True)
        def overtakes(self, values: Any, other: Any, how: Any, about: Any, axis: Any, point: Amount) -> Overtakes:
            return Overtakes(_single(values, "overtakes"), other, how, about is not None, str(axis), point)

        @v_args(inline=True)
        def trend(self, values: Any, direction: Any, axis: Any, first: Any, last: Any) -> Trend:
            return Trend(_single(values, direction), direction, str(axis), first, last)

        @v_args(inline=True)
        def claim(self, scope: Any, *items: Any) -> Claim:
            return Claim(scope or (), items)

        @v_args(inline=True)
        def valued(self, given: Any, value: Any, relation: Any, other: Any) -> Valued:
            return Valued(given or (), value, relation, other)

    return Build


@lru_cache(maxsize=1)
def _parser() -> Lark:
    from lark import Lark

    here = files("perfdocs")
    grammar = "\n".join(
        part.read_text(encoding="utf-8") for part in (here / "expression.lark", here / "claims" / "grammar.lark")
    )
    start = ["claim", "given", "valued"]
    return Lark(grammar, parser="lalr", start=start, transformer=_build()(), maybe_placeholders=True)


@lru_cache(maxsize=4096)
def _parse(text: str, start: str) -> Any:
    """The tree, or a :class:`PerfdocsError` to be raised with its place."""
    from lark.exceptions import LarkError, UnexpectedInput, VisitError

    try:
        check_bounds(text, "")
    except PerfdocsError as error:
        p = error.problem
        return PerfdocsError("claim-size", "", p.found, p.expected, "split the claim")
    try:
        return _parser().parse(text, start=start)
    except UnexpectedInput as error:
        return _syntax(text, error)
    except (LarkError, RecursionError, ValueError) as error:
        inner = error.orig_exc if isinstance(error, VisitError) else error
        found = f"`{text[:120]}`: {str(inner)[:120]}"
        return PerfdocsError("claim-syntax", "", found, "a claim", "correct the expression")


_SIGNS = {"COLON": ":", "SEMICOLON": ";", "COMMA": ",", "RPAR": ")", "RSQB": "]", "EQUAL": "="}
_QUANTIFIERS = ("every", "each", "some", "no", "from", "only", "clean", "at")
_BEFORE_SETS = frozenset({*_QUANTIFIERS, "arm", "cell", "device"})
_WORD_BEFORE = re.compile(r"(?:^|[,:;]\s*)([A-Za-z]{3,})\s+$")
_OPEN_ENDED = frozenset({"NAME", "NUMBER", "PERCENT", "LPAR", "LSQB", "ADD", "MUL", "QMARK", "MINUS", "$END", "END"})


def _syntax(text: str, error: Any) -> PerfdocsError:
    """One message for one of lark's errors: where, what else could stand there, and the nearest word."""
    token = getattr(error, "token", None)
    word = str(token) if token is not None else getattr(error, "char", "")
    terminals = getattr(error, "accepts", None) or getattr(error, "expected", None) or getattr(error, "allowed", None)
    words = sorted(_SIGNS.get(t, t.lower()) for t in terminals or () if t not in _OPEN_ENDED and not t.startswith("_"))
    column = getattr(error, "column", None)
    at = f" at column {column}" if isinstance(column, int) and column > 0 else ""
    open_ended = " or ".join(
        what for key, what in (("NAME", "a name"), ("NUMBER", "a number"), ("QMARK", "`?`")) if key in (terminals or ())
    )
    expected = open_ended or (f"one of {' '.join(words)}" if words else "the end")
    found = f'"{word[:40]}"{at} of `{text[:120]}`' if word else f"the end of `{text[:120]}`"
    place = column - 1 if isinstance(column, int) else 0
    before = _WORD_BEFORE.search(text, 0, place) if place > 0 else None  # "evry config": the word before is wrong
    meant = nearest(before[1], _QUANTIFIERS) if before and before[1] not in _BEFORE_SETS else ""
    hint = meant or nearest(word, words)
    return PerfdocsError("claim-syntax", "", found, expected + hint, "correct the expression")


def _parsed(text: str, start: str, where: str) -> Any:
    result = _parse(text.strip(), start)
    if isinstance(result, PerfdocsError):
        p = result.problem
        raise PerfdocsError(p.code, where, p.found, p.expected, p.do)
    return result


def parse_claim(text: str, where: str) -> Claim:
    """Parse a claim. Raises :class:`PerfdocsError` ``claim-syntax`` or ``claim-size``."""
    tree: Claim = _parsed(text, "claim", where)
    return tree


def parse_given(text: str, where: str) -> tuple[Selector, ...]:
    """Parse the selectors of a ``given``."""
    tree: tuple[Selector, ...] = _parsed(text, "given", where)
    return tree


def parse_valued(text: str, where: str) -> Valued:
    """Parse the expression of the ``value`` role."""
    tree: Valued = _parsed(text, "valued", where)
    return tree
