"""Figures: what they draw, that their bytes depend on the data alone, and CSV beside them."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.render_kit import DEFINITION, NOISY, cpu_card, demo, gpu_card, load, point

from perfdocs.library import Benchmark
from perfdocs.loading import LoadedCard
from perfdocs.render import plots
from perfdocs.render.csv import card_csv
from perfdocs.render.looks import looks_of
from perfdocs.render.plots import DARK, FORMATS, LIGHT, QUIET, alt_text, digest, figure, origin_notes
from perfdocs.render.scales import log_ticks, tick_texts
from perfdocs.render.series import MANY, has_values, legend_order, panels, strong

Pair = tuple[Benchmark, LoadedCard]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return demo(tmp_path_factory.mktemp("plots"), gpu_card())


def texts(svg: bytes) -> list[str]:
    return ["".join(e.itertext()).strip() for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_series_hold_every_value_once(pair: Pair) -> None:
    thin, dense = panels(pair[0], [pair[1]], "wall")
    assert (thin.title, dense.title) == ("thinning", "dense batch")
    assert [s.label for s in thin.series] == [
        "work stealing",
        "one thread per sample",
        "longest first",
        "peer | masked",
        "host",
    ]
    assert [x for x, _ in thin.series[0].points] == [1000.0, 1e6]
    assert thin.series[0].points[1][1].centre == pytest.approx(666e-6)


def test_series_by_an_axis_and_against_a_quantity(pair: Pair) -> None:
    (ladder,) = panels(pair[0], [pair[1]], "ladder")
    assert [s.label for s in ladder.series] == ["width\u00a0=\u00a04\u00a0B", "width\u00a0=\u00a016\u00a0B"]
    assert [x for x, _ in ladder.series[0].points] == [2.0**20, 2.0**21, 2.0**22, 2.0**30]
    (rate,) = panels(pair[0], [pair[1]], "rate")
    walls = [x for x, _ in rate.series[0].points]
    assert walls == sorted(walls)


def many(count: int, folder: Path) -> Pair:
    """A synthetic card of one panel: the i-th arm takes i µs, then i ms; the last begins fastest; the host is slow."""
    entry = '[arms.a{0}]\nlabel = "arm {0}"\nloop = "a loop"\ngroup = "gpu"\non = ["gpu"]\n\n'
    definition = DEFINITION.replace("[metrics.", "".join(map(entry.format, range(1, count))) + "[metrics.", 1)
    card = gpu_card()
    card["measurements"] = [
        point("main", f"a{i}", {"config": "thin", "n": n}, 0.5e-6 if (i, n) == (count - 1, 1000) else i * unit)
        for i in range(1, count)
        for n, unit in ((1000, 1e-6), (10**6, 1e-3))
    ]
    card["measurements"].append(point("main", "host", {"config": "thin", "n": 1000}, 1.0))
    card["not_run"] = []
    return demo(folder, card, definition=definition)


def test_few_lines_are_all_strong_and_of_many_the_leaders_and_the_best_of_each_group(tmp_path: Path) -> None:
    benchmark, card = many(5, tmp_path / "few")
    few = panels(benchmark, [card], "wall")
    assert set(strong(benchmark.definition, "wall", few)) == {"arm 1", "arm 2", "arm 3", "arm 4", "host"}
    benchmark, card = many(25, tmp_path / "many")
    found = panels(benchmark, [card], "wall")
    chosen = strong(benchmark.definition, "wall", found)
    assert len(chosen) == MANY
    # those ahead somewhere, the best of the other group, though it is slow, then in the definition's order
    assert set(chosen[:2]) == {"arm 1", "arm 24"}
    assert chosen[2:] == ("host", "arm 2", "arm 3", "arm 4", "arm 5", "arm 6")


def test_the_legend_is_in_the_order_of_the_right_end(tmp_path: Path) -> None:
    benchmark, card = many(25, tmp_path)
    order = legend_order(benchmark.definition, "wall", panels(benchmark, [card], "wall"))
    assert order == (*(f"arm {i}" for i in range(1, 25)), "host")  # what ends earlier stands last
    said = texts(figure(benchmark, [card], "wall", ["light"]).light)
    assert [t for t in said if t.endswith(" (synthetic)")] == [f"{label} (synthetic)" for label in order]
    rate = legend_order(benchmark.definition, "rate", panels(benchmark, [card], "rate"))
    assert rate == ()  # no flop was counted: nothing is drawn, and nothing breaks


def test_lines_are_told_apart_without_colours(tmp_path: Path) -> None:
    benchmark, card = many(25, tmp_path)
    theme = ("ink", "rule", "quiet", LIGHT)
    looks = looks_of(benchmark.definition, "wall", panels(benchmark, [card], "wall"), theme)
    front = [look for look in looks.values() if look.strong]
    behind = [look for look in looks.values() if not look.strong]
    assert (len(front), len(behind)) == (MANY, 25 - MANY)
    assert len({look.marker for look in front}) == len({look.colour for look in front}) == MANY
    assert {look.colour for look in behind} == {"quiet"}
    assert len({(look.marker, look.dash) for look in behind}) == len(behind)
    assert min(look.width for look in front) > 2 * max(look.width for look in behind)


def test_devices_compared_by_their_best_arm(tmp_path: Path) -> None:
    benchmark = load(tmp_path, gpu_card(), cpu_card(), gpu_card("twin", 2.0)).benchmarks["demo"]
    thin = panels(benchmark, benchmark.cards, "wall")[0]
    found = {s.label: [round(v.centre * 1e6) for _, v in s.points] for s in thin.series}
    assert found == {"Made Up Gpu": [23, 371], "Made Up Cpu": [437, 94000], "Twin": [46, 742]}
    only = panels(benchmark, [c for c in benchmark.cards if c.device_id != "made-up-cpu"], "wall")[0]
    colours = {s.label: s.colour for s in thin.series}
    assert all(colours[s.label] == s.colour for s in only.series)  # a device keeps its colour whatever is beside it


def test_twins_of_one_name_are_told_apart(tmp_path: Path) -> None:
    twin = gpu_card("twin")
    twin["device"]["name"] = "Made Up Gpu"
    benchmark = load(tmp_path, gpu_card(), twin).benchmarks["demo"]
    labels = {s.label for s in panels(benchmark, benchmark.cards, "wall")[0].series}
    assert labels == {"Made Up Gpu (made-up-gpu)", "Made Up Gpu (twin)"}


def test_the_same_data_give_the_same_bytes_in_every_format(pair: Pair) -> None:
    one, two = (figure(pair[0], [pair[1]], "wall", FORMATS) for _ in range(2))
    assert one == two
    assert one.pdf.startswith(b"%PDF")
    assert one.png.startswith(b"\x89PNG")
    only = figure(pair[0], [pair[1]], "wall", ["dark"])
    assert (only.light, only.dark) == (b"", one.dark)


def test_light_and_dark_are_one_drawing_in_other_colours(pair: Pair) -> None:
    drawn = figure(pair[0], [pair[1]], "wall")
    colour = re.compile(rb"#[0-9a-f]{6}")
    assert colour.sub(b"", drawn.light) == colour.sub(b"", drawn.dark)
    light, dark = ({c.decode() for c in colour.findall(x)} for x in (drawn.light, drawn.dark))
    assert not any(c.startswith("#0102") for c in light | dark)
    assert LIGHT[0] in light
    assert DARK[0] in dark
    assert LIGHT[0] not in dark


def test_a_figure_says_units_panels_and_arms_in_text(pair: Pair) -> None:
    said = texts(figure(pair[0], [pair[1]], "wall", ["light"]).light)
    assert {"thinning", "dense batch", "N", "wall (µs)", "10³", "10⁶"} <= set(said)
    assert {"work stealing (synthetic)", "peer | masked (synthetic)"} <= set(said)
    said = texts(figure(pair[0], [pair[1]], "ladder", ["light"]).light)
    assert "footprint (MiB)" in said
    assert "bandwidth (TB/s)" in said


def test_flagged_points_are_hollow_and_said_so(pair: Pair, tmp_path: Path) -> None:
    svg = figure(pair[0], [pair[1]], "wall", ["light"]).light
    assert "hollow: flagged" in texts(svg)
    assert b"fill-opacity: 0; stroke: " + LIGHT[2].encode() in svg  # the throttled arm's mark
    calm = gpu_card()
    calm["measurements"] = [m for m in calm["measurements"] if m["table"] == "once" or m["arm"] == "host"]
    assert "hollow: flagged" not in texts(figure(*_one(demo(tmp_path, calm)), "wall", ["light"]).light)


def _one(found: Pair) -> tuple[Benchmark, list[LoadedCard]]:
    return found[0], [found[1]]


def test_a_wide_range_is_drawn(tmp_path: Path) -> None:
    def lines(spread: tuple[float, ...]) -> int:
        card = gpu_card()
        for m in card["measurements"]:
            m["wall"] = [1e-3 * s for s in spread]
        svg = figure(*_one(demo(tmp_path / str(len(spread)), card)), "wall", ["light"]).light
        return svg.count(b"LineCollection")

    assert lines(NOISY) > 0
    assert lines((1.0, 1.0, 1.0, 1.0)) == 0


def test_hostile_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    card: dict[str, Any] = gpu_card()
    name = "_x $\\frac{1}{0$ <script>alert('1')</script> & כרטיס"
    card["device"]["name"] = name
    other = cpu_card()
    definition = DEFINITION.replace('"work stealing"', "'_hidden $a$ <b>&'").replace('"thinning"', "'$\\x <i>'")
    benchmark = load(tmp_path, card, other, definition=definition).benchmarks["demo"]
    said = texts(figure(benchmark, benchmark.cards, "wall", ["light", "pdf"]).light)
    assert f"{name} (synthetic)" in said
    one = figure(benchmark, [c for c in benchmark.cards if c.device_id == "made-up-gpu"], "wall", ["light", "png"])
    assert "_hidden $a$ <b>& (synthetic)" in texts(one.light)
    assert name in one.alt


def test_digest_follows_all_that_shapes_a_figure_and_draws_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark, card = pair
    first = digest(benchmark, [card], "wall")
    assert first == digest(benchmark, [card], "wall")
    others = [
        digest(benchmark, [card], "ladder"),
        digest(benchmark, [replace(card, digest="0" * 64)], "wall"),
        digest(Benchmark(benchmark.definition, benchmark.folder, benchmark.cards, "0"), [card], "wall"),
    ]
    monkeypatch.setattr(plots, "RENDERER", plots.RENDERER + 1)
    others.append(digest(benchmark, [card], "wall"))
    assert len({first, *others}) == 5


def test_alt_text_names_device_panels_and_lines(pair: Pair) -> None:
    assert alt_text(pair[0], [pair[1]], "wall") == (
        "Wall time against batch size, Made Up Gpu (synthetic). Panels: thinning, dense batch. Lines: work stealing "
        "(synthetic); one thread per sample (synthetic); longest first (synthetic); peer | masked (synthetic); host "
        "(synthetic). Synthetic, no measurement. The tables hold every value."
    )


ORIGINS = {
    "measured": {"kind": "measured"},
    "imported": {"kind": "imported", "source": "a page", "licence": "facts"},
    "synthetic": {"kind": "synthetic"},
}


def test_what_was_not_measured_says_so_in_label_mark_caption_and_words(tmp_path: Path) -> None:
    cards = [gpu_card(name) | {"origin": origin} for name, origin in ORIGINS.items()]
    for card in cards[1:]:  # where clocks were read a point is flagged, and a flagged point is hollow whatever it is
        card["measurements"] = [m for m in card["measurements"] if m["arm"] != "sorted"]
    benchmark = load(tmp_path, *cards).benchmarks["demo"]
    assert [c.device_id for c in benchmark.cards] == ["imported", "measured", "synthetic"]
    labels = {s.label: s.said for s in panels(benchmark, benchmark.cards, "wall")[0].series}
    assert labels["Measured"] == "Measured"
    assert labels["Imported"] == "Imported (imported)"
    looks = looks_of(benchmark.definition, "wall", panels(benchmark, benchmark.cards, "wall"), ("i", "r", "q", LIGHT))
    assert {label: look.fill for label, look in looks.items()} == {
        "Measured": "full",
        "Imported": "bottom",
        "Synthetic": "top",
    }
    together = figure(benchmark, benchmark.cards, "wall")
    said = texts(together.light)
    assert texts(together.dark) == said
    keys = {"half full: imported, not measured here", "half full: synthetic, no measurement"}
    assert keys | set(labels.values()) <= set(said)
    notes = list(origin_notes(benchmark, benchmark.cards, "wall"))
    assert notes == ["Imported, not measured here: Imported.", "Synthetic, no measurement: Synthetic."]
    assert all(note in together.alt for note in notes)
    alone = {c.device_id: figure(benchmark, [c], "wall", ["light"]) for c in benchmark.cards}
    assert not keys & set(texts(alone["measured"].light))
    assert "measured here" not in alone["measured"].alt
    assert "work stealing (imported)" in texts(alone["imported"].light)
    assert "Imported (imported)." in alone["imported"].alt
    assert "Imported, not measured here." in alone["imported"].alt


def test_a_label_too_long_for_a_line_keeps_its_origin(tmp_path: Path) -> None:
    card = gpu_card() | {"origin": ORIGINS["imported"]}
    definition = DEFINITION.replace('"work stealing"', f'"{"work" * 30}"')
    said = texts(figure(*_one(demo(tmp_path, card, definition=definition)), "wall", ["light"]).light)
    (short,) = [t for t in said if t.startswith("workwork")]
    assert len(short) == 90
    assert short.endswith("work (imported)")


def test_csv_gives_every_number_back_exactly(pair: Pair) -> None:
    text = card_csv(*pair)
    assert text == card_csv(*pair)
    table = list(csv.DictReader(io.StringIO(text)))
    chosen = [
        r for r in table if (r["table"], r["arm"], r["metric"], r["at.config"]) == ("main", "steal", "wall", "thin")
    ]
    assert [r["at.n"] for r in chosen] == ["1000", "1000000"]
    raw = [m for m in pair[1].card.measurements if (m.table, m.arm) == ("main", "steal")][1].values["wall"]
    assert isinstance(raw, tuple)
    assert (float(chosen[1]["lo"]), float(chosen[1]["hi"])) == (min(raw), max(raw))
    assert {(r["unit"], r["samples"], r["flags"], r["origin"]) for r in chosen} == {
        ("s", "5", "synthetic", "synthetic")
    }
    assert {r["metric"] for r in table} >= {"wall", "flop_rate", "bandwidth", "knee"}
    assert "\r" not in text


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("palette", "ground"), [(LIGHT, "#ffffff"), (DARK, "#14181e")])
def test_every_colour_stands_out_from_its_ground(palette: tuple[str, ...], ground: str) -> None:
    for colour in (*palette, *QUIET.values()):
        low, high = sorted((luminance(colour), luminance(ground)))
        assert (high + 0.05) / (low + 0.05) >= 3


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.5, 2e3, [1, 10, 100, 1000]),
        (1.8, 75, [2, 5, 10, 20, 50]),
        (28, 71, [30, 40, 50, 60]),
        (61, 66, [61, 62, 63, 64, 65, 66]),
        (1e-3, 1e15, [10.0**e for e in range(-3, 16, 3)]),
    ],
)
def test_a_logarithmic_axis_has_three_ticks_or_more(low: float, high: float, ticks: list[float]) -> None:
    assert log_ticks(low, high, 9) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("ticks", "said"),
    [
        ([1, 10, 100, 1000], ["10⁰", "10¹", "10²", "10³"]),
        ([10, 100], ["10", "100"]),
        ([512, 1024, 4096], ["2⁹", "2¹⁰", "2¹²"]),
        ([32, 160, 1280], ["32", "160", "1280"]),
        ([0, 5000, 10_000], ["0", "5000", "10\u202f000"]),
        ([200_000, 500_000, 2_000_000], ["2·10⁵", "5·10⁵", "2·10⁶"]),
        ([0.5, 1, 2], ["0.5", "1", "2"]),
    ],
)
def test_the_ticks_of_an_axis_are_written_in_one_way(ticks: list[float], said: list[str]) -> None:
    text = tick_texts(ticks)
    assert [text(v) for v in ticks] == said


def test_a_plot_of_what_a_card_lacks_has_no_values(pair: Pair) -> None:
    assert has_values(*pair, "wall")
    assert not has_values(*many(2, pair[0].folder.parent.parent / "lacking"), "rate")
