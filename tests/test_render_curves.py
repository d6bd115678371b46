"""Laws and roofs over the lines of a plot, and its scales: synthetic series that saturate, and a synthetic roofline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.render_kit import cpu_card, demo, gpu_card, lay_out, point
from tests.test_definition import _extra

from perfdocs.errors import PerfdocsError
from perfdocs.library import Benchmark, load_library
from perfdocs.loading import LoadedCard
from perfdocs.render.detail import detail
from perfdocs.render.plots import alt_text, figure
from perfdocs.render.series import panels

Pair = tuple[Benchmark, LoadedCard]

DEFINITION = """
id = "demo"
title = "Demonstration"
summary = "Numbers made up to test curves."

[axes.width]
label = "width"
unit = "byte"

[axes.type]
label = "type"
scale = "category"
values = ["fp64", "fp32"]
labels = { fp64 = "FP64", fp32 = "FP32" }

[axes.loads]
label = "loads"
scale = "log"

[axes.chain]
label = "FMAs per element"

[groups.gpu]
label = "GPU arms"

[arms.host]
label = "read"
loop = "loads"
group = "gpu"
on = ["gpu", "cpu"]

[metrics.wall]
label = "wall"
kind = "samples"
unit = "s"
better = "lower"

[metrics.moved]
label = "moved"
kind = "count"
unit = "byte"

[metrics.flop]
label = "flop"
kind = "count"
unit = "flop"

[derived.in_flight]
label = "bytes in flight"
is = "1024 * loads * width"
unit = "byte"

[derived.bandwidth]
label = "bandwidth"
is = "moved / wall"
unit = "byte/s"
better = "higher"

[derived.rate]
label = "rate"
is = "flop / wall"
unit = "flop/s"
better = "higher"

[derived.intensity]
label = "flop a byte"
is = "flop / moved"
unit = "flop/byte"

[derived.best_rate]
label = "best rate"
is = "best(rate)"
unit = "flop/s"
over = ["chain"]

[derived.best_bandwidth]
label = "best bandwidth"
is = "best(bandwidth)"
unit = "byte/s"
over = ["chain"]

[tables.ladder]
title = "Ladder"
axes = ["width", "loads"]
columns = ["in_flight", "bandwidth"]

[tables.main]
title = "Chains"
axes = ["type", "chain"]
columns = ["intensity", "rate", "bandwidth"]

[plots.little]
title = "Bandwidth against bytes in flight"
table = "ladder"
x = "in_flight"
y = "bandwidth"
by = "width"
fits = ["hyperbola", "corner"]

[plots.roofline]
title = "Rate against flop a byte"
x = "intensity"
y = "rate"
by = "type"
scale_x = "log"
scale_y = "log"
roofs = [
  { rate = "device.peak.fp64", slope = "device.peak.dram / 1", label = "rated FP64 peak and bandwidth" },
  { rate = "best_rate", slope = "best_bandwidth", label = "best of the line" },
]

