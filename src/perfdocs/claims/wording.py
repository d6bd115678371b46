"""What a stretch of prose says that a claim must answer for: numbers, axis values, names and comparative words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..definition import ById, Definition
from ..quantity import Printed, parse_printed
from .comparatives import KNOWN_WORDS, Word, read_words
from .extent import Extent, Limit, counts_in_words, nouns, read_extents, read_limits
from .formats import spoken_formats
from .phrasebook import Entry, Phrasebook
from .spelt import ROUND, spelt_numbers
from .unread import two_ways

__all__ = [
    "KNOWN_WORDS",
    "AxisMention",
    "Mention",
    "MetricMention",
    "Named",
    "Prose",
    "borrow_unit",
    "proper_names",
    "read_prose",
]

MAX_TEXT = 4000
_CODE = re.compile(r"(`+)(.{1,200}?)\1", re.DOTALL)
_MARKUP = str.maketrans("*_\n\u00a0\u202f\x1f", "     \ue000")
_ARTICLE = re.compile(r"\b(?:an?|so|as|too|very|quite|rather|fairly)\s+\Z", re.IGNORECASE)
_NOUN = re.compile(r"\s+([A-Za-z]+)")
_SPECIAL = re.compile(r"[-_\d]")
_UNIT_FIRST = re.compile(r"(?![×x·⋅∙*]\s*10)")
"""No power of ten: of "2 and 3 × 10⁻⁴ s" the first may have it or not."""
_JOIN = re.compile(r"\s*(?:,|and|or|to|–|through)\s*")

_TIMES = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_TIMES |= {"ten": 10, "twenty": 20, "fifty": 50, "hundred": 100}
_SPELT = re.compile(
    rf"(?<![\w-])(?<!half )(?:(?P<times>{'|'.join(_TIMES)}|a\s+hundred)\s+)?"
    r"(?P<size>thousand|million|billion)(?:\s+(?P<noun>(?!times\b)[a-z]+s)\b|(?![\w-]))",
    re.IGNORECASE,
)
_SIZES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_SIZE = re.compile("|".join(_SIZES), re.IGNORECASE)
_GENERIC = frozenset({"CPU", "Core", "GPU", "Graphics", "Processor", "Series"})
"""Words in the names of devices that name none."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text: an ``arm``, ``value`` of an axis, or ``device``.

    ``of``: every arm or device that a word names which several share, the JAX of two arms of JAX.
    """

    kind: str
    key: str
    start: int
    end: int
    axis: str = ""
    of: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """Whatever it may name."""
        return self.of or frozenset({self.key})


@dataclass(frozen=True, slots=True)
class AxisMention:
    """A printed value of an axis, "N = 10⁶"."""

    axis: str
    printed: Printed
    spelt: bool = False
    """In words, "a million samples"."""
    sign: str = "="
    """What stands before it, "N ≤ 10⁶"."""


@dataclass(frozen=True, slots=True)
class MetricMention:
    """What the text calls a metric or a derived quantity; ``keys`` are those that are called so."""

    keys: frozenset[str]
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Prose:
    """A text taken apart, each list in the order of the text."""

    text: str
    numbers: tuple[Printed, ...]
    axis_values: tuple[AxisMention, ...]
    names: tuple[Mention, ...]
    words: tuple[Word, ...]
    plain: str = ""
    """The text with names, code and signs of markup blanked, each letter at its place."""
    extents: tuple[Extent, ...] = ()
    limits: tuple[Limit, ...] = ()
    metrics: tuple[MetricMention, ...] = ()
    groups: tuple[tuple[str, str], ...] = ()
    """Groups of arms, each with how the text calls it."""
    unread: str = ""
    """A number that could be read two ways."""


def read_prose(text: str, definition: Definition | None, devices: Named, *, counts: bool = False) -> Prose:
    """Take a text apart. ``devices``: those that it may name. With ``counts`` the words of "seven of twelve" count."""
    return _prose(text, ById(definition) if definition else None, devices, counts)


@lru_cache(maxsize=4096)  # pages say many things of each device in the same words
def _prose(text: str, identity: ById | None, devices: Named, counts: bool) -> Prose:
    lexicon = _lexicon(identity) if identity else None
    definition = identity.definition if identity else None
    mentions = sorted(_mentions(text, lexicon, devices), key=lambda m: (m.start, -m.end))
    kept: list[Mention] = []
    for mention in mentions:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    plain = _blank(text, [(m.start, m.end) for m in kept] + [m.span() for m in _CODE.finditer(text)])
    printed = parse_printed(plain)
    axis_values = tuple(_axis_values(plain, printed, lexicon.definition, lexicon.before)) if lexicon else ()
    if definition:
        axis_values = tuple(sorted((*axis_values, *_spelt(plain, definition)), key=lambda m: m.printed.start))
    flat = plain.translate(_MARKUP)
    extents = tuple(read_extents(flat, lexicon.nouns if lexicon else _NOUNS))
    taken = {m.printed.start for m in axis_values} | {extent.number for extent in extents}
    numbers = [p for p in printed if p.start not in taken]
    numbers += _apart_from(numbers, [*spelt_numbers(flat), *(counts_in_words(flat) if counts else ())], extents)
    return Prose(
        text,
        tuple(sorted(numbers, key=lambda p: p.start)),
        axis_values,
        tuple(kept),
        tuple(read_words(flat)),
        flat,
        extents,
        tuple(read_limits(flat)),
        tuple(lexicon.metrics_in(flat)) if lexicon else (),
        tuple(lexicon.groups_in(flat)) if lexicon else (),
        two_ways(plain, printed),
    )


def _apart_from(known: Sequence[Printed], more: Sequence[Printed], extents: Sequence[Extent]) -> Iterator[Printed]:
    """Of numbers in words those that are no part of another number, nor of "half of all configurations"."""
    taken = [(p.start, p.end) for p in known] + [(extent.start, extent.end) for extent in extents]
    for printed in more:
        if not any(printed.start < end and start < printed.end for start, end in taken):
            taken.append((printed.start, printed.end))
            yield printed


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    out = list(text)
    for start, end in spans:
        out[start:end] = "\x1f" * (end - start)
    return "".join(out)


class Named:
    """Devices as a text may name them: by id, by name, by a word of their names. ``names``: names by id."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        whole = [Entry(w, False, _Meaning("device", key)) for key, n in names.items() for w in dict.fromkeys((key, n))]
        short = [
            Entry(word, True, _Meaning("device", min(ids) if len(ids) == 1 else word, of=ids))
            for word, ids in _words_of_devices(names).items()
        ]
        self.book = Phrasebook([*whole, *short])


