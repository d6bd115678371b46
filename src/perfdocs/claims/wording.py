"""What a stretch of prose says that a claim must answer for: numbers, axis values, names and comparative words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..definition import Definition
from ..quantity import Printed, axis_text, format_value, parse_printed

__all__ = ["KNOWN_WORDS", "AxisMention", "Mention", "Prose", "Word", "borrow_unit", "read_prose", "reword"]

MAX_TEXT = 4000
_CODE = re.compile(r"(`+)(.{1,200}?)\1", re.DOTALL)
_JOIN = re.compile(r"\s*(?:,|and|or|to|–|through)\s*")

_WORDS: dict[str, tuple[str, ...]] = {
    "faster": ("faster", "quicker", "ahead", "beats", "beat", "outruns", "outpaces"),
    "fastest": ("fastest", "quickest", "leads", "leading", "wins"),
    "slower": ("slower", "behind", "trails", "lags"),
    "slowest": ("slowest",),
    "level": ("level", "tie", "ties", "tied"),
    "within": ("within",),
    "overtakes": ("overtakes", "overtake", "overtaking"),
    "rises": ("rises", "climbs", "grows", "increases"),
    "falls": ("falls", "drops", "shrinks", "decreases"),
    "every": ("every", "everywhere", "always", "throughout"),
    "never": ("never", "nowhere"),
}
_CLASS_OF = {word: key for key, group in _WORDS.items() for word in group}
_COMPARED = ("faster", "fastest", "slower", "slowest", "overtakes", "rises", "falls")
KNOWN_WORDS = (*(word for key in _COMPARED for word in _WORDS[key] if word != "leading"), "tied", "ties")
"""Those that compare wherever they stand: "level" and "leading" are other words as well."""
_WORD = re.compile(r"[A-Za-z’']+")
_NEGATION = frozenset({"not", "no", "never", "nor", "hardly", "isn't", "isn’t", "cannot", "without"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text: an ``arm``, ``value`` of an axis, or ``device``."""

    kind: str
    key: str
    start: int
    end: int
    axis: str = ""


@dataclass(frozen=True, slots=True)
class AxisMention:
    """A printed value of an axis, "N = 10⁶"."""

    axis: str
    printed: Printed


@dataclass(frozen=True, slots=True)
class Word:
    """A comparative word and its class; ``negated`` where a word before it turns it round."""

    kind: str
    text: str
    start: int
    end: int
    negated: bool


@dataclass(frozen=True, slots=True)
class Prose:
    """A text taken apart, each list in the order of the text."""

    text: str
    numbers: tuple[Printed, ...]
    axis_values: tuple[AxisMention, ...]
    names: tuple[Mention, ...]
    words: tuple[Word, ...]


def read_prose(text: str, definition: Definition | None, devices: Mapping[str, str]) -> Prose:
    """Take a text apart. ``devices``: names by id."""
    mentions = sorted(_mentions(text, definition, devices), key=lambda m: (m.start, -m.end))
    kept: list[Mention] = []
    for mention in mentions:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    plain = _blank(text, [(m.start, m.end) for m in kept] + [m.span() for m in _CODE.finditer(text)])
    printed = parse_printed(plain)
    axis_values = tuple(_axis_values(plain, printed, definition)) if definition else ()
    taken = {m.printed.start for m in axis_values}
    numbers = tuple(p for p in printed if p.start not in taken)
    return Prose(text, numbers, axis_values, tuple(kept), tuple(_words(plain)))


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    out = list(text)
    for start, end in spans:
        out[start:end] = "\x1f" * (end - start)
    return "".join(out)


def _mentions(text: str, d: Definition | None, devices: Mapping[str, str]) -> Iterator[Mention]:
    for key, name in devices.items():
        for word in {key, name}:
            yield from (Mention("device", key, *span) for span in _find(text, word, exact=False))
    if d is None:
        return
    for key, arm in d.arms.items():
        yield from (Mention("arm", key, *span) for span in _find_key(text, key))
        exact = not re.search(r"[\s,]", arm.label)
        yield from (Mention("arm", key, *span) for span in _find(text, arm.label, exact=exact))
    for axis, entry in d.axes.items():
        for value in entry.values:
            if isinstance(value, str):
                yield from (Mention("value", value, *span, axis) for span in _find_key(text, value))
                if label := entry.labels.get(value):
                    yield from (Mention("value", value, *span, axis) for span in _find(text, label, exact=False))


