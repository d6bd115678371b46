"""Values of expressions at one point: numbers with their interval, unit and the rows they come from."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ..errors import PerfdocsError, nearest
from ..expression import Binary, Call, Hole, Name, Node, Number, evaluate, names
from ..facts import FACT_UNITS, device_fact, known_facts
from ..functions import FUNCTIONS
from ..quantity import NBSP, number_text, scale_for
from ..row import Row, share_of_peak
from ..verdict import Missing, Value
from .along import AGGREGATES, places_of
from .arms import tree_of
from .context import Context, Reading, datum_of
from .model import Datum, Line
from .narrowing import narrow
from .nodes import ARM, At, Over, Tree
from .phrases import phrase
from .scope import Data

__all__ = [
    "Dimension",
    "Quantity",
    "dimension",
    "evaluate_at",
    "is_share",
    "line_of",
    "quotient_text",
    "same_unit",
    "show",
]

Better = Literal["lower", "higher"]
Dimension = tuple[tuple[str, int], ...]
"""Exponents of base units, sorted; empty for a plain number. ``flop/s`` is ``(("flop", 1), ("s", -1))``."""

STEPS_OF_AXIS = 20
"""Looking for the places along an axis costs as much as so many parts of an expression."""
_PLAIN = frozenset({"", "1", "sample"})
_ONE: Dimension = ()


@lru_cache(maxsize=1024)  # a library has few units, and claims read many values
def dimension(unit: str) -> Dimension:
    """The exponents of a unit such as ``s``, ``byte/s`` or ``1/s``."""
    powers: Counter[str] = Counter()
    for i, part in enumerate(unit.split("/")):
        for base in re.split(r"[·*]", part):
            if base not in _PLAIN:
                powers[base] += -1 if i else 1
    return tuple(sorted((b, p) for b, p in powers.items() if p))


def _unit_of(powers: Dimension) -> str:
    over = "·".join(b for b, p in powers for _ in range(max(p, 0)))
    under = "/".join(b for b, p in powers for _ in range(max(-p, 0)))
    return f"{over or '1'}/{under}" if under else over


Read = Reading | Datum
"""What a value was read from: a quantity of a row, or a fact of a device."""


class Quantity(Struct, frozen=True):
    """A value, its unit in SI, which direction is better where that is known, and the data behind it.

    ``ratio``: a quotient of two quantities of one unit, printed with × or %. ``chosen``: those of the data that the
    value is that of, where it is the least or the most of several; ``formula``: what it is, where that is not what the
    claim calls it.
    """

    value: Value
    powers: Dimension = _ONE
    better: Better | None = None
    data: tuple[Read, ...] = ()
    ratio: bool = False
    chosen: tuple[Read, ...] = ()
    formula: str = ""

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows among its data."""
        return tuple([read.row for read in self.data if isinstance(read, Reading)])

    @property
    def own(self) -> tuple[Read, ...]:
        """The data that it is the value of."""
        return self.chosen or self.data

    @property
    def unit(self) -> str:
        """The unit in SI."""
        return _unit_of(self.powers)


def line_of(quantity: Quantity, what: str, less: float = 0.0) -> Line:
    """Where a number comes from; ``what`` is the expression, ``less`` what was taken off before it was printed."""
    v = quantity.value
    data, chosen = (tuple(dict.fromkeys(map(datum_of, reads))) for reads in (quantity.data, quantity.own))
    formula = quantity.formula or what
    return Line(formula, data, chosen, v.centre, v.lo, v.hi, v.samples, quantity.unit, less)


def quotient_text(over: Tree, under: Tree) -> str:
    """A quotient as an expression."""
    texts = [f"({phrase(part)})" if isinstance(part, Binary) else phrase(part) for part in (over, under)]
    return " / ".join(texts)


def show(quantity: Quantity, style: str = "", shift: float = 0.0) -> str:
    """A quantity for a message: centre, interval of its runs, flags. ``415.2 µs (414.9–415.8 µs)``.

    ``style`` is that of a printed number; ``shift`` is taken off first (a ratio less 1 prints as percent).
    """
    v = quantity.value
    unit, factor = "", 1.0
    if quantity.powers:
        scale = scale_for([v.centre], quantity.unit)
        unit, factor = f"{NBSP}{scale.unit}", scale.factor
    elif style == "percent":
        unit, factor = f"{NBSP}%", 0.01
    elif quantity.ratio:
        unit = "×"

    def text(number: float) -> str:
        shown = (number - shift) / factor
        whole = not quantity.ratio and shown.is_integer() and abs(shown) < 1e12
        return f"{int(shown)}" if whole else number_text(shown, 4)

    spread = f" ({text(v.lo)}–{text(v.hi)}{unit})" if v.hi > v.lo else ""
    flags = f", {', '.join(sorted(v.flags))}" if v.flags else ""
    return f"{text(v.centre)}{unit}{spread}{flags}"


