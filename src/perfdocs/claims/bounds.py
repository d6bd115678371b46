"""Whether numbers have the bounds in a text that they have in the claim: "over", "at most", "never more than"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from ..expression import Binary, Call, Name
from ..quantity import Printed
from .comparatives import negated_at
from .context import Context
from .findings import Finding
from .nodes import (
    Bounded,
    Claim,
    Compared,
    Item,
    Leads,
    Over,
    Plain,
    Quantified,
    Selected,
    Trend,
    Within,
)
from .phrases import word_finding
from .reach import axes_along
from .scope import Data
from .wording import Prose

__all__ = ["best_of_series", "bounds_otherwise", "sizes_otherwise"]

_MORE = r"(?:more|greater|longer|larger|higher|bigger)"
_LESS = r"(?:less|fewer|shorter|smaller|lower)"
_ABOVE = re.compile(
    rf"\b(?:(?<!no\s)(?<!not\s){_MORE}\s+than|at\s+least|(?:no|not)\s+{_LESS}\s+than|exceed(?:s|ing)?|upwards\s+of|in\s+excess\s+of)\s*$|[>≥]\s*$",
    re.IGNORECASE,
)
_BELOW = re.compile(
    rf"\b(?:(?<!no\s)(?<!not\s){_LESS}\s+than|at\s+most|(?:no|not)\s+{_MORE}\s+than|up\s+to)\s*$|[<≤]\s*$",
    re.IGNORECASE,
)
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
_OR_MORE = re.compile(
    rf"\s*(?:(?:or|and)\s+(?:{_MORE}|so\s+more)\b|,?\s*at\s+(?:the\s+)?least\b)|\+(?![\w(])", re.IGNORECASE
)
_OR_LESS = re.compile(rf"\s*(?:(?:or|and)\s+{_LESS}\b|,?\s*at\s+(?:the\s+)?most\b)", re.IGNORECASE)
_APART = re.compile(rf"\s+(?:{_MORE}|{_LESS})(?!\s*(?:,|;))(?=\s+\w|\s*$|\s*\.)", re.IGNORECASE)
_COPULA = re.compile(r"\s*,?\s*(?:(?:is|are|was|were|which|that|much|far|well|still)\s+)+", re.IGNORECASE)


@lru_cache(maxsize=256)  # several rules ask it of one number
def _bound(flat: str, start: int, end: int, *, unit: bool) -> tuple[str, str, int]:
    """``over`` or ``under`` with the words that say so, before or behind a number, and where a "not" would stand.

    Empty where there are none.
    """
    before = flat[max(start - 40, 0) : start]
    if _BEFORE.search(before):
        unit = unit or bool(_TAKES.search(before) or _TIMES.match(flat, end))
        pairs = (("over", _ABOVE, _ABOVE_UNIT), ("under", _BELOW, _BELOW_UNIT))
        for how, plain, with_unit in pairs:
            m = plain.search(before) or (with_unit.search(before) if unit else None)
            if m:
                return how, m[0], start - len(before) + m.start()
    for how, behind in (("over", _OR_MORE), ("under", _OR_LESS)):
        if m := behind.match(flat, end):
            return how, m[0], start
    return "", "", start


_TURNED = {"over": "under", "under": "over", "": ""}


def _denied(prose: Prose, place: int, claim: Claim) -> str:
    """The words that turn a bound at a place round, "never takes more than"; none where the claim is turned as well."""
    if _says_no(claim):
        return ""
    none = next((extent.text for extent in prose.extents if extent.reach == "none" and extent.end <= place), "")
    return negated_at(prose.plain, place) or none


def _says_no(claim: Claim) -> bool:
    return any(isinstance(s, Quantified) and s.quantifier == "no" for s in claim.scope)


def _bounds_said(claim: Claim, prose: Prose) -> set[str]:
    """The bounds that the words beside any number state."""
    return set[str]().union(*(_said_bounds(claim, prose, number) for number in prose.numbers))


_STRICT = re.compile(
    rf"\b(?:over|above|under|below|exceed(?:s|ing)?|upwards\s+of|in\s+excess\s+of)\s*$"
    rf"|\b(?<!no\s)(?<!not\s)(?:{_MORE}|{_LESS})\s+than\s*$|[<>]\s*$",
    re.IGNORECASE,
)
"""Bounds that are not reached: the least of several is at least, and not over, what it is."""


def _allowed(item: Item, *, strict: bool = False) -> set[str]:
    """The bounds that an item's numbers may have in a text; with ``strict`` those that are not reached."""
    functions = {p.function for p in item.parts if isinstance(p, (Over, Call))}
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
    if not any(wanted):
        return
    said = [_said_bounds(claim, prose, number) for number in prose.numbers]
    for i, number in enumerate(prose.numbers):
        if i and _JOINED.fullmatch(prose.plain, prose.numbers[i - 1].end, number.start):
            said[i] = said[i] or said[i - 1]  # "over 5 and 7 ms"
        if _EXACTLY.search(prose.plain, max(number.start - 12, 0), number.start):
            yield word_finding(f"exactly {number.text.strip()}", "a value without a bound", "correct one of them")
    pairs = zip(wanted, said, strict=True) if one_each else ((how, set().union(*said)) for how in wanted)
    for how, words in pairs:
        if how and how not in words:
            yield word_finding(
                prose.numbers[0].text.strip(), f"a word for `{how}`: {_EXAMPLES[how]}", "write the bound in the text"
            )


