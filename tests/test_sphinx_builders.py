"""Every builder shows the same numbers, and none warns."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.conftest import slow
from tests.sphinx_kit import Built, Project, project, text_of_html

from perfdocs.library import load_library
from perfdocs.render.generated import render_all
from perfdocs.render.numbers import numbers_of_html, numbers_of_markdown


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Figures drawn once for all builders."""
    return tmp_path_factory.mktemp("drawn")


@pytest.fixture
def made(tmp_path: Path, drawn: Path) -> Project:
    """For tests that change it, or how it is built."""
    return project(tmp_path, cache=drawn)


Builds = Callable[[str], Built]


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory, drawn: Path) -> Builds:
    """The same project as it is, built once by each builder that is asked for; tests only look at it."""
    return cache(project(tmp_path_factory.mktemp("made"), cache=drawn).build)


WHERE = {
    "html": "results.html",
    "dirhtml": "results/index.html",
    "singlehtml": "index.html",
    "epub": "results.xhtml",
    "latex": "madeup.tex",
    "text": "results.txt",
    "man": "madeup.1",
    "texinfo": "madeup.texi",
}


@pytest.mark.parametrize("builder", ["html", "epub", "latex", "text", *slow("dirhtml", "singlehtml", "man", "texinfo")])
def test_every_builder_shows_the_numbers_without_a_warning(builds: Builds, builder: str) -> None:
    built = builds(builder)
    assert built.warnings == []
    text = built.text(WHERE[builder])
    for shown in ("work stealing", "511", "15.0", "PyTorch, CUDA graph of 16", "torch is not installed", "synthetic"):
        assert shown in text, shown
    assert "Wall time by configuration and batch size" in text_of_html(text).replace("\n", " ")
    assert "perf-results" not in text


def test_html_links_and_anchors_lead_somewhere(builds: Builds) -> None:
    built = builds("html")
    pages = {p.relative_to(built.out).as_posix(): p.read_text() for p in built.out.rglob("*.html")}
    anchors = {name: re.findall(r'\bid="([^"]+)"', page) for name, page in pages.items()}
    for name, ids in anchors.items():
        assert len(ids) == len(set(ids)), name
    rows = 0
    for name, page in pages.items():
        for url in re.findall(r'(?:href|src)="([^"]+)"', page):
            path, _, anchor = url.partition("#")
            if "://" in url or "_static" in url:
                continue
            target = (built.out / name).parent / path if path else built.out / name
            assert target.is_file(), (name, url)
            if re.match("perf-|r[0-9a-f]{8}$", anchor):
                rows += 1
                assert anchor in anchors[target.resolve().relative_to(built.out.resolve()).as_posix()]
    assert rows > 20


def test_singlehtml_holds_each_row_once(made: Project) -> None:
    (made.docs / "plain.md").write_text("# Plain\n\n```{perf-results} rk4\n```\n")  # tabs on two pages
    page = made.build("singlehtml").text("index.html")
    ids = re.findall(r'\bid="(perf[^"]+)"', page)
    assert len(ids) == len(set(ids)) > 80
    targets = set(re.findall(r'href="#(perf-rk4[^"]+)"', page))
    assert targets
    assert targets <= set(ids)


def test_epub_is_well_formed_and_whole(builds: Builds) -> None:
    built = builds("epub")
    with zipfile.ZipFile(next(built.out.glob("*.epub"))) as book:
        names = set(book.namelist())
        for name in sorted(n for n in names if n.endswith(".xhtml")):
            page = book.read(name).decode()
            ElementTree.fromstring(page.replace("<!DOCTYPE html>", ""))
            for source in re.findall(r'<img [^>]*src="([^"]+)"', page):
                assert source.removeprefix("../") in names, (name, source)
    assert any(n.endswith("-light.svg") for n in names)
    assert not any(n.endswith((".json", ".csv")) for n in names)


def test_latex_has_figures_and_captions(builds: Builds) -> None:
    built = builds("latex")
    tex = built.text("madeup.tex")
    included = re.findall(r"\\sphinxincludegraphics\[[^]]*\]\{\{([^}]*)\}(\.\w+)\}", tex)
    assert included
    for stem, suffix in included:
        assert (built.out / (stem + suffix)).read_bytes().startswith(b"%PDF")
    assert "\u202f" not in tex  # no LaTeX engine of Sphinx's default knows it
    assert tex.count(r"\sphinxcaption") + tex.count(r"\caption") > 10


def test_numbers_of_a_device_page_equal_those_in_generated(builds: Builds) -> None:
    built = builds("html")
    pages = render_all(load_library(built.out.parent / "benchmarks"))
    for device in ("made-up-gpu", "made-up-cpu"):
        shown = numbers_of_html(built.text(f"devices/{device}.html"))
        assert shown == numbers_of_markdown(pages[f"rk4/{device}.md"])
        assert len(shown) > 100


def test_doctrees_hold_keys_only(builds: Builds) -> None:
    built = builds("html")
    doctree = (built.out.parent / "out-html-doctrees" / "devices" / "made-up-gpu.doctree").read_bytes()
    assert b"PerfNode" in doctree
    assert b"work stealing" not in doctree
    assert b"work stealing" in (built.out / "devices" / "made-up-gpu.html").read_bytes()


@pytest.mark.parametrize("theme", ["alabaster", "pydata_sphinx_theme"])
def test_themes(made: Project, theme: str) -> None:
    built = made.build("html", html_theme=theme)
    assert built.warnings == []
    assert "perfdocs.css" in built.text("results.html")
    assert (built.out / "_static" / "perfdocs.css").is_file()
