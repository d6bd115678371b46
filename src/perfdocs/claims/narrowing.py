"""What names mean: a context narrowed by selectors, to a benchmark, a device, a table, an arm, a metric or a point."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ..card import AxisValue
from ..errors import PerfdocsError, nearest
from ..expression import Selector
from .context import Context
from .nodes import OPEN
from .phrases import selector_text
from .scope import Data

__all__ = ["narrow", "twice"]


def narrow(data: Data, context: Context, selectors: Sequence[Selector], *, go_on: bool = False) -> Context:
    """The context with these selectors. Raises ``claim-name`` for a name that means nothing here.

    One list says a field or an axis once: another value of it would stand for both. With ``go_on`` they are of the
    list that led to the context, as the parts of a scope are.
    """
    ordered = list(selectors)
    if not ordered:
        return context
    if len(ordered) > 1:
        ordered.sort(key=lambda selector: _rank(data, selector))
    if context.benchmark is None and not any(s.value in data.library.benchmarks for s in ordered):
        _meant(data, context, ordered)
    said = context.said if go_on else frozenset[str]()
    for selector in ordered:
        key, narrowed = _narrow(data, context, selector)
        if key in said and narrowed.value(key) != context.value(key):
            raise twice(data, key, f"`{selector_text(selector)}`")
        context, said = narrowed, said | {key}
    return replace(context, said=said)


def twice(data: Data, key: str, found: str) -> PerfdocsError:
    """A field or an axis that one list says a second time."""
    do = "join the values of a list by `and`, or leave one out"
    return data.error("claim-syntax", f"{found}, where {key} is said already", f"{key} once", do)


def _meant(data: Data, context: Context, selectors: Sequence[Selector]) -> None:
    """Refuse a word that is nearly a benchmark: without one, nothing else that is said means anything."""
    for selector in selectors:
        name = selector.value
        if selector.axis is not None or not isinstance(name, str) or name in data.device_ids():
            continue
        if nearest(name, data.library.benchmarks):
            raise data.unknown(name, context)


def _rank(data: Data, selector: Selector) -> int:
    """Benchmarks first, then devices: the other names mean something only within a benchmark."""
    if selector.axis is not None:
        return 2
    return 0 if selector.value in data.library.benchmarks else 1 if selector.value in data.device_ids() else 2


def _narrow(data: Data, context: Context, selector: Selector) -> tuple[str, Context]:
    """The field or axis that a selector speaks of, and the context with it."""
    name, axis = selector.value, selector.axis
    if axis is not None:
        return axis, _narrow_axis(data, context, axis, name)
    assert isinstance(name, str)
    if name in data.library.benchmarks:
        if context.benchmark in (None, name):
            return "benchmark", replace(context, benchmark=name)
        known = data.library.benchmarks[name].definition.axes
        kept = {a: v for a, v in {**context.given, **context.own}.items() if a in known}
        return "benchmark", Context(benchmark=name, device=context.device, given=kept)
    word = _narrow_word(data, context, name) if context.benchmark else None
    if word is not None:
        return word
    if data.is_device(name, context):
        return "device", replace(context, device=data.elsewhere.get(name, name))
    definition = data.definition(context)
    of_card = data.rows(context)
    for key in definition.axes:
        if of_card is not None and any(spot.at.get(key) == name for spot in of_card.layout.every):
            return key, context.at(key, name)
    raise data.unknown(name, context)


def _narrow_word(data: Data, context: Context, name: str) -> tuple[str, Context] | None:
    """The same of a word of the definition, before any device of another benchmark that is called the same.

    A device of this benchmark is not: its card would be refused.
    """
    definition = data.definition(context)
    for key, entry in definition.axes.items():
        if name in entry.values:
            return key, context.at(key, name)
    if name in definition.arms:
        return "arm", replace(context, arm=name)
    if name in definition.metrics or name in definition.derived:
        return "metric", replace(context, metric=name)
    return ("table", replace(context, table=name)) if name in definition.tables else None


def _narrow_axis(data: Data, context: Context, axis: str, value: AxisValue) -> Context:
    definition = data.definition(context)
    entry = definition.axes.get(axis)
    if entry is None:
        raise data.no_axis(axis, context)
    if value == OPEN:
        raise data.error("claim-text", f"`{axis}=?`", f'"{entry.label} = …" in the text', "print it, or name the value")
    if entry.values and value not in entry.values:
        known = ", ".join(map(str, entry.values))
        raise data.error(
            "claim-name",
            f"`{axis}={value}`",
            f"one of {known}{nearest(str(value), map(str, entry.values))}",
            "correct the value",
        )
    return context.at(axis, value)
