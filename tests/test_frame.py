"""Cards as rows and as one tidy table."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from perfdocs.card import AxisValue
from perfdocs.facts import device_fact
from perfdocs.frame import absences, find, rows, tidy
from perfdocs.library import Benchmark, load_library
from perfdocs.render.detail import detail
from perfdocs.row import Row, share_of_peak
from perfdocs.verdict import Missing, summarise


@pytest.fixture
def bench(benchmarks: Path) -> Benchmark:
    """The rk4 benchmark with its two synthetic cards."""
    return load_library(benchmarks).benchmarks["rk4"]


def of(bench: Benchmark, device: str = "made-up-gpu", table: str = "main") -> tuple[Row, ...]:
    """Rows of a device."""
    loaded = bench.card_of(device)
    assert loaded is not None
    return rows(bench, loaded, table)


def test_rows_follow_the_definition_not_the_card(bench: Benchmark) -> None:
    found = of(bench)
    arms = [a for a in bench.definition.arms if a in {r.arm for r in found}]
    assert list(dict.fromkeys(r.arm for r in found)) == arms
    assert [(r.at["config"], r.at["n"]) for r in found[:5]] == [
        ("spread-100", 1000),
        ("spread-100", 10_000),
        ("spread-100", 100_000),
        ("spread-100", 1_000_000),
        ("spread-1000", 1000),
    ]


def test_values_come_from_the_samples_and_are_derived_once(bench: Benchmark) -> None:
    row = find(of(bench), config="spread-1000", n=1e6)[0]
    assert row.raw is not None
    samples = row.raw.values["wall"]
    assert isinstance(samples, tuple)
    wall, rate = row.value("wall"), row.value("flop_rate")
    assert wall == summarise(samples, "block").flagged({"synthetic"})
    assert rate.centre == pytest.approx(44.0 * 1e6 * 200 / wall.centre)
    assert (rate.lo, rate.hi) == pytest.approx((44.0 * 1e6 * 200 / wall.hi, 44.0 * 1e6 * 200 / wall.lo))
    assert row.value("n").centre == 1e6
    assert row.value("wall") is wall


@pytest.mark.parametrize(
    ("key", "reason"), [("sm_clock", "not recorded"), ("config", "not a number"), ("nonsense", "not a number")]
)
def test_a_missing_value_says_why_each_time(bench: Benchmark, key: str, reason: str) -> None:
    row = of(bench)[0]
    for _ in range(2):
        with pytest.raises(Missing) as caught:
            row.value(key)
        assert caught.value.reason.startswith(reason)


def test_what_the_order_of_the_runs_tells_travels_with_the_value(benchmarks: Path) -> None:
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    tree = json.loads(path.read_bytes())
    tree["measurements"][0]["wall"] = [1.0, 1.01, 1.02, 1.03, 1.04]
    tree["measurements"][0]["end_to_end"] = [1.0, 1.06, 1.0, 1.06, 1.0]
    path.write_text(json.dumps(tree))
    found = {r.index: r for r in of(load_library(benchmarks).benchmarks["rk4"])}
    assert "drift" in found[0].value("wall").flags
    assert "drift" in found[0].value("flop_rate").flags  # made of it
    assert "bimodal" in found[0].value("end_to_end").flags


def test_anchors_are_permanent_and_apart(bench: Benchmark) -> None:
    anchors = [r.anchor for r in of(bench)]
    assert anchors[0] == "perf-rk4.made-up-gpu.main.persistent.spread-100.1000"
    assert len(set(anchors)) == len(anchors)
    assert not set(anchors) & {r.anchor for r in of(bench, "made-up-cpu")}


def test_points_that_look_alike_have_anchors_of_their_own(bench: Benchmark) -> None:
    row = of(bench)[0]
    points: list[dict[str, AxisValue]] = [{"x": v} for v in ("a b", "a-b", "a.b", "é", "è", "A", "a", 1, -1, 1.5, 15)]
    points += [{"x": "a", "y": "b-c"}, {"x": "a-b", "y": "c"}]
    anchors = [replace(row, at=at).anchor for at in points]
    assert len(set(anchors)) == len(anchors)
    assert not [a for a in anchors if not re.fullmatch("[a-z0-9_.:-]+", a)]


def test_share_of_peak(bench: Benchmark) -> None:
    row = find(of(bench), config="uniform-1000", n=1000)[0]
    peak = 2 * 64 * 100 * 1.5e9
    assert share_of_peak(row, "flop_rate").centre == pytest.approx(row.value("flop_rate").centre / peak)
    with pytest.raises(Missing, match="no peak is named"):
        share_of_peak(row, "wall")
    cpu = of(bench, "made-up-cpu")[0]
    with pytest.raises(Missing, match="do not give"):
        share_of_peak(cpu, "flop_rate")


def test_facts_of_the_device(bench: Benchmark) -> None:
    device = of(bench)[0].card.device
    assert device_fact(device, "device.sm_count").centre == 100
    assert device_fact(device, "device.peak.dram").centre == 2 * 2e9 * 4096 / 8
    for name in ("device.cores", "device.name", "device.nonsense", "device.ecc"):
        with pytest.raises(Missing, match="not known"):
            device_fact(device, name)


def test_absences_most_specific_first(benchmarks: Path) -> None:
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    card["not_run"] = [
        {"arm": "eager", "reason": "everywhere"},
        {"arm": "eager", "reason": "in main", "table": "main"},
        {"arm": "eager", "reason": "at 1000", "at": {"n": 1000}},
        {"arm": "eager", "reason": "there", "at": {"n": 1000, "config": "spread-100"}},
        {"arm": "graph", "reason": "another arm"},
    ]
    path.write_text(json.dumps(card), encoding="utf-8")
    loaded = load_library(benchmarks).benchmarks["rk4"].card_of("made-up-gpu")
    assert loaded is not None
    reasons = [a.reason for a in absences(loaded.card, "main", "eager", {"config": "spread-100", "n": 1000})]
    assert reasons == ["there", "at 1000", "in main", "everywhere"]
    assert [a.reason for a in absences(loaded.card, "main", "eager", {"config": "x", "n": 1})] == [
        "in main",
        "everywhere",
    ]


def test_one_tidy_table_of_everything(benchmarks: Path) -> None:
    library = load_library(benchmarks)
    frame = tidy(library)
    assert set(frame["device"]) == {"made-up-cpu", "made-up-gpu"}
    assert set(frame["origin"]) == {"synthetic"}
    walls = frame[(frame["metric"] == "wall") & (frame["device"] == "made-up-gpu")]
    assert len(walls) == 48
    assert set(walls["unit"]) == {"s"}
    assert (walls["lo"] <= walls["centre"]).all()
    assert (walls["centre"] <= walls["hi"]).all()
    assert set(walls["samples"]) == {5}
    key = ["benchmark", "device", "table", "arm", "at.config", "at.n", "metric"]
    assert not frame.duplicated(key).any()
    assert len(tidy(library, device="made-up-cpu")) + len(tidy(library, device="made-up-gpu")) == len(frame)
    assert tidy(library, benchmark="none").empty


SERIES = """
[axes.kkk]
label = "K"
scale = "log"
[derived.best_kkk]
label = "least K within 90 % of the best"
is = "least(kkk, flop_rate, 90 %)"
over = ["kkk"]
[tables.kkks]
title = "K"
axes = ["config", "kkk"]
columns = ["wall"]
[tables.least_kkk]
title = "Least K"
of = "kkks"
axes = ["config"]
columns = ["best_kkk"]
"""


def test_a_table_of_series_has_a_row_for_each_and_stands_in_the_tidy_table(benchmarks: Path) -> None:
    toml = benchmarks / "rk4" / "benchmark.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + SERIES, encoding="utf-8")
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    for config, seconds in (("uniform-1000", (4.0, 2.0, 1.9)), ("spread-100", (1.0, 1.0, 1.0))):
        card["measurements"] += [
            {
                "table": "kkks",
                "arm": "graph",
                "at": {"config": config, "kkk": k},
                "wall": [s] * 5,
                "useful_flop": 1.0,
                "flags": flags,
            }
            for k, s, flags in zip((8, 16, 32), seconds, ([], ["contaminated"], []), strict=True)
        ]
    path.write_text(json.dumps(card), encoding="utf-8")
    library = load_library(benchmarks)
    assert library.problems == ()
    found = of(library.benchmarks["rk4"], table="least_kkk")
    assert [(r.at["config"], r.value("best_kkk").centre, len(r.series), r.index) for r in found] == [
        ("spread-100", 8.0, 3, -1),
        ("uniform-1000", 16.0, 3, -1),
    ]
    assert found[0].flags == {"synthetic", "contaminated"}
    with pytest.raises(Missing, match="not recorded"):
        found[0].value("wall")
    with pytest.raises(Missing, match="whole series over kkk"):
        of(library.benchmarks["rk4"], table="kkks")[0].value("best_kkk")
    frame = tidy(library)
    assert list(frame[frame["metric"] == "best_kkk"]["centre"]) == [8.0, 16.0]


UNOBSERVED = "Clock while the work ran: not observed (the card is from before clocks were sampled)."


def test_a_gpu_measured_by_rotation_has_medians_and_interquartile_ranges(benchmarks: Path) -> None:
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    card["method"]["protocol"] = "rotate"
    for m in card["measurements"]:
        m["wall"] = [1.0, 2.0, 3.0, 5.0, 9.0]
    path.write_text(json.dumps(card), encoding="utf-8")
    bench = load_library(benchmarks).benchmarks["rk4"]
    wall = of(bench)[0].value("wall")
    assert (wall.centre, wall.show_lo, wall.show_hi, wall.lo, wall.hi) == (3.0, 2.0, 5.0, 1.0, 9.0)
    (loaded,) = [c for c in bench.cards if c.device_id == "made-up-gpu"]
    assert detail(bench, loaded, "main").caption == (
        f"Timed values: median of 5 runs (interquartile range). Best first. {UNOBSERVED}"
    )


@pytest.mark.parametrize(
    ("runs", "words"), [(3, "the middle one of 3 runs."), (5, "mean of the middle 3 of 5 runs (range of those).")]
)
def test_a_table_with_fewer_samples_than_the_card_says_so(benchmarks: Path, runs: int, words: str) -> None:
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    for m in card["measurements"]:
        m["wall"], m["end_to_end"] = m["wall"][:runs], m["end_to_end"][:runs]
    path.write_text(json.dumps(card), encoding="utf-8")
    bench = load_library(benchmarks).benchmarks["rk4"]
    (loaded,) = [c for c in bench.cards if c.device_id == "made-up-gpu"]
    assert detail(bench, loaded, "main").caption == f"Timed values: {words} Best first. {UNOBSERVED}"


REFERENCE = """
[derived.ticks]
label = "SM cycles"
is = "wall * sm_clock"
[derived.over_jax]
label = "wall over JAX"
is = "wall / wall[jax_while]"
better = "lower"
[derived.ticks_over_jax]
label = "cycles over JAX"
is = "ticks / ticks[jax_while]"
[derived.of_issue]
label = "share at the observed clock"
is = "flop_rate / (device.peak.fp64 * sm_clock / device.max_clock)"
fraction = true
[derived.least_of_jax]
label = "least K over JAX's"
is = "least(kk, flop_rate, 90 %) / least(kk, flop_rate[jax_while], 90 %)"
over = ["kk"]
[axes.kk]
label = "K"
scale = "log"
[tables.kks]
title = "K"
axes = ["config", "kk"]
columns = ["wall"]
[tables.least_kk]
title = "Least K"
of = "kks"
axes = ["config"]
columns = ["least_of_jax"]
"""


def with_reference(benchmarks: Path, *, clock: float = 1.5e9) -> Benchmark:
    """The benchmark with ratios to `jax_while`; clocks at N = 1000, where `per_thread` ran faster than it can."""
    toml = benchmarks / "rk4" / "benchmark.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + REFERENCE, encoding="utf-8")
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    kept = []
    for m in card["measurements"]:
        if m["arm"] == "jax_while" and m["at"]["n"] == 10_000:
            continue
        if m["at"]["n"] == 1000:
            m["sm_clock"] = [clock * (2 if m["arm"] == "jax_while" else 1)] * 5
        if m["arm"] == "per_thread" and m["at"]["n"] == 1000:
            m["useful_flop"] *= 1e6
        kept.append(m)
    for arm, rates in (("jax_while", (9.0, 10.0, 10.0)), ("per_thread", (5.0, 10.0, 10.0))):
        kept += [
            {
                "table": "kks",
                "arm": arm,
                "at": {"config": "spread-100", "kk": k},
                "wall": [1.0] * 5,
                "useful_flop": rate,
            }
            for k, rate in zip((8, 16, 32), rates, strict=True)
        ]
    path.write_text(json.dumps(card | {"measurements": kept}), encoding="utf-8")
    library = load_library(benchmarks)
    assert library.problems == ()
    return library.benchmarks["rk4"]


def test_a_quantity_against_that_of_a_reference_arm(benchmarks: Path) -> None:
    bench = with_reference(benchmarks)
    here = {r.arm: r for r in find(of(bench), config="spread-1000", n=1000)}
    ours, theirs = here["persistent"], here["jax_while"]
    ratio, a, b = ours.value("over_jax"), ours.value("wall"), theirs.value("wall")
    assert ratio.centre == pytest.approx(a.centre / b.centre)
    assert (ratio.lo, ratio.hi) == pytest.approx((a.lo / b.hi, a.hi / b.lo))
    assert ratio.centre != pytest.approx(1)
    assert theirs.value("over_jax").centre == 1
    cycles = ours.value("ticks_over_jax")
    assert cycles.centre == pytest.approx(ratio.centre / 2)


def test_without_the_reference_arm_there_is_a_reason_that_names_it(benchmarks: Path) -> None:
    bench = with_reference(benchmarks)
    label = bench.definition.arms["jax_while"].label
    row = find(of(bench), config="spread-1000", n=10_000)[0]
    with pytest.raises(Missing, match=f"^{label}, to which this is compared, has no measurement here$"):
        row.value("over_jax")
    row = find(of(bench), config="spread-1000", n=100_000)[0]
    with pytest.raises(Missing, match="not recorded"):
        row.value("ticks_over_jax")
    row = next(r for r in find(of(bench), config="spread-1000", n=1000) if r.arm == "persistent")
    assert row.raw is not None
    with pytest.raises(Missing, match=f"^of {label}, to which this is compared: not recorded"):
        replace(row, peers={k: replace(r, raw=None, _cache={}) for k, r in row.peers.items()}, _cache={}).value(
            "over_jax"
        )


def test_another_card_is_no_reference(benchmarks: Path) -> None:
    bench = with_reference(benchmarks)
    gpu, cpu = of(bench)[0], of(bench, "made-up-cpu")[0]
    assert {r.card.device.id for r in gpu.peers.values()} == {"made-up-gpu"}
    assert {r.card.device.id for r in cpu.peers.values()} == {"made-up-cpu"}


def test_a_series_against_the_series_of_a_reference_arm(benchmarks: Path) -> None:
    found = {r.arm: r for r in of(with_reference(benchmarks), table="least_kk")}
    assert found["per_thread"].value("least_of_jax").centre == 2
    assert found["jax_while"].value("least_of_jax").centre == 1


def test_a_fraction_above_its_limit_is_flagged(benchmarks: Path) -> None:
    here = {r.arm: r for r in find(of(with_reference(benchmarks)), config="spread-1000", n=1000)}
    ours = here["persistent"].value("of_issue")
    assert ours.centre == pytest.approx(here["persistent"].value("flop_rate").centre / (2 * 64 * 100 * 1.5e9))
    assert "impossible" not in ours.flags
    assert here["per_thread"].value("of_issue").centre > 1
    assert "impossible" in here["per_thread"].value("of_issue").flags
