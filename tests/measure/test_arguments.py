"""The two commands that measure take the same options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from perfdocs.cli.measuring import run
from perfdocs.measure.__main__ import _parser, main
from perfdocs.measure.arguments import ARGUMENTS, options_of
from perfdocs.measure.options import Options

OWN = {"--help", "-h", "--out", "--build"}
RUNS = {"--only", "--publish", "--format", "--help", "-h"}
SHARED = {flag for a in ARGUMENTS for flag in (a.flag, a.opposite) if flag}


def chosen(*words: str) -> dict[str, Any]:
    """What `perfdocs run` makes of its words."""
    return run.make_context("run", list(words), help_option_names=["-h", "--help"]).params


def test_both_commands_have_the_same_options() -> None:
    plain = {flag for action in _parser()._actions for flag in action.option_strings}
    shown = {flag for p in run.params if isinstance(p, click.Option) for flag in (*p.opts, *p.secondary_opts)}
    assert plain - OWN == SHARED == shown - RUNS


WORDS = [
    ["--full"],
    ["--full", "--quick"],
    ["--arm", "a", "--arm", "b", "--table", "t"],
    ["--n", "1e3", "--at", "config=x"],
    ["--device", "cpu", "--as", "lab", "--commit", "c0ffee", "--fresh", "--close"],
    ["--deadline", "0", "--limit", "2.5", "--fresh-runs", "7", "--gate-budget", "3", "--gate-wait", "4"],
    ["--repeats", "0", "--repeat-budget", "9", "--no-energy"],
]


@pytest.mark.parametrize("words", [[], *WORDS])
def test_the_same_words_are_the_same_options(words: list[str]) -> None:
    plain = options_of(vars(_parser().parse_args(["folder", *words])))
    given = chosen(*words)
    assert options_of(given, out=plain.out, build=plain.build) == plain
    assert (plain == Options()) is (not words or "--quick" in words)


def test_every_option_is_tried_above() -> None:
    assert {word for words in WORDS for word in words if word.startswith("--")} == SHARED - {"--list"}


@pytest.mark.parametrize("flag", ["--deadline", "--limit", "--gate-budget", "--gate-wait", "--repeat-budget"])
@pytest.mark.parametrize("text", ["-1", "nan", "inf", "soon"])
def test_what_is_no_time_is_refused(flag: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["folder", f"{flag}={text}"])
    assert f"{text} is no number of seconds from 0 on" in capsys.readouterr().err
    with pytest.raises(click.BadParameter, match="is no number of seconds from 0 on"):
        chosen(f"{flag}={text}")


def test_places_are_those_of_the_command() -> None:
    found = options_of(vars(_parser().parse_args(["folder", "--out", "x"])))
    assert (found.out, found.build) == (Path("x"), Options().build)
