"""Names as prose says them: of arms, of values of axes and of devices, each with others of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ..library import Benchmark, Library
from .words import spelt

__all__ = ["Ring", "Said", "rings", "said"]

_GENERIC = frozenset({"CPU", "GPU", "Graphics", "Processor", "Core", "Series"})
"""Words in the names of devices that name none."""


@dataclass(frozen=True, slots=True)
class Ring:
    """Spellings of one sort, in an order: each may be exchanged for a neighbour.

    ``kind``: what they name; ``keys``: what a claim calls each, where it names one thing; ``where``: which axis.
    ``code``: only in code; ``exact``: upper and lower case count; ``after``: what follows in the text.
    """

    kind: str
    spellings: tuple[str, ...]
    keys: tuple[str, ...] = ()
    where: str = ""
    code: bool = False
    exact: bool = False
    after: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A name in a text."""

    ring: Ring
    index: int
    start: int
    end: int

    @property
    def spelling(self) -> str:
        """As its ring has it."""
        return self.ring.spellings[self.index]

    @property
    def key(self) -> str:
        """What a claim calls it, and its spelling where that may be one of several."""
        return self.ring.keys[self.index] if self.ring.keys else self.spelling


def rings(library: Library, benchmark: Benchmark) -> tuple[Ring, ...]:
    """Every sort of names that texts about a benchmark may use; of arms and values those with a measurement."""
    definition = benchmark.definition
    measured = [m for c in benchmark.cards if c.published for m in c.card.measurements]
    arms = [key for key in definition.arms if any(m.arm == key for m in measured)]
    labels = [definition.arms[key].label for key in arms]
    keys = tuple(arms)
    plain = tuple(key for key in arms if re.search(r"[_\d]", key))
    shown = (label if label != key else f"`{key}`" for key, label in zip(arms, labels, strict=True))
    found = [
        Ring("arm", keys, keys, code=True),
        Ring("arm", tuple(shown), keys),
        Ring("arm", plain, plain, exact=True),
        Ring("arm", _firsts(labels), exact=True),
    ]
    for axis, entry in definition.axes.items():
        values = list(dict.fromkeys(m.at[axis] for m in measured if axis in m.at))
        words = tuple(v for v in dict.fromkeys((*entry.values, *values)) if isinstance(v, str) and v in values)
        coded = tuple(w for w in words if re.search(r"[-_\d]", w))
        labelled = tuple(w for w in words if w in entry.labels)
        found.append(Ring("value", words, words, axis, code=True))
        found.append(Ring("value", coded, coded, axis, exact=True))
        found.append(Ring("value", tuple(entry.labels[w] for w in labelled), labelled, axis))
        if entry.unit:
            numbers = sorted(float(v) for v in values if not isinstance(v, str))
            ways = tuple(filter(None, map(spelt, numbers)))
            found += [Ring("value", ways, (), axis, after=r"(?:,|\s+\w+)")]
    found += _devices(library, benchmark)
    return tuple(ring for ring in found if len(set(ring.spellings)) > 1)


def _firsts(labels: Sequence[str]) -> tuple[str, ...]:
    """First words of labels that are proper names: JAX, CuPy, Warp."""
    words = (label.split()[0].rstrip(",") for label in labels)
    return tuple(dict.fromkeys(w for w in words if re.search(r"[A-Z]", w)))


def _devices(library: Library, benchmark: Benchmark) -> Iterator[Ring]:
    names = {c.device_id: c.card.device.name for c in benchmark.cards if c.published}
    others = {c.device_id: c.card.device.name for b in library.benchmarks.values() for c in b.cards if c.published}
    yield Ring("device", tuple(names), tuple(names), exact=True)
    yield Ring("device", tuple(names.values()), tuple(names))
    yield Ring("device", tuple(dict.fromkeys(w for name in names.values() if (w := _short(name, others)))), exact=True)


def _short(name: str, others: Mapping[str, str]) -> str:
    """The word of a device's name that people use: the last that few others have, and that names something."""
    words = [w.strip(",()") for w in name.split(",")[0].split()]
    shared = {w: sum(w in other.replace(",", " ").split() for other in others.values()) for w in words}
    fit = [w for w in words if re.match(r"[A-Z]", w) and w not in _GENERIC]
    return min(reversed(fit), key=lambda w: shared[w], default="")


def said(text: str, known: Sequence[Ring]) -> tuple[Said, ...]:
    """The names in a text, in order; of overlapping ones the longest."""
    found = sorted(chain.from_iterable(_in(text, ring) for ring in known), key=lambda s: (s.start, -s.end))
    kept: list[Said] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def _in(text: str, ring: Ring) -> Iterator[Said]:
    for index, spelling in enumerate(ring.spellings):
        pattern = re.escape(spelling).replace(r"\ ", r"\s+")
        before, after = (
            ("(?<=`)", "(?=`)") if ring.code else (r"(?<![\w-])", rf"(?![\w-]){ring.after and f'(?={ring.after})'}")
        )
        for m in re.finditer(before + pattern + after, text, 0 if ring.exact or ring.code else re.IGNORECASE):
            yield Said(ring, index, *m.span())
