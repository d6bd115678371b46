"""The options of the commands that measure, `perfdocs run` and `python -m perfdocs.measure`: written once, for both."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from perfdocs.card import AxisValue
from perfdocs.errors import PerfdocsError

from .options import Options

__all__ = ["ARGUMENTS", "Argument", "add_arguments", "axis_filters", "options_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One option; ``key`` is the name of its value.

    Without a ``metavar`` and ``choices`` it takes no value; ``opposite`` then unsets it. ``parse`` raises
    :class:`ValueError` with words for the user.
    """

    flag: str
    key: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    repeatable: bool = False
    opposite: str = ""
    parse: Callable[[str], object] = str

    @property
    def switch(self) -> bool:
        """Whether it takes no value."""
        return not (self.metavar or self.choices)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise ValueError(f"{text} is no number of seconds from 0 on")
    return seconds


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{text} is no whole number above 0")
    return int(text)


def _count(text: str) -> int:
    return 0 if text == "0" else _positive(text)


_D = Options()

ARGUMENTS: tuple[Argument, ...] = (
    Argument(
        flag="--full",
        opposite="--quick",
        key="full",
        help="Every point of the benchmark, or the quick ones [default: quick].",
    ),
    Argument(flag="--arm", key="arms", metavar="ARM", repeatable=True, help="Only this arm (repeatable)."),
    Argument(flag="--table", key="tables", metavar="TABLE", repeatable=True, help="Only this table (repeatable)."),
    Argument(flag="--n", key="sizes", metavar="N", repeatable=True, help="Only this value of the axis n (repeatable)."),
    Argument(
        flag="--at",
        key="points",
        metavar="AXIS=VALUE",
        repeatable=True,
        help="Only points with this value (repeatable).",
    ),
    Argument(flag="--list", key="listed", help="Say what would be measured, and measure nothing."),
    Argument(
        flag="--device",
        key="devices",
        choices=("auto", "cpu", "gpu"),
        help=f"auto: the CPU, and the GPU where there is one [default: {_D.devices}].",
    ),
    Argument(
        flag="--as",
        key="as_name",
        metavar="NAME",
        help="Suffix of the device's id, where two machines would share it.",
    ),
    Argument(
        flag="--deadline",
        key="deadline",
        metavar="SECONDS",
        parse=_seconds,
        help="Stop before so much time has gone.",
    ),
    Argument(flag="--close", key="close", help="At the deadline, write the card and record the rest as out of time."),
    Argument(
        flag="--limit",
        key="limit",
        metavar="SECONDS",
        parse=_seconds,
        help=(
            f"Most for one measurement [default: {_D.cell_limit:g}, full {Options(full=True).cell_limit:g}]; an answer "
            f"of a fresh process has {_D.fresh_limit:g} or more."
        ),
    ),
    Argument(
        flag="--fresh-runs",
        key="fresh_runs",
        metavar="K",
        parse=_positive,
        help=f"Pairs of fresh processes, cold and warm, for a start-up time [default: {_D.fresh_runs}].",
    ),
    Argument(
        flag="--gate-budget",
        key="gate_budget",
        metavar="SECONDS",
        parse=_seconds,
        help=f"Most to wait for a cool, idle GPU, a card [default: {_D.gate_budget:g}].",
    ),
    Argument(
        flag="--gate-wait",
        key="gate_wait",
        metavar="SECONDS",
        parse=_seconds,
        help=f"The same, a block [default: {_D.gate_wait:g}].",
    ),
    Argument(
        flag="--repeats",
        key="repeats",
        metavar="K",
        parse=_count,
        help=f"Most times a throttled or contaminated block is measured again [default: {_D.repeats}].",
    ),
    Argument(
        flag="--repeat-budget",
        key="repeat_budget",
        metavar="SECONDS",
        parse=_seconds,
        help=f"Most to spend on that, a card [default: {_D.repeat_budget:g}].",
    ),
    Argument(
        flag="--no-energy",
        key="no_energy",
        help="Leave out the energy of runs, for which a full card of a GPU watches each arm for a second.",
    ),
    Argument(
        flag="--commit",
        key="commit",
        metavar="COMMIT",
        help="Commit of the sources, where they were copied without their history.",
    ),
    Argument(flag="--fresh", key="fresh", help="Begin anew instead of completing an interrupted run."),
)


def _for_argparse(parse: Callable[[str], object]) -> Callable[[str], object]:
    def parsed(text: str) -> object:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser all of :data:`ARGUMENTS`; what is not given is ``None``, or an empty list where repeatable."""
    for a in ARGUMENTS:
        if a.switch:
            parser.add_argument(a.flag, dest=a.key, action="store_true", default=False, help=a.help)
            if a.opposite:
                parser.add_argument(a.opposite, dest=a.key, action="store_false", default=False, help=argparse.SUPPRESS)
        else:
            parser.add_argument(
                a.flag,
                dest=a.key,
                metavar=a.metavar or None,
                choices=a.choices or None,
                action="append" if a.repeatable else "store",
                default=[] if a.repeatable else None,
                type=_for_argparse(a.parse),
                help=a.help,
            )


def axis_filters(texts: Sequence[str]) -> dict[str, tuple[AxisValue, ...]]:
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


def options_of(found: Mapping[str, Any], **more: Any) -> Options:
    """The options from the values of the arguments by key; what was not given is as :class:`.Options` has it.

    Raises :class:`PerfdocsError` for a point that is none.
    """
    names = {field.name for field in fields(Options)}
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in found.items()
        if key in names and value is not None
    }
    at = axis_filters([*found["points"], *(f"n={n}" for n in found["sizes"])])
    return Options(at=at, **given, **more)
