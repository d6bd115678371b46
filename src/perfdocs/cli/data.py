"""Commands about the data: `validate`, `list`, `schema`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..cardfile import card_schema
from ..errors import PerfdocsError, Problem, clean, place
from ..extent import extent
from ..library import Library
from ..loading import LoadedCard, load_file
from .project import Project, benchmark_of, counted, examples, format_option, problems_text, show_json

__all__ = ["list_", "schema", "validate"]


@click.command(
    epilog=examples(
        "perfdocs validate",
        "perfdocs validate build/cards/rk4/my-gpu.json",
        "perfdocs validate --format json",
    )
)
@click.argument("cards", nargs=-1, metavar="[CARD]...", type=click.Path(path_type=Path))
@format_option
@click.pass_obj
def validate(project: Project, cards: tuple[Path, ...], style: str) -> int:
    """Check definitions and cards.

    All of them, or these cards wherever they lie; one line for each problem.
    """
    library = project.library()
    if cards:
        found = [problem for path in cards if (problem := _problem_of(path, library)) is not None]
        count = len(cards)
    else:
        found = list(library.problems)
        count = sum(len(b.cards) + len(b.repeats) for b in library.benchmarks.values())
        count += sum(1 for p in found if p.code != "card-two-files" and not p.code.startswith("definition"))
        count += 2 * sum(1 for p in found if p.code == "card-two-files")
    if style == "json":
        show_json({"cards": count, "problems": found})
    else:
        problems_text(found)
        click.echo(f"{counted(count, 'card')}, {counted(len(found), 'problem')}", err=True)
    return 1 if found else 0


def _problem_of(path: Path, library: Library) -> Problem | None:
    """What is wrong with one card wherever it lies, or ``None``. Its benchmark must be one of the library."""
    try:
        card = load_file(path)
        benchmark = benchmark_of(library, card.benchmark, place(path, "$.benchmark"))
        load_file(path, benchmark.definition)
    except PerfdocsError as error:
        return error.problem
    return None


@click.command(name="list", epilog=examples("perfdocs list", "perfdocs list --format json"))
@format_option
@click.pass_obj
def list_(project: Project, style: str) -> int:
    """Show benchmarks, arms, devices and cards."""
    library = project.library(local=True)
    if style == "json":
        show_json(_listing(library))
    else:
        for line in _lines(library):
            click.echo(line)
    if library.problems:
        click.echo(f"{counted(len(library.problems), 'problem')}: see `perfdocs validate`", err=True)
    return 1 if library.problems else 0


def _card(loaded: LoadedCard) -> dict[str, Any]:
    card = loaded.card
    return {
        "device": loaded.device_id,
        "name": card.device.name,
        "kind": card.device.kind,
        "path": place(loaded.path),
        "recorded": card.recorded,
        "origin": card.origin.kind,
        "published": loaded.published,
        "extent": extent(card),
        "measurements": len(card.measurements),
        "not_run": len(card.not_run),
        "earlier_sources": list(loaded.earlier_sources),
        "sha256": loaded.digest,
    }


def _listing(library: Library) -> dict[str, Any]:
    return {
        "benchmarks": [
            {
                "id": key,
                "title": b.definition.title,
                "version": b.definition.version,
                "arms": [
                    {"key": a, "label": arm.label, "group": arm.group, "on": list(arm.on)}
                    for a, arm in b.definition.arms.items()
                ],
                "tables": {t: list(table.axes) for t, table in b.definition.tables.items()},
                "cards": [_card(c) for c in b.cards],
            }
            for key, b in sorted(library.benchmarks.items())
        ],
        "devices": list(library.device_ids()),
        "problems": library.problems,
    }


def _lines(library: Library) -> list[str]:
    lines = []
    for key, benchmark in sorted(library.benchmarks.items()):
        d = benchmark.definition
        lines.append(f"{key}: {d.title} (version {d.version})")
        width = max(map(len, d.arms))
        lines.extend(f"  {a:<{width}}  {arm.label} [{', '.join(arm.on)}]" for a, arm in d.arms.items())
        for loaded in benchmark.cards:
            card = loaded.card
            facts = [f"{counted(len(card.measurements), 'measurement')}", card.recorded[:10]]
            facts += [] if extent(card) == "full" else [extent(card)]
            facts += [] if card.origin.kind == "measured" else [card.origin.kind]
            facts += [] if loaded.published else ["unpublished"]
            facts += ["earlier sources"] if loaded.earlier_sources else []
            lines.append(f"  {loaded.device_id}: {clean(card.device.name)}, {', '.join(facts)}; {place(loaded.path)}")
        if not benchmark.cards:
            lines.append("  no card yet: `perfdocs run` measures this machine")
    return lines or ["no benchmark"]


@click.command(epilog=examples("perfdocs schema > card.schema.json"))
def schema() -> None:
    """Print the JSON Schema of a card."""
    show_json(card_schema())