@dataclass(frozen=True, slots=True)
class _Meaning:
    """A :class:`Mention` without its place."""

    kind: str
    key: str
    axis: str = ""
    of: frozenset[str] = frozenset()

    def at(self, start: int, end: int) -> Mention:
        return Mention(self.kind, self.key, start, end, self.axis, self.of)


class _Lexicon:
    """The words of a definition: ``book`` has those of plain prose, ``keys`` those that count in code."""

    def __init__(self, d: Definition) -> None:
        self.definition = d
        self.book = Phrasebook(_entries(d))
        arms = [(key, _Meaning("arm", key)) for key in d.arms]
        values = [
            (value, _Meaning("value", value, axis))
            for axis, entry in d.axes.items()
            for value in entry.values
            if isinstance(value, str)
        ]
        self.keys: dict[str, list[_Meaning]] = {}
        for key, meaning in (*arms, *values):
            self.keys.setdefault(key, []).append(meaning)
        self.before = _before(d)
        self.nouns = nouns(d)
        self._metrics: dict[str, set[str]] = {}
        for key in (*d.metrics, *d.derived):
            for said in (d.quantity(key).label, key):
                self._metrics.setdefault(_joined(said), set()).add(key)
        self._metric = _any_of(self._metrics)
        self._groups = {_joined(entry.label).removesuffix("s"): key for key, entry in d.groups.items()}
        self._group = _any_of(self._groups, plural=True)

    def metrics_in(self, flat: str) -> Iterator[MetricMention]:
        """Metrics and derived quantities by label or key, a hyphen as good as a space."""
        for m in self._metric.finditer(flat):
            yield MetricMention(frozenset(self._metrics[_joined(m[0])]), m[0], m.start(), m.end())

    def groups_in(self, flat: str) -> Iterator[tuple[str, str]]:
        """Groups of arms by label, of several or of one."""
        for m in self._group.finditer(flat):
            yield self._groups[_joined(m[0]).removesuffix("s")], m[0]


