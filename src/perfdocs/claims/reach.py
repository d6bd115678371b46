"""Whether a sentence reaches as far as its claim: all, most or none of the points, only here, up to a value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..expression import Call
from ..quantity import axis_text
from .extent import Extent, Limit
from .findings import Finding
from .nodes import (
    ARM,
    Claim,
    Compared,
    Counted,
    FromOn,
    Leads,
    Over,
    Overtakes,
    Quantified,
    Scope,
    Trend,
    Within,
)
from .phrases import word_finding
from .scope import Data
from .wording import AxisMention, Prose

__all__ = ["axes_along", "functions_of", "said_too_far"]


def said_too_far(claim: Claim, data: Data, prose: Prose, stated: frozenset[str]) -> Iterator[Finding]:
    """Every word that reaches further than the claim. ``stated``: classes of comparatives that it states."""
    yield from _extents(claim, data, prose, stated)
    yield from _limits(claim, data, prose)
    yield from _ranges(claim, prose)
    yield from _unlimited(claim, prose)


def functions_of(claim: Claim) -> set[str]:
    """min, max, median or geomean, of several or along an axis."""
    found = set()
    for part in claim.parts:
        if isinstance(part, Over) or (isinstance(part, Call) and part.function in ("min", "max")):
            found.add(part.function)
    return found


def axes_along(claim: Claim) -> set[str]:
    """The axes along which a claim speaks of several points."""
    axes = {s.axis for s in claim.scope if isinstance(s, (Quantified, FromOn, Counted))}
    axes |= {item.axis for item in claim.items if isinstance(item, (Overtakes, Trend))}
    return axes | {part.axis for part in claim.parts if isinstance(part, Over)}


def _extents(claim: Claim, data: Data, prose: Prose, stated: frozenset[str]) -> Iterator[Finding]:
    if not prose.extents:
        return
    along = axes_along(claim)
    of_arms, along = along & {ARM}, along - {ARM}
    counted = any(isinstance(s, Counted) for s in claim.scope)
    quantifiers = {s.quantifier for s in claim.scope if isinstance(s, Quantified)}
    excepts = any(isinstance(s, Quantified) and s.but for s in claim.scope)
    excepts = excepts or any(isinstance(part, Over) and part.but for part in claim.parts)
    for extent in prose.extents:
        if extent.axis == ARM and not of_arms:
            if extent.reach in ("all", "none") and not _many_arms(extent, claim):
                yield word_finding(extent.text, "`every arm of set: …`, or `a leads set`", "name the arms instead")
            continue
        axis = extent.axis or "…"
        reaches = bool(along) if not extent.axis else bool(along & {extent.axis, "cell"})
        reaches = reaches or extent.axis == ARM
        if extent.axis == "cell":
            reaches = reaches or {axis for row in data.seen for axis in row.at} <= along
        several = len(claim.items) > 1 or any(len(getattr(item, "values", ())) > 1 for item in claim.items)
        if extent.reach == "all":
            if not reaches and not _several_points(extent, data) and not (_cases(extent) and several):
                yield word_finding(extent.text, f"`every {axis}: …`")
            elif not _total_fits(extent, claim, data):
                yield word_finding(extent.text, f"as many as the claim goes through: {_count(extent, claim, data)}")
        elif extent.reach == "none":
            turned = any(word.kind in stated and not word.negated for word in prose.words)
            if not counted and "no" not in quantifiers and (not quantifiers & {"every", "each"} or turned):
                yield word_finding(extent.text, f"`no {axis}: …`", "state the opposite in the claim")
        elif extent.reach == "some":
            if not counted and "some" not in quantifiers:
                yield word_finding(extent.text, f"`some {axis}: …` or `? of ? {axis}: …`")
        elif not counted and not (extent.reach == "many" and quantifiers & {"every", "each"}):
            yield word_finding(extent.text, f"`? of ? {axis}: …`", "say how many, as 7 of 12")
        if extent.excepts and not excepts and not counted:
            yield word_finding(f"{extent.text} but", f"`every {axis} but …: …`")


def _many_arms(extent: Extent, claim: Claim) -> bool:
    """Whether a claim speaks of as many arms as "all", "both" or "no" of them: of a set, or of several by name."""
    if any(isinstance(item, Leads) for item in claim.items) or functions_of(claim) & {"min", "max"}:
        return True
    arms = {*claim.names}
    return extent.reach == "all" and len(arms) >= (extent.total or 3)


def _unlimited(claim: Claim, prose: Prose) -> Iterator[Finding]:
    """Words for all places of a claim that leaves some out, and says so only in its expression."""
    sweeping = [w.text for w in prose.words if w.kind == "every" and w.text.lower() != "every" and not w.negated]
    sweeping += [extent.text for extent in prose.extents if extent.reach == "all" and extent.total is None]
    if not sweeping or any(extent.total for extent in prose.extents):
        return
    for scope in (*claim.scope, *(part for part in claim.parts if isinstance(part, Over))):
        left = _left_out(scope, prose)
        if left:
            yield word_finding(sweeping[-1], f"where it holds, by the claim: {left}", "name the limit in the text")


def _left_out(scope: Scope | Over, prose: Prose) -> str:
    """The limit of a scope, or of a function over an axis, where the text names it in no way."""
    if isinstance(scope, FromOn):
        first = scope.value.value
        said = first is None or _said(scope.axis, first, prose)
        return "" if said else f"from {scope.axis}={axis_text(first or 0)}"
    if not isinstance(scope, (Quantified, Over)) or scope.axis == ARM:
        return ""
    if isinstance(scope, Quantified) and scope.quantifier not in ("every", "each"):
        return ""
    if scope.below is not None and not _said(scope.axis, scope.below, prose):
        return f"{scope.axis} below {axis_text(scope.below)}"
    if scope.of and not all(_said(scope.axis, value, prose) for value in scope.of):
        return f"{scope.axis} of {' and '.join(axis_text(value) for value in scope.of)}"
    return f"{scope.axis} but some" if scope.but and not _EXCEPT.search(prose.plain) else ""


def _said(axis: str, value: str | float, prose: Prose) -> bool:
    if isinstance(value, str):
        return any(value in name.keys for name in prose.names)
    return any(mention.axis == axis and mention.printed.reads(value) for mention in prose.axis_values)


def _cases(extent: Extent) -> bool:
    return extent.text.lower().endswith(("case", "cases"))


def _several_points(extent: Extent, data: Data) -> bool:
    """Whether a claim looks at several points itself: `read[width=8]; read[width=4]`."""
    if extent.axis == "device":
        return len(data.devices) > 1
    if extent.axis == "cell" and extent.total is None:
        return False
    axes = [axis for axis, _ in data.points if extent.axis in ("", "cell", axis)]
    return any(axes.count(axis) > 1 for axis in axes)


def _counts(extent: Extent, claim: Claim, data: Data) -> set[int]:
    if extent.axis in ("device", ARM):
        return {len(data.devices if extent.axis == "device" else data.arms)}
    axes = {extent.axis} if extent.axis else axes_along(claim)
    found: set[int] = set()
    for axis in axes:
        if axis == "cell":
            found.add(len({tuple(row.at.items()) for row in data.seen}))
            if extent.axis:
                found.add(len({row.at.get(extent.axis) for row in data.seen}))
        elif axis == "device":
            found.add(len(data.devices))
        else:
            found.add(len({row.at[axis] for row in data.seen if axis in row.at}))
    return found


def _count(extent: Extent, claim: Claim, data: Data) -> str:
    return " or ".join(str(n) for n in sorted(_counts(extent, claim, data)))


def _total_fits(extent: Extent, claim: Claim, data: Data) -> bool:
    """Whether "all four" is as many as there are, with or without those that are excepted."""
    if extent.total is None:
        return True
    out = [len(s.but) for s in claim.scope if isinstance(s, Quantified)]
    counts = _counts(extent, claim, data)
    others = extent.axis == ARM and "other" in extent.text.lower().split()
    return not counts or (extent.total in counts and not others) or any(extent.total + n in counts for n in out)


def _limits(claim: Claim, data: Data, prose: Prose) -> Iterator[Finding]:
    if not prose.limits:
        return
    scope = claim.scope
    counted = any(isinstance(s, Counted) for s in scope)
    quantified = [s for s in scope if isinstance(s, Quantified)]
    excepts = any(s.but for s in quantified) or counted
    several = bool(axes_along(claim)) or len(data.devices) > 1
    for limit in prose.limits:
        if limit.kind == "but" and not excepts:
            yield word_finding(limit.text, "`every axis but …: …`")
        elif limit.kind == "only":
            alone = excepts or any(s.quantifier == "no" for s in quantified)
            alone = alone or any(isinstance(s, FromOn) and s.only for s in scope)
            if not alone and _names_a_point(limit.end, prose):
                yield word_finding(limit.text, "a claim that fails elsewhere: `only from`, `every … but …` or `? of ?`")
        elif limit.kind == "alone" and not _alone(limit, claim, prose, excepts=excepts):
            yield word_finding(
                limit.text, "a claim that fails for the others: `no arm of set but a: …`, `1 of ? arm …`"
            )
        elif limit.kind == "elsewhere" and not several:
            yield word_finding(limit.text, "a claim that speaks of several places, as `every axis: …`")
        elif limit.kind == "others" and not _many_others(claim):
            yield word_finding(limit.text, "`a leads set`, or `a faster than min(b, c)`")


def _alone(limit: Limit, claim: Claim, prose: Prose, *, excepts: bool) -> bool:
    """Whether a claim says that what it says of one arm, or of one place, is not so of others."""
    said = next((m for m in prose.names if m.start == limit.end or m.start <= limit.start < m.end), None)
    if said is not None and said.kind != ARM:
        return excepts or any(isinstance(s, FromOn) and s.only for s in claim.scope)
    keys = said.keys if said else None
    arms = {key for mention in prose.names if mention.kind == ARM for key in mention.keys}
    for scope in claim.scope:
        if isinstance(scope, Counted) and (scope.axis == ARM or said is None):
            one = scope.count.value if scope.count.value is not None else prose.numbers[0].value if prose.numbers else 0
            if one == 1:
                return True
        if isinstance(scope, Quantified) and scope.but and (scope.axis == ARM or said is None):
            out = {str(s.value) for point in scope.but for s in point}
            if scope.axis != ARM or (out <= arms and (keys is None or keys & out)):
                return True
    leads = [item.ranks[0] for item in claim.items if isinstance(item, Leads)]
    return any(len(rank) == 1 and (keys is None or rank[0] in keys) for rank in leads)


def _names_a_point(place: int, prose: Prose) -> bool:
    starts = [m.start for m in prose.names if m.kind in ("value", "device")]
    starts += [m.printed.start for m in prose.axis_values]
    return any(place <= start <= place + 12 for start in starts)


def _many_others(claim: Claim) -> bool:
    compared = [item for item in claim.items if isinstance(item, (Compared, Within))]
    return (
        any(isinstance(item, Leads) for item in claim.items)
        or bool(functions_of(claim) & {"min", "max"})
        or len(compared) > 1
        or bool(axes_along(claim) & {"device", ARM})
    )


_EXCEPT = re.compile(r"\b(?:but|bar|except(?:ing)?|save|apart\s+from|other\s+than|excluding|without)\b", re.IGNORECASE)
_UP = re.compile(
    r"\b(?:up\s+to|below|under|until|at\s+most|(?:no|not)\s+more\s+than|(?:less|fewer|smaller)\s+than)\s*$",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:above|beyond|at\s+least|(?:no|not)\s+less\s+than|(?:more|greater|larger)\s+than|starting\s+(?:at|from))\s*$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\bfrom\s*(?:about\s*)?$", re.IGNORECASE)
_ON = re.compile(r"\s*(?:\w+\s+)?(?:on(?:wards?)?|upwards?)\b", re.IGNORECASE)


def _range(mention: AxisMention, flat: str) -> str:
    """Whether a value of an axis is the end of a range: ``up``, ``down``, or empty."""
    if mention.sign in "≤<":
        return "up"
    if mention.sign in "≥>":
        return "down"
    start = mention.printed.start
    before = re.sub(r"\b[\w-]{1,40}\s*=\s*$", "", flat[max(start - 60, 0) : start])
    if _UP.search(before):
        return "up"
    if _DOWN.search(before):
        return "down"
    return "down" if _FROM.search(before) and _ON.match(flat, mention.printed.end) else ""


def _ranges(claim: Claim, prose: Prose) -> Iterator[Finding]:
    if not prose.axis_values:
        return
    along = axes_along(claim)
    for mention in prose.axis_values:
        reach = _range(mention, prose.plain)
        said = f"{'up to' if reach == 'up' else 'from'} {mention.axis} = {mention.printed.text.strip()}"
        if reach and not along & {mention.axis, "cell"}:
            yield word_finding(said, f"`every {mention.axis} below …: …` or `from {mention.axis}=…: …`")
        starts = [s for s in claim.scope if isinstance(s, FromOn) and s.axis == mention.axis]
        if reach == "up" and starts and (starts[0].value.value is None or mention.printed.reads(starts[0].value.value)):
            yield word_finding(said, f"`from {mention.axis}=…`, the other way", "correct one of them")
