"""A share of counts has an interval, which goes with it into tables and claims."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.render_kit import DEFINITION, demo, gpu_card

from perfdocs.errors import PerfdocsError
from perfdocs.expression import check_calls, evaluate, parse
from perfdocs.frame import rows
from perfdocs.quantity import NBSP
from perfdocs.render.detail import INTERVALS, detail
from perfdocs.row import of_intervals
from perfdocs.shares import interval, share
from perfdocs.verdict import Value


@pytest.mark.parametrize(
    ("hits", "of", "expected"),
    [(0, 44, (0.0, 0.0804)), (11, 44, (0.1319, 0.4034)), (44, 44, (0.9196, 1.0)), (5, 10, (0.1871, 0.8129))],
)
def test_the_interval_of_a_share(hits: int, of: int, expected: tuple[float, float]) -> None:
    """Against published tables of Clopper and Pearson's interval."""
    assert interval(hits, of) == pytest.approx(expected, abs=1e-4)


def test_no_hit_in_three_hundred_leaves_a_percent_open() -> None:
    found = share(Value.exact(0.0), Value.exact(300.0).flagged(["synthetic"]))
    assert (found.centre, found.lo, found.samples, found.flags) == (0.0, 0.0, 0, frozenset({"synthetic"}))
    assert found.hi == found.show_hi == pytest.approx(1 - 0.025 ** (1 / 300), rel=1e-9)
    assert share(Value.exact(300.0), Value.exact(300.0)).lo == pytest.approx(0.025 ** (1 / 300), rel=1e-9)


@pytest.mark.parametrize(("hits", "of"), [(0.5, 3.0), (4.0, 3.0), (-1.0, 3.0)])
def test_what_is_no_count_of_hits_has_no_interval(hits: float, of: float) -> None:
    found = share(Value.exact(hits), Value.exact(of))
    assert found == Value.exact(hits / of)
    assert math.isnan(share(Value.exact(0.0), Value.exact(0.0)).centre)


def test_it_is_a_function_of_derived_quantities() -> None:
    counts = {"a": Value.exact(3.0), "b": Value.exact(6.0), "n": Value.exact(300.0)}
    found = evaluate(parse("share(a + b, n)", "here"), lambda name: counts[name.name])
    assert (found.lo, found.hi) == pytest.approx((0.0138, 0.0562), abs=1e-4)


SHARED = """[derived.hits]
label = "hits"
is = "share(launches, moved)"
fraction = true

[metrics.joules]
label = "energy"
kind = "samples"
unit = "J"

[derived.work]
label = "work a joule"
is = "flop / joules"
unit = "flop/J"
better = "higher"

[derived.delay]
label = "energy times delay"
is = "joules * wall"
unit = "J s"

[derived.gain]
label = "gain"
is = "work / work[steal]"

[tables.main]"""


def test_ranges_that_no_run_gave_stand_behind_what_is_derived_of_them(tmp_path: Path) -> None:
    made = gpu_card()
    for m in made["measurements"]:
        if m["table"] == "main":
            m |= {"launches": 9, "moved": 300, "joules": {"centre": 2.0, "low": 1.6, "high": 2.5}}
    definition = DEFINITION.replace("[tables.main]", SHARED).replace(
        '"mode"]', '"mode", "hits", "work", "delay", "gain"]'
    )
    definition = definition.replace('unit = "byte"\n\n[metrics.launches]', "\n[metrics.launches]")
    pair = demo(tmp_path, made, definition=definition)
    model = detail(*pair, "main")
    group = model.groups[0]
    told = {
        head.split(" (")[0]: cell.text.replace(NBSP, " ") for head, cell in zip(group.head, group.rows[0], strict=True)
    }
    assert told["hits"].endswith("3.00 % (1.38 %–5.62 %)")
    assert told["work a joule"] == "4.74 (3.79–5.92)"
    assert "–" in told["delay" if "delay" in told else "energy times delay"]
    assert "–" in told["gain"]
    assert "–" not in told["flop rate"]  # of runs: their range stands at the time
    assert INTERVALS in model.caption
    assert INTERVALS not in detail(*demo(tmp_path / "plain", gpu_card()), "main").caption


def test_a_summary_without_a_range_leaves_nothing_open(tmp_path: Path) -> None:
    made = gpu_card()
    for m in made["measurements"]:
        if m["table"] == "main":
            m["clock"] = {"centre": 2e9, "low": 2e9, "high": 2e9}
    benchmark, loaded = demo(tmp_path, made)
    assert not any(
        of_intervals(row, key) for row in rows(benchmark, loaded, "main") for key in ("clock", "wall", "mode")
    )


def test_it_takes_two_counts() -> None:
    tree = parse("share(a)", "here")
    with pytest.raises(PerfdocsError, match="share"):
        check_calls(tree, "here", series=False)
