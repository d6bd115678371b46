"""Cards read from a folder, one by one, held against the definition of their benchmark: fast, or with care."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from .card import Card
from .cardfile import check_name, decode_card, read_card
from .crosscheck import check_card
from .definition import Definition
from .errors import PerfdocsError
from .files import digest, read_bytes
from .quickcard import QuickReader
from .store import Store

__all__ = ["CardReader", "LoadedCard", "card_files", "load_file"]


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


def card_files(base: Path, instead: Collection[Path] = ()) -> Iterator[Path]:
    """Card files of a folder and its subfolders, sorted; partial and hidden files are no cards."""
    there = base.rglob("*.json") if base.is_dir() else ()
    for path in sorted({*there, *(p for p in instead if p.is_relative_to(base))}):
        if not path.name.startswith(".") and not path.name.endswith(".partial.json"):
            yield path


def load_file(path: Path, definition: Definition | None = None, root: Path | None = None) -> Card:
    """Read one card: its shape, its name and, where ``definition`` is given, what it says.

    ``root`` is the folder it may not lie outside of (default: its own). Raises :class:`PerfdocsError`.
    """
    card = read_card(path, root)
    if definition is not None:
        check_card(card, definition, path)
    return card


@dataclass(frozen=True, slots=True)
class CardReader:
    """How the cards of one benchmark are read: checked against its definition, unless the store knows them."""

    folder: Path
    definition: Definition
    sha: str
    store: Store | None
    instead: Mapping[Path, bytes]
    quick: QuickReader
    sources: dict[tuple[tuple[str, str], ...], tuple[str, ...]] = field(default_factory=dict)
    """By source files with their digests those that have others now."""

    def load(self, path: Path, base: Path, *, published: bool) -> LoadedCard:
        """Read one card. Raises :class:`PerfdocsError`."""
        sha, card = self._read(path, base)
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
