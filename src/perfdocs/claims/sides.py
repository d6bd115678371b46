"""Which device, and which value of an axis, a side of a comparison or a number is of, where a claim has several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..definition import Definition
from ..expression import Binary, Call, Name, Selector
from ..quantity import Printed, axis_text
from .context import Context
from .findings import Finding, Ternary
from .nodes import (
    OPEN,
    At,
    Bounded,
    Claim,
    Compared,
    Counted,
    FromOn,
    Item,
    Over,
    Overtakes,
    Plain,
    Quantified,
    Selected,
    Tree,
)
from .proportions import of_speed
from .subjects import beside_numbers
from .wording import Mention, Prose

__all__ = ["sides_otherwise"]

_ANY = ""
"""A value that the claim does not name: it goes through several, or takes it from the text."""
_OBJECT = re.compile(
    r"\b(?:than|against|versus|vs|unlike|compared\s+(?:to|with)|relative\s+to|in\s+(?:comparison|contrast)\s+(?:to|with)"
    r"|ahead\s+of|behind|over(?!\s+\d))\b(?:(?![,;:.]\s|[–—]|\b(?:is|are|was|were|runs?|takes?)\b).)*$",
    re.IGNORECASE | re.DOTALL,
)
"""Words for what something is compared with, up to a name behind them in the same clause."""
_FROM = re.compile(r"\bfrom\s+(?:the\s+)?[`*]*$", re.IGNORECASE)
_TO = re.compile(r"[`*]*\s+(?:up\s+)?to\b", re.IGNORECASE)
_NUMBER = re.compile(r"-?[\d.]+(?:e[+-]?\d+)?")
_TWICE = re.compile(r"[\s(`*,]*")


@dataclass(frozen=True, slots=True)
class _Kind:
    """Devices, or values of one axis: ``default`` is what a name without brackets is of."""

    axis: str
    known: frozenset[str]
    default: str

    def of(self, tree: Tree) -> list[str]:
        """The values in a tree, left to right."""
        if isinstance(tree, At):
            return self.named(tree.selectors) or self.of(tree.node)
        if isinstance(tree, Name):
            return self.named(tree.selectors) or [self.default]
        if isinstance(tree, Call):
            return [value for part in tree.arguments for value in self.of(part)] or [self.default]
        if isinstance(tree, Binary):
            return self.of(tree.left) + self.of(tree.right)
        if isinstance(tree, Over):
            return [_ANY] if tree.axis in (self.axis, "cell") else self.of(tree.value)
        return []

    def of_item(self, item: Item) -> list[str]:
        return [value for tree in item.trees for value in self.of(tree)]

    def named(self, selectors: Sequence[Selector]) -> list[str]:
        """The values among selectors."""
        found = [s for s in selectors if s.axis == self.axis or (s.axis is None and s.value in self.known)]
        return [_ANY if s.value == OPEN else _key(s.value) for s in found]


def _key(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _shown(values: Sequence[str]) -> list[str]:
    """As tables print them."""
    return [axis_text(float(v)) if _NUMBER.fullmatch(v) else v for v in values]


def sides_otherwise(
    claim: Claim, prose: Prose, context: Context, d: Definition, devices: frozenset[str]
) -> Iterator[Finding]:
    """Devices and values that stand on the other side of a comparison, or beside another number, than in the claim."""
    for axis in ("device", *d.axes) if claim.selects else ():
        if any(isinstance(s, (Quantified, Counted, FromOn)) and s.axis in (axis, "cell") for s in claim.scope):
            continue
        known = devices if axis == "device" else frozenset(v for v in d.axes[axis].values if isinstance(v, str))
        kind = _Kind(axis, known, _ANY)
        kind = replace(kind, default=_default(claim, context, kind))
        said = {value for item in claim.items for value in kind.of_item(item)}
        if len(said) > 1 and _ANY not in said and (mentioned := list(_mentions(prose, axis, said))):
            yield from _misplaced(claim, prose, d, context, kind, mentioned)


def _default(claim: Claim, context: Context, kind: _Kind) -> str:
    """What the scope selects, or what surrounds the claim."""
    selected = kind.named([s.selector for s in claim.scope if isinstance(s, Selected)])
    around = context.value(kind.axis)
    return selected[-1] if selected else _ANY if around is None else _key(around)


def _mentions(prose: Prose, axis: str, said: set[str]) -> Iterator[Mention]:
    """Where the text names one of the values, in its order; a label with its key behind it is one mention."""
    found = [m for m in prose.names if (m.kind == "device" if axis == "device" else m.kind == "value")]
    found = [m for m in found if m.axis in ("", axis) and m.keys & said]
    for m in prose.axis_values:
        numbers = {value for value in said if _reads(m.printed, value)}
        if m.axis == axis and m.sign == "=" and numbers:
            before = re.search(r"\w+\s*=\s*$", prose.plain[: m.printed.start])
            start = before.start() if before else m.printed.start
            text = prose.text[start : m.printed.end].strip()
            found.append(Mention("value", text, start, m.printed.end, axis, frozenset(numbers)))
    last: Mention | None = None
    for mention in sorted(found, key=lambda m: m.start):
        between = prose.text[last.end : mention.start] if last else ""
        if last is None or last.keys != mention.keys or not _TWICE.fullmatch(between):
            yield mention
        last = mention


def _reads(printed: Printed, value: str) -> bool:
    return bool(_NUMBER.fullmatch(value)) and printed.reads(float(value))


def _misplaced(
    claim: Claim, prose: Prose, d: Definition, context: Context, kind: _Kind, mentioned: Sequence[Mention]
) -> Iterator[Finding]:
    for mention, items in beside_numbers(claim, prose, mentioned):
        own = list(dict.fromkeys(value for item in items for value in kind.of_item(item)))
        if own and not mention.keys & {*own}:
            yield Finding(
                Ternary.FALSE,
                "claim-text",
                f'"{mention.key}" beside a number of {" and ".join(_shown(own))}',
                "each number beside its value",
                "say both in one order",
            )
    sides = [(item, side) for item in claim.items if (side := _sides(item, kind))]
    if all(isinstance(item, Plain) for item in claim.items) or (not sides and len(claim.items) == 1):
        ordered = [value for item in claim.items for value in kind.of_item(item)]
        if of_speed(claim, prose, d, context.metric or d.default):
            ordered.reverse()
        yield from _out_of_order(kind, mentioned, ordered)
    elif len(sides) == 1:
        yield from _exchanged(claim, prose, kind, sides[0][1], mentioned)


def _sides(item: Item, kind: _Kind) -> tuple[frozenset[str], frozenset[str]] | None:
    """The values of what is compared, and of what it is compared with, where no value is of both."""
    if isinstance(item, Compared) and item.relation != "level":
        first, second = item.values, item.other
    elif isinstance(item, Bounded):
        first, second = item.values, item.limit
    elif isinstance(item, Overtakes):
        first, second = (item.value,), item.other
    else:
        return None
    left, right = frozenset(v for tree in first for v in kind.of(tree)), frozenset(kind.of(second))
    return (left, right) if left and right and not left & right else None


def _out_of_order(kind: _Kind, mentioned: Sequence[Mention], ordered: Sequence[str]) -> Iterator[Finding]:
    rest, named = iter(ordered), {value for mention in mentioned for value in mention.keys}
    left_out = len(mentioned) >= len({*ordered}) and not {*ordered} <= named  # another is named in its place
    if left_out or not all(any(value in mention.keys for value in rest) for mention in mentioned):
        yield Finding(
            Ternary.FALSE,
            "claim-text",
            f"{_called(kind)} in the order {', '.join(m.key for m in mentioned)}",
            f"the order of the claim: {', '.join(_shown(ordered))}",
            "say both in one order",
        )


def _exchanged(
    claim: Claim,
    prose: Prose,
    kind: _Kind,
    sides: tuple[frozenset[str], frozenset[str]],
    mentioned: Sequence[Mention],
) -> Iterator[Finding]:
    """What stands behind "than" is what is compared with, else what is compared; without "than" the order tells."""
    if len(claim.items) > 1 and prose.numbers:  # those behind a number may be of it
        mentioned = [m for m in mentioned if m.start < prose.numbers[0].start] or mentioned
    behind = {m for m in mentioned if _is_object(m, prose.plain)}
    if not behind and len(mentioned) > 1:
        rest = iter(sides)
        if not all(any(side & mention.keys for side in rest) for mention in mentioned):
            ordered = [*sorted(sides[0]), *sorted(sides[1])]
            yield from _out_of_order(kind, mentioned, ordered)
        return
    for mention in mentioned:
        side = sides[mention in behind]
        if not side & mention.keys:
            where = 'behind "than"' if mention in behind else "as what is compared"
            yield Finding(
                Ternary.FALSE,
                "claim-text",
                f'"{mention.key}" {where}',
                f"there: {' or '.join(_shown(sorted(side)))}",
                'name first what is compared, and the other behind "than"',
            )


def _is_object(mention: Mention, plain: str) -> bool:
    """Whether others are compared with it: "faster than on a", "gets faster from a to b"."""
    before = plain[max(mention.start - 160, 0) : mention.start]
    return bool(_OBJECT.search(before) or (_FROM.search(before) and _TO.match(plain, mention.end)))


def _called(kind: _Kind) -> str:
    return "the devices" if kind.axis == "device" else f"the values of {kind.axis}"
