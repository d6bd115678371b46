"""Whether words beside names and comparatives say what the claim says: how far it reaches, bounds, metrics, ranks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from ..expression import Binary, Call, Name, names, parse
from ..quantity import Printed
from .extent import Extent
from .findings import Finding, Ternary
from .nodes import (
    At,
    Bounded,
    Claim,
    Compared,
    Counted,
    FromOn,
    Item,
    Leads,
    Over,
    Overtakes,
    Plain,
    Quantified,
    Selected,
    Tree,
    Trend,
    Within,
)
from .reader import Reader
from .scope import Context, Data
from .vocabulary import negated_at
from .wording import AxisMention, MetricMention, Prose

__all__ = ["said_otherwise"]

T = TypeVar("T")


def said_otherwise(
    claim: Claim, data: Data, reader: Reader, context: Context, stated: frozenset[str]
) -> Iterator[Finding]:
    """Every word that says another thing than the claim. ``stated``: classes of comparatives that it states."""
    prose = reader.prose
    yield from _extents(claim, data, prose, stated)
    yield from _limits(claim, data, prose)
    yield from _ranges(claim, prose)
    yield from _bounds(claim, data, context, prose)
    yield from _functions(claim, data, context, prose)
    yield from _ranks(claim, data, context, prose)
    yield from _metrics(claim, data, context, prose)


def _word(found: str, expected: str, do: str = "add it to the claim, or choose another word") -> Finding:
    return Finding(Ternary.FALSE, "claim-word", f'"{" ".join(found.split())}"', expected, do)


# --- the claim ---------------------------------------------------------------------------------------------------


def _trees(item: Item) -> tuple[Tree, ...]:
    if isinstance(item, Leads):
        return ()
    if isinstance(item, (Overtakes, Trend)):
        return (item.value, item.other) if isinstance(item, Overtakes) else (item.value,)
    others = {Bounded: "limit", Compared: "other", Within: "other"}
    return (*item.values, *(getattr(item, name) for kind, name in others.items() if isinstance(item, kind)))


def _parts(tree: Tree) -> Iterator[Tree]:
    """A tree and all within it."""
    yield tree
    if isinstance(tree, At):
        yield from _parts(tree.node)
    elif isinstance(tree, Over):
        yield from _parts(tree.value)
    elif isinstance(tree, Call):
        for argument in tree.arguments:
            yield from _parts(argument)
    elif isinstance(tree, Binary):
        yield from _parts(tree.left)
        yield from _parts(tree.right)


def _all_parts(claim: Claim) -> list[Tree]:
    return [part for item in claim.items for tree in _trees(item) for part in _parts(tree)]


def _functions_of(claim: Claim) -> set[str]:
    """min, max, median or geomean, of several or along an axis."""
    found = set()
    for part in _all_parts(claim):
        if isinstance(part, Over) or (isinstance(part, Call) and part.function in ("min", "max")):
            found.add(part.function)
    return found


def _axes_along(claim: Claim) -> set[str]:
    """The axes along which a claim speaks of several points."""
    axes = {s.axis for s in claim.scope if isinstance(s, (Quantified, FromOn, Counted))}
    axes |= {item.axis for item in claim.items if isinstance(item, (Overtakes, Trend))}
    return axes | {part.axis for part in _all_parts(claim) if isinstance(part, Over)}


# --- how far it reaches ------------------------------------------------------------------------------------------


def _extents(claim: Claim, data: Data, prose: Prose, stated: frozenset[str]) -> Iterator[Finding]:
    if not prose.extents:
        return
    along = _axes_along(claim)
    counted = any(isinstance(s, Counted) for s in claim.scope)
    quantifiers = {s.quantifier for s in claim.scope if isinstance(s, Quantified)}
    excepts = any(isinstance(s, Quantified) and s.but for s in claim.scope)
    for extent in prose.extents:
        axis = extent.axis or "…"
        reaches = bool(along) if not extent.axis else bool(along & {extent.axis, "cell"})
        several = len(claim.items) > 1 or any(len(getattr(item, "values", ())) > 1 for item in claim.items)
        if extent.reach == "all":
            if not reaches and not _several_points(extent, data) and not (_cases(extent) and several):
                yield _word(extent.text, f"`every {axis}: …`")
            elif not _total_fits(extent, claim, data):
                yield _word(extent.text, f"as many as the claim goes through: {_count(extent, claim, data)}")
        elif extent.reach == "none":
            turned = any(word.kind in stated and not word.negated for word in prose.words)
            if not counted and "no" not in quantifiers and (not quantifiers & {"every", "each"} or turned):
                yield _word(extent.text, f"`no {axis}: …`", "state the opposite in the claim")
        elif extent.reach == "some":
            if not counted and "some" not in quantifiers:
                yield _word(extent.text, f"`some {axis}: …` or `? of ? {axis}: …`")
        elif not counted and not (extent.reach == "many" and quantifiers & {"every", "each"}):
            yield _word(extent.text, f"`? of ? {axis}: …`", "say how many, as 7 of 12")
        if extent.excepts and not excepts and not counted:
            yield _word(f"{extent.text} but", f"`every {axis} but …: …`")


def _cases(extent: Extent) -> bool:
    return extent.text.lower().endswith(("case", "cases"))


def _several_points(extent: Extent, data: Data) -> bool:
    """Whether a claim looks at several points itself: `read[width=8]; read[width=4]`."""
    if extent.axis == "device":
        return len(data.devices) > 1
    axes = [axis for axis, _ in data.points if extent.axis in ("", axis)]
    return any(axes.count(axis) > 1 for axis in axes)


def _counts(extent: Extent, claim: Claim, data: Data) -> set[int]:
    if extent.axis == "device":
        return {len(data.devices)}
    axes = {extent.axis} if extent.axis else _axes_along(claim)
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
    return extent.total in counts or any(extent.total + n in counts for n in out)


def _limits(claim: Claim, data: Data, prose: Prose) -> Iterator[Finding]:
    scope = claim.scope
    counted = any(isinstance(s, Counted) for s in scope)
    quantified = [s for s in scope if isinstance(s, Quantified)]
    excepts = any(s.but for s in quantified) or counted
    several = bool(_axes_along(claim)) or len(data.devices) > 1
    for limit in prose.limits:
        if limit.kind == "but" and not excepts:
            yield _word(limit.text, "`every axis but …: …`")
        elif limit.kind == "only":
            alone = excepts or any(s.quantifier == "no" for s in quantified)
            alone = alone or any(isinstance(s, FromOn) and s.only for s in scope)
            if not alone and _names_a_point(limit.end, prose):
                yield _word(limit.text, "a claim that fails elsewhere: `only from`, `every … but …` or `? of ?`")
        elif limit.kind == "elsewhere" and not several:
            yield _word(limit.text, "a claim that speaks of several places, as `every axis: …`")
        elif limit.kind == "others" and not _many_others(claim):
            yield _word(limit.text, "`a leads set`, or `a faster than min(b, c)`")


def _names_a_point(place: int, prose: Prose) -> bool:
    starts = [m.start for m in prose.names if m.kind in ("value", "device")]
    starts += [m.printed.start for m in prose.axis_values]
    return any(place <= start <= place + 12 for start in starts)


def _many_others(claim: Claim) -> bool:
    compared = [item for item in claim.items if isinstance(item, (Compared, Within))]
    return (
        any(isinstance(item, Leads) for item in claim.items)
        or bool(_functions_of(claim) & {"min", "max"})
        or len(compared) > 1
        or bool(_axes_along(claim) & {"device"})
    )


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
    along = _axes_along(claim)
    for mention in prose.axis_values:
        reach = _range(mention, prose.plain)
        said = f"{'up to' if reach == 'up' else 'from'} {mention.axis} = {mention.printed.text.strip()}"
        if reach and not along & {mention.axis, "cell"}:
            yield _word(said, f"`every {mention.axis} below …: …` or `from {mention.axis}=…: …`")
        starts = [s for s in claim.scope if isinstance(s, FromOn) and s.axis == mention.axis]
        if reach == "up" and starts and (starts[0].value.value is None or mention.printed.reads(starts[0].value.value)):
            yield _word(said, f"`from {mention.axis}=…`, the other way", "correct one of them")


# --- bounds of numbers -------------------------------------------------------------------------------------------

_MORE = r"(?:more|greater|longer|larger|higher|bigger)"
_LESS = r"(?:less|fewer|shorter|smaller|lower)"
_ABOVE = re.compile(
    rf"\b(?:{_MORE}\s+than|at\s+least|(?:no|not)\s+{_LESS}\s+than|exceed(?:s|ing)?|upwards\s+of)\s*$", re.IGNORECASE
)
_BELOW = re.compile(rf"\b(?:{_LESS}\s+than|at\s+most|(?:no|not)\s+{_MORE}\s+than|up\s+to)\s*$", re.IGNORECASE)
_ABOVE_UNIT = re.compile(r"\b(?<!not )(?:over|above)\s*$", re.IGNORECASE)
_BELOW_UNIT = re.compile(r"\b(?<!not )(?:under|below)\s*$|\bnot\s+over\s*$", re.IGNORECASE)
_OR_MORE = re.compile(rf"\s*(?:(?:or|and)\s+(?:{_MORE}|so\s+more)\b|,?\s*at\s+(?:the\s+)?least\b)", re.IGNORECASE)
_OR_LESS = re.compile(rf"\s*(?:(?:or|and)\s+{_LESS}\b|,?\s*at\s+(?:the\s+)?most\b)", re.IGNORECASE)
_APART = re.compile(rf"\s+(?:{_MORE}|{_LESS})(?!\s*(?:,|;))(?=\s+\w|\s*$|\s*\.)", re.IGNORECASE)


_COPULA = re.compile(r"\s*,?\s*(?:(?:is|are|was|were|which|that|much|far|well|still)\s+)+", re.IGNORECASE)


def _bound(prose: Prose, start: int, end: int, *, unit: bool) -> tuple[str, str]:
    """``over`` or ``under`` with the words that say so, before or behind a number; empty where there are none."""
    before, flat = prose.plain[max(start - 40, 0) : start], prose.plain
    pairs = (("over", _ABOVE, _ABOVE_UNIT), ("under", _BELOW, _BELOW_UNIT))
    for how, plain, with_unit in pairs:
        m = plain.search(before) or (with_unit.search(before) if unit else None)
        if m:
            return how, m[0]
    for how, behind in (("over", _OR_MORE), ("under", _OR_LESS)):
        if m := behind.match(flat, end):
            return how, m[0]
    return "", ""


def _allowed(item: Item) -> set[str]:
    """The bounds that an item's numbers may have in a text."""
    functions = {p.function for tree in _trees(item) for p in _parts(tree) if isinstance(p, (Over, Call))}
    found = {how for name, how in (("min", "over"), ("max", "under")) if name in functions}
    if isinstance(item, (Bounded, Compared)):
        found |= {item.how}
    if isinstance(item, Within):
        found.add("under")
    if isinstance(item, Trend) or (isinstance(item, (Bounded, Compared)) and item.how == "about"):
        found |= {"over", "under"}
    return found