def _joined(said: str) -> str:
    """A label or key in small letters with one space between its words."""
    return " ".join(re.split(r"[\s_-]+", said.lower().strip()))


def _any_of(phrases: Iterable[str], *, plural: bool = False) -> re.Pattern[str]:
    ordered = sorted((p for p in phrases if p), key=len, reverse=True)
    words = "|".join(r"[\s-]+".join(map(re.escape, p.split())) for p in ordered) or "(?!)"
    return re.compile(rf"(?<![\w-])(?:{words}){'s?' if plural else ''}(?![\w-])", re.IGNORECASE)


_NOUNS = nouns(None)


@lru_cache(maxsize=64)
def _lexicon(identity: ById) -> _Lexicon:
    return _Lexicon(identity.definition)


def _entries(d: Definition) -> Iterator[Entry[_Meaning]]:
    """What counts in plain prose: of keys, those that can't be ordinary words."""
    for word, arms in proper_names(d).items():
        yield Entry(word, True, _Meaning("arm", word, of=arms))
    for key, arm in d.arms.items():
        if _SPECIAL.search(key):
            yield Entry(key, True, _Meaning("arm", key))
        yield Entry(arm.label, not re.search(r"[\s,]", arm.label), _Meaning("arm", key))
    for axis, entry in d.axes.items():
        for value in entry.values:
            if isinstance(value, str):
                if _SPECIAL.search(value):
                    yield Entry(value, True, _Meaning("value", value, axis))
                if label := entry.labels.get(value):
                    yield Entry(label, False, _Meaning("value", value, axis))
    for phrase, axis, value, values in spoken_formats(d):
        yield Entry(phrase, False, _Meaning("value", value, axis, values))


def _mentions(text: str, lexicon: _Lexicon | None, devices: Named) -> Iterator[Mention]:
    for meaning, start, end in devices.book.find(text):
        yield meaning.at(start, end)
    if lexicon is None:
        return
    for m in _CODE.finditer(text):
        for meaning in lexicon.keys.get(m[2].strip(), ()):
            yield meaning.at(*m.span())
    for meaning, start, end in lexicon.book.find(text):
        if meaning.kind != "value" or not _ordinary(text, start, end, lexicon.definition.axes[meaning.axis].label):
            yield meaning.at(start, end)


def _ordinary(text: str, start: int, end: int, label: str) -> bool:
    """Whether the label of a value is but a word here: "a uniform picture", beside "a uniform configuration"."""
    word = text[start:end]
    if not word.isalpha() or not word.islower() or not _ARTICLE.search(text, max(start - 8, 0), start):
        return False
    behind = _NOUN.match(text, end)
    return behind is None or behind[1].lower().removesuffix("s") != label.lower().removesuffix("s")


