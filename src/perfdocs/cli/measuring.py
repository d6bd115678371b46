"""The command `run`: measure this machine, and publish what was measured where asked to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from typing import Any, TypeVar

import click

from ..errors import PerfdocsError, nearest, place
from ..extent import left_out
from ..files import write_atomic
from ..library import Benchmark, Library
from ..loading import load_file
from ..measure.arguments import ARGUMENTS, Argument, options_of
from ..measure.ending import ended_by_signals
from ..measure.options import Options
from .project import Project, counted, examples, format_option, show_json

__all__ = ["publish", "run"]

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class _Card:
    """One card written by this command."""

    benchmark: str
    device: str
    path: str
    published: bool


def _parsed(argument: Argument) -> Callable[[str], object]:
    def parse(text: str) -> object:
        try:
            return argument.parse(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return parse


def _option(argument: Argument) -> Callable[[Command], Command]:
    """An option of the measuring commands, in click's words."""
    if argument.switch:
        flags = "/".join(filter(None, (argument.flag, argument.opposite)))
        return click.option(flags, argument.key, is_flag=True, default=False, help=argument.help)
    return click.option(
        argument.flag,
        argument.key,
        metavar=argument.metavar or None,
        type=click.Choice(argument.choices) if argument.choices else _parsed(argument),
        multiple=argument.repeatable,
        help=argument.help,
    )


def _measuring_options(command: Command) -> Command:
    """Give a command all options of measuring, in their order."""
    for argument in reversed(ARGUMENTS):
        command = _option(argument)(command)
    return command


@click.command(
    epilog=examples(
        "perfdocs run                              measure this machine quickly, into build/cards/",
        "perfdocs run --list                       say what would be measured",
        "perfdocs run --only rk4 --arm persistent --n 1000000",
        "perfdocs run --full --publish             a whole card among the committed ones",
        "perfdocs run --full --publish --as lab2   the same, where another machine has this id",
    )
)
@click.option("--only", multiple=True, metavar="BENCH", help="Only this benchmark (repeatable).")
@click.option("--publish", "publishing", is_flag=True, help="Put the cards among the committed ones; render anew.")
@_measuring_options
@format_option
@click.pass_obj
def run(project: Project, /, only: tuple[str, ...], *, publishing: bool, style: str, **given: Any) -> int:
    """Measure this machine.

    Writes one card for each benchmark and device into build/cards/. Ctrl-C, SIGTERM or a terminal that closes ends it
    with what was finished kept (130): the same command goes on from there.
    """
    options = options_of(given, out=project.local, build=project.root / "build" / "measure")
    if publishing and (options.arms or options.tables or options.at):
        raise click.UsageError("--publish takes whole cards: leave out --arm, --table, --n and --at")
    library = project.library()
    chosen = _chosen(library, only)
    if given["listed"]:
        return _list(chosen, options, style)
    with ended_by_signals():
        return _measure(project, chosen, options, publishing=publishing, style=style)


def _chosen(library: Library, only: tuple[str, ...]) -> list[Benchmark]:
    """The benchmarks asked for, or all that have something to run."""
    for key in only:
        if key not in library.benchmarks:
            broken = [p for p in library.problems if f"{key}/benchmark.toml" in p.where.replace("\\", "/")]
            if broken:
                raise PerfdocsError(
                    *(getattr(broken[0], part) for part in ("code", "where", "found", "expected", "do"))
                )
            known = list(library.benchmarks)
            raise PerfdocsError(
                "unknown-benchmark",
                "--only",
                f'"{key}"',
                f"a benchmark{nearest(key, known)}",
                f"choose from {', '.join(known)}" if known else "add one first",
            )
    every = [b for _, b in sorted(library.benchmarks.items()) if b.definition.id in only or not only]
    chosen = [b for b in every if only or (b.folder / "workload.py").is_file()]
    if not chosen:
        raise PerfdocsError(
            "benchmarks-missing",
            "perfdocs run",
            "no benchmark that can run",
            "a folder with benchmark.toml and workload.py",
            "see `perfdocs validate`",
        )
    return chosen


def _list(chosen: list[Benchmark], options: Options, style: str) -> int:
    from ..measure.plan import show
    from ..measure.runner import listing

    found = [
        {"benchmark": b.definition.id, "kind": kind, "arm": arm, "table": task.table, "at": dict(task.at)}
        for b in chosen
        for kind, arm, task in listing(b.folder, options)
    ]
    if style == "json":
        show_json(found)
    else:
        for b in chosen:
            for kind, arm, task in listing(b.folder, options):
                click.echo(f"{b.definition.id}  {kind}  {task.table}  {arm}  {show(task.at)}")
    return 0


def _measure(project: Project, chosen: list[Benchmark], options: Options, *, publishing: bool, style: str) -> int:
    from ..measure.failure import Stopped

    written: list[_Card] = []
    code, start = 0, time.monotonic()
    for benchmark in chosen:
        left = None if options.deadline is None else max(0.0, options.deadline - (time.monotonic() - start))
        try:
            for card in _cards(benchmark, changed(options, deadline=left), publishing=publishing):
                written.append(card)
                if style == "text":
                    click.echo(card.path)
        except PerfdocsError as error:  # one benchmark's mistake; the others still run
            click.echo(f"perfdocs: {error.problem}", err=True)
            code = 1
        except Stopped as stop:
            click.echo(f"perfdocs: {stop}", err=True)
            code = stop.exit_code
            break
    if style == "json":
        show_json({"cards": written})
    if any(card.published for card in written):
        from ..render.generated import write

        for path in write(project.library(), project.generated):
            click.echo(f"rendered {path}", err=True)
    return code


def _cards(benchmark: Benchmark, options: Options, *, publishing: bool) -> Iterator[_Card]:
    from ..measure.runner import run as measure

    for path in measure(benchmark.folder, options):
        target = publish(path, benchmark) if publishing else path
        yield _Card(benchmark.definition.id, target.stem, place(target), publishing)


def publish(path: Path, benchmark: Benchmark) -> Path:
    """Move a finished card among the committed ones and return where it is now.

    Raises :class:`PerfdocsError` where it is not valid, or would take away what the card in its place holds: a quick
    card that of a full one, or a card that was cut short at its deadline.
    """
    card = load_file(path, benchmark.definition)
    other = benchmark.card_of(card.device.id)
    target = benchmark.place_of(card.device.id)
    if other is not None and card.method.quick and not other.card.method.quick:
        raise PerfdocsError(
            "publish-quick",
            place(path),
            f"a quick card for {place(target)}, which is full",
            "a full card",
            "measure with `--full --publish`, or give this machine an id of its own (`--as`)",
        )
    if other is not None and (cut := left_out(card)) > left_out(other.card):
        raise PerfdocsError(
            "publish-cut",
            place(path),
            f"a card with {counted(cut, 'cell')} left out at its deadline, for {place(target)}, which lacks fewer",
            "a card that holds no less",
            "measure with more time (`--deadline`) or with `--fresh`, or copy the file by hand",
        )
    write_atomic(target, path.read_bytes())
    path.unlink()
    return target
