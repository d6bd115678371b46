"""False edits of the words a claim is bound to. The expression stays; only what a reader sees is changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from ..claims.model import Bound
from ..claims.nodes import Bounded, Counted, FromOn, Plain, Quantified
from ..claims.syntax import parse_claim
from ..errors import PerfdocsError
from .names import Ring, Said, said
from .words import BOUNDS, COMPARATIVES, FEWER, LIMITS, MULTIPLES, NEGATIONS, PLACES, QUANTIFIERS, UNITS, WEAKENED

__all__ = ["KINDS", "Edit", "Mutation", "mutations"]

KINDS: Mapping[str, str] = {
    "number": "a number by one unit of its last digit",
    "unit": "another unit",
    "arm": "another arm of the benchmark",
    "value": "another value of an axis",
    "device": "another device",
    "order": "two names exchanged",
    "comparative": "a comparative turned round",
    "quantifier": "another quantifier",
    "negation": "a negation put in",
    "rank": "another place in the order",
    "bound": "a number made a bound, or a point a range",
    "limit": "the word of a bound taken away",
    "multiple": "a multiple in words by its inverse",
    "subject": "what is compared and what it is compared with exchanged",
}
"""What may be changed, with its meaning."""

_GAP = "\u0020\u00a0\u202f\u2009"
_NUMBER = re.compile(
    rf"(?<![\w.^])(?<![A-Za-z]-)(?:\d{{1,3}}(?:[{_GAP}]\d{{3}}(?!\d))+|\d+)(?:\.\d+)?(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
)
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_UNSUPER = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_CODE = re.compile(r"`[^`]*`")

_NUMBER_NEXT = r"[ \n]+\**\d"
_ASSERTED = re.compile(
    r"[ \n]+(?:the\s+)?(?:\**\d|(?:ahead|behind|level|faster|slower|fastest|slowest)(?![\w-]))", re.IGNORECASE
)
"""What a verb says of it: a number, or how it compares."""

_THAN = r"(?P<than>(?:faster|slower|quicker|more|less)\s+than|ahead\s+of|behind)\s+(?:the\s+)?"
_MUCH = r"\s+(?:(?:still|only|also|about|by|over|under)\s+)*(?:\**[\d.]+\s?(?:×|%|times)\**\s+)?"
_COMPARED = re.compile(rf"[`*]*\s+(?P<is>is|are|runs|run)(?:{_MUCH}){_THAN}[`*]*", re.IGNORECASE)
_PRONOUN = re.compile(rf"(?<![\w-])(?P<it>it|this|that|they)\s+(?:is|are|runs|run){_MUCH}{_THAN}[`*]*$", re.IGNORECASE)

Edit = tuple[int, int, str]
"""A stretch of the text and what to put there."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One false edit of a claim's words: what sort, and what stands where."""

    bound: Bound
    kind: str
    edits: tuple[Edit, ...]
    axis: str = ""
    """Of names that are values of one: which."""
    beside: bool = False
    """Whether the claim says nothing that the word could be about: it compares, or counts, nothing."""

    @property
    def text(self) -> str:
        """The words of the claim after it."""
        return _edited(self.bound.text, self.edits)

    @property
    def mutant(self) -> Bound:
        """The claim as it stands then: its expression is as it was."""
        return replace(self.bound, text=self.text)

    @property
    def before(self) -> str:
        """What stood there, in one line."""
        return " … ".join(" ".join(self.bound.text[start:end].split()) for start, end, _ in self.edits)

    @property
    def after(self) -> str:
        """What stands there now."""
        return " … ".join(new for _, _, new in self.edits)


