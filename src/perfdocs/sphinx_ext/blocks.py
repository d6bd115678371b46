"""What a directive shows, before any output format: a few kinds of blocks over the models of :mod:`perfdocs.render`.

:mod:`.content` makes them from the library; :mod:`.html` and :mod:`.expand` write them. Tables and lines are made only
when they are written, so that asking which figures and files a page needs costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..library import Benchmark
from ..loading import LoadedCard
from ..render.model import LineGroup, TableModel, has_rows

__all__ = [
    "Block",
    "DeviceList",
    "Downloads",
    "Figure",
    "Folded",
    "Heading",
    "Lines",
    "Paragraph",
    "Table",
    "Tabs",
    "within",
]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence; ``foreign``: text of it comes from a card."""

    text: str
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a block, below every section title; it is no section."""

    text: str
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table; ``anchors`` where its rows have their permanent ids on this page.

    ``otherwise`` is said where there is nothing to show; without it, nothing. ``notes``: what was not run is said here.
    """

    make: Callable[[], TableModel | None]
    anchors: bool = False
    otherwise: str = ""
    notes: bool = True

    def model(self) -> TableModel | None:
        """The table, or ``None`` where it has no row."""
        made = self.make()
        return made if made is not None and has_rows(made) else None


@dataclass(frozen=True, slots=True)
class Lines:
    """Fastest lines, a group for each part of the table; ``legend`` unless what follows explains the marks."""

    make: Callable[[], tuple[LineGroup, ...]]
    legend: bool = True


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot of a benchmark over the cards of one device or of several."""

    benchmark: Benchmark
    cards: tuple[LoadedCard, ...]
    plot: str
    caption: str


@dataclass(frozen=True, slots=True)
class Downloads:
    """The card and its table as files."""

    benchmark: Benchmark
    card: LoadedCard


@dataclass(frozen=True, slots=True)
class DeviceList:
    """Devices named with links to their pages: id and name."""

    lead: str
    devices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """Details a reader opens; shown in full where a builder can't fold."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Tabs:
    """One part for each label; one after the other where a builder has no tabs. ``label`` names the set."""

    label: str
    parts: tuple[tuple[str, tuple[Block, ...]], ...]


Block = Paragraph | Heading | Table | Lines | Figure | Downloads | DeviceList | Folded | Tabs


def within(blocks: Iterable[Block]) -> Iterator[Block]:
    """All blocks, those inside tabs and folded parts included."""
    for block in blocks:
        yield block
        if isinstance(block, Folded):
            yield from within(block.blocks)
        elif isinstance(block, Tabs):
            for _, inner in block.parts:
                yield from within(inner)