def _said_bounds(claim: Claim, prose: Prose, number: Printed) -> set[str]:
    """The bounds that the words beside a number state."""
    how, _, place = _bound(prose.plain, number.start, number.end, unit=True)
    how = _TURNED[how] if _denied(prose, place, claim) else how
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
    for part in claim.parts:
        key = part.function if isinstance(part, Call) else part.name if isinstance(part, Name) else ""
        if key in derived:
            is_ = derived[key].is_
            higher = "max(" in is_ or ("best(" in is_ and derived[key].better == "higher")
            lower = "min(" in is_ or ("best(" in is_ and derived[key].better == "lower")
            found |= {how for how, so in (("under", higher), ("over", lower)) if so}
    return found


def _read(claim: Claim, prose: Prose, number: Printed) -> tuple[str, str, bool, str]:
    """The bound of a number, its words, whether it is not reached, and what turns it round."""
    how, text, place = _bound(prose.plain, number.start, number.end, unit=number.style != "plain")
    strict = _STRICT.search(text) is not None
    if not how or not (verb := _denied(prose, place, claim)):
        return how, text, strict, ""
    return _TURNED[how], f"{verb} {text}", not strict, verb


def _strictly(claim: Claim, number: int | None) -> set[str]:
    """The bounds that are not reached, of one item or of all."""
    items = claim.items if number is None else (claim.items[number],)
    return {how for item in items for how in _allowed(item, strict=True)}


def bounds_otherwise(claim: Claim, data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    """Numbers with a bound that the claim does not have, without one that it has, and denied ones."""
    if not prose.numbers:
        return
    each = len(prose.numbers) == len(claim.items) and all(isinstance(s, Selected) for s in claim.scope)
    each = each and not any(isinstance(item, (Leads, Trend)) for item in claim.items)
    of_items = set[str]().union(*map(_allowed, claim.items))
    any_of = of_items | best_of_series(claim, data, context)
    each = each and any_of == of_items
    yield from _without_word(claim, prose, one_each=each)
    yield from _with_word(claim, prose, any_of, one_each=each)
    yield from _denials(claim, prose)


def _with_word(claim: Claim, prose: Prose, any_of: set[str], *, one_each: bool) -> Iterator[Finding]:
    """Bounds beside numbers that the claim does not have; ``any_of``: those that some item of it has."""
    numbers = prose.numbers
    plain = all(isinstance(item, Plain) for item in claim.items)
    for i, number in enumerate(numbers):
        how, text, strict, turned = _read(claim, prose, number)
        if not how or (not turned and i and _of_two(numbers[i - 1], number, how, text, prose)):
            continue
        own = _allowed(claim.items[i]) if one_each else any_of
        if strict:
            own = own & _strictly(claim, i if one_each else None)
        if how not in own:
            yield word_finding(text, f"`{how} ?`, as the number is a bound" if plain else f"`… {how} ?`")
        if re.match("never|nowhere", turned, re.IGNORECASE) and not axes_along(claim):
            yield word_finding(text, "`every axis: …`")


def _denials(claim: Claim, prose: Prose) -> Iterator[Finding]:
    """Numbers that the text denies, and those of a difference that the claim does not take."""
    differs = any(isinstance(p, Binary) and p.operator == "-" for p in claim.parts)
    plain = all(isinstance(item, Plain) for item in claim.items)
    asserted = not _says_no(claim) and all(getattr(item, "how", "") in ("", "=") for item in claim.items)
    for number in prose.numbers:
        verb = negated_at(prose.plain, number.start) if asserted else ""
        if verb and not _read(claim, prose, number)[0]:
            yield word_finding(verb, "what it takes", "correct the sentence")
        if plain and not differs and number.style == "value" and (m := _APART.match(prose.plain, number.end)):
            yield word_finding(number.text.strip() + m[0], "a difference, as `a - b`")


# --- words of size ---------------------------------------------------------------------------------------------------

_MORE_WORDS = frozenset({"more", "larger", "higher", "greater", "bigger", "above", "over", "exceeds", "the most"})
_LESS_WORDS = frozenset({"less", "smaller", "lower", "fewer", "below", "under", "the least"})
_AT_MOST = frozenset({"within", "most", "no", "not", "up"})


def sizes_otherwise(claim: Claim, relations: AbstractSet[str], prose: Prose) -> Iterator[Finding]:
    """`more` and `under` are common words: only a text that says nothing but the opposite is refused."""
    if not relations & {"more", "over", "less", "under", "within"}:
        return
    if relations & _bounds_said(claim, prose):
        return  # "never more than" is no word for more
    text = prose.text.lower()
    words = {*re.findall(r"[a-z]+", text), *re.findall(r"\bthe (?:most|least)\b", text)}
    for stated, same, opposite in (
        ({"more", "over"}, _MORE_WORDS, _LESS_WORDS),
        ({"less", "under"}, _LESS_WORDS, _MORE_WORDS),
        ({"within"}, _LESS_WORDS | _AT_MOST, frozenset({"more", "exceeds", "beyond", "outside"})),
    ):
        other = {"more", "over", "less", "under"} - stated
        if relations & stated and not relations & other and words & opposite and not words & same:
            relation = min(relations & stated)
            yield word_finding(min(words & opposite), f"a word for `{relation}`", "correct one of them")
