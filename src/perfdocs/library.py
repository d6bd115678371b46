"""The library: every benchmark's definition and the cards that belong to it, read from a folder and cross-checked.

A card that is wrong is left out with one located problem; the other cards stay. Content hashes identify files, so a
replaced card is seen whatever its date says.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from .collecting import put_off
from .crosscheck import check_expressions
from .definition import Definition
from .definitionfile import decode_definition
from .errors import PerfdocsError, Problem, place
from .files import digest, read_bytes
from .loading import CardReader, LoadedCard, card_files
from .naming import told_apart
from .quickcard import QuickReader
from .store import Store
from .twins import check_twin
from .vocabulary import read_vocabulary

__all__ = [
    "REPEATS",
    "Benchmark",
    "Library",
    "load_benchmark",
    "load_library",
]

REPEATS = "repeats"
"""Folder in a benchmark's folder for second runs of its published cards: no devices, and no cards of the site."""

NOTHING: Mapping[Path, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """A definition with its cards, ordered by device id.

    ``repeats`` are second runs, each of a device that has a published card: :mod:`perfdocs.repeat` alone reads them.
    """

    definition: Definition
    folder: Path
    cards: tuple[LoadedCard, ...]
    digest: str
    repeats: tuple[LoadedCard, ...] = ()
    _by_device: dict[str, LoadedCard] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_device", {c.device_id: c for c in self.cards})  # frozen but for this

    def card_of(self, device_id: str) -> LoadedCard | None:
        """The card of a device, or ``None``."""
        return self._by_device.get(device_id)

    def place_of(self, device_id: str) -> Path:
        """The file of a device's published card: the one that is there, or the one that a new card is copied to."""
        other = self.card_of(device_id)
        return other.path if other is not None and other.published else self.folder / "cards" / f"{device_id}.json"

    def with_card(self, loaded: LoadedCard) -> Benchmark:
        """The same with one card more, or with another in the place of its device's."""
        others = [c for c in self.cards if c.device_id != loaded.device_id]
        return changed(self, cards=tuple(sorted([*others, loaded], key=lambda c: c.device_id)))

    def repeat_of(self, device_id: str) -> LoadedCard | None:
        """The second run of a device, or ``None``."""
        return next((c for c in self.repeats if c.device_id == device_id), None)


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """All benchmarks by id, and every problem met while reading them. ``words``: comparative ones of the project."""

    benchmarks: dict[str, Benchmark]
    problems: tuple[Problem, ...] = field(default=())
    words: tuple[str, ...] = ()

    def with_card(self, benchmark: str, loaded: LoadedCard) -> Library:
        """The same with one card more, or with another in the place of its device's."""
        return changed(self, benchmarks={**self.benchmarks, benchmark: self.benchmarks[benchmark].with_card(loaded)})

    def device_ids(self) -> tuple[str, ...]:
        """Ids of every device that has a card, sorted."""
        return tuple(sorted({c.device_id for b in self.benchmarks.values() for c in b.cards}))

    def cards_of(self, device_id: str) -> tuple[tuple[Benchmark, LoadedCard], ...]:
        """Every card of a device with its benchmark, ordered by benchmark id."""
        return tuple((b, c) for _, b in sorted(self.benchmarks.items()) if (c := b.card_of(device_id)))


@put_off()
def load_library(
    root: Path,
    cards_folder: str = "cards",
    local: Path | None = None,
    store: Store | None = None,
    instead: Mapping[Path, bytes] = NOTHING,
) -> Library:
    """Read every ``<root>/<id>/benchmark.toml`` with the cards in ``<root>/<id>/<cards_folder>``.

    Second runs of those cards lie in ``<root>/<id>/repeats``.

    ``local`` is a folder of this machine's unpublished cards (``<local>/<id>/<device>.json``): each shows as a device
    of its own, ``<device>-local``, beside the published ones. ``store`` spares cards that it knows another check.
    ``instead`` holds files of cards as they would be (``<root>/<id>/<cards_folder>/…``): they are read in the place of
    those that are there, and beside them.
    Never raises for bad input: see ``problems``.
    """
    benchmarks: dict[str, Benchmark] = {}
    problems: list[Problem] = []
    if not root.is_dir():
        return Library(
            {},
            (
                Problem(
                    "benchmarks-missing",
                    place(root),
                    "no such folder",
                    "a folder with one folder per benchmark",
                    "set `perfdocs_benchmarks`",
                ),
            ),
        )
    for toml in sorted(folder / "benchmark.toml" for folder in root.iterdir()):
        if not os.path.lexists(toml):  # a link to nothing is a mistake to report, not an absence
            continue
        try:
            benchmark, found = load_benchmark(toml.parent, cards_folder, local, store, instead)
        except PerfdocsError as error:
            problems.append(error.problem)
            continue
        problems.extend(found)
        benchmarks[benchmark.definition.id] = benchmark
    words: tuple[str, ...] = ()
    try:
        words = read_vocabulary(root).comparative
    except PerfdocsError as error:
        problems.append(error.problem)
    return Library(_with_names(benchmarks), tuple(problems), words)


def _with_names(benchmarks: dict[str, Benchmark]) -> dict[str, Benchmark]:
    """The same, where devices of one name have names that differ."""
    names = {c.device_id: c.card.device.name for b in benchmarks.values() for c in b.cards}
    shown = told_apart(names)
    if shown == names:
        return benchmarks
    return {
        key: changed(b, cards=_named(b.cards, shown), repeats=_named(b.repeats, shown)) for key, b in benchmarks.items()
    }


def _named(cards: tuple[LoadedCard, ...], shown: dict[str, str]) -> tuple[LoadedCard, ...]:
    return tuple(
        c
        if (name := shown.get(c.device_id, c.card.device.name)) == c.card.device.name
        else changed(c, card=replace(c.card, device=replace(c.card.device, name=name)))
        for c in cards
    )


def load_benchmark(
    folder: Path,
    cards_folder: str = "cards",
    local: Path | None = None,
    store: Store | None = None,
    instead: Mapping[Path, bytes] = NOTHING,
) -> tuple[Benchmark, list[Problem]]:
    """Read one benchmark's folder. Raises :class:`PerfdocsError` where the definition itself is wrong."""
    toml = folder / "benchmark.toml"
    definition, sha = _definition(toml)
    if definition.id != folder.name:
        raise PerfdocsError(
            "definition-id",
            place(toml, "$.id"),
            f'"{definition.id}"',
            f'"{folder.name}", the name of the folder',
            "rename one of them",
        )
    problems: list[Problem] = []
    here = folder / cards_folder
    if not here.resolve().is_relative_to(folder.resolve().parent):
        raise PerfdocsError(
            "cards-outside",
            place(here),
            "a folder outside the benchmarks",
            "a folder inside",
            "set `perfdocs_cards` to a folder's name",
        )
    reader = CardReader(folder, definition, sha, store, instead, QuickReader(definition))
    loaded: dict[str, LoadedCard] = {}
    twice: set[str] = set()
    names: set[str] = set()
    repeats = folder / REPEATS
    for base, published in ((here, True), (local / definition.id if local else None, False)):
        if base is None:
            continue
        for path in card_files(base, instead):
            if base != repeats and repeats in path.parents:
                continue
            if published:
                names.add(path.name)
            try:
                item = reader.load(path, base, published=published)
            except PerfdocsError as error:
                problems.append(error.problem)
                continue
            other = loaded.get(item.device_id)
            if other is not None:
                problems.append(_two_files(other.path, path, item.device_id))
                if other.published == published:
                    twice.add(item.device_id)
                continue
            loaded[item.device_id] = item
    ordered = tuple(loaded[k] for k in sorted(loaded) if k not in twice)
    again: tuple[LoadedCard, ...] = ()
    if here != repeats:
        again, found = _repeats(reader, {c.device_id: c for c in ordered if c.published}, names)
        problems.extend(found)
    return Benchmark(definition, folder, ordered, sha, again), problems


def _repeats(
    reader: CardReader, cards: dict[str, LoadedCard], names: Collection[str]
) -> tuple[tuple[LoadedCard, ...], list[Problem]]:
    """Second runs of published cards, by device id, and what is wrong with the others.

    ``names`` are the files of cards: where one of them is there and could not be read, that was said already.
    """
    found: dict[str, LoadedCard] = {}
    twice: set[str] = set()
    problems: list[Problem] = []
    base = reader.folder / REPEATS
    for path in card_files(base):
        try:
            item = reader.load(path, base, published=True)
            first = cards.get(item.device_id)
            if first is not None:
                check_twin(first, item)
            elif path.name not in names:
                raise _without_card(reader, item)
        except PerfdocsError as error:
            problems.append(error.problem)
            continue
        if (other := found.get(item.device_id)) is not None:
            problems.append(_two_files(other.path, path, item.device_id))
            twice.add(item.device_id)
        elif first is not None:
            found[item.device_id] = item
    return tuple(found[k] for k in sorted(found) if k not in twice), problems


def _without_card(reader: CardReader, item: LoadedCard) -> PerfdocsError:
    return PerfdocsError(
        "repeat-without-card",
        place(item.path),
        f'a second run of "{item.device_id}", which has no card of {reader.definition.id}',
        "a published card of the same device, which it repeats",
        "move it among the cards, or publish the first run",
    )


def _two_files(a: Path, b: Path, device_id: str) -> Problem:
    return Problem(
        "card-two-files",
        place(b),
        f'the device "{device_id}", which {place(a)} holds too',
        "one card for one device and benchmark",
        "remove one, or give a second machine an id of its own (`--as`)",
    )


@lru_cache(maxsize=256)
def _definition_of(path: Path, data: bytes) -> Definition:
    definition = decode_definition(data, path)
    check_expressions(definition, path)
    return definition


def _definition(path: Path) -> tuple[Definition, str]:
    """The definition and the sha256 of its file."""
    data = read_bytes(path, path.parent, "definition")
    return _definition_of(path, data), digest(data)