def _of_two(first: Printed, second: Printed, how: str, text: str, prose: Prose) -> bool:
    """Whether two numbers of the text are compared, "1.2 ms is more than 510 µs", and not the wrong way."""
    between = prose.plain[first.end : second.start].removesuffix(text)
    if not _COPULA.fullmatch(between) or (first.style, first.unit) != (second.style, second.unit):
        return False
    return first.value >= second.value if how == "over" else first.value <= second.value


def _best_of_series(claim: Claim, data: Data, context: Context) -> set[str]:
    """The bounds that a derived quantity is itself, being the best, the least or the most of a series."""
    derived = data.definition(context).derived if context.benchmark else {}
    found = set()
    for part in _all_parts(claim):
        key = part.function if isinstance(part, Call) else part.name if isinstance(part, Name) else ""
        if key in derived:
            is_ = derived[key].is_
            higher = "max(" in is_ or ("best(" in is_ and derived[key].better == "higher")
            lower = "min(" in is_ or ("best(" in is_ and derived[key].better == "lower")
            found |= {how for how, so in (("under", higher), ("over", lower)) if so}
    return found


def _bounds(claim: Claim, data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    numbers = prose.numbers
    if not numbers:
        return
    allowed = [_allowed(item) for item in claim.items]
    one_each = len(numbers) == len(claim.items) and not any(isinstance(item, (Leads, Trend)) for item in claim.items)
    one_each = one_each and all(isinstance(s, Selected) for s in claim.scope)
    any_of = set[str]().union(*allowed, _best_of_series(claim, data, context))
    one_each = one_each and any_of == set[str]().union(*allowed)
    differs = any(isinstance(p, Binary) and p.operator == "-" for p in _all_parts(claim))
    plain = all(isinstance(item, Plain) for item in claim.items)
    for i, number in enumerate(numbers):
        how, text = _bound(prose, number.start, number.end, unit=number.style != "plain")
        if how and i and _of_two(numbers[i - 1], number, how, text, prose):
            continue
        if how and how not in (allowed[i] if one_each else any_of):
            yield _word(text, f"`{how} ?`, as the number is a bound" if plain else f"`… {how} ?`")
        if plain and (verb := negated_at(prose.plain, number.start)):
            yield _word(verb, "what it takes", "correct the sentence")
        if plain and not differs and number.style == "value" and (m := _APART.match(prose.plain, number.end)):
            yield _word(number.text.strip() + m[0], "a difference, as `a - b`")


# --- functions and ranks -----------------------------------------------------------------------------------------

_OF_FUNCTION: Mapping[str, frozenset[str]] = {
    "min": frozenset({"minimum", "minimal", "lowest", "least"}),
    "max": frozenset({"maximum", "maximal", "highest", "most"}),
    "median": frozenset({"median"}),
    "geomean": frozenset({"mean", "average", "geomean"}),
}
_DECIDES = frozenset(
    {"minimum", "minimal", "lowest", "maximum", "maximal", "highest", "median", "mean", "average", "geomean"}
)
_LETTERS = re.compile(r"[a-z]+")


def _functions(claim: Claim, data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    """Another function than the claim's: the minimum said of `max(… over n)`, the worst of `min(a, b)`."""
    functions = _functions_of(claim)
    if not functions:
        return
    words = set(_LETTERS.findall(prose.plain.lower()))
    own = frozenset[str]().union(*(_OF_FUNCTION.get(f, frozenset()) for f in functions))
    other = sorted(words & _DECIDES - own)
    if other and not words & own:
        yield _word(other[0], f"a word for `{min(functions)}(…)`", "correct one of them")
    if len(functions) == 1 and functions <= {"min", "max"} and (better := _better(claim, data, context)):
        best = (functions == {"min"}) == (better == "lower")
        said, opposite = ("best", "worst") if best else ("worst", "best")
        if opposite in words and said not in words:
            yield _word(opposite, f'"{said}", as `{min(functions)}(…)` has it', "correct one of them")


def _better(claim: Claim, data: Data, context: Context) -> str:
    """Which direction is better in what a claim compares, where that is one and no quotient."""
    if context.benchmark is None or any(isinstance(part, Binary) for part in _all_parts(claim)):
        return ""
    d = data.definition(context)
    found = {d.quantity(key).better or "" for key in _used(claim, data, context)}
    return found.pop() if len(found) == 1 else ""


_LAST = re.compile(
    r"\b(?:worst|slowest|(?:comes?|is|are|ranks?|finish(?:es)?|ends?)\s+(?:dead\s+)?last|last\s+place|last\s+(?:of|among))\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:best|fastest|(?:comes?|is|are|ranks?|finish(?:es)?|ends?)\s+first|first\s+place|first\s+(?:of|among))\b",
    re.IGNORECASE,
)
_LARGE = re.compile(r"\bthe\s+(?:highest|longest|largest|greatest)\s+(?!speed|rate|through|perform)\w+", re.IGNORECASE)
_SMALL = re.compile(r"\bthe\s+(?:lowest|shortest|smallest)\s+(?!speed|rate|through|perform)\w+", re.IGNORECASE)
_LEADS = frozenset({"fastest", "faster", "place"})
_TRAILS = frozenset({"slowest", "slower"})
_THESE = re.compile(
    r"\b(?:both|(?:of|between|among)\s+(?:all\s+|the\s+|these\s+|those\s+)?(?:two|three|four|five|them|these|those|pair)"
    r"|the\s+others?|the\s+rest)\b",
    re.IGNORECASE,
)


def _ranks(claim: Claim, data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    """Words for the wrong end, groups that are not the claim's, and sets that the sentence does not name."""
    leads = [item for item in claim.items if isinstance(item, Leads)]
    if not leads or context.benchmark is None:
        return
    d = data.definition(context)
    for item in leads:
        lower = d.quantity(item.metric or context.metric or d.default).better == "lower"
        wrong, far = (_FIRST, _SMALL if lower else _LARGE) if item.last else (_LAST, _LARGE if lower else _SMALL)
        relation = "trails" if item.last else "leads"
        if m := wrong.search(prose.plain):
            yield _word(m[0], f"a word for `{relation}`", "correct one of them")
        kinds = {word.kind for word in prose.words}
        if not kinds & (_TRAILS if item.last else _LEADS) and (m := far.search(prose.plain)):
            yield _word(m[0], f"a word for `{relation}`", "correct one of them")
    among = {key for item in leads for key in item.among}
    for group, text in prose.groups:
        if group not in among:
            yield _word(text, f"the set of the claim: {', '.join(sorted(among))}", "correct one of them")
    said = {key for mention in prose.names if mention.kind == "arm" for key in mention.keys}
    if _THESE.search(prose.plain):
        return
    for item in leads:
        named = {arm for rank in item.ranks for arm in rank}
        unsaid = [key for key in (*item.among, *item.but) if key in d.arms and key not in named | said]
        if unsaid and (item.but or not any(key in d.groups for key in item.among)):
            yield _word(
                "the " + ("slowest" if item.last else "fastest"),
                f"the set that is ranked in the sentence: {', '.join(unsaid)}",
                "name them, or rank a group of arms",
            )


# --- metrics -----------------------------------------------------------------------------------------------------

_IS = re.compile(
    r"(?:\s+(?:time|rate))?(?:\s+(?:of|for|with|on|in)\s+(?:the\s+)?(?:[\w-]+|\ue000+)(?:\s+(?!(?:is|are|was|and)\b)"
    r"(?:[\w-]+|\ue000+)){0,4}?)?(?:\s*:|\s+(?:is|are|was|were|comes\s+to|amounts\s+to|stands\s+at|reaches|of|=))"
    r"(?:\s+[a-z]+){0,2}\s+",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\s*(?:,|\ue000)")
_BEGINS = re.compile(r"(?:^|[.;:]\s)\s*(?:the\s+|in\s+|by\s+)?$", re.IGNORECASE)
_BEHIND = re.compile(r"\s+(?:more|less|of)\s+$", re.IGNORECASE)


def _metrics(claim: Claim, data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    """Another metric than the claim's, where the text says that the number is one of it."""
    if not prose.metrics or not prose.numbers or context.benchmark is None:
        return
    if not all(isinstance(item, (Plain, Bounded, Compared)) for item in claim.items):
        return
    spoken = [m for m in prose.metrics if _of_a_number(m, prose)]
    if not spoken:
        return
    d = data.definition(context)
    used = _used(claim, data, context)
    labels = [*used, *(d.quantity(key).label for key in used)]
    own = [frozenset(re.split(r"[\s_-]+", label.lower())) for label in labels]
    if any(m.keys & used for m in prose.metrics):
        return
    for m in spoken:
        words = frozenset(re.split(r"[\s-]+", m.text.lower()))
        if not any(words <= label or label <= words for label in own):
            yield _word(m.text, f"what the claim speaks of: {', '.join(sorted(used))}", "correct one of them")


def _of_a_number(mention: MetricMention, prose: Prose) -> bool:
    flat = prose.plain
    following = next((n for n in prose.numbers if n.start >= mention.end), None)
    if following is not None and _IS.fullmatch(flat, mention.end, following.start):
        return True
    several = len(re.split(r"[\s-]+", mention.text)) > 1
    before = flat[max(mention.start - 8, 0) : mention.start]
    if several and following and _BEGINS.search(before) and _ADVERB.match(flat, mention.end):
        return True
    last = max((n for n in prose.numbers if n.end <= mention.start), key=lambda n: n.end, default=None)
    if last is None or last.style != "value":
        return False
    between = flat[last.end : mention.start]
    return bool(_BEHIND.fullmatch(between)) or (several and not between.strip())


def _used(claim: Claim, data: Data, context: Context) -> frozenset[str]:
    """The metrics and derived quantities that a claim reads, with those that they are made of."""
    d = data.definition(context)
    default = context.metric or d.default
    found: list[str] = []
    for item in claim.items:
        if isinstance(item, Leads):
            found.append(item.metric or default)
        for tree in _trees(item):
            found += _metrics_of(tree, default, d.arms, (*d.metrics, *d.derived))
    used: dict[str, None] = dict.fromkeys(found)
    for key in used.copy():
        if key in d.derived:
            used |= dict.fromkeys(n.name for n in names(parse(d.derived[key].is_, "")) if n.name in d.metrics)
    return frozenset(used)


def _metrics_of(tree: Tree, default: str, arms: Iterable[str], metrics: Iterable[str]) -> Iterator[str]:
    if isinstance(tree, At):
        yield from _metrics_of(tree.node, default, arms, metrics)
    elif isinstance(tree, Over):
        yield from _metrics_of(tree.value, default, arms, metrics)
    elif isinstance(tree, Call) and tree.function in metrics:
        yield tree.function
    elif isinstance(tree, Call):
        for argument in tree.arguments:
            yield from _metrics_of(argument, default, arms, metrics)
    elif isinstance(tree, Binary):
        yield from _metrics_of(tree.left, default, arms, metrics)
        yield from _metrics_of(tree.right, default, arms, metrics)
    elif isinstance(tree, Name):
        if tree.name in arms:
            yield default
        elif tree.name in metrics:
            yield tree.name
