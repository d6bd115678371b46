"""The verdict on a bound claim: its scope unfolded, each item judged, and the prose compared with the expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ..card import AxisValue
from ..errors import Problem
from ..expression import Selector
from ..library import Library
from ..quantity import axis_text
from .agreement import disagreement
from .along import along, away
from .context import NotMeasured
from .counts import judge_counts, read_counts
from .failing import failed
from .findings import Finding, Later, Ternary, Text, all_of, any_of, negate
from .items import judge
from .model import Bound, Line, Mark, Outcome, Status
from .nodes import OPEN, Claim, Clean, Counted, FromOn, Quantified, Scope, Selected, item_names
from .reader import Reader
from .scope import OF_ORIGIN, Context, Data, Reading, datum_of
from .syntax import parse_claim, parse_given
from .taking import check_taken
from .tightness import loose
from .wording import MAX_TEXT, Prose, read_prose

__all__ = ["Look", "check_bound", "check_given", "context_of", "look", "spoken_of"]

MAX_POINTS = 5000
HERE: Mapping[str, str] = MappingProxyType({})
"""No device stands for another."""
_BY_ITSELF = frozenset({"claim-syntax", "claim-size", "claim-fault"})
"""What is wrong with a given whatever it stands in."""
_APART = frozenset({"clocks_apart"})


def context_of(bound: Bound, data: Data) -> Context:
    """What the givens around a claim select, outermost first. Raises :class:`PerfdocsError` of a broken one."""
    context = Context()
    for given in bound.given:
        context = data.narrow(context, parse_given(given.expression, data.where)).surrounding()
    return context


def spoken_of(claim: Claim, context: Context, data: Data) -> Context:
    """The same with the benchmark that the claim names itself: `at rk4: …` decides how its text is read."""
    for scope in claim.scope:
        if isinstance(scope, Selected) and scope.selector.value in data.library.benchmarks:
            context = data.narrow(context, [scope.selector])
    return context


def check_given(bound: Bound, library: Library) -> Outcome:
    """Whether a ``given`` itself makes sense."""
    data = Data(library, bound.where)
    try:
        context = data.narrow(context_of(bound, data), parse_given(bound.expression, data.where))
    except Exception as error:
        outcome = failed(error, bound, data)
        p = outcome.problem
        return replace(outcome, problem=p if p is None or p.code in _BY_ITSELF else replace(p, code="claim-given"))
    if context.benchmark:
        data.uses.add((context.benchmark, None))
    return Outcome(bound, Status.HOLDS, uses=frozenset(data.uses))


@dataclass(frozen=True, slots=True)
class Look:
    """What came of a claim, and what it looked at.

    ``joint``: it went through all devices that have its arms. ``each``: the values at which each has its own number.
    ``flags`` are those of the values read; ``device`` and ``anchor`` name the first row. ``prose`` is its text taken
    apart, which is the same wherever it is asked.
    """

    outcome: Outcome
    joint: bool = False
    each: frozenset[tuple[str, AxisValue]] = frozenset()
    flags: frozenset[str] = frozenset()
    device: str = ""
    anchor: str = ""
    prose: Prose | None = None

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices whose cards it asked for, sorted."""
        return tuple(sorted({device for _, device in self.outcome.uses if device is not None}))


def check_bound(bound: Bound, library: Library, *, brief: bool = False) -> Outcome:
    """Check one claim against the published cards of the library. Never raises for bad input.

    ``brief``: of a claim that holds nothing more is told.
    """
    return _looked(bound, library, HERE, brief=brief)[0]


def look(
    bound: Bound,
    library: Library,
    elsewhere: Mapping[str, str] = HERE,
    *,
    any_number: bool = False,
    prose: Prose | None = None,
) -> Look:
    """Check one claim as :func:`check_bound` does, and say what it looked at. Never raises for bad input.

    ``elsewhere`` takes a device that the claim names for another: the same is then asked of that one. Whether the words
    agree with the expression is not asked there, nor whether a bound is the tightest. With ``any_number`` every printed
    number counts as read. ``prose`` of an earlier look spares the work of reading the text again.
    """
    outcome, data, evaluation = _looked(bound, library, elsewhere, any_number=any_number, prose=prose)
    if evaluation is None:
        return Look(outcome, data.joint)
    axes = {s.axis for s in evaluation.claim.scope if isinstance(s, Quantified) and s.quantifier == "each"}
    each = frozenset((axis, value) for axis, value in data.points if axis in axes)
    origin = frozenset[str]().union(*(row.flags for row in data.seen)) & OF_ORIGIN
    device, anchor = (data.seen[0].card.device.id, data.seen[0].anchor) if data.seen else ("", "")
    flags = origin | data.caveats.keys()
    return Look(outcome, data.joint, each, flags, device, anchor, evaluation.reader.prose)


