"""The times that a command tells: one form, and a located word for anything else."""

from __future__ import annotations

import pytest

from perfdocs.ab.regions import LEAST, MOST, regions_of, same_regions
from perfdocs.ab.statistics import ratio_of
from perfdocs.errors import PerfdocsError


def test_lines_of_the_form_are_read_and_others_are_the_commands_own() -> None:
    text = "reading\nperfdocs-region apply 0.0125\n perfdocs-regional 3\nperfdocs-region update.0\t1.5e-2 \n"
    assert regions_of(text, "command A") == {"apply": 0.0125, "update.0": 0.015}


@pytest.mark.parametrize(
    "line",
    [
        "perfdocs-region",
        "perfdocs-region main",
        "perfdocs-region main 1.0 s",
        "perfdocs-region main 12ms",
        "perfdocs-region main 0",
        "perfdocs-region main -1",
        "perfdocs-region main nan",
        "perfdocs-region main inf",
        "perfdocs-region main 1e999",
        "perfdocs-region main 1.7e308",
        "perfdocs-region main 1000000.1",
        "perfdocs-region main 5e-324",
        "perfdocs-region main 1_0",
        "perfdocs-region main 1,5",
        "perfdocs-region [red]main 1",
        "perfdocs-region " + "m" * 65 + " 1",
        " perfdocs-region main 1",
    ],
)
def test_a_line_that_is_not_of_the_form_is_located(line: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        regions_of(f"fine\n{line}\n", "command A")
    assert caught.value.problem.where == "command A, line 2"
    assert caught.value.problem.code == "ab-region"


def test_the_longest_and_the_shortest_region_have_a_ratio() -> None:
    text = f"perfdocs-region long {MOST}\nperfdocs-region short {LEAST}\n"
    found = regions_of(text, "command A")
    assert found == {"long": 1e6, "short": 1e-12}
    assert ratio_of([found["short"]] * 20, [found["long"]] * 20).high == 1e18


def test_a_region_told_twice_is_located() -> None:
    with pytest.raises(PerfdocsError, match=r'command B, line 2: found "main" again'):
        regions_of("perfdocs-region main 1\nperfdocs-region main 2\n", "command B")


@pytest.mark.parametrize("text", ["", "all is well\n"])
def test_a_command_that_tells_nothing_is_refused(text: str) -> None:
    with pytest.raises(PerfdocsError, match="no line that begins with `perfdocs-region`"):
        regions_of(text, "command A")


def test_every_run_tells_the_same_regions() -> None:
    same_regions({"a", "b"}, {"b", "a"}, "B")
    with pytest.raises(PerfdocsError, match=r"B, round 3: found other regions than before: b, c"):
        same_regions({"a", "b"}, {"a", "c"}, "B, round 3")


def test_a_line_ends_with_a_line_feed_alone_or_after_a_carriage_return() -> None:
    assert regions_of("perfdocs-region a 1\r\nperfdocs-region b 2", "A") == {"a": 1.0, "b": 2.0}
    for odd in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029":
        assert regions_of(f"said{odd}perfdocs-region no 1\nperfdocs-region a 1", "A") == {"a": 1.0}
        with pytest.raises(PerfdocsError, match="A, line 2"):
            regions_of(f"{odd}\nperfdocs-region a", "A")


def test_there_are_a_thousand_regions_at_most() -> None:
    lines = [f"perfdocs-region r{i} 1" for i in range(1001)]
    assert len(regions_of("\n".join(lines[:1000]), "A")) == 1000
    with pytest.raises(PerfdocsError, match="A, line 1001: found more than 1000 regions, expected at most 1000"):
        regions_of("\n".join(lines), "A")
