"""The state of one build: configuration, the library read once, and a digest of everything a page can depend on.

A page notes the *keys* it used with their digests (see :mod:`.domain`); the next build computes the digests anew and
reads exactly the pages again whose digests differ. Contents are compared, never dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from .. import __version__
from ..library import Benchmark, Library
from ..loading import LoadedCard

__all__ = [
    "Key",
    "Project",
    "Settings",
    "all_cards",
    "card",
    "definition",
    "device",
    "devices",
    "published",
    "repeat",
    "repeats",
]

Key = tuple[str, ...]
"""What a page can depend on: a kind and its ids, such as ``("card", "rk4", "nvidia-h200")``."""

BENCHMARKS: Key = ("benchmarks",)
"""Which benchmarks there are."""
WORDS: Key = ("words",)
"""The comparative words of the project, which strict pages depend on."""
FAILING: Key = ("failing",)
"""Noted for a page with a claim that does not hold, as if it always changed: each build says so again."""
RENDERER: Key = ("renderer",)
"""The version of perfdocs: another one may show the same data otherwise."""


def definition(benchmark: str) -> Key:
    """The definition of a benchmark."""
    return ("definition", benchmark)


def card(benchmark: str, device_id: str) -> Key:
    """One card, and whether it was measured with today's sources."""
    return ("card", benchmark, device_id)


def devices(benchmark: str) -> Key:
    """Which devices have a card of a benchmark, and what they are called."""
    return ("devices", benchmark)


def all_cards(benchmark: str) -> Key:
    """Every card of a benchmark, this machine's unpublished one included."""
    return ("cards", benchmark)


def published(benchmark: str) -> Key:
    """Every published card of a benchmark."""
    return ("published", benchmark)


def repeat(benchmark: str, device_id: str) -> Key:
    """The second run of a card."""
    return ("repeat", benchmark, device_id)


def repeats(benchmark: str) -> Key:
    """Every second run of a card of a benchmark, and the cards they repeat."""
    return ("repeats", benchmark)


def name(device_id: str) -> Key:
    """What a device is called among all devices."""
    return ("name", device_id)


def device(device_id: str) -> Key:
    """Which benchmarks have a card of a device."""
    return ("device", device_id)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are: absolute paths from the configuration; ``device_pages``, ``number_pages``: folders of pages."""

    benchmarks: Path
    cards: str
    local: Path | None
    device_pages: str
    cache: Path
    number_pages: str = ""


@dataclass(slots=True)
class Project:
    """The library of this build and the digests of its keys, each computed once."""

    settings: Settings
    library: Library
    _digests: dict[Key, str] = field(default_factory=dict)
    _published: Library | None = None

    @property
    def published(self) -> Library:
        """The library without this machine's unpublished cards: what claims are checked against."""
        if self._published is None:
            kept = {
                key: replace(b, cards=tuple(c for c in b.cards if c.published))
                for key, b in self.library.benchmarks.items()
            }
            self._published = replace(self.library, benchmarks=kept)
        return self._published

    def digest(self, key: Key) -> str:
        """A digest of what ``key`` stands for; what is absent has one as well."""
        known = self._digests.get(key)
        if known is None:
            known = self._digests[key] = _short(_parts(self.library, key))
        return known

    def device_pages(self) -> tuple[tuple[str, str], ...]:
        """Document name and title of each device's page, by device id; empty where pages are switched off."""
        folder = self.settings.device_pages
        if not folder:
            return ()
        names = device_names(self.library)
        return tuple((f"{folder}/{device_id}", title) for device_id, title in names.items())

    def device_document(self, device_id: str) -> str | None:
        """Document name of a device's page."""
        folder = self.settings.device_pages
        return f"{folder}/{device_id}" if folder else None

    def row_document(self, benchmark: str, device_id: str) -> str | None:
        """Name of the page with every value of a card; ``None`` where there is no such card, or no page of devices."""
        found = self.library.benchmarks.get(benchmark)
        if not self.settings.device_pages or found is None or found.card_of(device_id) is None:
            return None
        return f"{self.settings.device_pages}/{device_id}/{benchmark}"

    def number_document(self, docname: str) -> str | None:
        """Name of the page that says where the numbers of a document come from."""
        folder = self.settings.number_pages
        return f"{folder}/{docname}" if folder else None


@lru_cache(maxsize=2)
def device_names(library: Library) -> Mapping[str, str]:
    """What each device is called; its id where that is nothing visible."""
    found: dict[str, str] = {}
    for _, benchmark in sorted(library.benchmarks.items()):
        for loaded in benchmark.cards:
            found.setdefault(loaded.device_id, " ".join(loaded.card.device.name.split()))
    return {key: text or f"({key})" for key, text in sorted(found.items())}


def _parts(library: Library, key: Key) -> Iterable[str]:
    kind = key[0]
    if kind == "renderer":
        return (__version__,)
    if kind == "benchmarks":
        return sorted(library.benchmarks)
    if kind == "failing":
        return ("never what was noted",)
    if kind == "words":
        return library.words
    if kind == "device":
        return [b.definition.id for b, _ in library.cards_of(key[1])]
    if kind == "name":
        return (device_names(library).get(key[1], ""),)
    benchmark = library.benchmarks.get(key[1])
    if benchmark is None:
        return ("absent",)
    if kind == "definition":
        return (benchmark.digest,)
    return _parts_of_cards(benchmark, key)


def _parts_of_cards(benchmark: Benchmark, key: Key) -> Iterable[str]:
    if key[0] == "devices":
        return [part for c in benchmark.cards for part in (c.device_id, c.card.device.kind, c.card.device.name)]
    if key[0] == "card":
        found = benchmark.card_of(key[2])
        return ("absent",) if found is None else _parts_of_card(found)
    if key[0] == "repeat":
        again = benchmark.repeat_of(key[2])
        return ("absent",) if again is None else _parts_of_card(again)
    if key[0] == "repeats":
        pairs = [(again, benchmark.card_of(again.device_id)) for again in benchmark.repeats]
        return [part for pair in pairs for c in pair if c is not None for part in _parts_of_card(c)]
    unpublished = key[0] == "cards"
    return [part for c in benchmark.cards if unpublished or c.published for part in _parts_of_card(c)]


def _parts_of_card(loaded: LoadedCard) -> tuple[str, ...]:
    return (loaded.device_id, loaded.digest, *loaded.earlier_sources)


def _short(parts: Iterable[str]) -> str:
    """A digest of texts in order, 32 hexadecimal digits; no text can imitate the border between two."""
    total = sha256()
    for part in parts:
        data = part.encode()
        total.update(b"%d:%s" % (len(data), data))
    return total.hexdigest()[:32]
