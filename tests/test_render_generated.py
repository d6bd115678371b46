"""``_generated/``: what is written, what check finds, and that nothing else is touched."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_regressions.file_regression import FileRegressionFixture
from tests.render_kit import cpu_card, gpu_card, lay_out, load

from perfdocs.errors import PerfdocsError
from perfdocs.library import Benchmark, Library, load_library
from perfdocs.render.absent import not_run
from perfdocs.render.detail import detail
from perfdocs.render.facts import device_facts, method_facts, software, sources
from perfdocs.render.fastest import fastest_lines
from perfdocs.render.generated import MARKER, check, render_all, write
from perfdocs.render.html import lines_html, table_html
from perfdocs.render.numbers import numbers_of_html, numbers_of_markdown
from perfdocs.render.overview import overview
from perfdocs.render.points import has_overview


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return load(tmp_path, gpu_card(), cpu_card())


def codes(library: Library, folder: Path) -> list[str]:
    return [p.code for p in check(library, folder)]


def test_pages_of_a_benchmark_and_its_devices(library: Library) -> None:
    pages = render_all(library)
    assert list(pages) == ["README.md", "demo/README.md", "demo/made-up-cpu.md", "demo/made-up-gpu.md"]
    for text in pages.values():
        assert text.startswith(MARKER)
        assert "`perfdocs render`" in text
        assert text.endswith("\n")
        assert "\n\n\n" not in text
    assert pages == render_all(library)


def test_a_device_page_as_a_reviewer_sees_it(library: Library, file_regression: FileRegressionFixture) -> None:
    file_regression.check(render_all(library)["demo/made-up-gpu.md"], extension=".md", encoding="utf-8")


def test_a_benchmark_page_as_a_reviewer_sees_it(library: Library, file_regression: FileRegressionFixture) -> None:
    file_regression.check(render_all(library)["demo/README.md"], extension=".md", encoding="utf-8")


def test_unpublished_cards_are_not_rendered(tmp_path: Path) -> None:
    lay_out(tmp_path, gpu_card())
    local = tmp_path / "build" / "demo"
    local.mkdir(parents=True)
    (local / "made-up-cpu.json").write_text(json.dumps(cpu_card()))
    library = load_library(tmp_path / "benchmarks", local=tmp_path / "build")
    assert "made-up-cpu-local" in library.device_ids()
    assert list(render_all(library)) == ["README.md", "demo/README.md", "demo/made-up-gpu.md"]
    assert "unpublished" not in "".join(render_all(library).values())


def test_write_then_check_is_clean_and_a_second_write_changes_nothing(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "_generated"
    assert codes(library, folder) == ["generated-missing"] * 4
    assert len(write(library, folder)) == 4
    assert codes(library, folder) == []
    assert write(library, folder) == []


def test_check_finds_drift_with_its_line_and_orphans(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "_generated"
    write(library, folder)
    page = folder / "demo" / "made-up-gpu.md"
    page.write_text(page.read_text().replace("666", "660"))
    (folder / "demo" / "gone.md").write_text(f"{MARKER}\n\n# A device that is gone\n")
    (folder / "demo" / "by-hand.md").write_text("# Mine\n")
    problems = check(library, folder)
    assert [p.code for p in problems] == ["generated-drift", "generated-orphan"]
    line = page.read_text().split("\n").index(next(x for x in page.read_text().split("\n") if "660" in x)) + 1
    assert problems[0].where.endswith(f"made-up-gpu.md: line {line}")
    assert all("perfdocs render" in p.do for p in problems)
    changed = write(library, folder)
    assert [c.rpartition("demo/")[2] for c in changed] == ["made-up-gpu.md", "gone.md (removed)"]
    assert (folder / "demo" / "by-hand.md").exists()
    assert codes(library, folder) == []


def test_a_folder_left_empty_goes(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "_generated"
    write(library, folder)
    assert len(write(Library({}), folder)) == 4
    assert not (folder / "demo").exists()


def test_nothing_is_removed_while_a_card_cannot_be_read(tmp_path: Path) -> None:
    root = lay_out(tmp_path, gpu_card(), cpu_card())
    folder = tmp_path / "_generated"
    write(load_library(root), folder)
    (root / "demo" / "cards" / "made-up-cpu.json").write_text("{")
    broken = load_library(root)
    assert [p.code for p in broken.problems] == ["card-syntax"]
    write(broken, folder)
    assert (folder / "demo" / "made-up-cpu.md").exists()


def test_a_link_that_leads_out_is_refused(library: Library, tmp_path: Path) -> None:
    folder, outside = tmp_path / "_generated", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (folder / "demo").symlink_to(outside)
    with pytest.raises(PerfdocsError, match="leads out"):
        write(library, folder)
    assert list(outside.iterdir()) == []


def test_numbers_of_a_device_page_equal_those_of_its_html(library: Library) -> None:
    benchmark = library.benchmarks["demo"]
    pages = render_all(library)
    for card in benchmark.cards:
        html = [table_html(device_facts(card))]
        for table in benchmark.definition.tables:
            html.append(lines_html(fastest_lines(benchmark, card, table)))
            if has_overview(benchmark.definition, table):
                html.append(table_html(overview(benchmark, card, table), lambda _: ""))
            html.append(table_html(detail(benchmark, card, table)))
        missing = not_run(benchmark, card)
        html += [table_html(m) for m in (missing, method_facts(card), software(card), sources(card)) if m is not None]
        shown = numbers_of_html("".join(html))
        assert len(shown) > 20
        assert numbers_of_markdown(pages[f"demo/{card.device_id}.md"]) == shown


def test_one_changed_number_changes_the_set(library: Library) -> None:
    benchmark = library.benchmarks["demo"]
    card = benchmark.cards[1]
    html = table_html(overview(benchmark, card, "main"))
    assert "666" in numbers_of_html(html)
    assert numbers_of_html(html) != numbers_of_html(html.replace(">666<", ">667<"))


def test_a_changed_card_changes_its_page_and_the_index_only(library: Library, tmp_path: Path) -> None:
    other = load(tmp_path / "other", gpu_card(factor=1.1), cpu_card())
    before, after = render_all(library), render_all(other)
    assert {k for k in before if before[k] != after[k]} == {"demo/README.md", "demo/made-up-gpu.md"}


def test_a_benchmark_without_cards_has_no_page(library: Library) -> None:
    benchmark = library.benchmarks["demo"]
    empty = Benchmark(benchmark.definition, benchmark.folder, (), benchmark.digest)
    assert render_all(replace(library, benchmarks={"demo": empty})) == {}
