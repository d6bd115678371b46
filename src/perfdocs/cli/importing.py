"""Commands that make cards of what others published: `import table`."""

from __future__ import annotations

from pathlib import Path

import click

from ..cardfile import write_card
from ..errors import PerfdocsError, place
from ..files import read_bytes
from ..loading import load_file
from ..mapping import read_map
from ..tables import card_of_table
from .project import Project, benchmark_of, counted, examples

__all__ = ["import_"]

EXAMPLE = "perfdocs import table published.csv --map published.toml"


@click.group(name="import", epilog=examples(EXAMPLE))
def import_() -> None:
    """Make a card of numbers that others published."""


@import_.command(epilog=examples(EXAMPLE, f"{EXAMPLE} --to build/cards --force"))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--map", "map_path", metavar="MAP", required=True, type=click.Path(path_type=Path), help="A TOML file.")
@click.option("--to", metavar="DIR", type=click.Path(path_type=Path), help="Folder [default: the benchmark's cards].")
@click.option("--force", is_flag=True, help="Replace the imported card of the same device.")
@click.pass_obj
def table(project: Project, file: Path, map_path: Path, to: Path | None, force: bool) -> int:
    """Make an imported card of a CSV file.

    MAP says what the columns of FILE mean: which arm, which point, which metric in which unit, and where the numbers
    come from.
    """
    chosen = read_map(map_path)
    definition = benchmark_of(project.library(), chosen.benchmark, place(map_path, "$.benchmark")).definition
    card = card_of_table(read_bytes(file, file.parent, "table"), file, chosen, map_path, definition)
    folder = to if to is not None else project.benchmarks / definition.id / "cards"
    target = folder / f"{card.device.id}.json"
    _make_way(target, force)
    write_card(card, target)
    said = f"{counted(len(card.measurements), 'measurement')}, {len(card.not_run)} not run"
    click.echo(place(target))
    click.echo(f"{card.origin.kind}: {said}", err=True)
    return 0


def _make_way(target: Path, force: bool) -> None:
    """Refuse to lose a card: an imported one without ``--force``, one that was measured or cannot be read always.

    Raises :class:`PerfdocsError`.
    """
    if not target.exists():
        return
    kind = load_file(target).origin.kind
    if kind == "measured":
        do = "remove it yourself, or give the device of the map another id"
        raise PerfdocsError("import-measured", place(target), "a measured card", "no card, or an imported one", do)
    if not force:
        found = f"a card there, {kind}"
        raise PerfdocsError("import-exists", place(target), found, "no card yet", "replace it by `--force`")