def _find(text: str, word: str, *, exact: bool) -> Iterator[tuple[int, int]]:
    pattern = re.escape(word).replace(r"\ ", r"\s+")
    for m in re.finditer(rf"(?<![\w-]){pattern}(?![\w-])", text, 0 if exact else re.IGNORECASE):
        yield m.span()


def _find_key(text: str, key: str) -> Iterator[tuple[int, int]]:
    """A key counts in code, and in plain prose only where it can't be an ordinary word."""
    for m in _CODE.finditer(text):
        if m[2].strip() == key:
            yield m.span()
    if re.search(r"[-_\d]", key):
        yield from _find(text, key, exact=True)


def _axis_values(text: str, printed: Sequence[Printed], d: Definition) -> Iterator[AxisMention]:
    labels = {word: axis for axis, entry in d.axes.items() for word in (axis, entry.label)}
    if not labels:
        return
    names = "|".join(sorted(map(re.escape, labels), key=len, reverse=True))
    before = re.compile(rf"(?<!\w)({names})\s*[=≥≤]\s*$")
    previous: AxisMention | None = None
    for p in printed:
        found = before.search(text, max(0, p.start - 80), p.start)
        axis = labels[found[1]] if found else None
        if axis is None and previous is not None and p.style == "plain":
            joined = _JOIN.fullmatch(text, previous.printed.end, p.start)
            axis = previous.axis if joined and not re.match(r"\s*(?:times|-?fold)", text[p.end : p.end + 8]) else None
        if axis is None:
            axis = next((a for a, e in d.axes.items() if e.unit and _counts(text, p, e.unit)), None)
        previous = AxisMention(axis, p) if axis is not None else None
        if previous is not None:
            yield previous


def _counts(text: str, p: Printed, unit: str) -> bool:
    """Whether a number says how many of an axis's unit: "10⁶ samples"."""
    return p.text.endswith((f" {unit}", f" {unit}s")) or bool(
        p.style == "plain" and re.match(rf"\s{re.escape(unit)}s?(?!\w)", text[p.end : p.end + len(unit) + 3])
    )


def _words(text: str) -> Iterator[Word]:
    before: list[str] = []
    for m in _WORD.finditer(text):
        word = m[0].lower()
        kind = _CLASS_OF.get(word)
        if kind:
            yield Word(kind, m[0], m.start(), m.end(), bool(_NEGATION.intersection(before[-2:])))
        before.append(word)


def borrow_unit(printed: Printed, prose: Prose) -> Printed:
    """A bare number with the unit of the next one that has a unit: the 437 of "437 against 884 µs"."""
    if printed.style != "plain":
        return printed
    for other in prose.numbers:
        if other.start > printed.start and other.style != "plain":
            suffix = re.sub(r"^[-−+\d.,\s\u00a0\u202f\u2009]*", "", other.text)
            found = parse_printed(f"{printed.text} {suffix}")
            if len(found) == 1 and found[0].style == other.style:
                return replace(found[0], start=printed.start, end=printed.end, text=found[0].text)
            break
    return printed


def reword(printed: Printed, number: float, *, same_decimals: bool = False) -> str:
    """``number`` (SI, or a fraction for percent) written as ``printed`` is: its unit, and as many digits.

    Digits are significant ones, or with ``same_decimals`` those behind the point; what is written reads as true.
    """
    m = re.match(r"[-−]?[\d\u0020\u00a0\u202f\u2009]*\d(?:\.(\d+))?", printed.text)
    if m is None or not printed.quantum:
        return axis_text(number)
    decimals = len(m[1] or "")
    bare = float(re.sub(r"[^\d.]", "", m[0]))
    factor = abs(printed.value) / bare if bare else printed.quantum * 10**decimals
    shown = number / factor
    if printed.style == "value" and shown and not 0.1 <= abs(shown) < 1e4:
        return format_value(number, printed.unit)
    if shown and not same_decimals:
        digits = len(re.sub(r"\D", "", m[0]).lstrip("0")) or 1
        decimals = min(max(digits - 1 - math.floor(math.log10(abs(shown))), 0), 9)
    return f"{shown:.{decimals}f}".replace("-", "−") + printed.text[m.end() :]
