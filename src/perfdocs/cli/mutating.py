"""`perfdocs mutate`: how many false edits of sentences and data the claims of pages notice."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from click.termui import progressbar

from ..errors import place
from .pages import default_pages, documents, read_pages
from .project import Project, examples, problems_text, show_json

if TYPE_CHECKING:
    from ..claims.model import Bound
    from ..library import Library
    from ..mutate.data import Reading
    from ..mutate.judging import Judged
    from ..mutate.margins import Margin
    from ..mutate.report import Tried

__all__ = ["mutate"]

T = TypeVar("T")
PARTS = ("sentences", "data", "margins")


@click.command(
    epilog=examples(
        "perfdocs mutate",
        "perfdocs mutate --only sentences --least 99",
        "perfdocs mutate docs/rk4.md --limit 500 --seed 7 --format json",
        "perfdocs mutate --format markdown > docs/strength.txt",
    )
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option("--only", "parts", multiple=True, type=click.Choice(PARTS), help="Only this; may be given again.")
@click.option("--limit", type=click.IntRange(min=1), help="Try so many of each, chosen by chance.")
@click.option("--seed", type=int, default=0, show_default=True, help="With --limit: another choice.")
@click.option(
    "--least",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 where a smaller share of the false edits of sentences is noticed.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="For people, for a tool, or as a piece of a page.",
)
@click.pass_obj
def mutate(
    project: Project,
    paths: tuple[Path, ...],
    parts: tuple[str, ...],
    limit: int | None,
    seed: int,
    least: float | None,
    style: str,
) -> int:
    """Measure how strong the claims of pages are; nothing is written.

    Sentences are edited falsely, and the data; each time the claims they concern are checked again. Margins say how far
    a datum must move before a claim fails. PATH is a page or a folder of pages [default: README.md and docs/].
    """
    from ..mutate.markdown import page_part
    from ..mutate.report import Strength, lines, listing

    wanted = parts or PARTS
    if least is not None and "sentences" not in wanted:
        raise click.UsageError("--least is about sentences, which --only leaves out")
    library = project.library()
    pages = list(documents(paths or default_pages(project)))
    texts, unread = read_pages(pages)
    bounds = _holding({place(page): text for page, text in texts.items()}, library)
    chosen = _Choice(limit, seed)
    prose = _sentences(bounds, library, chosen) if "sentences" in wanted else []
    data, margins = _of_data(bounds, library, chosen, wanted)
    strength = Strength(len(bounds), prose, data, margins)
    if style == "json":
        show_json({"pages": [place(p) for p in pages], "problems": unread} | listing(strength))
    else:
        problems_text(unread)
        for line in page_part(strength) if style == "markdown" else lines(strength):
            click.echo(line)
    missed = least is not None and 100 * strength.share < least
    if missed:
        click.echo(f"{strength.share:.2%} of the false edits of sentences are noticed, less than {least:g} %", err=True)
    return 1 if missed or unread else 0


class _Choice:
    """So many of each, the same for one seed."""

    def __init__(self, limit: int | None, seed: int) -> None:
        self._limit, self._seed = limit, seed

    def of(self, items: Iterable[T]) -> list[T]:
        found = list(items)
        if self._limit is None or len(found) <= self._limit:
            return found
        picked = sorted(random.Random(self._seed).sample(range(len(found)), self._limit))  # noqa: S311 - no secret
        return [found[i] for i in picked]


@contextmanager
def _bar(items: Sequence[T], title: str) -> Iterator[Iterable[T]]:
    """The items, with a bar on standard error where that is a terminal."""
    with progressbar(items, label=title, file=sys.stderr) as shown:
        yield shown


def _holding(texts: dict[str, str], library: Library) -> list[Bound]:
    """The claims of pages that pass: of the others every edit would be noticed."""
    from ..claims.check import check_text

    outcomes = (o for where, text in texts.items() for o in check_text(text, where, library))
    return [o.bound for o in outcomes if o.passes and o.bound.form == "claim"]


def _sentences(bounds: Sequence[Bound], library: Library, chosen: _Choice) -> list[Judged]:
    from ..mutate.judging import judge, prose_mutations

    with _bar(chosen.of(prose_mutations(bounds, library)), "sentences") as shown:
        return [judge(mutation, library) for mutation in shown]


def _of_data(
    bounds: Sequence[Bound], library: Library, chosen: _Choice, wanted: Sequence[str]
) -> tuple[list[Tried], list[Margin]]:
    from ..mutate.data import Readers, changes, noticed, reading
    from ..mutate.margins import margin
    from ..mutate.report import Tried

    tried: list[Tried] = []
    margins: list[Margin] = []
    if not {"data", "margins"} & {*wanted}:
        return tried, margins
    readings: list[Reading] = []
    with _bar(bounds, "what is read") as shown_bounds:
        readings = [r for bound in shown_bounds if (r := reading(bound, library)) is not None]
    if "data" in wanted:
        readers = Readers(readings)
        with _bar(chosen.of(changes(readings, library)), "data") as shown:
            for change in shown:
                concerned = readers.of(change)
                fewest = len(concerned[0].data) if concerned else 0
                tried.append(Tried(change, noticed(change, concerned, library), fewest))
    if "margins" in wanted:
        with _bar(chosen.of(readings), "margins") as shown_readings:
            margins = [margin(one) for one in shown_readings]
    return tried, margins
