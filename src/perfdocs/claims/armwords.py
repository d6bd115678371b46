"""Whether a text says the sets of arms that its claim goes through: groups, exceptions, an end of a set."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ..definition import Definition
from .arms import end_of, members
from .context import Context
from .findings import Finding, Ternary
from .nodes import ARM, Claim, Counted, Over, Quantified, named
from .phrases import word_finding
from .scope import Data
from .wording import Mention, Prose

__all__ = ["ArmSet", "apart_from", "ends_of_sets", "said_arms", "sets_of", "sets_otherwise"]

_EXCEPT = r"(?:but|bar|except(?:ing)?|save|apart\s+from|other\s+than|excluding|without)"
_BEHIND_EXCEPT = re.compile(rf"\b{_EXCEPT}\s+(?:for\s+)?(?:the\s+)?[`*]*$", re.IGNORECASE)
_AND = re.compile(r"[`*]*\s*(?:,|and|or|nor)\s+(?:the\s+)?[`*]*", re.IGNORECASE)
_ENDS = frozenset({"fastest", "slowest"})
_OTHER = re.compile(r"\b(?:other|others|else|rest)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ArmSet:
    """A set of arms as a claim has it: names of arms and groups, those left out, whether each has its own number."""

    of: tuple[str, ...]
    but: tuple[str, ...]
    each: bool = False


def sets_of(claim: Claim) -> tuple[ArmSet, ...]:
    """The sets of arms that a claim goes through."""
    return tuple(_sets_of(claim))


def _sets_of(claim: Claim) -> Iterator[ArmSet]:
    for scope in claim.scope:
        if isinstance(scope, Quantified) and scope.axis == ARM:
            out = tuple(str(s.value) for point in scope.but for s in point)
            yield ArmSet(tuple(map(str, scope.of)), out, scope.quantifier == "each")
        elif isinstance(scope, Counted) and scope.axis == ARM:
            yield ArmSet(tuple(map(str, scope.among)), ())
    for part in claim.parts:
        if isinstance(part, Over) and part.axis == ARM:
            yield ArmSet(tuple(map(str, part.of)), tuple(map(str, part.but)))


def said_arms(claim: Claim, prose: Prose, context: Context, data: Data) -> tuple[str, ...]:
    """What ``arm`` stands for in the items of a claim: arms of the set by name, and all where each has its number."""
    scope = next((s for s in claim.scope if isinstance(s, (Quantified, Counted)) and s.axis == ARM), None)
    if scope is None:
        return (ARM,)
    one = sets_of(claim)[0]
    if not one.each:
        return tuple(key for key in one.of if key in data.definition(context).arms)
    of = members(one.of, context, data) or tuple(data.arms)
    said = [mention.key for mention in prose.names if mention.kind == ARM and mention.key in of]
    return tuple(dict.fromkeys((*said, *of)))


def apart_from(mentions: Sequence[Mention], prose: Prose) -> tuple[list[Mention], list[Mention]]:
    """Arms that the text speaks of, and those that it excepts: "all but a and b"."""
    kept: list[Mention] = []
    out: list[Mention] = []
    last: Mention | None = None
    for mention in mentions:
        joined = last is not None and out[-1:] == [last] and _AND.fullmatch(prose.text, last.end, mention.start)
        excepted = joined or _BEHIND_EXCEPT.search(prose.text, max(mention.start - 30, 0), mention.start)
        (out if excepted else kept).append(mention)
        last = mention
    return kept, out


def sets_otherwise(claim: Claim, context: Context, data: Data, prose: Prose) -> Iterator[Finding]:
    """Groups that are not the claim's, sets and exceptions that the text does not name."""
    sets = sets_of(claim)
    if not sets:
        return
    d = data.definition(context)
    known = {key for one in sets for key in (*one.of, *one.but)}
    for group, text in prose.groups:
        if group not in known:
            expected = f"the set of the claim: {', '.join(sorted(known)) or 'all arms of the table'}"
            yield word_finding(text, expected, "correct one of them")
    mentions = [mention for mention in prose.names if mention.kind == ARM]
    spoken = any(extent.axis == ARM for extent in prose.extents) or any(w.kind in _ENDS for w in prose.words)
    spoken = spoken or any(isinstance(s, Counted) and s.axis == ARM for s in claim.scope)
    for one in sets:
        unsaid = [key for key in one.of if not _said(key, mentions, prose, d)]
        if unsaid and spoken:
            yield _unsaid("a set of arms that the text does not name", unsaid)
        left = {*members(one.but, context, data)} - {key for m in apart_from(mentions, prose)[1] for key in m.keys}
        left -= {arm for key, _ in prose.groups if key in one.but for arm in members([key], context, data)}
        if any(limit.kind == "alone" for limit in prose.limits):
            left -= {key for mention in mentions for key in mention.keys}  # "only a"
        if _OTHER.search(prose.plain):
            left -= {name for item in claim.items for tree in item.trees for name in named(tree)}
        if left:
            yield _unsaid("arms that the claim excepts, and the text does not", sorted(left))
        arms = {*(members(one.of, context, data) or data.arms)} & data.arms
        named_ones = [key for mention in mentions for key in mention.keys & arms]
        if one.each and named_ones and {*named_ones} != arms - {*one.but}:
            yield _unsaid("some of the arms that have a number each", sorted(arms - {*one.but} - {*named_ones}))


def _unsaid(what: str, keys: Sequence[str]) -> Finding:
    return Finding(Ternary.FALSE, "claim-word", what, f"{' and '.join(keys)} in it", "name them in the text")


def _said(key: str, mentions: Sequence[Mention], prose: Prose, d: Definition) -> bool:
    """Whether a text names an arm, a group by its label, or a kind of device."""
    if key in d.arms:
        return any(key in mention.keys for mention in mentions)
    if key in d.groups:
        return any(group == key for group, _ in prose.groups)
    return re.search(rf"\b{re.escape(key)}s?\b", prose.plain, re.IGNORECASE) is not None


def ends_of_sets(claim: Claim, context: Context, data: Data) -> Collection[str]:
    """``fastest`` or ``slowest`` where a claim has the value of that arm of a set."""
    return {end_of(part, context, data) for part in claim.parts if isinstance(part, Over)} - {""}
