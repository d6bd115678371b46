"""What tables and fastest lines say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.claims.toy import write_toy
from tests.render_kit import DEFINITION, cpu_card, demo, gpu_card, load, point

from perfdocs.library import Benchmark, load_library
from perfdocs.loading import LoadedCard
from perfdocs.quantity import NBSP
from perfdocs.render import facts
from perfdocs.render.absent import not_run, reason_text
from perfdocs.render.detail import detail
from perfdocs.render.devices import comparison, measured_on
from perfdocs.render.fastest import fastest_lines, statement
from perfdocs.render.model import Group, Line, TableModel
from perfdocs.render.overview import overview
from perfdocs.render.points import axis_value_text, has_overview

Pair = tuple[Benchmark, LoadedCard]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return demo(tmp_path, gpu_card())


def texts(group: Group) -> list[list[str]]:
    return [[cell.text for cell in row] for row in group.rows]


def group_of(model: TableModel, title: str) -> Group:
    return next(g for g in model.groups if g.title == title)


def plain(lines: tuple[Line, ...]) -> list[str]:
    return [f"{x.lead}: {x.text}".replace("\u00a0", " ") for x in lines]


def test_overview_has_one_unit_a_column_and_the_best_first_at_the_largest_point(pair: Pair) -> None:
    thin = group_of(overview(*pair, "main"), "thinning")
    assert [h.replace("\u00a0", " ") for h in thin.head] == ["arm", "N = 10³ (µs)", "N = 10⁶ (µs)"]
    assert texts(thin) == [
        ["longest first", "110", "371"],
        ["work stealing", "23.0", "666"],
        ["one thread per sample", "25.0", "1530"],
        ["host", "437", "94\u202f000"],
        ["peer | masked", "3860", "—"],
    ]


def test_overview_marks_every_arm_that_the_best_does_not_beat(pair: Pair) -> None:
    model = overview(*pair, "main")
    best = {(g.title, r[0].text, i) for g in model.groups for r in g.rows for i, c in enumerate(r) if c.best}
    assert best == {
        ("thinning", "work stealing", 1),
        ("thinning", "longest first", 2),
        ("dense batch", "work stealing", 1),
        ("dense batch", "one thread per sample", 1),  # level
        ("dense batch", "work stealing", 2),  # undecided
        ("dense batch", "one thread per sample", 2),
    }


def test_a_missing_cell_says_why_in_the_cell_and_below(pair: Pair) -> None:
    model = overview(*pair, "main")
    cell = next(c for r in model.groups[0].rows for c in r if c.text == "—")
    assert cell.missing == "needs 90 GiB"
    notes = [(n.lead.replace("\u00a0", " "), n.text, n.foreign) for n in model.notes]
    assert notes == [("peer | masked, thinning, N = 10⁶; dense batch, N = 10⁶", "needs 90 GiB", True)]


def test_flags_are_marked_where_they_are_and_listed_once(pair: Pair) -> None:
    model = overview(*pair, "main")
    assert model.flags == ("throttled", "noisy", "synthetic")
    row = next(r for r in group_of(model, "thinning").rows if r[0].text == "longest first")
    assert [c.flags for c in row[1:]] == [("synthetic",), ("throttled", "synthetic")]


def test_overview_links_every_cell_to_its_row_of_the_detail(pair: Pair) -> None:
    anchors = {row[0].anchor for g in detail(*pair, "main").groups for row in g.rows}
    links = {c.link for g in overview(*pair, "main").groups for row in g.rows for c in row if c.link}
    assert links == {f"made-up-gpu#{anchor}" for anchor in anchors}
    assert len(anchors) == 18


def test_detail_shows_ranges_shares_whole_counts_and_choices(pair: Pair) -> None:
    thin = group_of(detail(*pair, "main"), "thinning, N\u00a0=\u00a010³")
    assert thin.head == (
        "arm",
        "wall (µs)",
        "flop rate (Gflop/s, share of FP64 peak)",
        "bandwidth (MB/s, share of DRAM peak)",
        "clock (GHz)",
        "launches",
        "mode",
    )
    rows = {r[0]: r[1:] for r in texts(thin)}
    assert rows["work stealing"] == ["23.0", "412\u00a0(2.14\u00a0%)", "2780\u00a0(0.136\u00a0%)", "—", "1", "—"]
    dense = group_of(detail(*pair, "main"), "dense batch, N\u00a0=\u00a010⁶")
    assert {r[0]: r[1] for r in texts(dense)}["work stealing"] == "1.78\u00a0(1.61–1.96)"
    assert rows["peer | masked"][-2:] == ["12\u202f345", "graph"]
    assert rows["one thread per sample"][3] == "1.98"


def test_detail_drops_columns_without_a_value(tmp_path: Path) -> None:
    card = gpu_card()
    for m in card["measurements"]:
        m.pop("clock", None)
    head = detail(*demo(tmp_path, card), "main").groups[0].head
    assert not any(h.startswith("clock") for h in head)


def test_share_is_left_out_where_the_device_has_no_known_peak(tmp_path: Path) -> None:
    card = gpu_card()
    del card["device"]["compute_capability"]
    group = detail(*demo(tmp_path, card), "main").groups[0]
    assert "flop rate (Gflop/s)" in group.head
    assert texts(group)[0][2] == "412"


def test_a_sweep_of_one_arm_is_one_part_with_its_axes_as_columns(pair: Pair) -> None:
    (group,) = detail(*pair, "ladder").groups
    assert group.head == ("width", "footprint", "bandwidth (TB/s, share of DRAM peak)", "wall (µs)")
    assert texts(group)[0][:2] == ["4\u00a0B", "1\u00a0MiB"]
    assert len(group.rows) == 8
    assert not has_overview(pair[0].definition, "ladder")


def test_a_table_of_series_gives_their_derived_quantities(pair: Pair) -> None:
    model = detail(*pair, "knees")
    (group,) = model.groups
    assert group.head == ("width", "knee (MiB)")
    assert texts(group) == [["4\u00a0B", "—"], ["16\u00a0B", "1.00"]]
    told = "Not reached (the points end before a plateau could be seen): one thread per sample, width = 4 B."
    assert told in model.caption.replace("\u00a0", " ")


def test_a_table_without_axes_ranks_its_arms_and_names_what_was_not_run(pair: Pair) -> None:
    model = detail(*pair, "once")
    assert texts(model.groups[0]) == [["work stealing", "6.20"], ["one thread per sample", "11.1"]]
    assert ("longest first", "out of time") in [(n.lead, n.text) for n in model.notes]
    assert ("peer | masked; host", "not measured; the card gives no reason") in [(n.lead, n.text) for n in model.notes]


def test_fastest_lines_say_ahead_level_and_undecided_with_and_without_tagged_arms(pair: Pair) -> None:
    thin, dense = fastest_lines(*pair, "main")
    assert (thin.title, dense.title) == ("thinning", "dense batch")
    assert plain(thin.lines) == [
        "N = 10³: work stealing, 23.0 µs; 1.09× ahead of one thread per sample",
        "N = 10⁶: longest first, 371 µs; 1.80× ahead of work stealing",
        "N = 10³, 10⁶, without arms that know the stop steps: work stealing, 23.0 µs, 666 µs; 1.09×, 2.29× ahead of "
        "one thread per sample",
    ]
    assert plain(dense.lines)[:2] == [
        "N = 10³: level: work stealing (71.0 µs) and one thread per sample (71.0 µs); then longest first, 1.65× behind "
        "work stealing",
        # the noisy arm does not beat the third one, so no lead over it is stated
        "N = 10⁶: not beaten: one thread per sample (1.69 ms) and work stealing (1.78 ms), undecided between them",
    ]


def test_fastest_lines_carry_the_flags_of_what_they_name(pair: Pair) -> None:
    thin = fastest_lines(*pair, "main")[0]
    assert thin.lines[0].flags == ("synthetic",)
    assert thin.lines[1].flags == ("throttled", "synthetic")


def test_a_lead_across_clocks_is_told_in_cycles_too(tmp_path: Path) -> None:
    toy = load_library(write_toy(tmp_path)).benchmarks["toy"]
    (card,) = (c for c in toy.cards if c.device_id == "toy-gpu")
    lines = [line for group in fastest_lines(toy, card, "cadence") for line in group.lines]
    ahead = "work stealing, {}; {} ahead of device-side loop{}"
    assert [(line.text.replace(NBSP, " "), line.flags) for line in lines] == [
        (ahead.format("1.00 ms", "1.74×", " (1.45× in SM cycles)"), ("clocks_apart", "synthetic")),
        (ahead.format("900 µs", "1.80×", ""), ("synthetic",)),
        (ahead.format("900 µs", "1.87×", ""), ("synthetic",)),
    ]


def test_no_fastest_lines_where_one_arm_was_measured(pair: Pair, tmp_path: Path) -> None:
    assert fastest_lines(*pair, "ladder") == ()
    assert fastest_lines(*demo(tmp_path / "cpu", cpu_card()), "main") == ()
    assert statement(pair[0].definition, [], "wall") is None


def test_measured_on_says_device_method_origin_and_earlier_sources(tmp_path: Path) -> None:
    library = load(tmp_path, gpu_card(), cpu_card())
    (group,) = measured_on(list(library.benchmarks.values())).groups
    assert [r[0].link for r in group.rows] == ["made-up-gpu", "made-up-cpu"]
    assert [c.text.replace("\u00a0", " ") for c in group.rows[0]] == [
        "Made Up Gpu",
        "GPU",
        "2026-11-30",
        "28",
        "full",
        "580.1, CUDA 13.0",
        "synthetic",
        "1 of 1 changed since",
    ]
    assert measured_on(list(library.benchmarks.values()), ["made-up-cpu"]).groups[0].rows[0][0].link == "made-up-cpu"


def test_comparison_takes_the_largest_shared_point_and_ranks_devices(tmp_path: Path) -> None:
    library = load(tmp_path, gpu_card(), cpu_card(), gpu_card("twin-gpu", 2.0))
    benchmark = library.benchmarks["demo"]
    model = comparison(benchmark, "main")
    assert model is not None
    assert [g.title.replace("\u00a0", " ") for g in model.groups] == ["thinning, N = 10⁶", "dense batch, N = 10⁶"]
    assert texts(model.groups[0]) == [
        ["Made Up Gpu", "longest first", "371", "1.00×"],
        ["Twin Gpu", "longest first", "742\u00a0(741–743)", "2.00×"],
        ["Made Up Cpu, 16\u00a0threads", "host", "94\u202f000\u00a0(93\u202f900–94\u202f100)", "253×"],
    ]
    assert [r[2].best for r in model.groups[0].rows] == [True, False, False]
    at = comparison(benchmark, "main", {"n": 1000, "config": "thin"}, ["made-up-gpu", "twin-gpu"])
    assert at is not None
    assert [r[2].text for r in at.groups[0].rows] == ["23.0", "46.0"]
    assert comparison(benchmark, "main", None, ["made-up-gpu"]) is None


def test_facts_give_units_peaks_and_their_formula(pair: Pair) -> None:
    rows = {r[0].text: r[1].text.replace("\u00a0", " ") for g in facts.device_facts(pair[1]).groups for r in g.rows}
    assert rows["memory"] == "80 GiB"
    assert rows["rated clock"] == "1.5 GHz"
    assert rows["FP64 peak, rated"] == "19.2 Tflop/s = 2 flop × 64 lanes × SM count × SM clock"
    assert rows["INT32 peak, rated"] == "19.2 Top/s = 2 op × 64 lanes × SM count × SM clock"
    assert rows["FP16 matrix peak, rated"] == "614 Tflop/s = 4096 flop × SM count × SM clock"
    method = {r[0].text: r[1].text.replace("\u00a0", " ") for g in facts.method_facts(pair[1]).groups for r in g.rows}
    assert method["gate"] == "device idle and within 3 °C of its idle temperature, at most 20.0 s"
    assert method["timed runs"] == "5; mean of the middle 3 is the centre"
    assert method["driver"] == "580.1"
    assert "driver" not in rows  # of the host, which another card of the device need not share


def not_run_of(card: dict[str, Any], folder: Path) -> dict[str, list[list[str]]]:
    model = not_run(*demo(folder, card))
    assert model is not None
    return {g.title: [[t.replace("\u00a0", " ") for t in row] for row in texts(g)] for g in model.groups}


def test_not_run_names_arm_place_and_reason_under_each_table(tmp_path: Path) -> None:
    assert not_run_of(gpu_card(), tmp_path) == {
        "Wall time": [["peer | masked", "N = 10⁶", "out of memory: needs 90 GiB"]],
        "One number each": [["longest first", "everywhere", "out of time: out of time"]],
    }


def test_not_run_says_equal_reasons_once(tmp_path: Path) -> None:
    card = gpu_card()
    card["measurements"] = [m for m in card["measurements"] if (m["table"], m["arm"]) == ("main", "steal")]
    late: dict[str, Any] = {"kind": "out_of_time", "reason": "the run's deadline came first"}
    points: list[dict[str, Any]] = [{"config": c, "n": n} for n in (10**6, 1000) for c in ("dense", "thin")]
    card["not_run"] = [
        *({"arm": a, "table": "main", "at": p} | late for p in points for a in ("thread", "sorted")),
        *({"arm": "host", "table": "main", "at": p, "reason": "no compiler"} for p in points[2:]),
        *({"arm": a, "table": "once"} | late for a in ("steal", "thread", "sorted", "peer", "host")),
        *({"arm": a, "table": "ladder"} | late for a in ("thread",)),
        {"arm": "peer", "kind": "not_installed", "reason": "peer is not installed"},
    ]
    assert not_run_of(card, tmp_path) == {
        "Every table": [["peer | masked", "everywhere", "not installed: peer is not installed"]],
        "Wall time": [
            ["one thread per sample; longest first", "everywhere", "out of time: the run's deadline came first"],
            ["host", "thinning, N = 10³; dense batch, N = 10³", "not supported: no compiler"],
        ],
        "Bandwidth": [["one thread per sample", "everywhere", "out of time: the run's deadline came first"]],
        "One number each": [["every arm", "everywhere", "out of time: the run's deadline came first"]],
    }
    card["not_run"] = [n for n in card["not_run"] if (n.get("table"), n["arm"]) != ("once", "steal")]
    lacking = not_run_of(card, tmp_path / "but")["One number each"]
    assert lacking == [["every arm but work stealing", "everywhere", "out of time: the run's deadline came first"]]


def test_a_reason_has_points_and_numbers_as_a_reader_writes_them(pair: Pair) -> None:
    definition = pair[0].definition

    def said(reason: str) -> str:
        return reason_text(definition, reason).replace("\u00a0", " ")

    assert said("about 4.7e+03 s a run, foreseen from config=thin, n=1000: more than 6 s") == (
        "about 4700 s a run, foreseen from thinning, N = 10³: more than 6 s"
    )
    assert said("mode=fast, n=many, config=<b>") == "mode=fast, N = many, <b>"
    assert said("exit code 1e+99, 0x1e+3") == "exit code 1e+99, 0x1e+3"


def test_a_cell_that_is_missing_says_its_reason_as_a_reader_writes_it(tmp_path: Path) -> None:
    card = gpu_card()
    card["not_run"][0]["reason"] = "foreseen from n=1000"
    cells = [c for g in overview(*demo(tmp_path, card), "main").groups for r in g.rows for c in r if c.missing]
    assert {c.missing for c in cells} == {"foreseen from N\u00a0=\u00a010³"}


def test_arms_without_a_value_at_the_last_column_follow_by_the_one_before(tmp_path: Path) -> None:
    card = gpu_card()
    card["measurements"] = [
        m
        for m in card["measurements"]
        if m["table"] == "main" and (m["at"]["n"] == 1000 or m["arm"] in ("thread", "host"))
    ]
    model = overview(*demo(tmp_path, card), "main")
    labels = [r[0].text for r in group_of(model, "thinning").rows]
    assert labels == ["one thread per sample", "host", "work stealing", "longest first", "peer | masked"]
    assert "best first at the last column, where that is empty at the one before" in model.caption


def test_rows_that_keep_their_axes_stand_point_by_point_best_first(tmp_path: Path) -> None:
    definition = DEFINITION.replace('split = "config"\nacross = "n"\n', "")
    model = detail(*demo(tmp_path, gpu_card(), definition=definition), "main")
    (group,) = model.groups
    assert [row[:3] for row in texts(group)][:6] == [
        ["work stealing", "thinning", "10³"],
        ["one thread per sample", "thinning", "10³"],
        ["longest first", "thinning", "10³"],
        ["host", "thinning", "10³"],
        ["peer | masked", "thinning", "10³"],
        ["longest first", "thinning", "10⁶"],
    ]
    assert "Best first." in model.caption
    assert "Best first." not in detail(*demo(tmp_path / "one", gpu_card()), "ladder").caption  # one arm: a sweep


def test_a_column_of_whole_numbers_prints_them_whole(tmp_path: Path) -> None:
    derived = '[derived.fewest]\nlabel = "fewest"\nis = "best(launches)"\nover = ["n"]\n\n'
    table = '[tables.fewest]\ntitle = "Fewest"\naxes = ["config"]\nof = "main"\ncolumns = ["fewest"]\n\n'
    count = 'label = "launches"\nkind = "count"\n'
    definition = DEFINITION.replace("[derived.knee]", derived + "[derived.knee]")
    definition = definition.replace("[tables.once]", table + "[tables.once]")
    definition = definition.replace(count, count + 'better = "lower"\n')
    (group,) = detail(*demo(tmp_path, gpu_card(), definition=definition), "fewest").groups
    assert {row[-1] for row in texts(group)} == {"1", "12\u202f345"}


def test_arms_stand_under_their_groups(pair: Pair) -> None:
    model = facts.arms(pair[0])
    assert [(g.title, len(g.rows)) for g in model.groups] == [("GPU arms", 4), ("CPU arms", 1)]


def test_a_device_in_one_line(pair: Pair) -> None:
    assert facts.device_line(pair[1]).replace("\u00a0", " ") == (
        "GPU · memory 80 GiB · rated clock 1.5 GHz · streaming multiprocessors 100 · FP64 peak, rated 19.2 Tflop/s · "
        "FP32 peak, rated 38.4 Tflop/s · DRAM peak, rated 2.05 TB/s"
    )


def test_terms_give_formula_and_peak(pair: Pair) -> None:
    rows = {r[1].text: r[4].text for g in facts.terms(pair[0]).groups for r in g.rows}
    assert rows["flop_rate"] == "= flop / wall; also as a share of the FP64 peak"
    assert rows["knee"] == "= least(size, bandwidth, 99%) over footprint"


def test_every_flag_has_a_line_in_the_legend_and_an_unknown_one_too() -> None:
    lines = facts.flag_legend(["synthetic", "throttled", "from_the_future"])
    assert [x.lead for x in lines] == ["T", "s", "?"]
    assert lines[2].text.startswith("from the future")


def test_an_imported_value_prints_no_more_digits_than_its_source(tmp_path: Path) -> None:
    card = gpu_card()
    card["origin"] = {"kind": "imported", "source": "a paper", "licence": "CC BY 4.0"}
    card["measurements"] = [
        {"table": "once", "arm": "steal", "wall": {"centre": 6.64e-4, "digits": 2}},
        {"table": "once", "arm": "thread", "wall": {"centre": 1.75e-3, "low": 1.7e-3, "high": 1.8e-3, "digits": 3}},
    ]
    group = detail(*demo(tmp_path, card), "once").groups[0]
    assert texts(group) == [["work stealing", "660"], ["one thread per sample", "1750\u00a0(1700–1800)"]]
    assert group.rows[0][1].flags == ("imported",)


def test_higher_is_better_ranks_and_leads_the_other_way(tmp_path: Path) -> None:
    definition = DEFINITION.replace('by = "wall"', 'by = "flop_rate"')
    benchmark, card = demo(tmp_path, gpu_card(), definition=definition)
    model = overview(benchmark, card, "main")
    assert texts(model.groups[0])[0] == ["longest first", "86.1", "25\u202f500"]
    lines = fastest_lines(benchmark, card, "main")[0].lines
    assert plain(lines)[1] == "N = 10⁶: longest first, 25.5 Tflop/s; 1.80× ahead of work stealing"


def test_values_of_an_axis_read_exactly(pair: Pair) -> None:
    definition = pair[0].definition
    shown = [axis_value_text(definition, "n", v) for v in (1000, 1_000_000.0, 1500, 2**21)]
    assert shown == ["10³", "10⁶", "1500", "2²¹"]
    assert axis_value_text(definition, "size", 1536) == "1.5\u00a0KiB"
    assert axis_value_text(definition, "config", "dense") == "dense batch"


def test_a_share_above_its_peak_is_flagged_where_it_stands(tmp_path: Path) -> None:
    card = gpu_card()
    for m in card["measurements"]:
        if m["table"] == "main":
            m["flop"] *= 1e3
    model = detail(*demo(tmp_path, card), "main")
    rows = {r[0].text: r for r in group_of(model, "thinning, N\u00a0=\u00a010³").rows}
    assert rows["work stealing"][2].flags == ("impossible", "synthetic")
    assert rows["work stealing"][1].flags == ("synthetic",)
    assert "impossible" in model.flags


def test_where_one_arm_was_measured_its_points_are_rows(tmp_path: Path) -> None:
    thin, dense = detail(*demo(tmp_path, cpu_card()), "main").groups
    assert (thin.title, dense.title) == ("thinning", "dense batch")
    assert thin.head[:2] == ("N", "wall (µs)")
    assert [r[0] for r in texts(thin)] == ["10³", "10⁶"]


def test_points_share_a_line_only_where_the_same_arm_leads_the_same_next_one(tmp_path: Path) -> None:
    card = gpu_card()
    walls = {"steal": (10, 20, 20), "thread": (20, 10, 10), "host": (15, 15, 15)}
    card["measurements"] = [
        point("main", arm, {"config": "thin", "n": n}, wall * 1e-6)
        for arm, line in walls.items()
        for n, wall in zip((1000, 10_000, 100_000), line, strict=True)
    ]
    (thin,) = fastest_lines(*demo(tmp_path, card), "main")
    assert plain(thin.lines) == [
        "N = 10³: work stealing, 10.0 µs; 1.50× ahead of host",
        "N = 10⁴, 10⁵: one thread per sample, 10.0 µs, 10.0 µs; each 1.50× ahead of host",
    ]


@pytest.mark.parametrize(
    ("published", "said"),
    [
        ("2015", "published 2015; imported 2026-11-30"),
        ("undated", "published: undated; imported 2026-11-30"),
        (None, "published: the card does not tell when; imported 2026-11-30"),
    ],
)
def test_an_imported_card_tells_when_its_source_appeared(tmp_path: Path, published: str | None, said: str) -> None:
    card = gpu_card()
    card["origin"] = {"kind": "imported", "source": "a paper", "licence": "CC BY 4.0"}
    card["origin"] |= {"published": published} if published else {}
    library = load(tmp_path, card)
    benchmark = library.benchmarks["demo"]
    (row,) = measured_on([benchmark]).groups[0].rows
    assert (row[2].text, row[4].text) == (said, "as published")
    said_of = dict(texts(facts.method_facts(benchmark.cards[0]).groups[0]))
    assert said_of["published"] == (published or "the card does not tell when")
    assert said_of["imported"].startswith("2026-11-30")
    assert "recorded" not in said_of