def _looked(
    bound: Bound,
    library: Library,
    elsewhere: Mapping[str, str],
    *,
    any_number: bool = False,
    prose: Prose | None = None,
    brief: bool = False,
) -> tuple[Outcome, Data, _Evaluation | None]:
    """What came of a claim, what it asked, and how it was evaluated where it makes sense."""
    data = Data(library, bound.where, elsewhere)
    try:
        evaluation = _Evaluation.of(bound, data, prose)
        evaluation.reader.any_number = any_number
        return _outcome(evaluation, evaluation.run(), bound, brief=brief), data, evaluation
    except Exception as error:
        return failed(error, bound, data), data, None


def _outcome(evaluation: _Evaluation, finding: Finding, bound: Bound, *, brief: bool) -> Outcome:
    uses = frozenset(evaluation.data.uses)
    if finding.truth is Ternary.TRUE and brief:
        return Outcome(bound, Status.HOLDS, uses=uses)
    if finding.truth is Ternary.TRUE:
        return Outcome(bound, Status.HOLDS, None, str(finding.measured), evaluation.marks(finding), uses)
    status = Status.FAILS if finding.truth is Ternary.FALSE else Status.UNDECIDED
    problem = Problem(finding.code, bound.where, str(finding.found), str(finding.expected), str(finding.do))
    fixes = finding.fixes if finding.code == "claim-number" else ()
    return Outcome(bound, status, problem, str(finding.measured), uses=uses, fixes=fixes)


