"""Figures with a row for each arm: which marks lie where, and what is refused."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.render_kit import DEFINITION, cpu_card, gpu_card, load
from tests.test_definition import _extra

from perfdocs.errors import PerfdocsError
from perfdocs.library import Benchmark
from perfdocs.render.dots import rows_of
from perfdocs.render.plots import alt_text, digest, figure
from perfdocs.render.series import panels

DOTS = """
[plots.dots]
title = "Wall time by arm"
x = "arm"
y = "wall"
split = "config"
scale_y = "log"
"""
SPLIT = '[plots.extra]\ntitle = "Extra"\nx = "arm"\ny = "wall"\n'


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    folder = tmp_path_factory.mktemp("dots")
    return load(folder, gpu_card(), cpu_card(), gpu_card("twin", 2.0), definition=DEFINITION + DOTS).benchmarks["demo"]


def test_each_arm_has_a_mark_for_each_device_at_its_best_point(benchmark: Benchmark) -> None:
    thin, dense = panels(benchmark, benchmark.cards, "dots")
    assert (thin.title, dense.title) == ("thinning", "dense batch")
    found = {s.label: {x: round(v.centre * 1e6) for x, v in s.points} for s in thin.series}
    assert found["Made Up Gpu"]["work stealing"] == 23  # of the two batches the shorter one
    assert found["Twin"]["work stealing"] == 46
    assert list(found["Made Up Cpu"]) == ["host"]
    assert not any(s.joined for s in thin.series)  # between two arms lies nothing


def test_rows_are_in_the_order_of_the_last_panel_and_all_words_are_there(benchmark: Benchmark) -> None:
    found = panels(benchmark, benchmark.cards, "dots")
    last = [point for s in found[-1].series for point in s.points]
    best = {str(x): min(v.centre for at, v in last if at == x) for x, _ in last}
    rows = rows_of(benchmark.definition, "dots", found)
    assert rows[: len(best)] == sorted(best, key=lambda name: best[name])
    drawn = figure(benchmark, benchmark.cards, "dots")
    assert drawn == figure(benchmark, benchmark.cards, "dots")
    tree = ElementTree.fromstring(drawn.light)
    said = {"".join(e.itertext()).strip() for e in tree.iter("{http://www.w3.org/2000/svg}text")}
    assert {*rows, "thinning", "dense batch", "Made Up Gpu (synthetic)"} <= said
    assert f"3 devices. Panels: thinning, dense batch. Rows: {'; '.join(rows)}. Marks: " in drawn.alt


def test_a_device_looks_alike_alone_and_among_others(benchmark: Benchmark) -> None:
    twin = benchmark.card_of("twin")
    assert twin is not None
    (alone,) = panels(benchmark, [twin], "dots")[0].series
    among = next(s for s in panels(benchmark, benchmark.cards, "dots")[0].series if s.label == "Twin")
    assert alone == among
    fewer = Benchmark(benchmark.definition, benchmark.folder, (twin,), benchmark.digest)
    assert digest(fewer, [twin], "dots") != digest(benchmark, [twin], "dots")  # its place is another one
    assert alt_text(benchmark, [twin], "dots").startswith("Wall time by arm, Twin (synthetic). Panels: ")


@pytest.mark.parametrize("more", ['scale_x = "log"\n', 'fits = ["corner"]\n'])
def test_arms_have_no_scale_and_no_law(tmp_path: Path, more: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        _extra(tmp_path, f'is = "wall"\n{SPLIT}{more}')
    assert caught.value.problem.code == "definition-plot"
    assert '"arm", whose values are words' in str(caught.value)
