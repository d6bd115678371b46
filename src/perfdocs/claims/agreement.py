"""Whether the prose and the expression say the same: names, axis values, numbers, comparative words, quantifiers.

Binding numbers alone lets an edit of a name or of "faster" pass; these checks are what notices it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..definition import Definition
from ..expression import Binary, names, parse
from .armwords import apart_from, ends_of_sets, said_arms, sets_of, sets_otherwise
from .bounds import best_of_series, sizes_otherwise
from .comparatives import Word
from .context import Context
from .counted import counted_otherwise, weaker
from .findings import Finding, Ternary
from .foreign import foreign_arms
from .kinds import kinds_otherwise
from .meaning import said_otherwise
from .nearby import elsewhere_said
from .nodes import (
    ARM,
    Bounded,
    Claim,
    Compared,
    FromOn,
    Item,
    Leads,
    Over,
    Overtakes,
    Plain,
    Quantified,
    Selected,
    Trend,
    Within,
)
from .proportions import of_speed, shares_otherwise
from .reach import functions_of, said_too_far
from .reader import Reader
from .relating import unsaid
from .scope import Data
from .sides import sides_otherwise
from .subjects import beside_numbers, nameless, spoken_order, subjects
from .unanswered import unanswered
from .wording import Mention, Prose

__all__ = ["disagreement"]


@dataclass(frozen=True, slots=True)
class _Both:
    """Expression and prose side by side."""

    claim: Claim
    data: Data
    reader: Reader
    context: Context


_STATED_BY: dict[str, tuple[frozenset[str], str]] = {
    "faster": (frozenset({"faster", "ahead", "leads", "overtakes"}), "`a faster than b`"),
    "fastest": (frozenset({"leads"}), "`a leads set`"),
    "slower": (frozenset({"slower", "behind", "then", "trails"}), "`a slower than b`"),
    "slowest": (frozenset({"trails", "slower", "behind"}), "`a trails set`"),
    "place": (frozenset({"then"}), "`a leads set then b`"),
    "level": (frozenset({"level", "together", "within"}), "`a level with b`"),
    "within": (frozenset({"within"}), "`a within ? of b`"),
    "overtakes": (frozenset({"overtakes"}), "`a overtakes b by axis=?`"),
    "rises": (frozenset({"rises"}), "`a rises over axis`"),
    "falls": (frozenset({"falls"}), "`a falls over axis`"),
    "better": (frozenset({"faster", "ahead", "leads", "overtakes", "more", "less"}), "`a faster than b`"),
    "worse": (frozenset({"slower", "behind", "then", "trails", "more", "less"}), "`a slower than b`"),
    "longer": (frozenset({"slower", "behind", "then", "trails", "more", "over", "rises"}), "`a slower than b`"),
    "shorter": (frozenset({"faster", "ahead", "leads", "overtakes", "less", "under", "falls"}), "`a faster than b`"),
    "equal": (frozenset({"level", "together", "within"}), "`a level with b`"),
    "every": (frozenset({"every", "from"}), "`every axis: …`"),
    "never": (frozenset({"no", "every"}), "`no axis: …`"),
}

_ORDERS = frozenset(
    {"place", "faster", "fastest", "slower", "slowest", "overtakes", "rises", "falls", "better", "worse"}
    | {"longer", "shorter"}
)
_BY_TWO = frozenset({"longer", "shorter"})


def disagreement(
    claim: Claim, data: Data, reader: Reader, context: Context, after: str = "", around: tuple[str, ...] = ()
) -> Finding | None:
    """The first thing in which prose and expression differ, or ``None``.

    ``after`` is what follows in the sentence, ``around`` what stands over it.
    """
    both = _Both(claim, data, reader, context)
    for check in (_numbers, _arms, _axis_values, _devices, _sides, _words):
        finding = next(check(both), None)
        if finding is not None:
            return finding
    return next(elsewhere_said(after, around, data, context, reader.prose), None)


def _differs(code: str, found: str, expected: str, do: str) -> Finding:
    return Finding(Ternary.FALSE, code, found, expected, do)


def _numbers(both: _Both) -> Iterator[Finding]:
    for printed in both.reader.leftover():
        yield _differs(
            "claim-text",
            f'the number "{printed.text.strip()}", of which the claim says nothing',
            "each number of the text in the claim",
            "add it to the claim, or begin the text behind it",
        )


def _arms(both: _Both) -> Iterator[Finding]:
    if both.context.benchmark is None:
        return
    d = both.data.definition(both.context)
    yield from foreign_arms(d.id, both.data.library, both.reader.prose)
    prose, sets = both.reader.prose, sets_of(both.claim)
    one = said_arms(both.claim, prose, both.context, both.data) if sets else (ARM,)
    said = [name for item in both.claim.items for name in item.said(one)]
    groups = {name for item in both.claim.items if isinstance(item, Leads) for name in item.among if name in d.groups}
    members = {arm for arm, entry in d.arms.items() if entry.group in groups} if groups else set()
    leaders = min((len(item.ranks[0]) for item in both.claim.items if isinstance(item, Leads)), default=1)
    ordered = list(_arms_of(said, d))
    ordered += [both.context.arm] if both.context.arm else []
    ordered += [
        str(s.selector.value) for s in both.claim.scope if isinstance(s, Selected) and s.selector.value in d.arms
    ]
    mentioned: list[Mention] = []
    spoken = list(_arm_mentions(prose))
    if out := {key for one in sets for key in one.but}:
        if any(limit.kind == "alone" for limit in prose.limits):
            ordered += [m.key for m in spoken if m.keys & out]
        spoken, excepted = apart_from(spoken, prose)
        if wrong := next((m for m in excepted if not m.keys & out), None):
            yield _differs("claim-text", f'the exception "{wrong.key}"', f"but {' and '.join(out)}", "correct it")
    for mention in spoken:
        if not mention.keys & {*ordered}:
            if mention.keys & members and len(mentioned) >= leaders:
                continue  # "A leads, before B": B is of the set, once the leaders are named
            yield _differs(
                "claim-text",
                f'the arm "{mention.key}", of which the claim says nothing',
                "each arm of the text in the claim",
                "add it to the claim, or begin the text behind it",
            )
        mentioned.append(mention)
    printed = [name for item in both.claim.items if isinstance(item, Plain) for name in item.names]
    if any(not isinstance(item, Plain) for item in both.claim.items):
        mentioned = spoken_order(prose, mentioned)
    first = list({m.keys: m for m in mentioned}.values())
    if of_speed(both.claim, both.reader.prose, d, both.context.metric or d.default):
        ordered = ordered[::-1]
    orders = (list(dict.fromkeys(ordered)), list(_arms_of(printed, d)))
    if not _in_order(mentioned, ordered) or not any(_in_order(first, order) for order in orders):
        yield _differs(
            "claim-text",
            f"the arms in the order {', '.join(m.key for m in mentioned)}",
            f"the order of the claim: {', '.join(ordered)}",
            "say both in one order",
        )
    beside = [(m, [n for i in items for n in i.names]) for m, items in beside_numbers(both.claim, prose, mentioned)]
    for mention, arms in (*subjects(both.claim, prose, mentioned), *beside):
        expected = list(dict.fromkeys(_arms_of(arms, d)))
        if expected and not mention.keys & {*expected}:
            yield _differs(
                "claim-text",
                f'the arm "{mention.key}" where the claim speaks of another',
                f"there: {' or '.join(expected)}",
                "say both in one order",
            )


def _arms_of(said: Sequence[str], d: Definition) -> Iterator[str]:
    """The arms among these names, and those that derived quantities refer to, in the order of what is divided."""
    referred: list[str] = []
    for name in said:
        if name in d.derived:
            found = [n.arm for n in names(parse(d.derived[name].is_, "")) if not n.name.startswith("device.")]
            arms = list(dict.fromkeys(arm for arm in found if arm))
            if arms and found[0]:
                yield from arms
            else:
                referred = arms
        elif name in d.arms:
            yield name
            yield from referred
            referred = []
    yield from referred


def _arm_mentions(prose: Prose) -> Iterator[Mention]:
    """Arms in the order of the text; a label with its key in brackets behind it is one mention."""
    last: Mention | None = None
    for mention in prose.names:
        if mention.kind != "arm":
            continue
        between = prose.text[last.end : mention.start] if last else ""
        if last is None or last.key != mention.key or re.search(r"\w", between):
            yield mention
        last = mention


def _in_order(mentions: Sequence[Mention], arms: Sequence[str]) -> bool:
    rest = iter(arms)
    return all(any(arm in mention.keys for arm in rest) for mention in mentions)


def _axis_values(both: _Both) -> Iterator[Finding]:
    taken = {id(m) for m in both.reader.consumed}
    limits = [(s.axis, s.below) for s in both.claim.scope if isinstance(s, Quantified) and s.below is not None]
    limits += [(p.axis, p.below) for p in both.claim.parts if isinstance(p, Over) and p.below is not None]
    limits += [(s.axis, s.value.value) for s in both.claim.scope if isinstance(s, FromOn) and s.value.value is not None]
    for axis, limit in limits:
        said = [m for m in both.reader.prose.axis_values if m.axis == axis]
        if said and not any(m.printed.reads(limit) for m in said):
            printed = said[0].printed.text.strip()
            yield _differs("claim-text", f'"{axis} = {printed}"', f"{axis} = {limit:g}", "correct one of them")
    for mention in both.reader.prose.axis_values:
        values = {v for a, v in both.data.points if a == mention.axis and not isinstance(v, str)}
        values |= {v for a, v in limits if a == mention.axis}
        if mention.spelt and not values:
            continue  # a table without that axis
        if id(mention) not in taken and not any(mention.printed.reads(v) for v in values):
            yield _differs(
                "claim-text",
                f'"{mention.axis} = {mention.printed.text.strip()}"',
                f"what the claim speaks of: {mention.axis} {', '.join(f'{v:g}' for v in sorted(values)) or 'nowhere'}",
                "correct one of them",
            )
    yield from _twice(both)
    for name in both.reader.prose.names:
        there = {value for axis, value in both.data.points if axis == name.axis}
        if name.kind == "value" and not name.keys & there and (there or not name.of):
            known = sorted(str(v) for a, v in both.data.points if a == name.axis)
            yield _differs(
                "claim-text",
                f'"{name.key}"',
                f"what the claim speaks of: {', '.join(known) or 'no such axis'}",
                "correct one of them",
            )


def _twice(both: _Both) -> Iterator[Finding]:
    """Where each value has its own number, none is named twice: one of the two is meant to be another."""
    prose = both.reader.prose
    for axis in {s.axis for s in both.claim.scope if isinstance(s, Quantified) and s.quantifier == "each"}:
        said = [m.key for m in prose.names if m.kind == "value" and m.axis == axis]
        said += [m.printed.text.strip() for m in prose.axis_values if m.axis == axis]
        for key in (key for key in dict.fromkeys(said) if said.count(key) > 1):
            yield _differs("claim-text", f'"{key}" twice', f"each value of {axis} once", "correct one of them")


def _devices(both: _Both) -> Iterator[Finding]:
    for name in both.reader.prose.names:
        if name.kind == "device" and not name.keys & both.data.devices:
            yield _differs(
                "claim-text",
                f'the device "{name.key}"',
                f"what the claim speaks of: {', '.join(sorted(both.data.devices))}",
                "correct one of them",
            )
    yield from kinds_otherwise(both.data, both.context, both.reader.prose)


def _sides(both: _Both) -> Iterator[Finding]:
    if both.context.benchmark is not None:
        d = both.data.definition(both.context)
        yield from sides_otherwise(both.claim, both.reader.prose, both.context, d, both.data.device_ids())


def _relations(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Compared):
            yield item.relation
            yield item.how or "exactly"
        elif isinstance(item, Within):
            yield "within"
        elif isinstance(item, Overtakes):
            yield "overtakes"
        elif isinstance(item, Trend):
            yield item.direction
        elif isinstance(item, Bounded):
            yield item.how
        elif isinstance(item, Leads):
            yield "trails" if item.last else "leads"
            if len(item.ranks) > 1:
                yield "then"
            if any(len(rank) > 1 for rank in item.ranks):
                yield "together"


def _words(both: _Both) -> Iterator[Finding]:
    relations = set(_relations(both.claim.items))
    series = {"best"} if best_of_series(both.claim, both.data, both.context) else set[str]()
    quantifiers = {s.quantifier for s in both.claim.scope if isinstance(s, Quantified)}
    everywhere = {s.quantifier for s in both.claim.scope if isinstance(s, Quantified) and s.axis != ARM}
    ends = ends_of_sets(both.claim, both.context, both.data)
    stated = relations | {"every" if q == "each" else q for q in quantifiers}
    if any(isinstance(s, FromOn) for s in both.claim.scope):
        stated.add("from")
    for word in both.reader.prose.words:
        by, example = _STATED_BY[word.kind]
        if word.kind in ("every", "never") and quantifiers and not everywhere:
            by = by - {"every", "no"}  # of arms, at one place
        if word.nobody and "leads" in stated and by & (stated | {"leads"}):
            continue  # "nobody is faster" is what leads
        if _held_elsewhere(word, both) or word.kind in ends:
            continue
        if word.negated:
            yield from _negated(word, by, stated, relations)
        elif not by & stated or (by & stated == {"then"} and not _leader_before(word, both.reader.prose)):
            yield _differs(
                "claim-word",
                f'the word "{word.text}", which the claim does not state',
                example,
                "add it to the claim, or choose another word",
            )
    yield from nameless(both.reader.prose)
    yield from sizes_otherwise(both.claim, relations, both.reader.prose)
    yield from weaker(both.claim, both.reader.prose, quantifiers)
    answers = stated | functions_of(both.claim) | _arithmetic(both.claim) | series | _own_words(both.claim)
    yield from unanswered(both.reader.prose, answers)
    yield from unsaid(relations, both.reader.prose)
    d = both.data.definition(both.context) if both.context.benchmark else None
    yield from shares_otherwise(both.claim, d, both.reader.prose)
    yield from counted_otherwise(both.claim, d, both.reader.prose)
    yield from said_too_far(both.claim, both.data, both.reader.prose, _kinds(frozenset(stated)))
    yield from sets_otherwise(both.claim, both.context, both.data, both.reader.prose)
    yield from said_otherwise(both.claim, both.data, both.context, both.reader.prose)


@lru_cache(maxsize=256)
def _kinds(stated: frozenset[str]) -> frozenset[str]:
    """The classes of comparatives that a claim which states this bears out."""
    return frozenset(kind for kind, (by, _) in _STATED_BY.items() if by & stated and kind not in ("every", "never"))


def _arithmetic(claim: Claim) -> set[str]:
    """The operators of a claim's expressions."""
    return {part.operator for part in claim.parts if isinstance(part, Binary)}


