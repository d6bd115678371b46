from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cost import cards, report, sameness
from tests.cost.builds import Build

from perfdocs.library import load_library

PROJECT = Path(__file__).resolve().parent.parent


def test_cards_of_the_sites_are_valid_synthetic_and_of_192_rows(tmp_path: Path) -> None:
    cards.write_benchmark(tmp_path / cards.BENCHMARK)
    for number in range(2):
        cards.write_card(tmp_path / cards.BENCHMARK / "cards", number)
    library = load_library(tmp_path)
    assert library.problems == ()
    for loaded in library.benchmarks[cards.BENCHMARK].cards:
        assert len(loaded.card.measurements) == cards.ROWS == 192
        assert loaded.card.origin.kind == "synthetic"
        assert loaded.earlier_sources == ()


def test_a_card_is_the_same_each_time_and_another_edition_differs_in_every_row() -> None:
    assert cards.card(3) == cards.card(3)
    pairs = zip(cards.card(3)["measurements"], cards.card(3, 1)["measurements"], strict=True)
    assert all(a["wall"] != b["wall"] and a["at"] == b["at"] for a, b in pairs)


def site(folder: Path, page: str) -> Path:
    folder.mkdir()
    (folder / "index.html").write_text(page, encoding="utf-8")
    return folder


def test_sameness_sees_through_markup_and_counts(tmp_path: Path) -> None:
    a = site(tmp_path / "a", "<table><tr><th>x</th><td><b>1.5</b>\u00a0(2)<sup>s</sup></td></tr></table><img/>")
    b = site(
        tmp_path / "b", "<table><tr><td><p>x</p></td>\n<td><p>1.5\u2060 (2)<sup>s</sup></p></td></tr></table><img>"
    )
    assert sameness.compare(a, b) == sameness.Counts(1, 1, 1, 2, 1)


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><th>x</th><td>1.6</td></tr></table>",
        "<table><tr><th>x</th></tr></table>",
        "<table><tr><th>x</th></tr><tr><td>1.5</td></tr></table>",
        "<table><tr><th>x</th><td>1.5</td></tr></table><img/>",
    ],
)
def test_sameness_finds_what_differs(tmp_path: Path, page: str) -> None:
    a = site(tmp_path / "a", "<table><tr><th>x</th><td>1.5</td></tr></table>")
    with pytest.raises(sameness.Differing, match=r"index\.html"):
        sameness.compare(a, site(tmp_path / "b", page))


def test_sameness_wants_the_same_pages(tmp_path: Path) -> None:
    a, b = site(tmp_path / "a", ""), site(tmp_path / "b", "")
    (b / "more.html").write_text("")
    with pytest.raises(sameness.Differing, match=r"more\.html"):
        sameness.compare(a, b)


def build(user: float, peak: float, read: int = 1) -> Build:
    return Build(2 * user, user, int(peak), ("page",) * read, read)


def test_bars_compare_in_pairs_and_take_the_median() -> None:
    size = report.Size(100, extension=[build(1, 4e7), build(5, 4e7), build(4, 4e7)])
    size.static = [build(10, 1e8), build(10, 1e8), build(10, 1e8)]
    size.changed = [build(0.5, 1e7)]
    thousand = report.Size(1000, extension=[build(50, 5e9)], changed=[build(4, 1e8)])
    found = report.Figures({}, sizes=[report.Size(10), size, thousand])
    assert [(bar.measured, bar.holds) for bar in report.bars(found)] == [
        ("0.40", True),
        ("0.40", True),
        ("0.125", False),
        ("5000 MB", False),
        ("0.080", True),
    ]


def test_the_table_has_a_row_for_each_kind_of_build_that_was_made() -> None:
    size = report.Size(10, extension=[build(1, 4e7, 13)], cold=[build(3, 5e7)], figures=10)
    lines = report.markdown(report.Figures({}, [build(0.5, 1e7)], [size])).splitlines()
    assert lines[2:] == [
        "|  | one empty page | 1 | 1.0 | 0.5 | 10 | 1 |",
        "| 10 | perfdocs | 13 | 2.0 | 1.0 | 40 | 1 |",
        "| 10 | perfdocs, 10 figures drawn | 1 | 6.0 | 3.0 | 50 | 1 |",
    ]


def test_the_machine_is_named_by_its_class_only() -> None:
    assert set(report.machine()) == {
        "system", "processor", "cores", "python", "sphinx", "docutils", "myst-parser",
    }  # fmt: skip


@pytest.mark.slow
def test_a_small_run_builds_both_sites_and_finds_them_the_same(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.cost", "--quick", "--sizes", "1", "--arms", "2", "--json", str(out)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    (size,) = found["sizes"]
    assert size["cards"] == 1
    assert size["shown"]["pages"] == 4
    assert size["shown"]["cells"] > 200
    assert size["shown"]["images"] == 4  # a light and a dark one, on the performance page and on the device's
    pages = {"index", "performance", "devices/index", f"devices/{cards.device_id(0)}"}
    for kind in ("extension", "static"):
        (built,) = size[kind]
        assert set(built["read"]) == pages
        assert built["wall"] > 0
        assert built["peak"] > 10e6
    assert size["unchanged"][0]["read"] == []
    assert set(size["changed"][0]["read"]) == pages - {"index"}
    assert "| 1 | static Markdown | 4 |" in done.stdout
    assert "about" in done.stderr  # time left