def _words_of_devices(devices: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """What devices are called for short: words of their names, with the devices that have each, but not all."""
    found: dict[str, set[str]] = {}
    for key, name in devices.items():
        for word in re.findall(r"(?<![\w(-])[A-Z][\w-]+(?![\w)])", name):
            found.setdefault(word, set()).add(key)
    return {w: frozenset(ids) for w, ids in found.items() if w not in _GENERIC and len(ids) < len(devices)}


def proper_names(d: Definition) -> dict[str, frozenset[str]]:
    """Proper names that labels of arms begin with (JAX, CuPy), with the arms that have each somewhere in their label.

    A capital alone makes none where the definition writes every label with one.
    """
    labels = {key: arm.label for key, arm in d.arms.items()}
    small = any(label[:1].islower() for label in labels.values())
    words = {key: re.findall(r"[^\s,:;()]+", label) for key, label in labels.items()}
    found = {}
    for word in dict.fromkeys(said[0] for said in words.values() if said):
        inside = re.search(r"(?<=.)[A-Z]", word) or (word[:1].isupper() and not word.isalpha())
        if inside or (small and word[:1].isupper() and len(word) > 1):
            found[word] = frozenset(key for key, said in words.items() if word in said)
    return found


def _spelt(text: str, d: Definition) -> Iterator[AxisMention]:
    """Values of the axis of samples in words: "a million samples", "ten thousand orbits"."""
    if not _SIZE.search(text):
        return
    units = {entry.unit: axis for axis, entry in d.axes.items() if entry.unit}
    labels = " ".join([d.title, d.summary or "", *(arm.label for arm in d.arms.values())]).lower()
    found: list[AxisMention] = []
    axis, start = None, len(text)
    for m in reversed(list(_SPELT.finditer(text))):
        if m["noun"]:
            noun = m["noun"].lower().removesuffix("s")
            axis = units.get(noun, units.get("sample") if noun in labels else None)  # the samples may be orbits
        elif not _JOIN.fullmatch(text, m.end(), start):  # "a thousand and a million samples": both are of samples
            axis = None
        start = m.start()
        if axis is not None:
            times = _TIMES[m["times"].split()[-1].lower()] if m["times"] else 1
            value = times * _SIZES[m["size"].lower()]
            said = text[m.start() : m.end("size")]
            printed = Printed(said, value, value * ROUND, "plain", "", m.start(), m.end("size"))
            found.append(AxisMention(axis, printed, spelt=True))
    yield from reversed(found)


def _before(d: Definition) -> tuple[re.Pattern[str], dict[str, str]] | None:
    """What stands before a value of an axis, "N = ", and the axis of each such name."""
    labels = {word: axis for axis, entry in d.axes.items() for word in (axis, entry.label)}
    if not labels:
        return None
    names = "|".join(sorted(map(re.escape, labels), key=len, reverse=True))
    return re.compile(rf"(?<!\w)({names})\s*([=≥≤<>])\s*$"), labels


def _axis_values(
    text: str, printed: Sequence[Printed], d: Definition, before: tuple[re.Pattern[str], dict[str, str]] | None
) -> Iterator[AxisMention]:
    if before is None:
        return
    pattern, labels = before
    previous: AxisMention | None = None
    for p in printed:
        found = pattern.search(text, max(0, p.start - 80), p.start)
        axis = labels[found[1]] if found else None
        if axis is None and previous is not None and p.style == "plain":
            joined = _JOIN.fullmatch(text, previous.printed.end, p.start)
            axis = previous.axis if joined and not re.match(r"\s*(?:times|-?fold)", text[p.end : p.end + 8]) else None
        if axis is None:
            axis = next((a for a, e in d.axes.items() if e.unit and _counts(text, p, e.unit)), None)
        sign = found[2] if found else "="
        previous = AxisMention(axis, p, sign=sign) if axis is not None else None
        if previous is not None:
            yield previous


def _counts(text: str, p: Printed, unit: str) -> bool:
    """Whether a number says how many of an axis's unit: "10⁶ samples"."""
    return p.text.endswith((f" {unit}", f" {unit}s")) or bool(
        p.style == "plain" and re.match(rf"\s{re.escape(unit)}s?(?!\w)", text[p.end : p.end + len(unit) + 3])
    )


def borrow_unit(printed: Printed, prose: Prose) -> Printed:
    """A bare number with the unit of the next one that has a unit: the 437 of "437 against 884 µs"."""
    if printed.style != "plain":
        return printed
    for other in prose.numbers:
        if other.start > printed.start and other.style != "plain":
            suffix = re.sub(r"^[-−+\d.,\s\u00a0\u202f\u2009]*", "", other.text)
            found = parse_printed(f"{printed.text} {suffix}") if _UNIT_FIRST.match(suffix) else []
            if len(found) == 1 and found[0].style == other.style:
                return replace(found[0], start=printed.start, end=printed.end, text=found[0].text)
            break
    return printed
