"""Cards that were read and found right before, kept by content so that the next build need not check them again.

What is kept is the card itself and nothing else, in a folder that may be deleted at any time. What does not read back
as a card is as good as absent.
"""

from __future__ import annotations

import contextlib
import os
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import msgspec

from .card import AxisValue, Card, Measurement, MetricValue

__all__ = ["CardStore", "Known", "Store"]

_SUFFIX = ".card"
_RULES = (
    "card",
    "crosscheck",
    "definition",
    "dimension",
    "expression",
    "files",
    "flags",
    "library",
    "peaks",
    "quickcard",
    "tree",
)
"""Modules that say what is right: where one changes, every card is checked anew."""


class _Measurement(Measurement, frozen=True, kw_only=True):
    """A measurement whose keys were found right: not held against their patterns again, most of a reading's time."""

    table: str
    arm: str
    at: dict[str, AxisValue] = msgspec.field(default_factory=dict)
    flags: tuple[str, ...] = ()
    values: dict[str, MetricValue] = msgspec.field(default_factory=dict)


class _Card(Card, frozen=True, kw_only=True):
    measurements: tuple[_Measurement, ...]


_decoder = msgspec.msgpack.Decoder(_Card)


def kept(card: Card) -> bytes:
    """A card that is right, as it is kept."""
    return msgspec.msgpack.encode(card)


def decoded(data: bytes) -> Card:
    """The card of what :func:`kept` gave. Raises :class:`ValueError` where it is none."""
    return _decoder.decode(data)


@cache
def _rules() -> bytes:
    here = Path(__file__).parent
    return sha256(b"".join(sha256((here / f"{name}.py").read_bytes()).digest() for name in _RULES)).digest()


class Store(Protocol):
    """What spares cards another check: known by the digests of their file and of the definition."""

    def get(self, digest: str, definition: str) -> Card | None:
        """The card of a file, where it was found right before."""

    def put(self, digest: str, definition: str, card: Card) -> None:
        """Keep a card that is right."""


class Known:
    """Cards of this process: a library that is read again with one card changed reads only that one."""

    def __init__(self) -> None:
        self._cards: dict[tuple[str, str], Card] = {}

    def get(self, digest: str, definition: str) -> Card | None:
        """The card of a file, where it was found right before."""
        return self._cards.get((digest, definition))

    def put(self, digest: str, definition: str, card: Card) -> None:
        """Keep a card that is right."""
        self._cards[digest, definition] = card


class CardStore:
    """A folder of cards by the digests of their file and of the definition they were checked against."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._used: set[str] = set()

    def _name(self, digest: str, definition: str) -> str:
        name = sha256(_rules() + f"{digest} {definition}".encode()).hexdigest()[:32] + _SUFFIX
        self._used.add(name)
        return name

    def get(self, digest: str, definition: str) -> Card | None:
        """The card of a file, where it was found right before."""
        try:
            return decoded((self._folder / self._name(digest, definition)).read_bytes())
        except (OSError, ValueError):  # msgspec's errors are values that do not fit
            return None

    def put(self, digest: str, definition: str, card: Card) -> None:
        """Keep a card that is right. A folder that can't be written to keeps nothing."""
        path = self._folder / self._name(digest, definition)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        with contextlib.suppress(OSError, ValueError, TypeError, OverflowError):  # it need not be kept
            data = kept(card)
            self._folder.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)
            temporary.replace(path)

    def tidy(self) -> None:
        """Remove every card that was not asked for since this object was made."""
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                if path.name not in self._used:
                    path.unlink(missing_ok=True)
