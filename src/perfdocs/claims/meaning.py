"""Whether words beside names and comparatives say what the claim says: bounds, functions, ranks, metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..expression import Binary, Call, Name, names, parse
from ..quantity import Printed
from .armwords import sets_of
from .comparatives import negated_at
from .context import Context
from .findings import Finding, Ternary
from .nodes import (
    At,
    Bounded,
    Claim,
    Compared,
    Item,
    Leads,
    Over,
    Plain,
    Quantified,
    Selected,
    Tree,
    Trend,
    Within,
    all_parts,
    parts_of,
    trees_of,
)
from .normed import normed_otherwise
from .phrases import word_finding
from .places import places_otherwise
from .reach import functions_of
from .scope import Data
from .wording import MetricMention, Prose

__all__ = ["best_of_series", "said_otherwise"]


def said_otherwise(claim: Claim, data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    """Every word that says another thing than the claim."""
    yield from _bounds(claim, data, context, prose)
    yield from _functions(claim, data, context, prose)
    yield from _ranks(claim, data, context, prose)
    yield from _metrics(claim, data, context, prose)
    yield from places_otherwise(claim, prose)
    d = data.definition(context) if context.benchmark else None
    used = _used(claim, data, context) if d else frozenset[str]()
    yield from normed_otherwise(claim, d, used, functions_of(claim), prose)


# --- bounds of numbers -----------------------------------------------------------------------------------------------

_MORE = r"(?:more|greater|longer|larger|higher|bigger)"
_LESS = r"(?:less|fewer|shorter|smaller|lower)"
_ABOVE = re.compile(
    rf"\b(?:{_MORE}\s+than|at\s+least|(?:no|not)\s+{_LESS}\s+than|exceed(?:s|ing)?|upwards\s+of|in\s+excess\s+of)\s*$|[>≥]\s*$",
    re.IGNORECASE,
)
_BELOW = re.compile(rf"\b(?:{_LESS}\s+than|at\s+most|(?:no|not)\s+{_MORE}\s+than|up\s+to)\s*$|[<≤]\s*$", re.IGNORECASE)
_ABOVE_UNIT = re.compile(r"\b(?<!not )(?:over|above)\s*$", re.IGNORECASE)
_BELOW_UNIT = re.compile(r"\b(?<!not )(?:under|below)\s*$|\bnot\s+over\s*$", re.IGNORECASE)
_TAKES = re.compile(
    r"\b(?:takes?|took|needs?|costs?|reach(?:es)?)\s+(?:well\s+|just\s+|far\s+)?(?:over|above|under|below)\s*$",
    re.IGNORECASE,
)
"""Behind such a verb they bound a number without a unit as well; else it may be counted over so many."""
_BEFORE = re.compile(
    r"(?:\b(?:than|least|exceed(?:s|ing)?|of|most|to|over|above|under|below)|[<>≤≥])\s*$", re.IGNORECASE
)
"""What a bound before a number ends with."""
_TIMES = re.compile(r"\s+times\b")
_OR_MORE = re.compile(rf"\s*(?:(?:or|and)\s+(?:{_MORE}|so\s+more)\b|,?\s*at\s+(?:the\s+)?least\b)", re.IGNORECASE)
_OR_LESS = re.compile(rf"\s*(?:(?:or|and)\s+{_LESS}\b|,?\s*at\s+(?:the\s+)?most\b)", re.IGNORECASE)
_APART = re.compile(rf"\s+(?:{_MORE}|{_LESS})(?!\s*(?:,|;))(?=\s+\w|\s*$|\s*\.)", re.IGNORECASE)


_COPULA = re.compile(r"\s*,?\s*(?:(?:is|are|was|were|which|that|much|far|well|still)\s+)+", re.IGNORECASE)


def _bound(prose: Prose, start: int, end: int, *, unit: bool) -> tuple[str, str]:
    """``over`` or ``under`` with the words that say so, before or behind a number; empty where there are none."""
    before, flat = prose.plain[max(start - 40, 0) : start], prose.plain
    if _BEFORE.search(before):
        unit = unit or bool(_TAKES.search(before) or _TIMES.match(flat, end))
        pairs = (("over", _ABOVE, _ABOVE_UNIT), ("under", _BELOW, _BELOW_UNIT))
        for how, plain, with_unit in pairs:
            m = plain.search(before) or (with_unit.search(before) if unit else None)
            if m:
                return how, m[0]
    for how, behind in (("over", _OR_MORE), ("under", _OR_LESS)):
        if m := behind.match(flat, end):
            return how, m[0]
    return "", ""


_STRICT = re.compile(
    rf"\b(?:over|above|under|below|exceed(?:s|ing)?|upwards\s+of|in\s+excess\s+of)\s*$"
    rf"|\b(?<!no\s)(?<!not\s)(?:{_MORE}|{_LESS})\s+than\s*$|[<>]\s*$",
    re.IGNORECASE,
)
"""Bounds that are not reached: the least of several is at least, and not over, what it is."""


def _allowed(item: Item, *, strict: bool = False) -> set[str]:
    """The bounds that an item's numbers may have in a text; with ``strict`` those that are not reached."""
    functions = {p.function for tree in trees_of(item) for p in parts_of(tree) if isinstance(p, (Over, Call))}
    found = {how for name, how in (("min", "over"), ("max", "under")) if name in functions and not strict}
    if isinstance(item, (Bounded, Compared)):
        found |= {item.how}
    if isinstance(item, Within):
        found.add("under")
    if isinstance(item, Trend) or (isinstance(item, (Bounded, Compared)) and item.how == "about"):
        found |= {"over", "under"}
    return found


