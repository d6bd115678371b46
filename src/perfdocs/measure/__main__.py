"""``python -m perfdocs.measure BENCHMARK_FOLDER``: measure where nothing but numpy and msgspec is installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from perfdocs.errors import PerfdocsError

from .arguments import add_arguments, options_of
from .ending import ended_by_signals
from .failure import Stopped
from .options import Options
from .plan import show
from .runner import listing, run

__all__ = ["main"]

EPILOG = """exit codes: 0 card written; 1 a mistake in the benchmark or the options, or a full disk; 3 the deadline came
first; 4 the device stopped working; 6 an arm did not come back; 130 interrupted, by Ctrl-C, by SIGTERM or
because the terminal closed. After all but a mistake the same command goes on from there."""


def _parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m perfdocs.measure",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("folder", type=Path, help="The benchmark's folder, with benchmark.toml in it.")
    add_arguments(p)
    p.add_argument("--out", type=Path, help=f"Folder of the cards [default: {Options().out}].")
    p.add_argument("--build", type=Path, help=f"Folder of what is compiled [default: {Options().build}].")
    return p


def main(argv: list[str] | None = None) -> int:
    """Measure; return the exit code."""
    a = _parser().parse_args(argv)
    try:
        options = options_of(vars(a))
        if a.listed:
            for kind, arm, task in listing(a.folder, options):
                print(
                    f"{kind}  {task.table}  {arm}  {show(task.at)}" + ("" if task.how == "timed" else f"  {task.how}")
                )
            return 0
        with ended_by_signals():
            for path in run(a.folder, options):
                print(path)
    except PerfdocsError as error:
        print(error, file=sys.stderr)
        return 1
    except Stopped as stop:
        print(stop, file=sys.stderr)
        return stop.exit_code
    except OSError as error:
        print(
            f"{error.filename or 'the file system'}: found {(error.strerror or str(error)).lower()}, expected a place "
            "that can be read and written; free some space or choose another folder, and run the same command again",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print("interrupted before the first measurement", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