@dataclass(slots=True)
class _Evaluation:
    claim: Claim
    data: Data
    reader: Reader
    context: Context
    expression: str
    evaluated: int = 0
    through: dict[str, frozenset[str]] = field(default_factory=dict)
    """What the scope goes through: an axis, devices or cells, and the axes that differ."""
    inside: Context | None = None
    """The first context that items are judged in."""

    @classmethod
    def of(cls, bound: Bound, data: Data, prose: Prose | None = None) -> _Evaluation:
        """Parse and read; the text is taken apart with the words of the benchmark it speaks of."""
        if len(bound.text) > MAX_TEXT:
            raise data.error("claim-size", f"{len(bound.text)} characters of text", f"at most {MAX_TEXT}", "split it")
        claim = parse_claim(bound.expression, bound.where)
        context = spoken_of(claim, context_of(bound, data), data)
        if prose is None:
            definition = data.definition(context) if context.benchmark else None
            counts = any(isinstance(scope, Counted) for scope in claim.scope)
            prose = read_prose(bound.text, definition, data.named_devices(context.benchmark), counts=counts)
        return cls(claim, data, Reader(prose, data), context, bound.expression)

    def run(self) -> Finding:
        finding = self._unfold(self.claim.scope, self.context)
        if self.inside is not None:
            check_taken(self.claim.items, self.inside, self.data, self.through)
        there = bool(self.data.elsewhere)
        if finding.truth is Ternary.TRUE:
            finding = all_of([finding, *(() if there else loose(self.reader)), *self._flagged()])
        if there:
            return finding
        return disagreement(self.claim, self.data, self.reader, self.context) or finding

    def marks(self, finding: Finding) -> tuple[Mark, ...]:
        """The numbers of the text with what stands behind them; without numbers, the comparative words."""
        if self.reader.noted or not self.data.seen:
            return self.reader.marks()
        measured = str(finding.measured)
        line = Line(self.expression, tuple(dict.fromkeys(map(datum_of, self.data.read))))
        flags = frozenset[str]().union(*(r.flags for r in self.data.seen), _APART & self.data.caveats.keys())
        return tuple(
            Mark(w.start, w.end, measured, tuple(sorted(flags)), line)
            for w in self.reader.prose.words
            if w.kind != "every"
        )

    def _flagged(self) -> list[Finding]:
        """``clean`` accepts no flag."""
        if not any(isinstance(scope, Clean) for scope in self.claim.scope):
            return []
        do = "measure again, or take `clean` out of the claim"
        return [
            Finding(
                Ternary.FALSE,
                "claim-flagged",
                f"{metric}({row.arm}){self.data.place([row], self.context)}, {flag}",
                "no flag",
                do,
            )
            for flag, (row, metric) in sorted(self.data.caveats.items(), key=lambda known: known[0])
        ]

    def _arms(self) -> tuple[str, ...]:
        arms = self.data.definition(self.context).arms if self.context.benchmark else {}
        return tuple(dict.fromkeys(n for item in self.claim.items for n in item_names(item) if n in arms))

    # --- scope -------------------------------------------------------------------------------------------------

    def _unfold(self, scopes: Sequence[Scope], context: Context) -> Finding:
        if not scopes:
            self.evaluated += 1
            if self.evaluated > MAX_POINTS:
                raise self.data.error("claim-size", f"more than {MAX_POINTS} points", "fewer", "narrow the claim")
            self.inside = self.inside or context
            return all_of([judge(item, context, self.data, self.reader) for item in self.claim.items])
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
            raise self.data.twice(axis, said)

    def _along(self, axis: str, context: Context) -> list[tuple[Mapping[str, AxisValue], Context]]:
        """What an axis of the scope goes through."""
        self._once(axis, context, f"`{axis}`")
        pairs = along(axis, context, self._arms(), self.data)
        self.through[axis] = frozenset().union(*(at.keys() for at, _ in pairs[:1]))
        return [(at, c._replace(said=c.said | at.keys())) for at, c in pairs]

    def _chosen(self, selector: Selector, context: Context) -> Context:
        if selector.value != OPEN or selector.axis is None:
            return self.data.narrow(context, [selector], go_on=True)
        d = self.data.definition(context)
        if selector.axis not in d.axes:
            raise self.data.no_axis(selector.axis, context)
        mention = self.reader.axis_value(selector.axis, d.axes[selector.axis].label)
        return self.data.narrow(context, [Selector(selector.axis, mention.printed.value)], go_on=True)

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
            return any_of(self._sharing(contexts, rest, gaps=True), f"`some {scope.axis}`")
        if scope.quantifier == "no":
            failing = self._failing(contexts, rest, start, f"`no {scope.axis}`, while it holds", "say where")
            self.reader.position = start
            return all_of([*failing, *self._sharing(exceptions, rest)])
        findings = self._sharing(contexts, rest)
        do = "take the exception out of the sentence"
        failing = self._failing(exceptions, rest, start, "an exception", do, ", where it holds as well", gaps=True)
        return all_of([*findings, *failing])

    def _counted(self, scope: Counted, rest: Sequence[Scope], context: Context) -> Finding:
        contexts = [c for _, c in self._along(scope.axis, context)]
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
        data, pairs = self.data, self._along(scope.axis, context)
        if scope.axis != "cell" and (scope.of or scope.below is not None):
            values = self._limited([at[scope.axis] for at, _ in pairs], scope)
            pairs = [(at, c) for at, c in pairs if at[scope.axis] in values]
        points = [self._point(p, scope.axis, context) for p in scope.but]
        for point in points:
            if not any(self._matches(point, at, c) for at, c in pairs):
                shown = ", ".join(axis_text(v) for v in point.values())
                raise data.error(
                    "claim-empty", f"the exception ({shown}), which is not among them", "one of them", "correct it"
                )
        out = [c for at, c in pairs if any(self._matches(p, at, c) for p in points)]
        return [c for _, c in pairs if c not in out], out

    def _limited(self, values: Sequence[AxisValue], scope: Quantified) -> list[AxisValue]:
        if scope.of:
            for wanted in scope.of:
                if wanted not in values:
                    known = ", ".join(map(str, values))
                    raise self.data.error(
                        "claim-name", f'"{wanted}"', f"a measured value of {scope.axis}: {known}", "correct it"
                    )
            return [v for v in values if v in scope.of]
        if scope.below is not None:
            return [v for v in values if not isinstance(v, str) and v < scope.below]
        return list(values)

    def _point(self, selectors: Sequence[Selector], axis: str, context: Context) -> dict[str, AxisValue]:
        if axis == "device":
            return {"device": str(selectors[0].value)}
        return dict(self.data.narrow(context._replace(own={}, given={}), selectors).own)

    @staticmethod
    def _matches(point: Mapping[str, AxisValue], at: Mapping[str, AxisValue], context: Context) -> bool:
        here = {**context.given, **context.own, **at}
        return all(here.get(a) == v for a, v in point.items())

    def _as_mentioned(self, contexts: Sequence[Context], axis: str) -> Sequence[Context]:
        """In the text's order of the axis's values where it names each of them once."""

        def value(context: Context) -> AxisValue | None:
            return context.device if axis == "device" else context.own.get(axis)

        prose = self.reader.prose
        said: list[AxisValue] = [
            m.key for m in prose.names if m.axis == axis or (axis == "device" and m.kind == "device")
        ]
        said += [m.printed.value for m in prose.axis_values if m.axis == axis]
        if len(said) == len(contexts) and set(said) == {value(c) for c in contexts}:
            return sorted(contexts, key=lambda c: said.index(value(c) or ""))
        return contexts

    def _from_on(self, scope: FromOn, rest: Sequence[Scope], context: Context) -> Finding:
        data, axis = self.data, scope.axis
        self._once(axis, context, f"`from {axis}`")
        values = [v for v in data.axis_values(context, axis, self._arms()) if not isinstance(v, str)]
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
        if scope.only and not below:
            expected = "a smaller point where it fails"
            return Finding(Ternary.FALSE, "claim-order", said, expected, "correct the sentence")
        if scope.only:
            said, do = "`only from`, while it holds", "correct the sentence"
            findings += self._failing(below, rest, start, said, do, " as well")
        return all_of(findings)

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
        findings = self._sharing(contexts, rest, gaps=gaps)
        self.reader.position = kept
        return [negate(f, text(c), do) for f, c in zip(findings, contexts, strict=True)]
