"""`perfdocs try`: what the site would be with a card, without touching the tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from ..card import Card
from ..errors import PerfdocsError, place
from ..files import digest
from ..library import Benchmark, Library
from ..loading import LoadedCard
from ..store import Known
from .pages import default_pages, documents, read_pages
from .project import Project, card_anywhere, counted, examples, format_option, show_json

__all__ = ["Candidate", "try_"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card that may be published: the file it is in, the one it would be, and the card that is there today."""

    path: Path
    data: bytes
    card: Card
    benchmark: Benchmark
    target: Path
    other: LoadedCard | None

    @property
    def is_there(self) -> bool:
        """Whether it is published already, byte for byte."""
        return self.other is not None and self.other.digest == digest(self.data)


@click.command(
    name="try",
    epilog=examples(
        "perfdocs try build/cards/rk4/my-gpu.json",
        "perfdocs try downloads/*.json --all",
        "perfdocs try my-gpu.json --format json",
    ),
)
@click.argument("cards", nargs=-1, required=True, metavar="CARD...", type=click.Path(path_type=Path))
@click.option("--all", "whole", is_flag=True, help="Lists in full; a text shows the first ten of each.")
@format_option
@click.pass_obj
def try_(project: Project, cards: tuple[Path, ...], whole: bool, style: str) -> int:
    """Say what the site would be with a card.

    Which claims break, become undecided or become true, at which points others lead, and which pages change. Nothing
    is written. CARD lies anywhere and is called anything: its place on the site is that of the device and benchmark
    that it names. Several cards are tried together.

    Ends with 1 where a claim that holds today would not, or where a card is refused.
    """
    from ..whatif import difference
    from .differences import lines, listing

    known = Known()
    before = project.library(store=known)
    candidates = [_candidate(path, before) for path in cards]
    after = project.library(store=known, instead=_files(candidates))
    for candidate in candidates:
        _check_shown(candidate, after)
    texts, unread = read_pages(documents(default_pages(project)))
    found = difference({place(page): text for page, text in texts.items()}, before, after, project.root)
    if style == "json":
        show_json(listing(candidates, found, after, project.generated))
    else:
        for line in lines(candidates, found, after, project.generated, whole=whole):
            click.echo(line)
    if there := len(unread) + sum(p in after.problems for p in before.problems):
        click.echo(
            f"{counted(there, 'problem')} with and without: see `perfdocs validate` and `perfdocs check`", err=True
        )
    return 1 if found.spoils else 0


def _candidate(path: Path, library: Library) -> Candidate:
    """Read and check a card. Raises :class:`PerfdocsError`."""
    benchmark, card, data = card_anywhere(path, library)
    device = card.device.id
    return Candidate(path, data, card, benchmark, benchmark.place_of(device), benchmark.card_of(device))


def _files(candidates: list[Candidate]) -> dict[Path, bytes]:
    """What would lie where. Raises :class:`PerfdocsError` for two cards of one device and benchmark."""
    found: dict[Path, Candidate] = {}
    for one in candidates:
        if (other := found.get(one.target)) is not None:
            raise PerfdocsError(
                "card-two-files",
                place(one.path),
                f'the device "{one.card.device.id}", which {place(other.path)} holds too',
                "one card for one device and benchmark",
                "try one after the other",
            )
        found[one.target] = one
    return {target: one.data for target, one in found.items()}


def _check_shown(candidate: Candidate, library: Library) -> None:
    """Whether the site has the card in its place. Raises :class:`PerfdocsError` where other files keep it out."""
    loaded = library.benchmarks[candidate.benchmark.definition.id].card_of(candidate.card.device.id)
    if loaded is None or loaded.digest != digest(candidate.data):
        raise PerfdocsError(
            "card-two-files",
            place(candidate.target),
            f'another file for the device "{candidate.card.device.id}"',
            "one card for one device and benchmark",
            "remove the others first: `perfdocs validate` names them",
        )
