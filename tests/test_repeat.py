"""Two runs of one card: what is compared, what is refused, and that a second run is no device anywhere."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import slow, synthetic_card
from tests.render_kit import gpu_card, lay_out
from tests.sphinx_kit import Built, Project, project, text_of_html

from perfdocs.cli import main
from perfdocs.errors import PerfdocsError
from perfdocs.frame import tidy
from perfdocs.library import Benchmark, load_library
from perfdocs.measure.provenance import source
from perfdocs.render.generated import check, render_all, write
from perfdocs.render.numbers import numbers_of_html, numbers_of_markdown
from perfdocs.render.repeats import arms_table, moved_cells, repeats_of, single_cells, summary_table
from perfdocs.repeat import Agreement, Pair, Repeat, summary
from perfdocs.sphinx_ext import content
from perfdocs.store import CardStore
from perfdocs.verdict import Order

Change = Callable[[dict[str, Any]], None]
DAY_AFTER = "2026-12-01T12:00:00Z"
SAME = 1 + 1e-9
"""Times that nobody could tell from the first, and that are not copied."""


def again(card: dict[str, Any], change: Change | None = None, factor: float = 1.001) -> dict[str, Any]:
    """A second run of a card, a day later: every time ``factor`` times as long, the samples in another order."""
    card = copy.deepcopy(card)
    card["recorded"] = DAY_AFTER
    for m in card["measurements"]:
        for key in {"wall", "end_to_end"} & set(m):
            first, *rest = (s * factor for s in m[key])
            m[key] = [*rest, first]
    if change is not None:
        change(card)
    return card


def find(card: dict[str, Any], arm: str, **at: Any) -> dict[str, Any]:
    """The one measurement of an arm of ``main`` at a point."""
    found: dict[str, Any]
    (found,) = [m for m in card["measurements"] if (m["table"], m["arm"], m["at"]) == ("main", arm, at)]
    return found


def scale(arm: str, factor: float, **at: Any) -> Change:
    """Make one cell ``factor`` times what it is."""

    def change(card: dict[str, Any]) -> None:
        found = find(card, arm, **at)
        found["wall"] = [s * factor for s in found["wall"]]

    return change


def put(folder: Path, card: dict[str, Any], name: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"{card['device']['id']}.json")
    path.write_text(json.dumps(card))
    return path


def twice(root: Path, change: Change | None = None, *, factor: float = 1.001) -> Benchmark:
    """The demonstration, its card and a second run of it, which must be valid."""
    card = gpu_card()
    benchmarks = lay_out(root, card)
    put(benchmarks / "demo" / "repeats", again(card, change, factor))
    library = load_library(benchmarks)
    assert library.problems == ()
    return library.benchmarks["demo"]


def only(benchmark: Benchmark) -> Repeat:
    (found,) = repeats_of(benchmark)
    return found


# --- what is compared -----------------------------------------------------------------------------------------------


def test_a_run_a_little_slower_everywhere_agrees(tmp_path: Path) -> None:
    found = only(twice(tmp_path))
    assert [t.table for t in found.tables] == ["main", "ladder", "once"]  # not `knees`, which sums up `ladder`
    assert {t.table: t.by for t in found.tables} == {"main": "wall", "ladder": "wall", "once": "wall"}
    main_table = summary(found.chosen("main"))
    assert main_table.cells == 18
    assert main_table.median == pytest.approx(0.001)
    assert main_table.within == (1, 1, 1)
    assert (main_table.pairs, main_table.same) == (32, 32)
    whole = summary(found.tables)
    assert whole.cells == sum(len(t.cells) for t in found.tables) == 28
    assert found.moved() == ()
    assert found.contradictions() == ()
    assert [c.fact for c in found.changes] == ["recorded"]
    assert all(c.overlaps for t in found.chosen("main") for c in t.cells if c.first.lo < c.first.hi)


def test_a_table_that_sums_up_another_is_left_out_though_it_ranks(tmp_path: Path) -> None:
    text = (lay_out(tmp_path) / "demo" / "benchmark.toml").read_text()
    definition = text.replace('label = "knee"\n', 'label = "knee"\nbetter = "lower"\n')
    assert definition != text
    benchmarks = lay_out(tmp_path, gpu_card(), definition=definition)
    put(benchmarks / "demo" / "repeats", again(gpu_card()))
    found = only(load_library(benchmarks).benchmarks["demo"])
    assert [t.table for t in found.tables] == ["main", "ladder", "once"]


def test_a_cell_that_moved_is_named_with_sign_interval_flags_and_clock(tmp_path: Path) -> None:
    at = {"config": "thin", "n": 1000}

    def change(card: dict[str, Any]) -> None:
        scale("peer", 1 / 1.05, **at)(card)  # 5 % apart, whichever is the greater
        scale("host", 1.02, **at)(card)

    found = only(twice(tmp_path, change, factor=SAME))
    (cell,) = found.moved("main")
    assert (cell.arm, dict(cell.at)) == ("peer", at)
    assert cell.distance == pytest.approx(0.05)
    assert cell.difference == pytest.approx(-0.05)
    assert not cell.overlaps
    assert cell.clock is None
    assert summary(found.chosen("main")).within == (16 / 18, 17 / 18, 1)
    assert summary(found.chosen("main")).median == pytest.approx(0, abs=1e-6)
    assert found.moved("main", 0.01) == (cell, *(c for c in found.moved("main", 0.01) if c.arm == "host"))
    text = " ".join(c.text for c in moved_cells([found]).groups[0].rows[0]).replace("\u00a0", " ")
    assert "3.860 ms (3.852–3.868) 3.676 ms (3.669–3.684) −5.0 % apart" in text


def test_clocks_and_flags_stand_beside_a_cell_that_moved(tmp_path: Path) -> None:
    at = {"config": "thin", "n": 1000}
    card = gpu_card()
    text = (lay_out(tmp_path) / "demo" / "benchmark.toml").read_text()
    definition = text.replace("[metrics.clock]", "[metrics.sm_clock]").replace('"clock"', '"sm_clock"')
    for m in card["measurements"]:
        if "clock" in m:
            m["sm_clock"] = m.pop("clock")
    benchmarks = lay_out(tmp_path, card, definition=definition)

    def change(second: dict[str, Any]) -> None:
        found = find(second, "thread", **at)
        found["wall"] = [s * 1.1 for s in found["wall"]]
        found["sm_clock"] = [1.8e9] * 5
        found["block"] = {"throttle": ["sw_power_cap"]}

    put(benchmarks / "demo" / "repeats", again(card, change, SAME))
    library = load_library(benchmarks)
    assert library.problems == ()
    found = only(library.benchmarks["demo"])
    (cell,) = found.moved("main")
    assert cell.clock == pytest.approx(1.8 / 1.98 - 1)
    assert "throttled" in cell.second.flags
    assert "throttled" not in cell.first.flags
    model = moved_cells([found])
    assert model.groups[0].head[-1] == "SM clock"
    assert model.groups[0].rows[0][-1].text == "−9.1\u00a0%"
    assert "throttled" in model.flags


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Order.FASTER, Order.FASTER, Agreement.SAME),
        (Order.UNDECIDED, Order.UNDECIDED, Agreement.SAME),
        (Order.FASTER, Order.UNDECIDED, Agreement.TIE),
        (Order.LEVEL, Order.SLOWER, Agreement.TIE),
        (Order.LEVEL, Order.UNDECIDED, Agreement.TIE),
        (Order.FASTER, Order.SLOWER, Agreement.CONTRADICTS),
        (Order.SLOWER, Order.FASTER, Agreement.CONTRADICTS),
    ],
)
def test_verdicts_agree_differ_by_a_tie_or_contradict(a: Order, b: Order, expected: Agreement) -> None:
    assert Pair("main", {}, ("x", "y"), a, b).agreement is expected


def test_arms_are_told_by_how_well_they_come_again(tmp_path: Path) -> None:
    found = only(twice(tmp_path, scale("steal", 1.3, config="thin", n=1000), factor=SAME))
    (group,) = arms_table([found], "main").groups
    assert group.head[:3] == ("arm", "cells", "median difference")
    cells = [cell for cell in found.chosen("main")[0].cells if cell.arm == "steal"]
    (moved,) = (row for row in group.rows if row[-1].text != "100\u00a0%")
    assert moved[1].text == str(len(cells))
    assert moved[-1].text == f"{100 * (len(cells) - 1) / len(cells):.1f}\u00a0%"


def test_ties_and_contradictions_of_pairs_at_a_point(tmp_path: Path) -> None:
    def change(card: dict[str, Any]) -> None:
        scale("steal", 1.3, config="thin", n=1000)(card)  # 23 → 30 µs: now behind `thread` at 25
        scale("steal", 1.1, config="dense", n=1000)(card)  # was level with `thread`

    found = only(twice(tmp_path, change, factor=SAME))
    figures = summary(found.chosen("main"))
    assert (figures.pairs, figures.same, figures.ties, figures.contradict) == (32, 30, 1, 1)
    (pair,) = found.contradictions()
    assert set(pair.arms) == {"steal", "thread"}
    assert dict(pair.at) == {"config": "thin", "n": 1000}
    first = {pair.arms[0]: pair.first, pair.arms[1]: Order.SLOWER if pair.first is Order.FASTER else Order.FASTER}
    assert first["steal"] is Order.FASTER


def test_the_better_end_of_a_rate_is_the_higher_one(tmp_path: Path) -> None:
    text = (lay_out(tmp_path) / "demo" / "benchmark.toml").read_text()
    definition = text.replace('across = "n"\nby = "wall"', 'across = "n"\nby = "flop_rate"')
    assert definition != text
    card = gpu_card()
    benchmarks = lay_out(tmp_path, card, definition=definition)
    put(benchmarks / "demo" / "repeats", again(card))
    found = only(load_library(benchmarks).benchmarks["demo"])
    (table,) = found.chosen("main")
    assert table.by == "flop_rate"
    pair = next(p for p in table.pairs if set(p.arms) == {"steal", "host"})
    order = pair.first if pair.arms[0] == "steal" else pair.second
    assert order is (Order.FASTER if pair.arms[0] == "steal" else Order.SLOWER)


def test_cells_of_one_run_only_say_why(tmp_path: Path) -> None:
    def change(card: dict[str, Any]) -> None:
        card["measurements"] = [m for m in card["measurements"] if (m["table"], m["arm"]) != ("once", "steal")]
        card["measurements"] = [m for m in card["measurements"] if (m["table"], m["arm"]) != ("main", "peer")]
        card["not_run"] = [{"arm": "peer", "kind": "error", "reason": "the second run failed", "table": "main"}]
        card["measurements"].append({"table": "once", "arm": "sorted", "at": {}, "wall": [1e-5] * 5})

    found = only(twice(tmp_path, change))
    singles = {(s.table, s.arm, s.lacking, s.reason) for t in found.tables for s in t.singles}
    assert singles == {
        ("main", "peer", "second", "the second run failed"),
        ("once", "steal", "second", "not measured; the card gives no reason"),
        ("once", "sorted", "first", "out of time"),
    }
    assert summary(found.chosen("main")).cells == 16
    assert [len(g.rows) for g in single_cells([found]).groups] == [2, 2]
    assert all("peer" not in p.arms for p in found.chosen("main")[0].pairs)


def test_what_else_differed_is_listed(tmp_path: Path) -> None:
    def change(card: dict[str, Any]) -> None:
        card["host"]["driver"] = "590.2"
        card["software"]["torch"] = "2.9"
        card["source"]["files"]["step.cuh"] = "1" * 64
        card["method"]["ramp"] = 1.0

    changes = {c.fact: (c.first, c.second) for c in only(twice(tmp_path, change)).changes}
    assert changes == {
        "recorded": ("2026-11-30T12:00:00Z", DAY_AFTER),
        "host.driver": ("580.1", "590.2"),
        "method.ramp": ("0.5", "1"),
        "software.torch": ("", "2.9"),
        "source.step.cuh": ("0" * 12, "1" * 12),
    }


# --- what is refused ------------------------------------------------------------------------------------------------


def protocol(card: dict[str, Any]) -> None:
    card["method"]["protocol"] = "rotate"


def quick(card: dict[str, Any]) -> None:
    card["method"]["quick"] = True


def measured(card: dict[str, Any]) -> None:
    card["origin"] = {"kind": "measured"}


def unknown_arm(card: dict[str, Any]) -> None:
    card["measurements"][0]["arm"] = "stael"


def same_second(card: dict[str, Any]) -> None:
    card["recorded"] = "2026-11-30T12:00:00Z"


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (protocol, "repeat-protocol", '"rotate"'),
        (quick, "repeat-quick", '"quick"'),
        (measured, "repeat-origin", '"measured"'),
        (unknown_arm, "unknown-arm", 'did you mean "steal"?'),
        (same_second, "repeat-same", "the same run as"),
    ],
)
def test_a_wrong_second_run_is_one_problem_and_the_card_stays(
    tmp_path: Path, change: Change, code: str, said: str
) -> None:
    card = gpu_card()
    benchmarks = lay_out(tmp_path, card)
    path = put(benchmarks / "demo" / "repeats", again(card, change))
    library = load_library(benchmarks)
    (problem,) = library.problems
    assert problem.code == code
    assert said in str(problem)
    assert path.name in problem.where
    benchmark = library.benchmarks["demo"]
    assert benchmark.repeats == ()
    assert [c.device_id for c in benchmark.cards] == ["made-up-gpu"]


def test_the_same_samples_under_another_date_are_the_same_run(tmp_path: Path) -> None:
    card = gpu_card()
    benchmarks = lay_out(tmp_path, card)
    put(benchmarks / "demo" / "repeats", card | {"recorded": DAY_AFTER})
    assert [p.code for p in load_library(benchmarks).problems] == ["repeat-same"]


@pytest.mark.parametrize("count", [1, 7])
def test_cells_copied_from_the_first_run_are_named_and_refused(tmp_path: Path, count: int) -> None:
    card = gpu_card()

    def copy_some(second: dict[str, Any]) -> None:
        for mine, first in zip(second["measurements"][:count], card["measurements"], strict=False):
            mine["wall"] = list(first["wall"])

    benchmarks = lay_out(tmp_path, card)
    put(benchmarks / "demo" / "repeats", again(card, copy_some))
    (problem,) = load_library(benchmarks).problems
    assert problem.code == "repeat-copied"
    assert f"in {count} of 28 cells: main steal config=thin n=1000" in problem.found
    assert problem.found.endswith(" and 2 more") is (count == 7)


def test_counts_memory_and_clocks_may_be_the_same_in_both_runs(tmp_path: Path) -> None:
    card = gpu_card()
    text = (lay_out(tmp_path) / "demo" / "benchmark.toml").read_text()
    definition = text.replace("[metrics.clock]", "[metrics.sm_clock]").replace('"clock"', '"sm_clock"')
    for m in card["measurements"]:
        m.pop("clock", None)
        m["sm_clock"] = [1.5e9, 1.5e9, 1.485e9]
    benchmarks = lay_out(tmp_path, card, definition=definition)
    put(benchmarks / "demo" / "repeats", again(card))
    assert load_library(benchmarks).problems == ()


def test_an_imported_card_has_no_second_run(tmp_path: Path) -> None:
    card = gpu_card()
    card["origin"] = {"kind": "imported", "source": "a page", "licence": "CC0"}
    benchmarks = lay_out(tmp_path, card)
    put(benchmarks / "demo" / "repeats", again(card))
    assert [p.code for p in load_library(benchmarks).problems] == ["repeat-origin"]


def test_a_second_run_without_its_card_is_one_problem(tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path, gpu_card())
    put(benchmarks / "demo" / "repeats", again(gpu_card("other-gpu")))
    (problem,) = load_library(benchmarks).problems
    assert problem.code == "repeat-without-card"
    assert "other-gpu" in str(problem)


def test_a_broken_card_is_not_said_again_by_its_second_run(tmp_path: Path) -> None:
    card = gpu_card()
    benchmarks = lay_out(tmp_path, card)
    put(benchmarks / "demo" / "repeats", again(card))
    (benchmarks / "demo" / "cards" / "made-up-gpu.json").write_text("{")
    assert [p.code for p in load_library(benchmarks).problems] == ["card-syntax"]


def test_an_unpublished_card_has_no_second_run(tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path)
    put(tmp_path / "build" / "demo", gpu_card())
    put(benchmarks / "demo" / "repeats", again(gpu_card()))
    library = load_library(benchmarks, local=tmp_path / "build")
    assert [p.code for p in library.problems] == ["repeat-without-card"]
    assert library.device_ids() == ("made-up-gpu-local",)


def test_nor_under_the_id_that_the_site_gives_it(tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path)
    put(tmp_path / "build" / "demo", gpu_card())
    put(benchmarks / "demo" / "repeats", again(gpu_card("made-up-gpu-local")))
    library = load_library(benchmarks, local=tmp_path / "build")
    assert [p.code for p in library.problems] == ["repeat-without-card"]


def test_two_second_runs_of_one_device_are_refused(tmp_path: Path) -> None:
    benchmark = twice(tmp_path)
    put(benchmark.folder / "repeats" / "more", again(gpu_card(), factor=1.002))
    library = load_library(benchmark.folder.parent)
    assert [p.code for p in library.problems] == ["card-two-files"]
    assert library.benchmarks["demo"].repeats == ()


# --- no device, nowhere ---------------------------------------------------------------------------------------------


def test_a_second_run_is_in_no_table_claim_or_listing(tmp_path: Path) -> None:
    alone = load_library(lay_out(tmp_path / "alone", gpu_card()))
    benchmark = twice(tmp_path, factor=1.5)
    library = load_library(benchmark.folder.parent)
    assert library.device_ids() == alone.device_ids()
    assert len(benchmark.cards) == 1
    assert tidy(library).equals(tidy(alone))
    assert render_all(library)["demo/made-up-gpu.md"] == render_all(alone)["demo/made-up-gpu.md"]


@pytest.mark.parametrize("name", [".", "repeats"])
def test_whatever_the_folder_of_cards_is_called(tmp_path: Path, name: str) -> None:
    benchmarks = lay_out(tmp_path)
    put(benchmarks / "demo", gpu_card()) if name == "." else put(benchmarks / "demo" / name, gpu_card())
    if name == ".":
        put(benchmarks / "demo" / "repeats", again(gpu_card()))
    library = load_library(benchmarks, cards_folder=name)
    assert library.problems == ()
    assert library.device_ids() == ("made-up-gpu",)
    assert len(library.benchmarks["demo"].repeats) == (name == ".")


def test_sources_do_not_know_of_it_and_the_store_keeps_it(tmp_path: Path) -> None:
    benchmark = twice(tmp_path)
    assert source(benchmark.folder, []).files == {}
    for words in (("init", "-q"), ("add", "demo/benchmark.toml", "demo/cards"), ("commit", "-q", "-m", "a card")):
        who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=benchmark.folder.parent, check=True)
    assert source(benchmark.folder, []).dirty is False  # a new second run changes no source
    store = CardStore(tmp_path / "store")
    load_library(benchmark.folder.parent, store=store)
    store.tidy()
    assert len(list((tmp_path / "store").iterdir())) == 2
    (kept,) = load_library(benchmark.folder.parent, store=store).benchmarks["demo"].repeats
    assert kept.digest == benchmark.repeats[0].digest
    copied = json.loads(kept.path.read_text()) | {"recorded": "2026-12-02T12:00:00Z"}  # another date, the same samples
    put(benchmark.folder / "cards", copied)
    assert [p.code for p in load_library(benchmark.folder.parent, store=store).problems] == ["repeat-same"]


def test_generated_pages_have_it_and_drift_with_it(tmp_path: Path) -> None:
    benchmark = twice(tmp_path, scale("peer", 1.2, config="thin", n=1000))
    root, folder = benchmark.folder.parent, tmp_path / "_generated"
    write(load_library(root), folder)
    page = (folder / "demo" / "README.md").read_text()
    assert "## Repeatability" in page
    assert "## Cells that moved more than 3 %" in page.replace("\u00a0", " ")
    assert check(load_library(root), folder) == []
    put(benchmark.folder / "repeats", again(gpu_card(), factor=1.01))
    assert [p.code for p in check(load_library(root), folder)] == ["generated-drift"]


# --- the command ----------------------------------------------------------------------------------------------------

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main.main(list(arguments), standalone_mode=False)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run


def test_the_command_compares_two_files_whatever_they_are_called(tmp_path: Path, cli: Cli) -> None:
    lay_out(tmp_path)
    card = gpu_card()
    put(tmp_path, card, "a.json")
    put(tmp_path, again(card, scale("steal", 1.3, config="thin", n=1000)), "b.json")
    code, out, err = cli("repeat", "a.json", "b.json")
    assert (code, err) == (0, "")
    shown = out.replace("\u00a0", " ")
    for text in ("Repeatability", "Cells that moved more than 3 %", "Verdicts that contradict", "What differed"):
        assert text in shown
    code, out, _ = cli("repeat", "a.json", "b.json", "--table", "main", "--format", "json")
    found = json.loads(out)
    assert code == 0
    assert list(found["tables"]) == ["main"]
    assert found["all"] == {k: v for k, v in found["tables"]["main"].items() if k != "by"}
    assert (found["all"]["cells"], found["all"]["pairs"], found["all"]["contradict"]) == (18, 32, 1)
    assert found["all"]["median_difference"] == pytest.approx(0.001)
    assert found["all"]["within"] == {"0.01": 17 / 18, "0.03": 17 / 18, "0.1": 17 / 18}
    assert [(c["arm"], c["at"]) for c in found["moved"]] == [("steal", {"config": "thin", "n": 1000})]
    assert found["contradictions"][0]["at"] == {"config": "thin", "n": 1000}


def test_the_command_refuses_in_one_line(tmp_path: Path, cli: Cli) -> None:
    lay_out(tmp_path)
    put(tmp_path, gpu_card(), "a.json")
    put(tmp_path, again(gpu_card("other-gpu")), "b.json")
    put(tmp_path, again(gpu_card()), "c.json")
    put(tmp_path, again(gpu_card(), unknown_arm), "d.json")
    for words, code, said in (
        (("a.json", "b.json"), 1, "[repeat-device]"),
        (("a.json", "a.json"), 1, "[repeat-same]"),
        (("a.json", "d.json"), 1, "[unknown-arm]"),
        (("a.json", "nowhere.json"), 1, "[card-unreadable]"),
        (("a.json", "c.json", "--table", "mian"), 2, 'did you mean "main"?'),
    ):
        returned, out, err = cli("repeat", *words)
        assert (returned, out) == (code, ""), words
        assert said in err, words


def test_validate_counts_and_reports_second_runs(tmp_path: Path, cli: Cli) -> None:
    benchmark = twice(tmp_path)
    assert cli("validate") == (0, "", "2 cards, 0 problems\n")
    put(benchmark.folder / "repeats", again(gpu_card(), quick))
    code, out, err = cli("validate")
    assert (code, err) == (1, "2 cards, 1 problem\n")
    assert "[repeat-quick]" in out


# --- the directive --------------------------------------------------------------------------------------------------

PAGES = {
    "index.md": "# Index\n\n```{toctree}\nmethod\nplain\ndevices/index\n```\n",
    "method.md": "# Method\n\n```{perf-repeatability}\n```\n",
    "plain.md": "# Plain\n\n```{perf-arms} rk4\n```\n",
}


def one_moved(card: dict[str, Any]) -> None:
    scale("persistent", 1.25, config="spread-100", n=1000)(card)


@pytest.fixture
def site(tmp_path: Path) -> Project:
    return project(tmp_path, PAGES)


def repeat_file(site: Project) -> Path:
    return site.cards.parent / "repeats" / "made-up-gpu.json"


def build(site: Project, builder: str = "html") -> Built:
    return site.build(builder)


def said_of(site: Project) -> list[str]:
    """What a build warns of, without the pages of devices, which take longest and say nothing here."""
    index = site.docs / "index.md"
    index.write_text(index.read_text().replace("devices/index\n", ""))
    return site.build(perfdocs_device_pages="").warnings


def test_the_page_shows_figures_and_the_cells_that_moved(site: Project) -> None:
    put(repeat_file(site).parent, again(synthetic_card(), one_moved))
    built = build(site)
    assert built.warnings == []
    html = built.text("method.html")
    text = " ".join(text_of_html(html).replace("\u00a0", " ").split())
    assert "Cells that moved more than 3 %" in text
    assert "+25.1 %" in text
    assert "What differed between the runs" in text
    assert "97.9 %" in text  # 47 of 48 cells
    assert re.search(r'href="devices/made-up-gpu/rk4\.html#r[0-9a-f]{8}"', html)
    benchmark = load_library(site.cards.parent.parent).benchmarks["rk4"]
    page = render_all(load_library(site.cards.parent.parent))["rk4/README.md"]
    start = page.index("## Repeatability")
    assert numbers_of_html(html) == numbers_of_markdown(page[start : page.index("\n## Arms", start)])
    assert not (built.out / "devices" / "made-up-gpu-repeat.html").exists()
    assert len(list((built.out / "devices").glob("*.html"))) == 3
    assert summary_table(repeats_of(benchmark)).groups[0].rows[0][0].flags == ("synthetic",)


@pytest.mark.parametrize("builder", ["text", "latex", *slow("man", "texinfo", "epub", "dirhtml", "singlehtml")])
def test_every_builder_shows_it(site: Project, builder: str) -> None:
    put(repeat_file(site).parent, again(synthetic_card(), one_moved))
    (site.docs / "conf.py").write_text(
        (site.docs / "conf.py").read_text() + 'man_pages = [("index", "made-up", "made up", ["nobody"], 1)]\n'
    )
    built = build(site, builder)
    assert built.warnings == []
    texts = [p.read_text(errors="replace") for p in built.out.rglob("*") if p.suffix in SUFFIXES]
    assert any("moved more than" in " ".join(text.split()) for text in texts)


SUFFIXES = {".txt", ".1", ".tex", ".texi", ".html", ".xhtml"}


def test_long_tables_are_folded(site: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    put(repeat_file(site).parent, again(synthetic_card(), one_moved))
    short = build(site).text("method.html")
    assert "<summary>Cells that moved" not in short
    monkeypatch.setattr(content, "LONG", 0)
    assert "<summary>Cells that moved" in site.build(fresh=True).text("method.html")


def test_a_page_follows_the_second_run(site: Project) -> None:
    built = build(site)
    assert built.warnings == []
    assert "No device was measured twice yet." in built.text("method.html")
    put(repeat_file(site).parent, again(synthetic_card(), one_moved))
    built = build(site)
    assert built.read == {"method"}  # and no device's page, no other page
    assert "+25" in built.text("method.html")
    assert build(site).read == set()
    put(repeat_file(site).parent, again(synthetic_card()))
    built = build(site)
    assert built.read == {"method"}
    assert "moved more than 3\u00a0%: none." in built.text("method.html")
    repeat_file(site).unlink()
    built = build(site)
    assert built.read == {"method"}
    assert "No device was measured twice yet." in built.text("method.html")


def test_a_page_follows_the_first_run_too(site: Project) -> None:
    (site.docs / "method.md").write_text("# Method\n\n```{perf-repeatability} rk4\n:devices: made-up-gpu\n```\n")
    put(repeat_file(site).parent, again(synthetic_card()))
    build(site)
    put(site.cards, synthetic_card(factor=1.1))
    assert "method" in build(site).read
    put(site.cards, synthetic_card("made-up-cpu", kind="cpu", factor=21.0))
    assert "method" not in build(site).read  # of a device that it does not name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rk5\n", 'the benchmark "rk5"'),
        ("rk4\n:devices: made-up-cpu\n", 'the device "made-up-cpu"'),
        ("rk4\n:table: mian\n", 'did you mean "main"?'),
        ("\n:table: main\n", "name one benchmark"),
    ],
)
def test_a_word_that_names_nothing_is_one_warning(site: Project, words: str, said: str) -> None:
    put(repeat_file(site).parent, again(synthetic_card()))
    (site.docs / "method.md").write_text(f"# Method\n\n```{{perf-repeatability}} {words}```\n")
    (warning,) = said_of(site)
    assert said in warning
    assert "method.md:3" in warning


def test_a_wrong_second_run_is_one_warning_of_the_build(site: Project) -> None:
    put(repeat_file(site).parent, again(synthetic_card(), quick))
    (warning,) = said_of(site)
    assert "repeat-quick" in warning


def test_runs_that_differ_in_kind_are_refused_where_they_are_compared(tmp_path: Path) -> None:
    from perfdocs.twins import check_twin

    benchmark = twice(tmp_path)
    with pytest.raises(PerfdocsError, match="repeat-same"):
        check_twin(benchmark.cards[0], benchmark.cards[0])