_ABOUT = re.compile(
    r"(?:\b(?:about|around|some|roughly|approximately|approx\.|circa|ca\.|nearly|almost|near|close\s+to)|[≈~∼])\s*$",
    re.IGNORECASE,
)
_OR_SO = re.compile(r"\s*(?:(?:or|and)\s+(?:so|thereabouts)\b|,?\s*(?:roughly|approximately)\b)", re.IGNORECASE)
_EXACTLY = re.compile(r"\b(?:exactly|precisely)\s+$", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:,|and|or)\s*(?:and\s+)?")
_EXAMPLES = {"over": "over, more than, at least", "under": "under, at most, up to", "about": "about, roughly"}


def _hows(item: Item) -> str:
    """The bound that an item states for its number."""
    how = item.how if isinstance(item, (Bounded, Compared)) else ""
    return how if how in _EXAMPLES else ""


def _without_word(claim: Claim, prose: Prose, *, one_each: bool) -> Iterator[Finding]:
    """Bare numbers where the claim has a bound, "takes 9 s" of `under ?`, and exact ones that are none."""
    wanted = [_hows(item) for item in claim.items]
    said = [_said_bounds(prose, number) for number in prose.numbers]
    for i, number in enumerate(prose.numbers):
        if i and _JOINED.fullmatch(prose.plain, prose.numbers[i - 1].end, number.start):
            said[i] = said[i] or said[i - 1]  # "over 5 and 7 ms"
        if any(wanted) and _EXACTLY.search(prose.plain, max(number.start - 12, 0), number.start):
            yield word_finding(f"exactly {number.text.strip()}", "a value without a bound", "correct one of them")
    pairs = zip(wanted, said, strict=True) if one_each else ((how, set().union(*said)) for how in wanted)
    for how, words in pairs:
        if how and how not in words:
            yield word_finding(
                prose.numbers[0].text.strip(), f"a word for `{how}`: {_EXAMPLES[how]}", "write the bound in the text"
            )


def _said_bounds(prose: Prose, number: Printed) -> set[str]:
    """The bounds that the words beside a number state."""
    how, _ = _bound(prose, number.start, number.end, unit=True)
    before = prose.plain[max(number.start - 20, 0) : number.start]
    about = _ABOUT.search(before) or _OR_SO.match(prose.plain, number.end)
    return {word for word in (how, "about" if about else "") if word}


def _of_two(first: Printed, second: Printed, how: str, text: str, prose: Prose) -> bool:
    """Whether two numbers of the text are compared, "1.2 ms is more than 510 µs", and not the wrong way."""
    between = prose.plain[first.end : second.start].removesuffix(text)
    if not _COPULA.fullmatch(between) or (first.style, first.unit) != (second.style, second.unit):
        return False
    return first.value >= second.value if how == "over" else first.value <= second.value


