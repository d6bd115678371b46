"""The clock of an arm that a state comes before: read after each run, whatever a window without that state shows."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest
from tests.conftest import PROJECT

from perfdocs.card import Block, Measurement, Spread, State
from perfdocs.claims.check import check_text
from perfdocs.claims.model import Outcome
from perfdocs.conditions import clock_moved, clock_of_runs, read_after_each
from perfdocs.flags import sm_clock
from perfdocs.frame import rows
from perfdocs.library import Library, load_library
from perfdocs.quantity import NBSP
from perfdocs.render.detail import detail
from perfdocs.render.model import Cell
from perfdocs.render.states import state_rows

FAST = Spread(low=1.98e9, centre=1.98e9, high=1.98e9)
SLOW = (1.695e9, 1.68e9, 1.695e9, 1.71e9, 1.695e9)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The clock gate of a made-up GPU whose clock has fallen at the end of a pause."""
    folder = tmp_path_factory.mktemp("benchmarks") / "clock_gate"
    (folder / "cards").mkdir(parents=True)
    shutil.copy(PROJECT / "benchmarks" / "clock_gate" / "benchmark.toml", folder)
    made = json.loads((PROJECT / "benchmarks" / "clock_gate" / "cards" / "nvidia-h200.json").read_text())
    made["origin"], made["source"] = {"kind": "synthetic"}, {}
    made["device"] |= {"id": "made-up-gpu", "name": "Made Up GPU"}
    (idle,) = (m for m in made["measurements"] if m.get("at") == {"state": "idle"})
    idle["wall"] = [0.0206, 0.02061, 0.0206, 0.02059, 0.0206]
    idle["sm_clock"] = list(SLOW)
    (folder / "cards" / "made-up-gpu.json").write_text(json.dumps(made))
    found = load_library(folder.parent)
    assert found.problems == ()
    return found


def cells(library: Library, table: str, head: str) -> list[Cell]:
    """The cells under a head of the made-up card's table."""
    benchmark = library.benchmarks["clock_gate"]
    (loaded,) = benchmark.cards
    (group,) = detail(benchmark, loaded, table).groups
    place = next(i for i, name in enumerate(group.head) if name.replace(NBSP, " ") == head)
    return [row[place] for row in group.rows]


def claims(library: Library, text: str) -> list[Outcome]:
    return list(check_text(f"<!-- given: clock_gate, made-up-gpu -->\n\n{text}\n", "page.md", library)[1:])


def test_the_table_shows_the_clock_that_the_state_led_to(library: Library) -> None:
    assert [c.text for c in cells(library, "after", "SM clock after each run (GHz)")] == ["1.68–1.71", "1.98"]


def test_two_times_after_two_states_are_compared_across_their_clocks(library: Library) -> None:
    said = "It is 1.17× slower<!-- claim: {}at after: device_chain[idle] slower than device_chain[load] by ? -->"
    (plain,) = claims(library, said.format(""))
    assert plain.passes
    assert {flag for mark in plain.marks for flag in mark.flags} >= {"clocks_apart"}
    assert "1.00× in SM cycles" in plain.measured
    (clean,) = claims(library, said.format("clean, "))
    assert not clean.passes
    assert "clocks_apart" in clean.message


def test_long_runs_that_are_sampled_themselves_have_their_own_clock(library: Library) -> None:
    assert [c.text for c in cells(library, "beside", "SM clock while the work ran (GHz)")] == ["1.98"] * 3


def test_an_observed_clock_bears_the_marks_of_its_row(library: Library) -> None:
    seen = cells(library, "beside", "SM clock while the work ran (GHz)")
    memory = cells(library, "beside", "memory clock (GHz)")
    assert [c.flags for c in seen] == [c.flags for c in memory]
    assert sorted("contaminated" in c.flags for c in seen) == [False, True, True]
    assert [c.whys for c in seen] == [c.whys for c in memory]


def test_the_page_of_the_device_says_whose_clocks_were_read_after_each_run(library: Library) -> None:
    (loaded,) = library.benchmarks["clock_gate"].cards
    told = {name: value.replace(NBSP, " ") for name, value, _ in state_rows(loaded.card)}
    assert told["SM clock, observed"] == "1.68 GHz to 1.98 GHz"
    assert told["SM clock read after each run"] == (
        f"4 of {len(loaded.card.measurements)} measurements, where a state comes before it"
    )


def test_a_row_tells_how_its_clock_was_seen(library: Library) -> None:
    benchmark = library.benchmarks["clock_gate"]
    found = {row.at.get("state"): row for row in rows(benchmark, benchmark.cards[0], "after")}
    assert found["idle"].observed is not None
    assert found["idle"].observed.text.replace(NBSP, " ") == "SM clock 1.68 to 1.71 GHz, read after each run"
    assert found["idle"].sm_clock == 1.695e9


def one(
    window: Any, read: Any = SLOW, clock: Spread | None = FAST, curve: str | None = None, **seen: Any
) -> Measurement:
    state = State(window=window, seconds=0.25, sm_clock=clock, **({"samples": 6} | seen))
    return Measurement(table="main", arm="a", block=Block(state=state, curve=curve), values={"sm_clock": read})


@pytest.mark.parametrize(
    ("found", "each"),
    [
        (one("ramp"), True),
        (one("ramp", clock=None), True),
        (one("window", clock=None), True),  # nothing else stands for it
        (one("timed"), False),  # the runs themselves were sampled
        (one("window"), False),  # in a card from before NVML was left alone
        (one("ramp", curve="all"), False),
        (one("ramp", read=1.98e9), False),
        (one("ramp", read=(1.695e9,)), True),
        (one("window", clock=None, samples=0), None),
        (one("window", clock=None, unobserved=("sm_clock",)), None),
    ],
)
def test_when_readings_after_the_runs_are_their_clock(found: Measurement, each: bool | None) -> None:
    assert (read_after_each(found) is not None) is bool(each)
    clock = clock_of_runs(found)
    if each is None:  # nobody saw one
        assert clock is None
        return
    assert clock is not None
    assert clock.centre == (1.695e9 if each else 1.98e9)
    assert sm_clock(found) == clock.centre


def test_a_clock_that_moved_from_run_to_run_is_flagged() -> None:
    assert not clock_moved(one("ramp"))
    assert clock_moved(one("ramp", read=(1.695e9, 1.98e9, 1.98e9)))


def test_readings_of_a_block_that_nobody_watched_are_no_observation() -> None:
    bare = Measurement(table="main", arm="a", block=Block(), values={"sm_clock": SLOW})
    assert read_after_each(bare) is None
    assert sm_clock(bare) == 1.695e9
