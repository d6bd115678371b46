"""``python -m perfdocs.measure BENCHMARK_FOLDER``: measure where nothing but numpy and msgspec is installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from perfdocs.card import AxisValue
from perfdocs.errors import PerfdocsError

from .failure import Stopped
from .options import Options
from .plan import show
from .runner import listing, run

__all__ = ["axis_filters", "main"]

LIMIT = "most seconds for one measurement (default: 15, full 60); an answer of a fresh process has 180 or more"

EPILOG = """exit codes: 0 card written; 1 a mistake in the benchmark or the options, or a full disk; 3 the deadline came
first; 4 the device stopped working; 130 interrupted. After all but a mistake the same command goes on from there."""


def axis_filters(texts: list[str]) -> dict[str, tuple[AxisValue, ...]]:
    """``["n=1e3", "n=1e4"]`` as the values wanted by axis. Raises :class:`PerfdocsError`."""
    found: dict[str, tuple[AxisValue, ...]] = {}
    for text in texts:
        axis, equals, value = text.partition("=")
        if not (axis and equals and value):
            raise PerfdocsError("bad-filter", "--at", f'"{text}"', "axis=value", "write for example --at n=1000")
        found[axis] = (*found.get(axis, ()), _value(value))
    return found


def _value(text: str) -> AxisValue:
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number above 0")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m perfdocs.measure",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    d = Options()
    p.add_argument("folder", type=Path, help="the benchmark's folder, with benchmark.toml in it")
    p.add_argument("--device", choices=("auto", "cpu", "gpu"), default="auto", help="auto: the CPU, and the GPU if any")
    p.add_argument("--full", action="store_true", help="every point of the benchmark; otherwise the quick ones")
    p.add_argument("--arm", action="append", default=[], help="only this arm (repeatable)")
    p.add_argument("--table", action="append", default=[], help="only this table (repeatable)")
    p.add_argument("--at", action="append", default=[], metavar="AXIS=VALUE", help="only these points (repeatable)")
    p.add_argument("--n", action="append", default=[], help="short for --at n=N")
    p.add_argument("--list", action="store_true", help="say what would be measured")
    p.add_argument("--out", type=Path, default=d.out, help="folder of the cards (default: %(default)s)")
    p.add_argument("--build", type=Path, default=d.build, help="folder of what is compiled (default: %(default)s)")
    p.add_argument("--as", dest="as_name", help="suffix of the device's id")
    p.add_argument("--deadline", type=float, metavar="S", help="stop before so many seconds have gone")
    p.add_argument("--close", action="store_true", help="at the deadline, write the card and record the rest as such")
    p.add_argument("--limit", type=float, metavar="S", help=LIMIT)
    p.add_argument(
        "--fresh-runs",
        type=_positive,
        metavar="K",
        default=d.fresh_runs,
        help="pairs of fresh processes, cold and warm, for a start-up time (default: %(default)s)",
    )
    p.add_argument(
        "--gate-budget",
        type=float,
        metavar="S",
        default=d.gate_budget,
        help="most seconds to wait for a cool, idle GPU, whole card (default: %(default)g)",
    )
    p.add_argument("--gate-wait", type=float, metavar="S", default=d.gate_wait, help="the same, one block")
    p.add_argument("--commit", help="commit of the sources, where they were copied without their history")
    p.add_argument("--fresh", action="store_true", help="do not complete an interrupted run")
    return p


def main(argv: list[str] | None = None) -> int:
    """Measure; return the exit code."""
    a = _parser().parse_args(argv)
    try:
        options = Options(
            devices=a.device,
            full=a.full,
            arms=tuple(a.arm),
            tables=tuple(a.table),
            at=axis_filters([*a.at, *(f"n={n}" for n in a.n)]),
            out=a.out,
            build=a.build,
            as_name=a.as_name,
            deadline=a.deadline,
            close=a.close,
            limit=a.limit,
            fresh_runs=a.fresh_runs,
            gate_budget=a.gate_budget,
            gate_wait=a.gate_wait,
            commit=a.commit,
            fresh=a.fresh,
        )
        if a.list:
            for kind, arm, task in listing(a.folder, options):
                print(
                    f"{kind}  {task.table}  {arm}  {show(task.at)}" + ("" if task.how == "timed" else f"  {task.how}")
                )
            return 0
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