def evaluate_at(tree: Tree, context: Context, data: Data) -> Quantity:
    """The value of an expression in a context. Raises :class:`PerfdocsError` where it has none."""
    try:
        return _evaluate(tree, context, data)
    except Missing as missing:
        raise data.error("claim-empty", missing.reason, "a value", "speak of what was measured") from None


def _evaluate(tree: Tree, context: Context, data: Data) -> Quantity:
    """The value of a part of an expression. Raises ``OverflowError`` where it is no number.

    An end of its interval may be infinite, as that of a quotient by what may be nothing.
    """
    data.step()
    quantity = _any(tree, context, data)
    v = quantity.value
    if not math.isfinite(v.centre) or math.isnan(v.lo) or math.isnan(v.hi):
        raise OverflowError
    return quantity


def _any(tree: Tree, context: Context, data: Data) -> Quantity:
    if isinstance(tree, Name):  # first, as by far the most are
        return _name(tree, narrow(data, context, tree.selectors), data)
    if isinstance(tree, At):
        return _evaluate(tree.node, narrow(data, context, tree.selectors), data)
    if isinstance(tree, Over):
        return _over(tree, context, data)
    if isinstance(tree, Number):
        return Quantity(Value.exact(tree.value))
    if isinstance(tree, Hole):
        raise data.error("claim-syntax", "a `?` inside an expression", "`?` where a whole number stands", "move it")
    if isinstance(tree, Call):
        return _call(tree, context, data)
    if tree.operator == "/" and tree.right == Name("peak"):
        return _of_peak(tree.left, context, data)
    return _combine(tree, _evaluate(tree.left, context, data), _evaluate(tree.right, context, data), data)


def _name(tree: Name, context: Context, data: Data) -> Quantity:
    name = tree.name
    if name.startswith("device."):
        if name.removeprefix("device.") not in known_facts():
            expected = f"a fact of the device{nearest(name, [f'device.{fact}' for fact in known_facts()])}"
            raise data.error("claim-name", f'"{name}"', expected, "correct the name")
        benchmark, loaded = data.card(context)
        fact = device_fact(loaded.card.device, name)
        read = Datum(benchmark.definition.id, loaded.device_id, name)
        return Quantity(fact, dimension(FACT_UNITS.get(name.removeprefix("device."), "")), data=(read,))
    definition = data.definition(context)
    if name in definition.arms:
        return _cell(context, name, context.metric or definition.default, data)
    if name in definition.metrics or name in definition.derived:
        arm = context.arm
        if arm is None:
            arms = sorted({spot.arm for spot in data.matching(context)})
            if len(arms) != 1:
                raise data.error(
                    "claim-ambiguous", f"`{name}` of no arm", f"an arm: `{name}(arm)`", "name the arm it belongs to"
                )
            arm = arms[0]
        return _cell(context, arm, name, data)
    if name in definition.axes:
        value = {**context.given, **context.own}.get(name)
        if not isinstance(value, (int, float)):
            raise data.error("claim-ambiguous", f"no value of the axis {name}", "a number", "select one")
        return Quantity(Value.exact(float(value)), dimension(definition.axes[name].unit))
    if name in definition.groups or name in data.library.benchmarks or data.is_device(name, context):
        raise data.error("claim-name", f'"{name}"', "an arm, metric or axis, which has a value", "name one")
    if name == ARM:
        expected = "`every arm of set: …` around it"
        raise data.error("claim-syntax", "`arm` of no set", expected, "name an arm, or the set")
    if name == "peak":
        raise data.error("claim-syntax", "`peak` alone", "`quantity(arm) / peak`", "divide a rate by it")
    raise data.unknown(name, context)


def _cell(context: Context, arm: str, metric: str, data: Data) -> Quantity:
    read = data.read_at(context, arm, metric)
    entry = read.row.definition.quantity(metric)
    return Quantity(read.value, dimension(entry.unit), entry.better, (read,))


def _call(tree: Call, context: Context, data: Data) -> Quantity:
    definition = data.definition(context)
    name = tree.function
    if name in definition.metrics or name in definition.derived:
        (argument,) = tree.arguments if len(tree.arguments) == 1 else (None,)
        if not isinstance(argument, Name) or argument.name not in definition.arms:
            word = argument.name if isinstance(argument, Name) else "…"
            if isinstance(argument, Name):
                raise data.unknown(word, context)
            raise data.error("claim-syntax", f"`{name}({word})`", f"`{name}(arm)`", "name one arm")
        return _cell(narrow(data, context, argument.selectors), argument.name, name, data)
    if name not in FUNCTIONS:
        if name in definition.arms:
            raise data.error("claim-syntax", f"`{name}(…)`", "`metric(arm)`", f"write it around: `metric({name})`")
        raise data.unknown(name, context)
    parts = [_evaluate(a, context, data) for a in tree.arguments]
    if not parts:
        raise data.error("claim-syntax", f"`{name}()`", "values to choose from", "name some")
    if any(p.powers != parts[0].powers for p in parts):
        raise _mixed(parts[0], next(p for p in parts if p.powers != parts[0].powers), name, data)
    value = FUNCTIONS[name](*(p.value for p in parts))
    better = parts[0].better if all(p.better == parts[0].better for p in parts) else None
    return Quantity(value, parts[0].powers, better, _all(parts), parts[0].ratio, _extreme(value, parts))


