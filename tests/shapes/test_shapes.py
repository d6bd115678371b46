"""Each benchmark's shape in the one schema and the one definition: rows, values, verdicts and missing reasons."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.shapes.kit import CPU, GPU, HERE, card, load, point, reason, runs, table

from perfdocs.frame import absences, find
from perfdocs.library import load_library
from perfdocs.row import share_of_peak
from perfdocs.verdict import Missing, Order, compare, crossovers, fastest


def test_every_definition_has_a_test() -> None:
    names = {p.parent.name for p in HERE.glob("*/benchmark.toml")}
    tested = {n.removeprefix("test_") for n in globals() if n.startswith("test_")}
    assert names == {n for n in names if any(t.startswith(n) for t in tested)}
    assert len(names) == 12


def test_rk4_has_tables_with_axes_of_their_own(tmp_path: Path) -> None:
    cells = [("spread-100", 1e-4), ("spread-1000", 1e-3)]
    main = [point("main", "persistent", {"config": c, "n": 1000}, wall=runs(s), sample_steps=1e6) for c, s in cells]
    main += [point("main", "longest_first", {"config": c, "n": 1000}, wall=runs(s / 2)) for c, s in cells]
    cadence = [
        point("cadence", arm, {"k": k, "n": 100_000}, wall=runs(seconds))
        for arm, times in (("graph_every_k", (4e-3, 3e-3, 2e-3)), ("graph_compact", (2e-3, 3e-3, 4e-3)))
        for k, seconds in zip((8, 16, 32), times, strict=True)
    ]
    rest = [
        point("overhead", "persistent", wall=runs(1e-5)),
        point("fp32", "persistent", {"config": "spread-1000", "n": 10_000}, cycles=runs(1e6)),
        point("compile", "persistent", {"start": "cold"}, compile_time=runs(2.0)),
        point("compile", "persistent", {"start": "warm"}, compile_time=runs(0.02)),
    ]
    b = load(tmp_path, card("rk4", [*cadence, *main, *rest]))
    assert [(r.arm, *r.at.values()) for r in table(b, "main")] == [
        ("persistent", "spread-100", 1000),
        ("persistent", "spread-1000", 1000),
        ("longest_first", "spread-100", 1000),
        ("longest_first", "spread-1000", 1000),
    ]
    assert table(b, "main")[0].value("step_rate").centre == pytest.approx(1e6 / 1.001e-4)
    assert reason(table(b, "main")[2], "step_rate") == "not recorded"
    every, compact = (
        {float(r.at["k"]): r.value("wall") for r in table(b, "cadence") if r.arm == arm}
        for arm in ("graph_every_k", "graph_compact")
    )
    assert [(c.after, c.by, c.leader) for c in crossovers(every, compact)] == [(8, 32, "a")]
    (alone,) = table(b, "overhead")
    assert dict(alone.at) == {}
    assert alone.anchor == "perf-rk4.made-up-gpu.overhead.persistent"
    cold, warm = (r.value("compile_time") for r in table(b, "compile"))
    assert compare(warm, cold) is Order.FASTER
    assert [a for a, arm in b.definition.arms.items() if not any(b.definition.tags[t].apart for t in arm.tags)] == [
        "persistent",
        "graph_every_k",
        "graph_compact",
    ]


def test_rk78_counts_belong_to_the_arm_and_a_bound_to_the_run(tmp_path: Path) -> None:
    counts = {"accepted": 415_223, "rejected": 89_731, "position_error": 2e-9, "error_bound": 8e-9}
    b = load(
        tmp_path,
        card(
            "rk78",
            [
                point("main", "per_thread", {"n": 1000}, wall=runs(1e-3), differing=0, **counts),
                point(
                    "main", "torch_masked", {"n": 1000}, wall=runs(0.5), differing=3, **counts | {"rejected": 89_732}
                ),
                point("code", "per_thread", code_lines=60),
            ],
            not_run=[
                {
                    "arm": "torch_masked",
                    "table": "main",
                    "at": {"n": 1_000_000},
                    "kind": "out_of_time",
                    "reason": "slow",
                },
            ],
        ),
    )
    ours, masked = table(b, "main")
    assert ours.value("attempts").centre == 504_954
    assert ours.value("flop_rate").centre == pytest.approx(1106 * 504_954 / 1.001e-3)
    assert share_of_peak(ours, "flop_rate").centre == pytest.approx(1106 * 504_954 / 1.001e-3 / 33.4541e12, rel=1e-4)
    assert ours.value("error_share").centre == 0.25
    assert masked.value("differing").centre == 3
    assert table(b, "code")[0].value("code_lines").centre == 60
    loaded = b.card_of("made-up-gpu")
    assert loaded is not None
    assert [n.reason for n in absences(loaded.card, "main", "torch_masked", {"n": 1_000_000})] == ["slow"]
    assert absences(loaded.card, "main", "torch_masked", {"n": 1000}) == ()
    assert absences(loaded.card, "code", "torch_masked", {}) == ()


def test_memory_ladder_has_four_knobs_and_a_knee_of_the_whole_series(tmp_path: Path) -> None:
    def rung(ladder: str, loads: int, warps: int, rate: float) -> dict[str, object]:
        at = {"ladder": ladder, "width": 16, "stride": 1, "warps": warps, "loads": loads}
        counts = {"useful_byte": 2**31, "sector_byte": 2**31, "footprint": 2**31}
        return point("ladder", "read", at, wall=runs(2**31 / rate), **counts)

    rates = {1: 1e12, 2: 2e12, 4: 3.8e12, 8: 4e12, 16: 4e12}
    measured = [rung("chains", loads, 64, rate) for loads, rate in rates.items()]
    measured += [rung("residents", 8, warps, rate) for warps, rate in {8: 1e12, 16: 3e12, 64: 4e12}.items()]
    triad = point("babel", "triad", wall=runs(1e-6), sector_byte=6e6, footprint=6e6)
    b = load(tmp_path, card("memory_ladder", [*measured, triad]))
    assert [r.at["ladder"] for r in table(b, "ladder")] == ["residents"] * 3 + ["chains"] * 5
    residents, chains = table(b, "curve")
    assert chains.value("filling").centre == 32 * 64 * 4 * 16
    assert chains.value("filling_sm").centre == pytest.approx(32 * 64 * 4 * 16 / 132)
    assert reason(residents, "filling").startswith("not reached")  # three quarters of the best, then the best
    assert chains.value("best_rate").centre == pytest.approx(4e12 / 1.001)
    assert chains.value("latency").centre == pytest.approx(32 * 64 * 16 / 1e12, rel=0.05)
    assert chains.value("corner").centre == pytest.approx(32 * 64 * 16 * 4, rel=0.05)
    assert chains.value("half_way").centre > 32 * 64 * 16
    assert chains.value("corner_misfit").centre < 0.03
    assert reason(residents, "corner") == "a law is fitted to 4 points or more, here are 3"
    assert reason(table(b, "ladder")[0], "filling").startswith("a property of a whole series")
    (whole,) = table(b, "whole")
    assert len(whole.series) == 8
    share = share_of_peak(table(b, "babel")[0], "sector_rate")
    assert share.centre > 1
    assert "served_from_cache" in share.flags
    assert "cache_sized" not in table(b, "babel")[0].value("sector_rate").flags  # the peak tells
    # the seed's minimum over the runs stays derivable: the samples are all there, and the interval begins with it
    assert table(b, "ladder")[0].value("wall").lo == pytest.approx(2**31 / 1e12 * 0.998)


def test_without_a_peak_a_rate_of_data_that_fit_the_cache_says_so(tmp_path: Path) -> None:
    def triad(size: float) -> dict[str, object]:
        return point("babel", "triad", wall=runs(1e-3), sector_byte=6e6, footprint=size)

    cases = ((6e6, 8 * 10**6, True), (9e6, 8 * 10**6, False), (6e6, None, False))
    for i, (size, cache, flagged) in enumerate(cases):
        device = {"id": "made-up-gpu", "kind": "gpu", "name": "Made Up GPU", **({"l2_cache": cache} if cache else {})}
        (row,) = table(load(tmp_path / str(i), card("memory_ladder", [triad(size)], device=device)), "babel")
        assert ("cache_sized" in row.value("sector_rate").flags) is flagged
        assert "cache_sized" not in row.value("wall").flags


def test_stride_has_a_linear_axis_with_zero_on_two_devices(tmp_path: Path) -> None:
    def sweep(arm: str, slow: float) -> list[dict[str, object]]:
        return [
            point("main", arm, {"ints": ints, "shift": shift}, wall=runs(slow * (1 + shift) / ints))
            for ints in (4, 1)
            for shift in (20, 0, 3)
        ]

    b = load(
        tmp_path,
        card("stride", [*sweep("host_threads", 1e-2), *sweep("device_kernel", 1e-4)]),
        card("stride", sweep("host_threads", 2e-2), device=CPU),
    )
    assert [(r.at["ints"], r.at["shift"]) for r in table(b, "main")][:6] == [
        (1, 0),
        (1, 3),
        (1, 20),
        (4, 0),
        (4, 3),
        (4, 20),
    ]
    here, there = table(b, "main")[6], table(b, "main", "made-up-cpu")[0]
    assert (here.arm, there.arm) == ("host_threads", "host_threads")
    assert compare(here.value("bandwidth"), there.value("bandwidth"), better="higher") is Order.FASTER
    assert table(b, "main")[0].value("bandwidth").centre == pytest.approx(2**26 * 4 / 1.001e-4)


def test_roofline_has_two_ceilings_and_a_ridge_of_the_device(tmp_path: Path) -> None:
    elements = 2**28
    fp64 = [
        point(
            "main",
            "fma",
            {"type": "fp64", "chain": chain},
            wall=runs(max(8 * elements / 4.5e12, 2 * chain * elements / 33e12)),
            moved_byte=8 * elements,
            fp64_flop=2 * chain * elements,
        )
        for chain in (0, 1, 64, 1024)
    ]
    ints = point("main", "fma", {"type": "int32", "chain": 64}, wall=runs(1e-3), moved_byte=4 * elements, int_op=1e12)
    b = load(tmp_path, card("roofline", [*fp64, ints]))
    found = table(b, "main")
    low, high = find(found, type="fp64", chain=1)[0], find(found, type="fp64", chain=1024)[0]
    ridge = low.value("fp64_ridge").centre
    assert ridge == pytest.approx(33.4541e12 / 4.81430e12, rel=1e-4)
    assert low.value("intensity").centre < ridge < high.value("intensity").centre
    assert share_of_peak(low, "bandwidth").centre == pytest.approx(4.5 / 4.8143 / 1.001, rel=1e-4)
    assert share_of_peak(high, "fp64_rate").centre == pytest.approx(33 / 33.4541 / 1.001, rel=1e-4)
    assert find(found, chain=0)[0].value("fp64_rate").centre == 0
    whole = find(found, type="int32")[0]
    assert whole.value("int_rate").centre == pytest.approx(1e15 / 1.001)
    assert reason(whole, "fp64_rate") == "not recorded"


def test_peaks_are_arms_without_an_axis(tmp_path: Path) -> None:
    clock = [1.755e9] * 5
    b = load(
        tmp_path,
        card(
            "peaks",
            [
                point("main", "launch", wall=runs(6.2e-3), launches=1000),
                point("main", "fma_fp64", wall=runs(1.0), useful_flop=29e12, sm_clock=clock),
                point("main", "global_read", wall=runs(1.0), useful_byte=4.55e12),
                *[point("widths", "fma_fp64", {"lanes": w}, wall=runs(1 / w), useful_flop=1e12) for w in (2, 1)],
            ],
        ),
    )
    read, fma, launch = table(b, "main")
    assert [dict(r.at) for r in (read, fma, launch)] == [{}, {}, {}]
    assert share_of_peak(read, "byte_rate").centre == pytest.approx(0.9442, rel=1e-3)
    assert share_of_peak(fma, "rate").centre == pytest.approx(29 / 33.4541 / 1.001, rel=1e-4)
    assert fma.value("observed_share").centre == pytest.approx(29 / 33.4541 / 1.001 * 1.98 / 1.755, rel=1e-4)
    assert launch.value("latency").centre == pytest.approx(6.2e-6 * 1.001)
    assert reason(launch, "rate") == "not recorded"
    assert [r.at["lanes"] for r in table(b, "widths")] == [1, 2]


def test_reduction_ranks_rates_and_never_times_a_wrong_sum(tmp_path: Path) -> None:
    speeds = {"shared": (1e9, 1e12), "shuffle": (1e9, 1.5e12)}
    b = load(
        tmp_path,
        card(
            "reduction",
            [
                point("main", a, {"n": n}, wall=runs(n / s[i]))
                for a, s in speeds.items()
                for i, n in enumerate((2**10, 2**28))
            ],
            not_run=[{"arm": "atomics", "kind": "failed_verification", "reason": "sum differs", "at": {"n": 1024}}],
        ),
    )
    for n, winners in ((2**10, ("shared", "shuffle")), (2**28, ("shuffle",))):
        rates = {r.arm: r.value("element_rate") for r in find(table(b, "main"), n=n)}
        assert fastest(rates, better="higher") == winners
    loaded = b.card_of("made-up-gpu")
    assert loaded is not None
    (why,) = absences(loaded.card, "main", "atomics", {"n": 1024})
    assert (why.kind, why.reason) == ("failed_verification", "sum differs")


def test_nbody_derives_its_flop_from_the_axis(tmp_path: Path) -> None:
    b = load(
        tmp_path,
        card(
            "nbody",
            [
                point("main", a, {"type": "fp32", "bodies": 16384}, wall=runs(s))
                for a, s in (("tiled", 2e-4), ("direct", 3e-4))
            ],
        ),
    )
    tiled, direct = table(b, "main")
    assert tiled.value("flop_rate").centre == pytest.approx(20 * 16384**2 / 2.002e-4)
    assert tiled.value("fp32_share").centre == pytest.approx(20 * 16384**2 / 2.002e-4 / 66.908e12, rel=1e-4)
    order = compare(tiled.value("flop_rate"), direct.value("flop_rate"), better="higher")
    assert order is compare(tiled.value("wall"), direct.value("wall")) is Order.FASTER


def test_parallelism_is_the_least_that_fills(tmp_path: Path) -> None:
    def series(chains: int, full: int) -> list[dict[str, object]]:
        return [
            point("main", "fma", {"chains": chains, "threads": t}, wall=runs(1.0), fma_count=1e12 * min(t, full) / full)
            for t in (2048, 32, 64, 128, 256, 512, 1024)
        ]

    b = load(tmp_path, card("parallelism", [*series(1, 512), *series(4, 128)]))
    one, four = table(b, "least")
    assert (one.at, four.at) == ({"chains": 1}, {"chains": 4})
    assert [r.value("least_threads").centre for r in (one, four)] == [512, 128]
    assert one.value("rule").centre == 128
    assert [r.value("foretold").centre for r in (one, four)] == [512, 128]
    assert four.value("over_foretold").centre == 1
    assert {"synthetic"} <= one.value("least_threads").flags
    assert one.value("least_threads").samples == 5


def test_parallelism_reads_nothing_off_a_torn_curve(tmp_path: Path) -> None:
    whole = [point("main", "fma", {"chains": 1, "threads": t}, wall=runs(1.0), fma_count=1e12 * t) for t in (32, 64)]
    torn = point("main", "fma", {"chains": 1, "threads": 128}, wall=runs(1.0))
    (row,) = table(load(tmp_path, card("parallelism", [*whole, torn])), "least")
    assert reason(row, "least_threads") == "not recorded"
    assert row.value("foretold").centre == 512


def test_loops_are_mostly_absent_and_say_why(tmp_path: Path) -> None:
    missing = {"arm": "pascal", "kind": "not_installed", "reason": "fpc is not installed"}
    walls = [point("main", a, wall=runs(s)) for a, s in (("c_openmp", 0.02), ("cpython", 6.0))]
    b = load(tmp_path, card("loops", walls, device=CPU, not_run=[missing]))
    found = table(b, "main", "made-up-cpu")
    assert [r.arm for r in found] == ["cpython", "c_openmp"]
    assert found[1].value("pair_rate").centre == pytest.approx(112_492_500 / 0.02002)
    loaded = b.card_of("made-up-cpu")
    assert loaded is not None
    assert [n.reason for n in absences(loaded.card, "main", "pascal", {})] == ["fpc is not installed"]
    here = [a for a, arm in b.definition.arms.items() if loaded.card.device.kind in arm.on]
    assert here == ["cpython", "c_openmp", "pascal"]


def test_clock_gate_keeps_rounds_in_order_and_readings_apart(tmp_path: Path) -> None:
    rounds = [1e-2 * (1 + 0.02 * (i % 4)) for i in range(20)]
    b_rounds = [r * 1.03 for r in rounds]
    default = {"reading": "default_clocks"}
    b = load(
        tmp_path,
        card(
            "clock_gate",
            [
                point("main", "side_a", default, region=rounds, repeats=2, sm_clock=[1.7e9] * 20),
                point("main", "side_b", default, region=b_rounds, repeats=2, sm_clock=[1.7e9] * 20),
            ],
            method={"protocol": "rotate", "runs": 20},
            not_run=[
                {"arm": a, "at": {"reading": "locked_clocks"}, "reason": "clocks cannot be locked here"}
                for a in ("side_a", "side_b")
            ],
        ),
    )
    a, side_b = table(b, "main")
    sides = [r.raw.values["region"] for r in (a, side_b) if r.raw is not None]
    assert sides == [tuple(rounds), tuple(b_rounds)]
    # ranges overlap: without pairing the rounds nothing is decided, and the verdict says so
    assert compare(a.value("region"), side_b.value("region")) is Order.UNDECIDED
    assert a.value("region").samples == 20
    loaded = b.card_of("made-up-gpu")
    assert loaded is not None
    (why,) = absences(loaded.card, "main", "side_a", {"reading": "locked_clocks"})
    assert why.reason == "clocks cannot be locked here"
    assert [r.at["reading"] for r in table(b, "main")] == ["default_clocks"] * 2


def test_imported_has_centres_and_digits_and_says_so(tmp_path: Path) -> None:
    origin = {"kind": "imported", "source": "A paper, table 3", "licence": "CC-BY-4.0"}
    b = load(
        tmp_path,
        card(
            "imported",
            [
                point("main", "ours", {"n": 1000}, wall={"centre": 0.613e-3, "digits": 3}, useful_flop=1e9),
                point("main", "theirs", {"n": 1000}, wall={"centre": 0.63e-3, "digits": 1}),
                point(
                    "main", "ours", {"n": 10000}, wall={"centre": 1.0e-3, "low": 0.9e-3, "high": 1.3e-3, "digits": 2}
                ),
                point("main", "theirs", {"n": 10000}, wall={"centre": 2.0e-3}),
            ],
            origin=origin,
            device=GPU | {"id": "elsewhere"},
        ),
    )
    ours, larger, theirs, exact = table(b, "main", "elsewhere")
    wall = ours.value("wall")
    assert (wall.lo, wall.hi) == pytest.approx((0.6125e-3, 0.6135e-3))
    assert (wall.show_lo, wall.show_hi, wall.samples) == (0.613e-3, 0.613e-3, 0)
    assert wall.flags == {"imported"}
    assert ours.value("flop_rate").flags == {"imported"}
    assert ours.value("flop_rate").lo == pytest.approx(1e9 / 0.6135e-3)
    # printed with one digit it may be anything from 0.58 to 0.68
    assert compare(wall, theirs.value("wall")) is Order.UNDECIDED
    assert compare(larger.value("wall"), exact.value("wall")) is Order.FASTER
    assert (larger.value("wall").lo, larger.value("wall").hi) == pytest.approx((0.895e-3, 1.35e-3))
    assert exact.value("wall").lo == exact.value("wall").hi == 2.0e-3


def test_a_rate_that_was_published_is_not_computed(tmp_path: Path) -> None:
    origin = {"kind": "imported", "source": "A paper, table 4", "licence": "CC-BY-4.0"}
    rate = {"centre": 6.6e9, "digits": 2}
    cards = card(
        "imported", [point("main", "ours", {"n": 10}, flop_rate=rate)], origin=origin, device=GPU | {"id": "elsewhere"}
    )
    (row,) = table(load(tmp_path, cards), "main", "elsewhere")
    value = row.value("flop_rate")
    assert value.centre == 6.6e9
    assert value.flags == {"imported"}
    assert (value.lo, value.hi) == pytest.approx((6.55e9, 6.65e9))
    with pytest.raises(Missing):
        row.value("wall")


@pytest.mark.parametrize(
    ("origin", "value", "code"),
    [
        ({"kind": "measured"}, {"centre": 1e9, "digits": 1}, "unknown-metric"),
        ({"kind": "imported", "source": "A paper", "licence": "CC0"}, 1e9, "card-kind"),
        ({"kind": "imported", "source": "A paper", "licence": "CC0"}, {"centre": -1e9, "digits": 1}, "card-negative"),
    ],
)
def test_only_an_imported_card_gives_a_derived_quantity(tmp_path: Path, origin: Any, value: Any, code: str) -> None:
    folder = tmp_path / "imported"
    shutil.copytree(HERE / "imported", folder)
    (folder / "cards").mkdir()
    given = card("imported", [point("main", "ours", {"n": 10}, flop_rate=value)], origin=origin)
    (folder / "cards" / "made-up-gpu.json").write_text(json.dumps(given))
    assert [p.code for p in load_library(tmp_path).problems] == [code]
