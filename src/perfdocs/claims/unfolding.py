"""A claim's scope unfolded: its items judged at every point that the scope goes through, and what follows of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from ..card import AxisValue
from ..expression import Selector
from ..quantity import axis_text
from .along import along, away, limited
from .arms import item_of, members
from .context import Context, NotMeasured, Reading
from .counts import judge_counts, read_counts
from .findings import Finding, Later, Ternary, Text, all_of, any_of, negate, of_points
from .items import against_another, judge
from .narrowing import narrow, twice
from .nodes import ARM, OPEN, Claim, Clean, Counted, FromOn, Item, Quantified, Scope, Selected
from .reader import Reader
from .scope import Data

__all__ = ["Unfolding"]

MAX_POINTS = 5000


@dataclass(slots=True)
class Unfolding:
    """One claim on its way through its scope, from the ``context`` that its givens make."""

    claim: Claim
    data: Data
    reader: Reader
    context: Context
    evaluated: int = 0
    through: dict[str, frozenset[str]] = field(default_factory=dict)
    """What the scope goes through: an axis, devices or cells, and the axes that differ."""
    inside: Context | None = None
    """The first context that items are judged in."""

    def finding(self) -> Finding:
        """The verdict on all of it."""
        return self._unfold(self.claim.scope, self.context)

    def _arms(self, context: Context) -> tuple[str, ...]:
        """Arms that the items name, and the one of a set that they are said of here."""
        arms = self.data.definition(self.context).arms if self.context.benchmark else {}
        here = [context.arm] if context.arm and ARM in self.through else []
        return tuple(dict.fromkeys([*(n for n in self.claim.names if n in arms), *here]))

    def _items(self, context: Context) -> Sequence[Item]:
        """The items, of the arm of a set that the scope has come to."""
        items = self.claim.items
        return [item_of(item, context.arm) for item in items] if context.arm and ARM in self.through else items

    def _unfold(self, scopes: Sequence[Scope], context: Context) -> Finding:
        if not scopes:
            self.evaluated += 1
            if self.evaluated > MAX_POINTS:
                raise self.data.error("claim-size", f"more than {MAX_POINTS} points", "fewer", "narrow the claim")
            self.inside = self.inside or context
            for item in self.claim.items:
                against_another(item, self.data)
            return all_of([judge(item, context, self.data, self.reader) for item in self._items(context)])
        first, rest = scopes[0], scopes[1:]
        if isinstance(first, Selected):
            return self._unfold(rest, self._chosen(first.selector, context))
        if isinstance(first, Clean):
            return self._unfold(rest, context)
        if isinstance(first, FromOn):
            return self._from_on(first, rest, context)
        if isinstance(first, Counted):
            return self._counted(first, rest, context)
        return self._quantified(first, rest, context)

    def _once(self, axis: str, context: Context, said: str) -> None:
        """Refuse a quantifier over what the scope says already."""
        if axis in context.own or axis in context.said:
            raise twice(self.data, axis, said)

    def _along(
        self, axis: str, context: Context, of: Sequence[AxisValue] = ()
    ) -> list[tuple[Mapping[str, AxisValue], Context]]:
        """What an axis of the scope goes through."""
        self._once(axis, context, f"`{axis}`")
        pairs = along(axis, context, self._arms(context), self.data, of)
        self.through[axis] = frozenset().union(*(at.keys() for at, _ in pairs[:1]))
        return [(at, replace(c, said=c.said | at.keys())) for at, c in pairs]

    def _chosen(self, selector: Selector, context: Context) -> Context:
        if selector.value != OPEN or selector.axis is None:
            return narrow(self.data, context, [selector], go_on=True)
        d = self.data.definition(context)
        if selector.axis not in d.axes:
            raise self.data.no_axis(selector.axis, context)
        mention = self.reader.axis_value(selector.axis, d.axes[selector.axis].label)
        return narrow(self.data, context, [Selector(selector.axis, mention.printed.value)], go_on=True)

    def _sharing(
        self,
        contexts: Sequence[Context],
        rest: Sequence[Scope],
        read: list[Sequence[Reading]] | None = None,
        *,
        gaps: bool = False,
    ) -> list[Finding]:
        """The verdict in each context; all share the same printed numbers. ``read`` takes what was read in each.

        With ``gaps`` the claim fails where nothing is measured, which otherwise is an error.
        """
        start, axes = self.reader.position, dict(self.reader.axis_positions)
        findings = []
        for context in contexts:
            self.reader.position, self.reader.axis_positions = start, dict(axes)
            before = len(self.data.read)
            try:
                findings.append(self._unfold(rest, context))
            except NotMeasured as error:
                if not gaps:
                    raise
                p = error.problem
                findings.append(Finding(Ternary.FALSE, p.code, p.found, p.expected, p.do))
            if read is not None:
                read.append(self.data.read[before:])
        return findings

    def _quantified(self, scope: Quantified, rest: Sequence[Scope], context: Context) -> Finding:
        contexts, exceptions = self._split(scope, context)
        if not contexts:
            found = f"no value of {scope.axis} left by `{scope.quantifier} {scope.axis} …`"
            raise self.data.error("claim-empty", found, "at least one", "correct the selection")
        if scope.quantifier == "each":
            return all_of([self._unfold(rest, c) for c in self._as_mentioned(contexts, scope.axis)])
        start = self.reader.position
        if scope.quantifier == "some":
            with self.reader.aside():  # what is written at one of them is true
                return any_of(self._sharing(contexts, rest, gaps=True), f"`some {scope.axis}`")
        if scope.quantifier == "no":
            failing = self._failing(contexts, rest, start, f"`no {scope.axis}`, while it holds", "say where")
            self.reader.position = start
            return all_of([*failing, *self._sharing(exceptions, rest)])
        findings = self._sharing(contexts, rest)
        do = "take the exception out of the sentence"
        failing = self._failing(exceptions, rest, start, "an exception", do, ", where it holds as well", gaps=True)
        return of_points(findings, failing)

    def _counted(self, scope: Counted, rest: Sequence[Scope], context: Context) -> Finding:
        pairs = self._along(scope.axis, context, scope.among)
        contexts = [c for _, c in limited(pairs, scope.axis, self.data, scope.below, scope.among)]
        start = self.reader.position
        claimed = read_counts(scope, self.reader)
        read: list[Sequence[Reading]] = []
        findings = self._sharing(contexts, rest, read)
        end, self.reader.position = self.reader.position, start
        at = Later(lambda: self.data.describe(away(scope.axis, context)))
        finding = judge_counts(scope, claimed, findings, at, self.reader, read)
        self.reader.position = max(end, self.reader.position)
        return finding

    def _split(self, scope: Quantified, context: Context) -> tuple[list[Context], list[Context]]:
        """The contexts a quantifier goes through, and those it leaves out as exceptions."""
        data = self.data
        pairs = limited(self._along(scope.axis, context, scope.of), scope.axis, data, scope.below, scope.of)
        points = [point for p in scope.but for point in self._points(p, scope.axis, context)]
        for point in points:
            if not any(self._matches(point, at, c) for at, c in pairs):
                shown = ", ".join(axis_text(v) for v in point.values())
                raise data.error(
                    "claim-empty", f"the exception ({shown}), which is not among them", "one of them", "correct it"
                )
        out = [c for at, c in pairs if any(self._matches(p, at, c) for p in points)]
        return [c for _, c in pairs if c not in out], out

    def _points(self, selectors: Sequence[Selector], axis: str, context: Context) -> list[dict[str, AxisValue]]:
        if axis == "device":
            return [{"device": str(selectors[0].value)}]
        if axis == ARM:
            return [{ARM: arm} for arm in members([str(s.value) for s in selectors], context, self.data)]
        return [dict(narrow(self.data, replace(context, own={}, given={}), selectors).own)]

    @staticmethod
    def _matches(point: Mapping[str, AxisValue], at: Mapping[str, AxisValue], context: Context) -> bool:
        here = {**context.given, **context.own, **at}
        return all(here.get(a) == v for a, v in point.items())

    def _as_mentioned(self, contexts: Sequence[Context], axis: str) -> Sequence[Context]:
        """In the text's order of the axis's values where it names each of them once."""

        def value(context: Context) -> AxisValue | None:
            return context.value(axis) if axis in ("device", ARM) else context.own.get(axis)

        prose = self.reader.prose
        said: list[AxisValue] = [
            m.key for m in prose.names if m.axis == axis or (axis in ("device", ARM) and m.kind == axis)
        ]
        said += [m.printed.value for m in prose.axis_values if m.axis == axis]
        if axis == ARM:
            said = [arm for arm in said if any(value(c) == arm for c in contexts)]  # others are compared with them
        if len(said) == len(contexts) and set(said) == {value(c) for c in contexts}:
            return sorted(contexts, key=lambda c: said.index(value(c) or ""))
        return contexts

    def _from_on(self, scope: FromOn, rest: Sequence[Scope], context: Context) -> Finding:
        data, axis = self.data, scope.axis
        self._once(axis, context, f"`from {axis}`")
        values = [v for v in data.axis_values(context, axis, self._arms(context)) if not isinstance(v, str)]
        self.through[axis] = frozenset({axis})
        label = data.definition(context).axes[axis].label
        first = scope.value.value
        if first is None:
            first = self.reader.axis_value(axis, label).printed.value
        said = f"{'only ' if scope.only else ''}from {label} = {axis_text(first)}"
        if first not in values:
            near = min(values, key=lambda v: abs(v - first), default=first)
            do = f'write "{label} = {axis_text(near)}"'
            if data.elsewhere:
                raise data.error("claim-empty", f"{label} = {axis_text(first)} is not measured", "that value", do)
            return Finding(Ternary.FALSE, "claim-number", said, "a measured value of the axis", do)
        away = context.without(axis)
        below = [away.at(axis, v) for v in values if v < first]
        start = self.reader.position
        findings = self._sharing([away.at(axis, v) for v in values if v >= first], rest)
        failing: list[Finding] = []
        if scope.only and not below:
            expected = "a smaller point where it fails"
            return Finding(Ternary.FALSE, "claim-order", said, expected, "correct the sentence")
        if scope.only:
            said, do = "`only from`, while it holds", "correct the sentence"
            failing = self._failing(below, rest, start, said, do, " as well")
        return of_points(findings, failing)

    def _failing(
        self,
        contexts: Sequence[Context],
        rest: Sequence[Scope],
        start: int,
        said: str,
        do: str,
        then: str = "",
        *,
        gaps: bool = False,
    ) -> list[Finding]:
        """True in each context where the claim fails there; the numbers are read again from ``start``.

        ``said`` and ``then`` stand around the place where it does not. With ``gaps`` it also fails where nothing is
        measured.
        """

        def text(context: Context) -> Text:
            return Later(lambda: f"{said}{self.data.describe(context)}{then}")

        kept, self.reader.position = self.reader.position, start
        with self.reader.aside():
            findings = self._sharing(contexts, rest, gaps=gaps)
        self.reader.position = kept
        return [negate(f, text(c), do) for f, c in zip(findings, contexts, strict=True)]