[plots.against]
title = "Rate against bandwidth"
x = "bandwidth"
y = "rate"
by = "type"
scale_x = "linear"
scale_y = "linear"
"""
FOUR, SIXTEEN = "width\u00a0=\u00a04\u00a0B", "width\u00a0=\u00a016\u00a0B"
STEEP = {"fp64": 15e12, "fp32": 30e12}


def card(make: Any = gpu_card) -> dict[str, Any]:
    """A synthetic card: bandwidth saturates at 2 TB/s from 256 KiB on; rates of two types under two ceilings."""
    made: dict[str, Any] = make()
    found = []
    for width, bend in ((4, 2**18), (16, 2**19)):
        for i in range(9):
            byte = 1024 * 2**i * width
            rate = 2e12 * (byte / (byte + bend) if width == 4 else min(byte / bend, 1)) * (1 + 0.02 * (-1) ** i)
            found.append(point("ladder", "host", {"width": width, "loads": 2**i}, 2**31 / rate, moved=2**31, flop=0))
    for kind, ceiling in STEEP.items():
        for chain in (0, 1, 2, 4, 8, 16, 32, 64, 128):
            wall = max(2**31 / 1.9e12, 2 * chain * 2**28 / ceiling)
            at = {"type": kind, "chain": chain}
            found.append(point("main", "host", at, wall, moved=2**31, flop=2 * chain * 2**28))
    return made | {"measurements": found, "not_run": []}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return demo(tmp_path_factory.mktemp("curves"), card(), definition=DEFINITION)


def texts(svg: bytes) -> list[str]:
    return ["".join(e.itertext()).strip() for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_only_points_that_lie_along_a_line_are_joined(pair: Pair) -> None:
    of = {plot: panels(pair[0], [pair[1]], plot)[0].series for plot in ("little", "roofline")}
    assert [s.joined for s in of["little"]] == [False, False]  # of many settings with one x; laws go through them
    assert all(s.joined for s in of["roofline"])


def test_a_series_against_a_quantity_has_all_points_of_one_value_of_by(pair: Pair) -> None:
    (panel,) = panels(pair[0], [pair[1]], "little")
    assert [(s.label, len(s.points)) for s in panel.series] == [(FOUR, 9), (SIXTEEN, 9)]
    assert [x for x, _ in panel.series[0].points] == [4096.0 * 2**i for i in range(9)]


def test_each_line_has_the_laws_fitted_to_it(pair: Pair) -> None:
    (panel,) = panels(pair[0], [pair[1]], "little")
    found = {(c.of, c.law): c for c in panel.curves}
    assert len(found) == len(panel.curves) == 4
    half, knee = found[FOUR, "hyperbola"], found[SIXTEEN, "corner"]
    assert (half.bend, half.height) == pytest.approx((2**18, 2e12), rel=0.1)
    assert (knee.bend, knee.height) == pytest.approx((2**19, 2e12), rel=0.1)
    assert (half.ends, knee.ends) == ((4096, 2**20), (2**14, 2**22))
    assert half.at(half.bend) == pytest.approx(half.height / 2)
    assert knee.at(knee.bend) == knee.height
    assert knee.at(knee.bend / 4) == pytest.approx(knee.height / 4)


def test_roofs_are_of_the_device_once_and_of_each_line(pair: Pair) -> None:
    (panel,) = panels(pair[0], [pair[1]], "roofline")
    (rated, *own) = panel.curves
    assert rated.of == ""
    assert rated.height == pytest.approx(19.2e12)
    assert rated.bend == pytest.approx(19.2e12 / 2.048e12)
    assert [c.of for c in own] == ["FP64", "FP32"]
    assert [c.height for c in own] == pytest.approx([15e12, 30e12], rel=0.01)
    assert all(c.roof and c.ends == (0.25, 32) for c in panel.curves)


def test_on_a_logarithmic_scale_points_at_zero_are_left_out(pair: Pair) -> None:
    (panel,) = panels(pair[0], [pair[1]], "roofline")
    assert all(len(s.points) == 8 for s in panel.series)
    (against,) = panels(pair[0], [pair[1]], "against")
    assert all(len(s.points) == 9 for s in against.series)


def test_a_roof_whose_facts_are_not_known_is_left_out(tmp_path: Path) -> None:
    without = card()
    del without["device"]["max_memory_clock"]
    benchmark, loaded = demo(tmp_path, without, definition=DEFINITION)
    (panel,) = panels(benchmark, [loaded], "roofline")
    assert [c.name for c in panel.curves] == ["best of the line, marked at its ridge"] * 2


def test_several_devices_have_neither_laws_nor_roofs(tmp_path: Path) -> None:
    root = lay_out(tmp_path, card(), card(cpu_card), definition=DEFINITION)
    benchmark = load_library(root).benchmarks["demo"]
    for plot in ("little", "roofline"):
        assert [p.curves for p in panels(benchmark, benchmark.cards, plot)] == [()]


@pytest.mark.parametrize("plot", ["little", "roofline", "against"])
def test_figures_with_curves_are_the_same_bytes_and_say_what_is_drawn(pair: Pair, plot: str) -> None:
    drawn = figure(pair[0], [pair[1]], plot)
    assert drawn == figure(pair[0], [pair[1]], plot)
    said = texts(drawn.light)
    names = list(dict.fromkeys(c.name for p in panels(pair[0], [pair[1]], plot) for c in p.curves))
    assert [name for name in said if name in names] == names
    assert texts(drawn.dark) == said
    for name in names:
        assert name in alt_text(pair[0], [pair[1]], plot)


def test_ticks_of_a_quantity_are_round_numbers_of_the_shown_unit(pair: Pair) -> None:
    said = texts(figure(pair[0], [pair[1]], "little").light)
    assert "bytes in flight (KiB)" in said
    assert {"100", "200", "500", "1000"} <= set(said)  # fewer than three decades: numbers between them
    assert not any("." in text for text in said[: said.index("bytes in flight (KiB)")])


def test_a_scale_that_is_said_is_the_scale(pair: Pair) -> None:
    log, linear = (texts(figure(pair[0], [pair[1]], plot).light) for plot in ("roofline", "against"))
    assert {"1", "10"} <= set(log)
    assert "0" not in log
    assert {"0", "10", "20", "30"} <= set(linear)


PLOT = '[plots.extra]\ntitle = "x"\nx = "n"\ny = "flop_rate"\n'


@pytest.mark.parametrize(
    ("roof", "code", "said"),
    [
        ('rate = "flop_rate", slope = "1"', "definition-roof", "differs from point to point"),
        ('rate = "wall", slope = "1"', "definition-roof", "differs from point to point"),
        ('rate = "device.peak.fp64", slope = "n"', "definition-roof", "differs from point to point"),
        ('rate = "device.peak.dram", slope = "device.peak.fp64"', "expression-dimension", "flop/s and byte/s"),
        ('rate = "device.peak.fp64", slope = "device.peak.dram"', "expression-dimension", "flop/s and byte/s"),
        ('rate = "device.peak.fp46", slope = "device.peak.fp64"', "definition-name", "fp46"),
        ('rate = "best(flop_rate)", slope = "device.peak.fp64"', "expression-function", "best"),
        ('rate = "(", slope = "device.peak.fp64"', "expression-syntax", "("),
    ],
)
def test_a_roof_that_cannot_be_meant_is_refused(tmp_path: Path, roof: str, code: str, said: str) -> None:
    good = 'rate = "device.peak.fp64", slope = "device.peak.fp64 / 1e6"'
    assert _extra(tmp_path, f'is = "wall"\n{PLOT}roofs = [{{ {good} }}]').plots["extra"].roofs
    with pytest.raises(PerfdocsError) as caught:
        _extra(tmp_path, f'is = "wall"\n{PLOT}roofs = [{{ {roof} }}]')
    assert caught.value.problem.code == code
    assert said in caught.value.problem.found
    assert "$.plots.extra.roofs[0]" in caught.value.problem.where


@pytest.mark.parametrize("more", ['scale_x = "log"', 'fits = ["corner"]', 'roofs = [{ rate = "1", slope = "1" }]'])
def test_words_have_no_scale(tmp_path: Path, more: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        _extra(tmp_path, f'is = "wall"\n{PLOT.replace(chr(34) + "n" + chr(34), chr(34) + "config" + chr(34))}{more}')
    assert caught.value.problem.code == "definition-plot"
    assert caught.value.problem.where.endswith("$.plots.extra.x")


FITTED = """
[derived.half_at]
label = "half"
is = "half(in_flight, bandwidth)"
unit = "byte"
over = ["loads"]