def _all(parts: Sequence[Quantity]) -> tuple[Read, ...]:
    return tuple(read for part in parts for read in part.data)


def _extreme(value: Value, parts: Sequence[Quantity]) -> tuple[Read, ...]:
    """The data of the first part that is the least or the most."""
    return next((part.own for part in parts if part.value.centre == value.centre), ())


def _over(tree: Over, context: Context, data: Data) -> Quantity:
    """One value of all those along an axis."""
    if tree.function not in AGGREGATES:
        expected = f"one of {', '.join(AGGREGATES)}{nearest(tree.function, AGGREGATES)}"
        raise data.error("claim-name", f"`{tree.function}(… over {tree.axis})`", expected, "correct the name")
    data.step(STEPS_OF_AXIS)
    parts = [
        _evaluate(tree_of(tree.value, here.arm or "") if tree.axis == ARM else tree.value, here, data)
        for _, here in places_of(tree, context, data)
    ]
    if tree.function == "geomean" and any(p.value.lo <= 0 for p in parts):
        found = f"no `{phrase(tree)}`: a value that is not above zero"
        raise data.error("claim-empty", found, "values above zero", "take the median")
    value = AGGREGATES[tree.function](*(p.value for p in parts))
    chosen = _extreme(value, parts) if tree.function in FUNCTIONS else ()
    return replace(parts[0], value=value, data=_all(parts), chosen=chosen)


def _of_peak(left: Node, context: Context, data: Data) -> Quantity:
    """A rate over the peak that its derived quantity names."""
    definition = data.definition(context)
    words = [n.name for n in names(left)] + [left.function for left in (left,) if isinstance(left, Call)]
    keys = {w for w in words if w in definition.derived and definition.derived[w].of_peak}
    if len(keys) != 1:
        raise data.error(
            "claim-name",
            "a quantity that names no peak",
            f"one with a peak: {', '.join(k for k, d in definition.derived.items() if d.of_peak) or 'there is none'}",
            "divide by a `device.peak.…`",
        )
    key = keys.pop()
    part = _evaluate(left, context, data)
    row = part.rows[0]
    top_of = Datum(row.definition.id, row.card.device.id, definition.derived[key].of_peak or "")
    if len(part.rows) == 1 and isinstance(left, (Call, Name)):
        return Quantity(share_of_peak(part.rows[0], key), _ONE, part.better, (*part.data, top_of), True)
    fact = definition.derived[key].of_peak or ""
    top = device_fact(row.card.device, fact)
    return Quantity(_values("/", part.value, top), _ONE, part.better, (*part.data, top_of), True, (*part.own, top_of))


def _values(operator: str, a: Value, b: Value) -> Value:
    pair: dict[str, Value] = {"left": a, "right": b}
    lookup: Callable[[Name], Value] = lambda n: pair[n.name]  # noqa: E731 - evaluate() takes a function of a name
    return evaluate(Binary(operator, Name("left"), Name("right")), lookup)


def is_share(tree: Tree) -> bool:
    """Whether an expression is a fraction of a peak, which prints as percent."""
    if not isinstance(tree, Binary) or tree.operator != "/" or not isinstance(tree.right, Name):
        return False
    return tree.right.name == "peak" or tree.right.name.startswith("device.peak.")


def same_unit(a: Quantity, b: Quantity, data: Data) -> None:
    """Refuse to compare seconds with bytes. Raises ``claim-unit``."""
    if a.powers != b.powers:
        raise _mixed(a, b, "against", data)


def _mixed(a: Quantity, b: Quantity, what: str, data: Data) -> PerfdocsError:
    return data.error(
        "claim-unit", f"{a.unit or 'a plain number'} {what} {b.unit or 'a plain number'}", "one unit", "compare like"
    )


def _combine(tree: Binary, a: Quantity, b: Quantity, data: Data) -> Quantity:
    value = _values(tree.operator, a.value, b.value)
    found, own = (*a.data, *b.data), (*a.own, *b.own)
    if tree.operator in "+-":
        if a.powers != b.powers and tree.left != Number(0.0):  # which a minus sign before a value has on its left
            raise _mixed(a, b, "plus" if tree.operator == "+" else "minus", data)
        better = (a.better or b.better) if tree.operator == "+" or not b.rows else None
        return Quantity(value, b.powers, better, found, a.ratio or b.ratio, own)
    sign = 1 if tree.operator == "*" else -1
    powers = Counter(dict(a.powers))
    for base, power in b.powers:
        powers[base] += sign * power
    kept = tuple(sorted((u, p) for u, p in powers.items() if p))
    better = a.better if not b.rows else b.better if not a.rows and sign > 0 else None
    ratio = sign < 0 and bool(b.rows) and not kept
    return Quantity(value, kept, better, found, ratio, own)