def best_of_series(claim: Claim, data: Data, context: Context) -> set[str]:
    """The bounds that a derived quantity is itself, being the best, the least or the most of a series."""
    derived = data.definition(context).derived if context.benchmark else {}
    found = set()
    for part in all_parts(claim):
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
    any_of = set[str]().union(*allowed, best_of_series(claim, data, context))
    one_each = one_each and any_of == set[str]().union(*allowed)
    differs = any(isinstance(p, Binary) and p.operator == "-" for p in all_parts(claim))
    plain = all(isinstance(item, Plain) for item in claim.items)
    asserted = not any(isinstance(s, Quantified) and s.quantifier == "no" for s in claim.scope)
    asserted = asserted and all(getattr(item, "how", "") in ("", "=") for item in claim.items)
    yield from _without_word(claim, prose, one_each=one_each)
    for i, number in enumerate(numbers):
        how, text = _bound(prose, number.start, number.end, unit=number.style != "plain")
        if how and i and _of_two(numbers[i - 1], number, how, text, prose):
            continue
        if how and _STRICT.search(text):
            own = {h for item in ([claim.items[i]] if one_each else claim.items) for h in _allowed(item, strict=True)}
        else:
            own = allowed[i] if one_each else any_of
        if how and how not in own:
            yield word_finding(text, f"`{how} ?`, as the number is a bound" if plain else f"`… {how} ?`")
        if asserted and not how and (verb := negated_at(prose.plain, number.start)):
            yield word_finding(verb, "what it takes", "correct the sentence")
        if plain and not differs and number.style == "value" and (m := _APART.match(prose.plain, number.end)):
            yield word_finding(number.text.strip() + m[0], "a difference, as `a - b`")


# --- functions and ranks ---------------------------------------------------------------------------------------------

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
    functions = functions_of(claim)
    if not functions:
        return
    words = set(_LETTERS.findall(prose.plain.lower()))
    own = frozenset[str]().union(*(_OF_FUNCTION.get(f, frozenset()) for f in functions))
    other = sorted(words & _DECIDES - own)
    if other and not words & own:
        yield word_finding(other[0], f"a word for `{min(functions)}(…)`", "correct one of them")
    if len(functions) == 1 and functions <= {"min", "max"} and (better := _better(claim, data, context)):
        best = (functions == {"min"}) == (better == "lower")
        said, opposite = ("best", "worst") if best else ("worst", "best")
        if opposite in words and said not in words:
            yield word_finding(opposite, f'"{said}", as `{min(functions)}(…)` has it', "correct one of them")


def _better(claim: Claim, data: Data, context: Context) -> str:
    """Which direction is better in what a claim compares, where that is one and no quotient."""
    if context.benchmark is None or any(isinstance(part, Binary) for part in all_parts(claim)):
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
            yield word_finding(m[0], f"a word for `{relation}`", "correct one of them")
        kinds = {word.kind for word in prose.words}
        if not kinds & (_TRAILS if item.last else _LEADS) and (m := far.search(prose.plain)):
            yield word_finding(m[0], f"a word for `{relation}`", "correct one of them")
    among = {key for item in leads for key in item.among} | {key for one in sets_of(claim) for key in one.of}
    for group, text in prose.groups:
        if group not in among:
            yield word_finding(text, f"the set of the claim: {', '.join(sorted(among))}", "correct one of them")
    said = {key for mention in prose.names if mention.kind == "arm" for key in mention.keys}
    if _THESE.search(prose.plain):
        return
    for item in leads:
        named = {arm for rank in item.ranks for arm in rank}
        unsaid = [key for key in (*item.among, *item.but) if key in d.arms and key not in named | said]
        if unsaid and (item.but or not any(key in d.groups for key in item.among)):
            yield Finding(
                Ternary.FALSE,
                "claim-word",
                f"the {'slowest' if item.last else 'fastest'} of a set that the sentence does not name",
                f"{' and '.join(unsaid)} in it",
                "name them, or rank a group of arms",
            )


# --- metrics ---------------------------------------------------------------------------------------------------------

_IS = re.compile(
    r"(?:\s+(?:time|rate))?(?:(?:\s+of\s+(?:the\s+)?\ue000+)?\s*:"
    r"|(?:\s+(?:of|for|with|on|in)\s+(?:the\s+)?(?:[\w-]+|\ue000+)(?:\s+(?!(?:is|are|was|and)\b)(?:[\w-]+|\ue000+)){0,4}?)?"
    r"\s+(?:is|are|was|were|comes\s+to|amounts\s+to|stands\s+at|reaches|of|=)(?:\s+[a-z]+){0,2})\s+",
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
        if not any(words <= label for label in own):
            yield word_finding(m.text, f"what the claim speaks of: {', '.join(sorted(used))}", "correct one of them")


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
        for tree in trees_of(item):
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
