"""Where a command works: the benchmarks' folder, and what belongs beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import click
import msgspec

from ..card import Card
from ..cardfile import decode_card
from ..crosscheck import check_card
from ..errors import PerfdocsError, Problem, nearest, place
from ..files import read_bytes
from ..library import NOTHING, Benchmark, Library, load_library
from ..store import Store

__all__ = [
    "BENCHMARKS",
    "Project",
    "benchmark_of",
    "card_anywhere",
    "counted",
    "examples",
    "format_option",
    "problems_text",
    "show_json",
]

BENCHMARKS = "benchmarks"


def find_benchmarks(given: str | None = None, start: Path | None = None) -> Path:
    """The folder of benchmarks: as given, or the nearest in ``start`` (the working directory) and above.

    Raises :class:`PerfdocsError` where there is none.
    """
    if given is not None:
        folder = Path(given)
        if not folder.is_dir():
            raise PerfdocsError(
                "benchmarks-missing",
                place(folder),
                "no such folder" if not folder.exists() else "a file",
                "a folder with one folder per benchmark",
                "correct `--benchmarks`",
            )
        return folder
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if folder.name == BENCHMARKS and any(folder.glob("*/benchmark.toml")):
            return folder
        if (folder / BENCHMARKS).is_dir():
            return folder / BENCHMARKS
    raise PerfdocsError(
        "benchmarks-missing",
        place(here),
        f"no folder `{BENCHMARKS}` here or above",
        "a folder with one folder per benchmark",
        "go to the project, or give `--benchmarks DIR`",
    )


def benchmark_of(library: Library, key: str, where: str) -> Benchmark:
    """The benchmark that the file at ``where`` speaks of. Raises :class:`PerfdocsError` where there is none."""
    if key not in library.benchmarks:
        raise PerfdocsError(
            "unknown-benchmark",
            where,
            f'the benchmark "{key}"',
            f"a benchmark with a valid definition{nearest(key, library.benchmarks)}",
            "correct the name, or mend its benchmark.toml",
        )
    return library.benchmarks[key]


def card_anywhere(path: Path, library: Library) -> tuple[Benchmark, Card, bytes]:
    """A card wherever it lies, checked as a card of the site is, its file's name aside; its benchmark and its bytes.

    Raises :class:`PerfdocsError`.
    """
    data = read_bytes(path, path.parent)
    card = decode_card(data, path)
    benchmark = benchmark_of(library, card.benchmark, place(path, "$.benchmark"))
    check_card(card, benchmark.definition, path)
    return benchmark, card, data


class Project:
    """The folder of benchmarks, found when a command first asks, and the places that follow from it."""

    def __init__(self, find: Callable[[], Path]) -> None:
        self._find = find

    @cached_property
    def benchmarks(self) -> Path:
        """The folder with one folder per benchmark."""
        return self._find()

    @property
    def root(self) -> Path:
        """The folder that holds the benchmarks."""
        return self.benchmarks.resolve().parent

    @property
    def generated(self) -> Path:
        """Where the Markdown rendered from the cards lies."""
        return self.root / "_generated"

    @property
    def local(self) -> Path:
        """Where fresh measurements of this machine lie, unpublished."""
        return self.root / "build" / "cards"

    def library(
        self, *, local: bool = False, store: Store | None = None, instead: Mapping[Path, bytes] = NOTHING
    ) -> Library:
        """All benchmarks with their published cards, and with ``local`` this machine's unpublished ones.

        ``store`` and ``instead`` as in :func:`perfdocs.library.load_library`.
        """
        return load_library(self.benchmarks, local=self.local if local else None, store=store, instead=instead)


def examples(*lines: str) -> str:
    """An epilog of examples that click does not wrap."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for a tool.",
)


def show_json(value: Any) -> None:
    """Print a JSON document; records become objects."""
    click.echo(json.dumps(msgspec.to_builtins(value), indent=1, ensure_ascii=False))


def counted(number: int, word: str) -> str:
    """``1 card``, ``2 cards``."""
    return f"{number} {word}" + ("" if number == 1 else "s")


def problems_text(problems: Iterable[Problem]) -> int:
    """Print each problem on a line of its own and return how many there were."""
    count = 0
    for problem in problems:
        click.echo(str(problem))
        count += 1
    return count
