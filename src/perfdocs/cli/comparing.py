"""`perfdocs ab`: is B as fast as A? Alternating rounds, a gate, and an exit code for it."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..ab import FAULT, NOT_RUN
from ..errors import PerfdocsError, place
from ..measure.arguments import axis_filters
from ..output import show
from .project import Project, examples, format_option

if TYPE_CHECKING:
    from ..ab.record import Record

__all__ = ["UNDECIDED", "ab"]

UNDECIDED = 5
"""Neither pass nor fail: the interval lies around the gate, or what is gated could not be read."""
DAY = 86400.0  # s
NOT_UNDERSTOOD = frozenset({"ab-side", "ab-out", "bad-filter", "unknown-axis"})
"""Codes of problems with the words of the command, whatever there is on the machine."""
DEAF = 2.0  # s


class _Number(click.FloatRange):
    """A range of numbers; what is no number lies in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number. Fails where it is none, or outside."""
        found = float(super().convert(value, param, ctx))
        return found if math.isfinite(found) else self.fail(f"{value} is no number", param, ctx)


@click.command(
    epilog=examples(
        "perfdocs ab rk4:per_thread rk4:persistent --gate 1.05",
        "perfdocs ab rk4:persistent rk4:persistent --at config=spread-1000 --at n=1000000 --lock base",
        """perfdocs ab '["./old", "graph.txt"]' '["./new", "graph.txt"]' --rounds 30""",
        "perfdocs ab --reset                       clocks as they are by default, at any time",
    )
)
@click.argument("a", default="")
@click.argument("b", default="")
@click.option(
    "--rounds", type=click.IntRange(20, 1000), default=20, show_default=True, help="Rounds A B that have to count."
)
@click.option(
    "--gate",
    type=_Number(0.01, 100),
    default=1.05,
    show_default=True,
    help="The most that B may take of what A takes.",
)
@click.option(
    "--shortest",
    type=_Number(0, 3600),
    default=0.01,
    show_default=True,
    metavar="SECONDS",
    help="Regions shorter than this are not gated; an arm's run is repeated to fill it.",
)
@click.option(
    "--lock",
    type=click.Choice(["base", "boost"]),
    help="Lock the GPU's clocks for a second reading, and gate that one. Never done without this.",
)
@click.option("--profile", is_flag=True, help="Read the kernels alone as well, under a profiler (arms only).")
@click.option(
    "--foreign-load",
    type=_Number(0, 4096),
    metavar="PROCESSORS",
    help="More work of others on our processors repeats a round [default: as for cards, half of one; half of all for "
    "arms on a GPU].",
)
@click.option(
    "--repeats",
    type=click.IntRange(0, 100),
    default=3,
    show_default=True,
    help="How often in a row a round is measured again before the reading ends.",
)
@click.option("--at", "points", multiple=True, metavar="AXIS=VALUE", help="The arms' point (repeatable).")
@click.option(
    "--device", type=click.Choice(["gpu", "cpu"]), help="Where the arms run [default: the GPU if there is one]."
)
@click.option(
    "--limit",
    type=_Number(0, DAY, min_open=True),
    default=3600.0,
    show_default=True,
    metavar="SECONDS",
    help="The most one run of a side may take.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file of the record [default: build/ab/TIME.json].",
)
@click.option("--json", "as_json", is_flag=True, help="The record on standard output; the same as --format json.")
@click.option("--reset", "resetting", is_flag=True, help="Reset clocks that a comparison left locked; measure nothing.")
@click.option("--force", is_flag=True, help="With --reset: also clocks that somebody else may have locked.")
@format_option
@click.pass_obj
def ab(project: Project, /, a: str, b: str, *, resetting: bool, force: bool, **given: Any) -> int:
    """Compare B with A in alternating rounds.

    A and B are two arms, as BENCHMARK:ARM, or two commands, each a JSON list of words that no shell reads. A command
    prints a line `perfdocs-region NAME SECONDS` for each region that it times itself.

    B passes where the whole 95 % interval of the ratio of medians is at the gate or below (exit code 0), fails where
    the whole of it is above (1, and nothing else is); anything else is undecided (5). Where a side did not run, or did
    not tell its times, that is neither (7). Every round is in the record.
    """
    if resetting:
        if a or b:
            raise click.UsageError("--reset takes no sides")
        return _reset(force=force)
    if force:
        raise click.UsageError("--force is of --reset")
    if not (a and b):
        raise click.UsageError("two sides are needed: A and B")
    try:
        return _compare(project, a, b, given)
    except PerfdocsError as error:
        with suppress(OSError):  # the code tells, also where nobody reads
            click.echo(f"perfdocs: {error.problem}", err=True)
        return 2 if error.problem.code in NOT_UNDERSTOOD else NOT_RUN


def _reset(*, force: bool) -> int:
    """Reset by every way there is. A way that is not there has locked nothing; one that is refused may have."""
    from ..ab.lock import ask_reset
    from ..measure.cuda import bus_id

    found = ask_reset(bus_id(), force=force)
    if found.held:
        who = "" if found.process is None else f" (process {found.process})"
        click.echo(
            f"not reset: a comparison of perfdocs{who} holds the clocks now and resets them at its end; wait for it, "
            "or end it"
        )
        return 1
    if found.locked:
        who, then = (
            ("some process, which may be a comparison of perfdocs,", "wait for it, or end it")
            if found.stranger is None
            else (f"process {found.stranger}, which is no comparison of perfdocs,", "--force resets anyway")
        )
        click.echo(f"not reset: {who} has locked the file that tells who holds the clocks; {then}")
        return 1
    if found.unknown is not None:
        click.echo(f"not reset: {found.unknown}; --force resets anyway")
        return 1
    if found.foreign:
        click.echo(
            "nothing to reset: no comparison of perfdocs has left the clocks locked; whether somebody else has locked "
            "them, the driver does not tell, and --force takes off that lock too"
        )
        return 0
    code = 0
    for way, why in found.ways.items():
        harmless = why is not None and _harmless(why)
        click.echo(
            f"{way}: " + ("reset" if why is None else f"nothing to reset, {why}" if harmless else f"not reset, {why}")
        )
        code = code if why is None or harmless else 1
    return code


def _harmless(why: str) -> bool:
    """Whether a way that did not reset the clocks is not there at all."""
    return "permission" not in why and any(word in why for word in ("not installed", "does not start", "not supported"))


def _compare(project: Project, a: str, b: str, given: dict[str, Any]) -> int:
    from ..ab.opening import Wanted, opened
    from ..ab.record import encode
    from ..ab.report import report
    from ..ab.session import INTERRUPTED, Asked, run_session
    from ..ab.sides import CommandWords, words_of
    from ..measure.edges import real_edges
    from ..measure.ending import ended_by_signals
    from ..measure.progress import open_progress

    asked = Asked(
        rounds=given["rounds"],
        gate=given["gate"],
        shortest=given["shortest"],
        most_repeats=given["repeats"],
        foreign_load=given["foreign_load"],
        lock=given["lock"],
        profile=given["profile"],
    )
    sides, at = (words_of(a, "A"), words_of(b, "B")), axis_filters(given["points"])
    command = any(isinstance(side, CommandWords) for side in sides)  # which needs no folder of benchmarks
    if command and (given["points"] or given["device"]):
        raise click.UsageError("--at and --device are of arms: a command says itself what it runs, and where")
    build = Path("build") if command else project.root / "build"
    out: Path | None = given["out"]
    path = out or build / "ab" / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.json"
    _check_place(path)
    wanted = Wanted(
        a=sides[0],
        b=sides[1],
        benchmarks=lambda: project.benchmarks,
        build=build / "measure",
        at=at,
        device=given["device"],
        limit=given["limit"],
    )
    kept: Path | OSError = path

    def keep(record: Record) -> None:
        nonlocal kept
        try:
            kept = _written(record, path, chosen=out is not None)
        except OSError as error:
            kept = error

    with ended_by_signals(DEAF), opened(wanted, asked, real_edges(), open_progress()) as session:
        record = run_session(session, asked, keep)
    as_json = given["as_json"] or given["style"] == "json" or isinstance(kept, OSError)
    unshown = show(encode(record).decode() if as_json else f"{report(record)}\n")
    if isinstance(kept, OSError):
        where = "nowhere" if unshown is not None else "on standard output"
        found = f"found {_said(kept)}, expected a place for the record, which is {where}"
        click.echo(f"perfdocs: {place(path)}: {found}; free some space or name another place with --out", err=True)
        return FAULT
    if unshown is not None:
        click.echo(f"perfdocs: standard output: found {_said(unshown)}, expected a place for the report", err=True)
    click.echo(place(kept), err=True)
    if record.stopped is not None:
        click.echo(f"perfdocs: {record.stopped}; every round that counted is kept in {place(kept)}", err=True)
        return 130 if record.stopped == INTERRUPTED else NOT_RUN
    if any(reading.restored is False for reading in record.readings.values()):
        click.echo("perfdocs: the clocks could not be reset; run `perfdocs ab --reset`", err=True)
        return FAULT
    if unshown is not None:
        return FAULT
    return {"pass": 0, "fail": 1, "undecided": UNDECIDED}[record.verdict]


def _check_place(path: Path) -> None:
    """A place that cannot be written is better known before."""
    if path.exists() and not path.is_file():
        found = "a folder" if path.is_dir() else "a device or pipe"
        raise PerfdocsError("ab-out", place(path), found, "a place for a file", "name another with --out")
    path.parent.mkdir(parents=True, exist_ok=True)


def _said(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _written(record: Record, path: Path, *, chosen: bool) -> Path:
    """The file of the record: ``path``, or a name with a number where nobody has chosen it and there is one already."""
    from ..ab.record import write

    path = path if chosen else _reserved(path)
    try:
        write(record, path)
    except OSError:
        if not chosen:
            path.unlink(missing_ok=True)
        raise
    return path


def _reserved(path: Path) -> Path:
    """A new empty file, so that an A/B that ends at the same time takes another name."""
    free, number = path, 1
    while True:
        try:
            free.touch(exist_ok=False)
        except FileExistsError:
            number += 1
            free = path.with_stem(f"{path.stem}-{number}")
        else:
            return free
