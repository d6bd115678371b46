"""The verdict on a bound claim: what holds of its items where its scope says, and whether its words agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from ..card import AxisValue
from ..errors import PerfdocsError, Problem
from ..library import Library
from .agreement import disagreement
from .context import Context, datum_of
from .failing import failed
from .findings import Finding, Ternary, all_of
from .model import Bound, Given, Line, Mark, Outcome, Status, Use
from .narrowing import narrow
from .nodes import ARM, Claim, Clean, Counted, Quantified, Selected
from .reader import Reader
from .scope import OF_ORIGIN, Data
from .syntax import parse_claim, parse_given
from .taking import check_taken
from .tightness import loose
from .unfolding import Unfolding
from .wording import MAX_TEXT, Prose, read_prose

__all__ = ["Look", "check_bound", "check_given", "context_of", "look", "spoken_of"]

HERE: Mapping[str, str] = MappingProxyType({})
"""No device stands for another."""
_BY_ITSELF = frozenset({"claim-syntax", "claim-size", "claim-fault"})
"""What is wrong with a given whatever it stands in."""
_APART = frozenset({"clocks_apart"})


def context_of(bound: Bound, data: Data) -> Context:
    """What the givens around a claim select, outermost first. Raises :class:`PerfdocsError` of a broken one."""
    if data.elsewhere:
        return _given(bound.given, data)
    try:
        context, uses, devices = _surroundings(data.library, bound.given)
    except PerfdocsError:
        return _given(bound.given, data)  # raises it at this claim
    data.uses |= uses
    data.devices |= devices
    return context


@lru_cache(maxsize=64)  # all claims of a section are under the same
def _surroundings(library: Library, givens: tuple[Given, ...]) -> tuple[Context, frozenset[Use], frozenset[str]]:
    """What givens select, what that depends on, and the devices asked."""
    data = Data(library, "")
    return _given(givens, data), frozenset(data.uses), frozenset(data.devices)


def _given(givens: Sequence[Given], data: Data) -> Context:
    context = Context()
    for given in givens:
        context = narrow(data, context, parse_given(given.expression, data.where)).surrounding()
    return context


def spoken_of(claim: Claim, context: Context, data: Data) -> Context:
    """The same with the benchmark that the claim names itself: `at rk4: …` decides how its text is read."""
    for scope in claim.scope:
        if isinstance(scope, Selected) and scope.selector.value in data.library.benchmarks:
            context = narrow(data, context, [scope.selector])
    return context


def check_given(bound: Bound, library: Library) -> Outcome:
    """Whether a ``given`` itself makes sense."""
    data = Data(library, bound.where)
    try:
        context = narrow(data, context_of(bound, data), parse_given(bound.expression, data.where))
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
    each |= {(ARM, arm) for arm in data.arms if ARM in axes}
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
    fixes = evaluation.reader.agreed(finding.fixes) if finding.code == "claim-number" else ()
    return Outcome(bound, status, problem, str(finding.measured), uses=uses, fixes=fixes)


@dataclass(slots=True)
class _Evaluation:
    claim: Claim
    data: Data
    reader: Reader
    context: Context
    expression: str
    after: str = ""
    around: tuple[str, ...] = ()

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
        if prose.unread:
            do = "write a point before decimals, commas only between groups of three digits, and 10⁶ for a power"
            raise data.error("claim-number", f'the number "{prose.unread}"', "one that reads in one way", do)
        return cls(claim, data, Reader(prose, data), context, bound.expression, bound.after, bound.around)

    def run(self) -> Finding:
        unfolding = Unfolding(self.claim, self.data, self.reader, self.context)
        finding = unfolding.finding()
        if unfolding.inside is not None:
            check_taken(self.claim.items, unfolding.inside, self.data, unfolding.through)
        there = bool(self.data.elsewhere)
        if finding.truth is Ternary.TRUE:
            finding = all_of([finding, *(() if there else loose(self.reader)), *self._flagged()])
        if there:
            return finding
        return disagreement(self.claim, self.data, self.reader, self.context, self.after, self.around) or finding

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
