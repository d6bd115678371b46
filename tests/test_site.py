"""This project's own site as a whole: its numbers, links, rows, downloads and sizes."""

from __future__ import annotations

import posixpath
import re
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from tests.conftest import PROJECT
from tests.site_kit import Page, Site, built_site

from perfdocs.claims.check import check_text, read_page, strict_prose
from perfdocs.cli.pages import documents
from perfdocs.errors import place
from perfdocs.frame import rows
from perfdocs.library import Library, load_library
from perfdocs.loading import LoadedCard
from perfdocs.render.model import Cell
from perfdocs.render.numbers import numbers_of_html, numbers_of_markdown
from perfdocs.render.overview import overview
from perfdocs.render.points import has_overview
from perfdocs.render.rows import row_id

LARGEST = 1_000_000  # bytes of a page
FOREIGN = re.compile(rb"file://|/(?:home|root|Users)/|C:\\")  # how a path on any machine begins


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return built_site(tmp_path_factory)


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[str, Page]:
    return site.pages()


@pytest.fixture(scope="module")
def library() -> Library:
    return load_library(PROJECT / "benchmarks")


def cards(library: Library) -> list[tuple[str, LoadedCard]]:
    return [(key, card) for key, benchmark in library.benchmarks.items() for card in benchmark.cards]


def test_it_builds_without_a_warning(site: Site) -> None:
    if site.code is None:
        pytest.skip("the site was built before the tests began, warnings being errors")
    assert site.said == ""
    assert site.code == 0


def test_numbers_of_every_device_page_are_those_in_generated(site: Site, library: Library) -> None:
    devices = {card.device_id for _, card in cards(library)}
    assert devices
    assert {p.stem for p in (site.out / "devices").glob("*.html")} == devices | {"index"}
    for device in devices:
        generated = sorted((PROJECT / "_generated").glob(f"*/{device}.md"))
        wanted = frozenset[str]().union(*(numbers_of_markdown(p.read_text(encoding="utf-8")) for p in generated))
        shown = numbers_of_html((site.out / "devices" / f"{device}.html").read_text(encoding="utf-8"))
        measured = any(found.card.origin.kind == "measured" for _, found in library.cards_of(device))
        assert len(shown) > (50 if measured else 20), device
        assert shown == wanted, (device, shown ^ wanted)


def test_every_link_and_anchor_leads_somewhere(site: Site, pages: dict[str, Page]) -> None:
    files = {p.relative_to(site.out).as_posix() for p in site.out.rglob("*") if p.is_file()}
    ids = {name: frozenset(page.ids) for name, page in pages.items()}
    checked = 0
    for name, page in pages.items():
        for path, fragment in set(page.internal()):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            assert target in files, (name, path)  # and so within the site
            if fragment and target in ids:
                assert fragment in ids[target], (name, path, fragment)
                checked += 1
    assert checked > 200


def test_ids_are_unique_on_their_page(pages: dict[str, Page]) -> None:
    rows = 0
    for name, page in pages.items():
        ours = Counter(i for i in page.ids if i.startswith("perf"))
        assert [i for i, n in ours.items() if n > 1] == [], name
        rows += sum(i.startswith("perf-") for i in ours)
    assert rows > 100


def numbers(cells: tuple[Cell, ...]) -> list[Cell]:
    return [cell for cell in cells if cell.number and not cell.missing]


def test_every_cell_of_an_overview_leads_to_its_row(pages: dict[str, Page], library: Library) -> None:
    shown = [url for name, page in pages.items() if not name.startswith("devices/") for url in page.cells]
    on_page = Counter(url.partition("devices/")[2] for url in shown)
    wanted = 0
    for key, card in cards(library):
        benchmark = library.benchmarks[key]
        first = next(iter(benchmark.definition.tables))
        for table in benchmark.definition.tables:
            if not has_overview(benchmark.definition, table):
                continue
            rows = [row for group in overview(benchmark, card, table).groups for row in group.rows]
            for cell in [cell for row in rows for cell in numbers(row[1:])]:
                device, _, anchor = (cell.link or "").partition("#")
                assert device == card.device_id, cell
                assert anchor in pages[f"devices/{device}.html"].ids, cell  # as it always was
                assert row_id(anchor) in pages[f"devices/{device}/{key}.html"].ids, cell
                wanted += 1
                if table == first:
                    assert on_page[f"{device}/{key}.html#{row_id(anchor)}"] > 0, cell
    assert wanted > 50


