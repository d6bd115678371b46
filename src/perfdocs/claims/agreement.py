"""Whether the prose and the expression say the same: names, axis values, numbers, comparative words, quantifiers.

Binding numbers alone lets an edit of a name or of "faster" pass; these checks are what notices it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .findings import Finding, Ternary
from .nodes import (
    Bounded,
    Claim,
    Compared,
    FromOn,
    Item,
    Leads,
    Overtakes,
    Quantified,
    Selected,
    Trend,
    Within,
    item_names,
)
from .reader import Reader
from .scope import Context, Data
from .wording import Mention, Prose, Word

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
    "level": (frozenset({"level", "together", "within"}), "`a level with b`"),
    "within": (frozenset({"within"}), "`a within ? of b`"),
    "overtakes": (frozenset({"overtakes"}), "`a overtakes b by axis=?`"),
    "rises": (frozenset({"rises"}), "`a rises over axis`"),
    "falls": (frozenset({"falls"}), "`a falls over axis`"),
    "every": (frozenset({"every", "leads", "from"}), "`every axis: …`"),
    "never": (frozenset({"no", "every"}), "`no axis: …`"),
}


def disagreement(claim: Claim, data: Data, reader: Reader, context: Context) -> Finding | None:
    """The first thing in which prose and expression differ, or ``None``."""
    both = _Both(claim, data, reader, context)
    for check in (_numbers, _arms, _axis_values, _devices, _words):
        finding = next(check(both), None)
        if finding is not None:
            return finding
    return None


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
    said = [name for item in both.claim.items for name in item_names(item)]
    groups = {name for name in said if name in d.groups}
    members = {arm for arm, entry in d.arms.items() if entry.group in groups}
    ordered = [name for name in said if name in d.arms]
    ordered += [both.context.arm] if both.context.arm else []
    ordered += [
        str(s.selector.value) for s in both.claim.scope if isinstance(s, Selected) and s.selector.value in d.arms
    ]
    mentioned: list[str] = []
    for mention in _arm_mentions(both.reader.prose):
        if mention.key not in ordered:
            if mention.key in members and mentioned:
                continue  # "A leads, before B": B is of the set, once a leader is named
            yield _differs(
                "claim-text",
                f'the arm "{mention.key}", of which the claim says nothing',
                "each arm of the text in the claim",
                "add it to the claim, or begin the text behind it",
            )
        mentioned.append(mention.key)
    if not _is_subsequence(mentioned, ordered):
        yield _differs(
            "claim-text",
            f"the arms in the order {', '.join(mentioned)}",
            f"the order of the claim: {', '.join(ordered)}",
            "say both in one order",
        )


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


def _is_subsequence(small: Sequence[str], large: Sequence[str]) -> bool:
    rest = iter(large)
    return all(word in rest for word in small)


def _axis_values(both: _Both) -> Iterator[Finding]:
    taken = {id(m) for m in both.reader.consumed}
    limits = [(s.axis, s.below) for s in both.claim.scope if isinstance(s, Quantified) and s.below is not None]
    limits += [(s.axis, s.value.value) for s in both.claim.scope if isinstance(s, FromOn) and s.value.value is not None]
    for axis, limit in limits:
        said = [m for m in both.reader.prose.axis_values if m.axis == axis]
        if said and not any(m.printed.reads(limit) for m in said):
            printed = said[0].printed.text.strip()
            yield _differs("claim-text", f'"{axis} = {printed}"', f"{axis} = {limit:g}", "correct one of them")
    for mention in both.reader.prose.axis_values:
        values = {v for a, v in both.data.points if a == mention.axis and not isinstance(v, str)}
        values |= {v for a, v in limits if a == mention.axis}
        if id(mention) not in taken and not any(mention.printed.reads(v) for v in values):
            yield _differs(
                "claim-text",
                f'"{mention.axis} = {mention.printed.text.strip()}"',
                f"what the claim speaks of: {mention.axis} {', '.join(f'{v:g}' for v in sorted(values)) or 'nowhere'}",
                "correct one of them",
            )
    for name in both.reader.prose.names:
        if name.kind == "value" and (name.axis, name.key) not in both.data.points:
            known = sorted(str(v) for a, v in both.data.points if a == name.axis)
            yield _differs(
                "claim-text",
                f'"{name.key}"',
                f"what the claim speaks of: {', '.join(known) or 'no such axis'}",
                "correct one of them",
            )


def _devices(both: _Both) -> Iterator[Finding]:
    for name in both.reader.prose.names:
        if name.kind == "device" and name.key not in both.data.devices:
            yield _differs(
                "claim-text",
                f'the device "{name.key}"',
                f"what the claim speaks of: {', '.join(sorted(both.data.devices))}",
                "correct one of them",
            )


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
    quantifiers = {s.quantifier for s in both.claim.scope if isinstance(s, Quantified)}
    stated = relations | {"every" if q == "each" else q for q in quantifiers}
    if any(isinstance(s, FromOn) for s in both.claim.scope):
        stated.add("from")
    for word in both.reader.prose.words:
        by, example = _STATED_BY[word.kind]
        if word.negated:
            yield from _negated(word, by, stated)
        elif not by & stated or (by & stated == {"then"} and not _leader_before(word, both.reader.prose)):
            yield _differs(
                "claim-word",
                f'the word "{word.text}", which the claim does not state',
                example,
                "add it to the claim, or choose another word",
            )
    yield from _size(both, relations)


def _leader_before(word: Word, prose: Prose) -> bool:
    """Whether "behind" stands after a word for the one in front, as `leads … then` has it."""
    return any(w.kind in ("faster", "fastest") and w.start < word.start for w in prose.words)


def _negated(word: Word, by: frozenset[str], stated: set[str]) -> Iterator[Finding]:
    if by & stated and "no" not in stated and "only" not in stated:
        yield _differs(
            "claim-word",
            f'"{word.text}" turned round by a word before it',
            "the claim turned round as well",
            "state the opposite in the claim",
        )


_MORE = frozenset({"more", "larger", "higher", "greater", "bigger", "above", "over", "exceeds"})
_LESS = frozenset({"less", "smaller", "lower", "fewer", "below", "under"})


def _size(both: _Both, relations: set[str]) -> Iterator[Finding]:
    """`more` and `under` are common words: only a text that says nothing but the opposite is refused."""
    words = {w.lower() for w in re.findall(r"[A-Za-z]+", both.reader.prose.text)}
    for stated, same, opposite in (({"more", "over"}, _MORE, _LESS), ({"less", "under"}, _LESS, _MORE)):
        other = {"more", "over", "less", "under"} - stated
        if relations & stated and not relations & other and words & opposite and not words & same:
            relation = min(relations & stated)
            yield _differs(
                "claim-word", f'"{min(words & opposite)}"', f"a word for `{relation}`", "correct one of them"
            )
