"""The command line: one way to show a problem, one table of exit codes, one line instead of a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from .. import __version__
from ..ab import FAULT, NOT_RUN
from ..errors import PerfdocsError, clean, place
from ..output import give_up
from .comparing import UNDECIDED, ab
from .data import list_, schema, validate
from .importing import import_
from .measuring import run
from .mutating import mutate
from .pages import check, render
from .project import BENCHMARKS, Project, find_benchmarks
from .repeating import repeat
from .trying import try_

__all__ = ["EXIT_CODES", "main"]

EXIT_CODES: dict[int, str] = {
    0: "all is well",
    1: "something was found wrong: each problem is one line; ab: B is above the gate, and nothing else",
    2: "the command was not understood",
    3: "run: the deadline came first; the same command goes on from there",
    4: "run: the device takes no more work; the same command goes on from there",
    UNDECIDED: "ab: neither pass nor fail, the record says why",
    6: "run: an arm did not come back; the same command records that and goes on from there",
    NOT_RUN: "ab: a side is not there, did not run, or did not tell its times",
    FAULT: "ab: the record or the report could not be written, the clocks not be reset, or perfdocs failed",
    130: "interrupted, in run and ab also by SIGTERM or a terminal that closed; what was finished is kept",
}
"""What each exit code means; `--help` and the documentation show this table."""


class _Commands(click.Group):
    """The commands, and the one place where an error becomes a line on standard error and an exit code."""

    _wrong = 1
    """The code of what is wrong with perfdocs or the machine: to `ab`, 1 is the word of a gate."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that these words begin with."""
        found = super().resolve_command(ctx, args)
        self._wrong = FAULT if found[1] is ab else 1
        return found

    def main(  # type: ignore[override] # the overloads of click say the same of the exit code
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **options: Any
    ) -> int:
        """Run one command; leave with its exit code, or return it where not ``standalone_mode``."""
        code = self._guarded(sys.argv[1:] if args is None else list(args), options)
        if standalone_mode:
            sys.exit(code)
        return code

    def _guarded(self, words: list[str], options: dict[str, Any]) -> int:
        self._wrong = 1
        if sys.stderr is None:  # closed: what is said there is for nobody, and nothing else is wrong
            sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process
        try:
            code = super().main(words, standalone_mode=False, **options)
            if sys.stdout is None and not code:
                return _say("standard output is closed: what was to be shown there is lost", self._wrong)
            if sys.stdout is not None:
                sys.stdout.flush()
        except PerfdocsError as error:
            return _say(str(error.problem), self._wrong)
        except click.UsageError as error:
            with suppress(OSError):
                error.show()
            return 2
        except click.ClickException as error:
            return _say(error.format_message(), self._wrong)
        except (KeyboardInterrupt, click.Abort):
            return _say("interrupted", 130)
        except (BrokenPipeError, SystemExit):  # the reader of a pipe has left; click ends with 1 for that by itself
            for stream in (sys.stdout, sys.stderr):
                give_up(stream)
            return self._wrong
        except OSError as error:  # a full disk, a folder that is read-only
            where = place(Path(error.filename)) if error.filename else "the file system or standard output"
            if not error.filename:
                give_up(sys.stdout)
            lost = "" if self._wrong == FAULT else ": nothing is lost"
            return _say(
                f"{where}: found {(error.strerror or str(error)).lower()}, expected a place that can be read and "
                f"written; free some space or choose another folder, and run the same command again{lost}",
                self._wrong,
            )
        except Exception as error:  # the last resort: a fault of perfdocs itself, told in one line
            if "--traceback" in words:
                traceback.print_exc()
            return _say(
                f"unexpected {type(error).__name__}: {error}; this is a fault in perfdocs: please report it, with what "
                "`perfdocs --traceback …` shows",
                self._wrong,
            )
        return code if isinstance(code, int) else 0


def _say(text: str, code: int) -> int:
    try:
        click.echo(f"perfdocs: {clean(text, 1500)}", err=True)
    except OSError:  # a full disk there as well: the code alone tells
        give_up(sys.stderr)
    return code


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExit codes:\n" + "\n".join(f"{code:>5}  {about}" for code, about in EXIT_CODES.items()),
)
@click.version_option(__version__, prog_name="perfdocs")
@click.option(
    "--benchmarks",
    metavar="DIR",
    help=f"Folder with one folder per benchmark [default: the nearest {BENCHMARKS}/, here or above].",
)
@click.option("--traceback", is_flag=True, expose_value=False, help="Show where an unexpected error came from.")
@click.pass_context
def main(context: click.Context, benchmarks: str | None) -> None:
    """Measure benchmarks, and keep pages and sentences true to the measurements.

    `perfdocs COMMAND --help` shows each command with examples.
    """
    context.obj = Project(lambda: find_benchmarks(benchmarks))


for _command in (run, import_, validate, try_, render, check, mutate, repeat, ab, schema, list_):
    main.add_command(_command)