def _edited(text: str, edits: Iterable[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def mutations(bound: Bound, known: Sequence[Ring]) -> Iterator[Mutation]:
    """Every false edit of a claim's words. ``known``: names that may stand in them."""
    names = said(bound.text, known)
    taken = [(n.start, n.end) for n in names]
    plain = _blanked(bound.text, taken)
    for edit in _numbers(plain):
        yield Mutation(bound, "number", (edit,))
    for edit in _units(plain):
        yield Mutation(bound, "unit", (edit,))
    yield from _names(bound, names)
    prose = _blanked(plain, [m.span() for m in _CODE.finditer(plain)])
    compares, counts = _speaks(bound)
    for edit in _turned(prose, COMPARATIVES):
        yield Mutation(bound, "comparative", (edit,), beside=not compares)
    for edit in _turned(prose, QUANTIFIERS):
        yield Mutation(bound, "quantifier", (edit,), beside=not counts)
    for edit in (*_turned(prose, WEAKENED), *_turned(prose, FEWER)):
        yield Mutation(bound, "quantifier", (edit,), beside=not counts)
    for edit in _turned(prose, NEGATIONS):
        if edit[2].startswith(("far", "Far")) or _ASSERTED.match(prose, edit[1]):
            yield Mutation(
                bound, "negation", (edit,), beside=not compares and not re.match(_NUMBER_NEXT, prose[edit[1] :])
            )
    for edit in _turned(prose, PLACES):
        yield Mutation(bound, "rank", (edit,), beside=not compares)
    for edit in _turned(prose, MULTIPLES):
        yield Mutation(bound, "multiple", (edit,))
    for edit in _unlimited(prose):
        yield Mutation(bound, "limit", (edit,))
    for exchanged in _inverted(bound.text, prose, names):
        yield Mutation(bound, "subject", exchanged)
    for word, others in BOUNDS.items():
        for edit in (edit for other in others for edit in _turned(prose, {word: other})):
            if re.match(_NUMBER_NEXT, prose[edit[1] :]):
                yield Mutation(bound, "bound", (edit,))


def _speaks(bound: Bound) -> tuple[bool, bool]:
    """Whether a claim compares anything, and whether it says of how many something holds."""
    try:
        claim = parse_claim(bound.expression, bound.where)
    except PerfdocsError:
        return False, False
    compares = any(not isinstance(i, Plain) and not (isinstance(i, Bounded) and i.how == "=") for i in claim.items)
    counts = any(isinstance(s, (Quantified, FromOn, Counted)) for s in claim.scope)
    return compares, counts


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    out = list(text)
    for start, end in spans:
        out[start:end] = "\x1f" * (end - start)
    return "".join(out)


def _numbers(text: str) -> Iterator[Edit]:
    for m in _NUMBER.finditer(text):
        if m["power"]:
            power = int(m["power"].translate(_SUPER))
            for exponent in (power + 1, power - 1):
                yield m.start("power"), m.end("power"), str(exponent).translate(_UNSUPER)
            continue
        digits = re.sub(f"[{_GAP}]", "", m[0])
        number = Decimal(digits)
        step = Decimal(1).scaleb(int(number.as_tuple().exponent))
        for other in (number + step, number - step):
            if other >= 0:
                yield m.start(), m.end(), _grouped(f"{other:f}", m[0])


def _grouped(digits: str, like: str) -> str:
    """Digits in groups where the number they replace has them."""
    gap = re.search(f"[{_GAP}]", like)
    if not gap:
        return digits
    whole, point, fraction = digits.partition(".")
    return f"{int(whole):,}".replace(",", gap[0]) + point + fraction


def _units(text: str) -> Iterator[Edit]:
    for unit, others in UNITS.items():
        for m in re.finditer(rf"(?<=\d)(?P<gap>[{_GAP}]?){re.escape(unit)}(?![\w/])", text):
            for other in others:
                yield m.start("gap") if other[0] in "×\u00a0" else m.end("gap"), m.end(), other


def _names(bound: Bound, names: Sequence[Said]) -> Iterator[Mutation]:
    text = bound.text
    for name in names:
        ring = name.ring
        others = dict.fromkeys((name.index + step) % len(ring.spellings) for step in (1, -1))
        for other in others:
            if ring.spellings[other] != ring.spellings[name.index]:
                edit = (name.start, name.end, _like(text[name.start : name.end], ring.spellings[other]))
                yield Mutation(bound, ring.kind, (edit,), ring.where)
    for a, b in pairwise(names):
        if a.ring.kind == b.ring.kind and a.ring.where == b.ring.where and a.key != b.key:
            edits = tuple((x.start, x.end, _like(text[x.start : x.end], y.spelling)) for x, y in ((a, b), (b, a)))
            yield Mutation(bound, "order", edits, a.ring.where)


def _unlimited(text: str) -> Iterator[Edit]:
    """The words of bounds before numbers, each taken away with the gap behind it."""
    words = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in sorted(LIMITS, key=len, reverse=True))
    for m in re.finditer(rf"(?<![\w-])(?:{words})[ \n]+(?=\**\d)", text, re.IGNORECASE):
        yield m.start(), m.end(), ""


def _inverted(text: str, plain: str, names: Sequence[Said]) -> Iterator[tuple[Edit, ...]]:
    """What is compared for the other: "faster than A is B" of "A is faster than B", "B is … it" of "it is … B"."""
    names = [name for name in names if name.ring.kind == "arm" and text[name.start - 1 : name.start] != "`"]
    for a, b in pairwise(names):
        between = _COMPARED.fullmatch(plain, a.end, b.start)
        if between and a.key != b.key:
            first, second = text[a.start : a.end], text[b.start : b.end]
            first = a.spelling if first.lower() == a.spelling.lower() else first  # no capital any more
            yield ((a.start, b.end, f"{between['than'].capitalize()} {first} {between['is']} {second}"),)
    for name in names:
        if m := _PRONOUN.search(plain, max(name.start - 80, 0), name.start):
            pronoun, spelling = m["it"], text[name.start : name.end]
            yield ((*m.span("it"), _like(pronoun, spelling)), (name.start, name.end, pronoun.lower()))


def _like(old: str, new: str) -> str:
    """With a capital where the old one has one at the start of a sentence."""
    return new[0].upper() + new[1:] if old[0].isupper() and not old[1:2].isupper() and new[0] != "`" else new


def _turned(text: str, words: Mapping[str, str]) -> Iterator[Edit]:
    """Each word of a table by its other; of words one in another, the longer."""
    alternatives = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in sorted(words, key=len, reverse=True))
    for m in re.finditer(rf"(?<![\w-])(?:{alternatives})(?![\w-])", text, re.IGNORECASE):
        yield m.start(), m.end(), _like(m[0], words[" ".join(m[0].lower().split())])
