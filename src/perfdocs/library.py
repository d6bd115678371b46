"""The library: every benchmark's definition and the cards that belong to it, read from a folder and cross-checked.

A card that is wrong is left out with one located problem; the other cards stay. Content hashes identify files, so a
replaced card is seen whatever its date says.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from .beside import in_processes
from .card import Card
from .cardfile import check_name, decode_card, read_card
from .collecting import put_off
from .crosscheck import check_card, check_expressions
from .definition import Definition, decode_definition
from .errors import PerfdocsError, Problem, place
from .files import digest, read_bytes
from .naming import told_apart
from .quickcard import QuickReader
from .store import Carried, Store
from .twins import check_twin
from .vocabulary import read_vocabulary

__all__ = [
    "REPEATS",
    "Benchmark",
    "Library",
    "LoadedCard",
    "load_benchmark",
    "load_file",
    "load_library",
]

REPEATS = "repeats"
"""Folder in a benchmark's folder for second runs of its published cards: no devices, and no cards of the site."""

NOTHING: Mapping[Path, bytes] = MappingProxyType({})
CARDS_OF_A_PROCESS = 100
"""Fewer are not worth a process."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadedCard:
    """A valid card and where it came from. ``digest`` is the sha256 of the file; ``published`` is false for build/."""

    card: Card
    path: Path
    digest: str
    published: bool = True
    earlier_sources: tuple[str, ...] = ()

    @property
    def device_id(self) -> str:
        """The stable identity of the device."""
        return self.card.device.id


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
    reader = _Reader(folder, definition, sha, store, instead, QuickReader(definition))
    reader.read_ahead(here)
    loaded: dict[str, LoadedCard] = {}
    twice: set[str] = set()
    names: set[str] = set()
    repeats = folder / REPEATS
    for base, published in ((here, True), (local / definition.id if local else None, False)):
        if base is None:
            continue
        for path in _card_files(base, instead):
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
    reader: _Reader, cards: dict[str, LoadedCard], names: Collection[str]
) -> tuple[tuple[LoadedCard, ...], list[Problem]]:
    """Second runs of published cards, by device id, and what is wrong with the others.

    ``names`` are the files of cards: where one of them is there and could not be read, that was said already.
    """
    found: dict[str, LoadedCard] = {}
    twice: set[str] = set()
    problems: list[Problem] = []
    base = reader.folder / REPEATS
    for path in _card_files(base):
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


def _without_card(reader: _Reader, item: LoadedCard) -> PerfdocsError:
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


def _card_files(base: Path, instead: Collection[Path] = ()) -> Iterator[Path]:
    """Card files of a folder and its subfolders, sorted; partial and hidden files are no cards."""
    there = base.rglob("*.json") if base.is_dir() else ()
    for path in sorted({*there, *(p for p in instead if p.is_relative_to(base))}):
        if not path.name.startswith(".") and not path.name.endswith(".partial.json"):
            yield path


@lru_cache(maxsize=256)
def _definition_of(path: Path, data: bytes) -> Definition:
    definition = decode_definition(data, path)
    check_expressions(definition, path)
    return definition


def _definition(path: Path) -> tuple[Definition, str]:
    """The definition and the sha256 of its file."""
    data = read_bytes(path, path.parent, "definition")
    return _definition_of(path, data), digest(data)


def load_file(path: Path, definition: Definition | None = None, root: Path | None = None) -> Card:
    """Read one card: its shape, its name and, where ``definition`` is given, what it says.

    ``root`` is the folder it may not lie outside of (default: its own). Raises :class:`PerfdocsError`.
    """
    card = read_card(path, root)
    if definition is not None:
        check_card(card, definition, path)
    return card


@dataclass(frozen=True, slots=True)
class _Reader:
    """How the cards of one benchmark are read: checked against its definition, unless the store knows them."""

    folder: Path
    definition: Definition
    sha: str
    store: Store | None
    instead: Mapping[Path, bytes]
    quick: QuickReader
    ahead: dict[Path, tuple[str, Card]] = field(default_factory=dict)
    """Cards that are right and the digests of their files, as other processes found them."""
    sources: dict[tuple[tuple[str, str], ...], tuple[str, ...]] = field(default_factory=dict)
    """By source files with their digests those that have others now."""

    def read_ahead(self, base: Path) -> None:
        """Let all processors read the cards of a folder, where there are many. What is wrong is read again and told."""
        paths = [path for path in _card_files(base) if path not in self.instead]
        if self.store is not None or len(paths) < 2 * CARDS_OF_A_PROCESS:
            return
        for part in in_processes(lambda some: [self._quick(path, base) for path in some], paths, CARDS_OF_A_PROCESS):
            self.ahead.update((path, (sha, found.card)) for path, sha, found in filter(None, part))

    def _quick(self, path: Path, base: Path) -> tuple[Path, str, Carried] | None:
        """A card that is right, with the digest of its file."""
        try:
            data = read_bytes(path, base)
        except PerfdocsError:
            return None
        card = self.quick.read(data, path)
        return None if card is None else (path, digest(data), Carried(card))

    def load(self, path: Path, base: Path, *, published: bool) -> LoadedCard:
        """Read one card. Raises :class:`PerfdocsError`."""
        sha, card = self.ahead.pop(path) if path in self.ahead else self._read(path, base)
        check_name(card, path)
        if not published:
            device = replace(
                card.device, id=f"{card.device.id}-local", name=f"{card.device.name} (this machine, unpublished)"
            )
            card = replace(card, device=device)
        return LoadedCard(card, path, sha, published, self._earlier(card.source.files))

    def _earlier(self, files: Mapping[str, str]) -> tuple[str, ...]:
        """Names of source files that changed since a card was measured: most cards come from the same."""
        key = tuple(files.items())
        if key not in self.sources:
            self.sources[key] = _changed(files, self.folder)
        return self.sources[key]

    def _read(self, path: Path, base: Path) -> tuple[str, Card]:
        """The digest of a file and the card in it. Raises :class:`PerfdocsError`."""
        data = self.instead[path] if path in self.instead else read_bytes(path, base)
        sha = digest(data)
        card = self.store.get(sha, self.sha) if self.store else None
        if card is None:
            card = self._checked(data, path)
            if self.store:
                self.store.put(sha, self.sha, card)
        return sha, card

    def _checked(self, data: bytes, path: Path) -> Card:
        """A card that is right. Raises :class:`PerfdocsError` of another one."""
        card = self.quick.read(data, path)
        if card is None:
            card = decode_card(data, path)
            check_name(card, path)  # before what else is wrong
            check_card(card, self.definition, path)
        return card


def _changed(files: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """Names of files whose digest is another one."""
    changed = []
    for name, sha in files.items():
        path = folder / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            continue
        try:
            facts = path.stat()
            same = _file_digest(path, facts.st_mtime_ns, facts.st_size) == sha
        except (OSError, PerfdocsError):  # gone, no plain file, or a name no file can have
            same = False
        if not same:
            changed.append(name)
    return tuple(sorted(changed))


@lru_cache(maxsize=1024)
def _file_digest(path: Path, mtime: int, size: int) -> str:
    del mtime, size  # part of the cache's key
    return digest(read_bytes(path, path.parent, "source"))