def test_every_row_of_every_card_is_on_its_page(pages: dict[str, Page], library: Library) -> None:
    for key, card in cards(library):
        found = [i for i in pages[f"devices/{card.device_id}/{key}.html"].ids if re.fullmatch("r[0-9a-f]{8}", i)]
        benchmark = library.benchmarks[key]
        wanted = [row_id(row.anchor) for table in benchmark.definition.tables for row in rows(benchmark, card, table)]
        assert found == wanted
        assert len(set(found)) == len(found)


def test_every_number_of_a_claim_leads_to_where_it_comes_from(pages: dict[str, Page], library: Library) -> None:
    counted = 0
    for name, page in pages.items():
        spans = re.findall(r'<span class="perfdocs-claim">([^<]*)</span>', page.text)
        links = re.findall(r'<a class="perfdocs-claim[^"]*" href="([^"]*)"', page.text)
        assert all(re.search("numbers/.*#n-[0-9a-f]{10}(-[0-9]+)?$", url) for url in links), name
        bare = [text for text in spans if re.search(r"\d", text)]
        assert len(bare) <= page.text.count("\N{DAGGER}</a>"), (name, bare)
        counted += len(links)
    assert counted > 300


def test_every_card_and_its_table_can_be_downloaded(site: Site, pages: dict[str, Page], library: Library) -> None:
    for key, card in cards(library):
        folder = f"_perfdocs/cards/{key}"
        urls = pages[f"devices/{card.device_id}.html"].urls
        for suffix in ("json", "csv"):
            assert f"../{folder}/{card.device_id}.{suffix}" in urls
        assert (site.out / folder / f"{card.device_id}.json").read_bytes() == card.path.read_bytes()
        table = pd.read_csv(site.out / folder / f"{card.device_id}.csv")
        assert len(table) >= len({(m.table, m.arm, *sorted(m.at.items())) for m in card.card.measurements})
        axes = {f"at.{axis}" for m in card.card.measurements for axis in m.at}
        assert {"table", "arm", "metric", "centre", *axes} <= set(table.columns)
        assert pd.api.types.is_float_dtype(table["centre"])
        assert (table["arm"].isin(library.benchmarks[key].definition.arms)).all()


def test_every_claim_of_the_documentation_holds(library: Library) -> None:
    sources = [PROJECT / "README.md", *documents([PROJECT / "docs"])]
    outcomes = [o for path in sources for o in check_text(read_page(path), place(path), library)]
    assert [str(o) for o in outcomes if not o.passes] == []
    assert sum(o.bound.form not in ("given", "exempt") for o in outcomes) >= 10


def test_pages_of_results_are_strict() -> None:
    docs = PROJECT / "docs"
    names = ("index", "oscillators", "kepler", "clock-state", "method", "cost")
    pages = [PROJECT / "README.md", *(docs / f"{name}.md" for name in names), *documents([docs / "limits"])]
    assert [place(p) for p in pages if not strict_prose(read_page(p), p.name)] == []


def test_nothing_names_a_place_on_this_machine(site: Site) -> None:
    words = {str(PROJECT), str(site.root), str(Path.home()), sys.prefix} - {"/"}
    for path in sorted(p for p in site.out.rglob("*") if p.is_file()):
        if "_static" not in path.parts or path.name == "perfdocs.css":  # the rest is the theme's and Sphinx's
            data = path.read_bytes()
            assert [w for w in words if w.encode() in data] == [], path.relative_to(site.out)
            assert FOREIGN.findall(data) == [], path.relative_to(site.out)


def test_no_page_is_too_large(site: Site) -> None:
    sizes = {p.relative_to(site.out).as_posix(): p.stat().st_size for p in site.out.rglob("*.html")}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}
    assert len(sizes) > 15