[derived.knee_at]
label = "knee"
is = "knee(in_flight, bandwidth)"
unit = "byte"
over = ["loads"]

[derived.misfit]
label = "misfit"
is = "misfit_corner(in_flight, bandwidth)"
fraction = true
over = ["loads"]

[tables.fits]
title = "Fits"
of = "ladder"
axes = ["width"]
columns = ["knee_at", "misfit", "half_at"]
"""


def test_a_table_of_fits_tells_their_intervals(tmp_path: Path) -> None:
    few = card()
    for loads in (1, 2, 4, 8):  # nearly straight, and noisy
        wall = 2**31 / (1e9 * loads * (1 - loads / 20))
        values = {"moved": 2**31, "flop": 0}
        few["measurements"].append(
            point("ladder", "host", {"width": 8, "loads": loads}, wall, (1, 1.3, 0.8, 1, 1), **values)
        )
    benchmark, loaded = demo(tmp_path, few, definition=DEFINITION + FITTED)
    model = detail(benchmark, loaded, "fits")
    four, eight, sixteen = ([cell.text.replace("\u00a0", " ") for cell in row[1:]] for row in model.groups[0].rows)
    assert model.caption.startswith("Values of whole series (what the noise of their points leaves open).")
    assert re.fullmatch(r"\d+ \(\d+–\d+\)", sixteen[0])
    assert re.fullmatch(r"[\d.]+ % \([\d.]+ %–[\d.]+ %\)", four[1])
    assert re.fullmatch(r"[\d.]+ \([\d.]+–∞\)", eight[2])
    eight_byte = FOUR.replace("4", "8")
    told = f"Not reached (the points end before a plateau could be seen): read, {eight_byte}."
    assert told in model.caption
    assert eight[:2] == ["—", "—"]  # its plateau is not reached, and the figure has no corner for it
    (panel,) = panels(benchmark, [loaded], "little")
    assert [(c.law, c.of) for c in panel.curves if c.of == eight_byte] == [("hyperbola", eight_byte)]
    assert "fitted corner, marked at the knee; none where no plateau is reached" in alt_text(
        benchmark, [loaded], "little"
    )
