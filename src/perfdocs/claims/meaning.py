"""Whether words beside names and comparatives say what the claim says: functions, ranks, metrics, and more of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..expression import Binary, Call, Name, names, parse
from .armwords import sets_of
from .bounds import best_of_series, bounds_otherwise
from .context import Context
from .findings import Finding, Ternary
from .nodes import (
    At,
    Bounded,
    Claim,
    Compared,
    Leads,
    Over,
    Plain,
    Tree,
)
from .normed import normed_otherwise
from .phrases import word_finding
from .places import places_otherwise
from .reach import functions_of
from .scope import Data
from .statistics import statistics_otherwise
from .wording import MetricMention, Prose

__all__ = ["said_otherwise"]


def said_otherwise(claim: Claim, data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    """Every word that says another thing than the claim."""
    yield from bounds_otherwise(claim, data, context, prose)
    yield from _functions(claim, data, context, prose)
    yield from _ranks(claim, data, context, prose)
    yield from _metrics(claim, data, context, prose)
    yield from places_otherwise(claim, prose)
    d = data.definition(context) if context.benchmark else None
    used = _used(claim, data, context) if d else frozenset[str]()
    yield from normed_otherwise(claim, d, used, functions_of(claim), prose)
    series = best_of_series(claim, data, context)
    yield from statistics_otherwise(claim, d, used, functions_of(claim), series, prose)


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
    if context.benchmark is None or any(isinstance(part, Binary) for part in claim.parts):
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
        for tree in item.trees:
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