def _held_elsewhere(word: Word, both: _Both) -> bool:
    """Whether a word is held as one of reach, "every arm", or shown by two numbers, "less time, 5 µs against 7 µs"."""
    prose = both.reader.prose
    if word.kind == "every":
        return any(extent.axis == "arm" and extent.start <= word.start < extent.end for extent in prose.extents)
    values = [number.value for number in prose.numbers]
    shown = len(values) == 2 and all(isinstance(item, Plain) for item in both.claim.items)
    return shown and word.kind in _BY_TWO and (values[0] < values[1]) == (word.kind == "shorter")


def _own_words(claim: Claim) -> set[str]:
    """The words that the names of a claim are made of: a `worst_share` is the worst."""
    return {word for name in claim.names for word in name.split("_")}


def _leader_before(word: Word, prose: Prose) -> bool:
    """Whether "behind" stands after a word for the one in front, as `leads … then` has it."""
    return any(w.kind in ("faster", "fastest") and w.start < word.start for w in prose.words)


def _negated(word: Word, by: frozenset[str], stated: set[str], relations: set[str]) -> Iterator[Finding]:
    if word.kind in _ORDERS and not relations - {"exactly"}:
        yield _differs(
            "claim-word",
            f'"{word.text}" turned round by a word before it, while the claim compares nothing',
            "what is compared, in the claim",
            "add it to the claim, or choose another word",
        )
    if word.kind == "equal" and relations & {"faster", "ahead", "leads"}:
        yield _differs(
            "claim-word", f'"{word.text}" turned round by a word before it', "`a slower than b`", "correct one of them"
        )
    if by & stated and "no" not in stated and "only" not in stated:
        yield _differs(
            "claim-word",
            f'"{word.text}" turned round by a word before it',
            "the claim turned round as well",
            "state the opposite in the claim",
        )
