"""The directive of claims on pages: every claim beside every device, whoever changed, in every builder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.claims.toy import card, gpu_card
from tests.conftest import slow
from tests.sphinx_kit import CONF, Built, Project, text_of_html
from tests.test_sphinx_claims import COMMENTS, GIVEN, ROLES, RST, make

MATRIX = "# All of them\n\n```{perf-claims}\n```\n"
FASTER = (
    f"# Faster\n\n<!-- given: {GIVEN} -->\n\nWork stealing is faster than one thread per sample<!-- claim: {{}} -->.\n"
)
ORDER = "stealing faster than simple"


def with_matrix(root: Path, **pages: str) -> Project:
    return make(root, {"all.md": MATRIX, **{f"{name}.md": text for name, text in pages.items()}})


def cells(html: str) -> list[list[str]]:
    """The words of every row of the page's tables, marks of flags left out."""
    html = re.sub(r"<sup>.*?</sup>", "", html)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", html[html.index('<div class="perfdocs">') :], re.DOTALL)
    return [
        [" ".join(text_of_html(c).split()) for c in re.findall(r"<t[hd][^>]*>.*?</t[hd]>", row, re.DOTALL)]
        for row in rows
    ]


def row_of(built: Built, words: str, page: str = "all.html") -> list[str]:
    return next(row for row in cells(built.text(page)) if words in row[0])


def test_a_claim_that_fails_elsewhere_is_told_and_no_warning(tmp_path: Path) -> None:
    built = with_matrix(tmp_path, read=COMMENTS, faster=FASTER.format(ORDER)).build()
    assert built.warnings == []
    assert cells(built.text("all.html"))[0][0] == "device"
    assert row_of(built, "one thread per sample")[1:] == ["✓ holds, home", "✓ holds: stealing 610 µs, simple 1.800 ms"]
    assert row_of(built, "510 µs")[1:] == ["✓ holds, home", "≠ fails: 610 µs"]
    assert row_of(built, "At N = 10⁵ 60 µs")[1:] == ["✓ holds, home", "— not measured"]
    assert "5 claims on 2 pages; 5 of them hold on the devices they name." in built.text("all.html")
    assert built.text("all.html").count("None of them has a verdict on Toy CPU.") == 2


@pytest.mark.parametrize(("name", "text"), [("comments.md", COMMENTS), ("roles.md", ROLES), ("rst.rst", RST)])
def test_every_link_leads_somewhere(tmp_path: Path, name: str, text: str) -> None:
    built = make(tmp_path, {"all.md": MATRIX, name: text}).build()
    found = re.findall(r'<a href="([^"#]+)#([^"]+)">', built.text("all.html"))
    sentences = [anchor for _, anchor in found if anchor.startswith("claim-")]
    assert len(sentences) == len(set(sentences)) == 4
    assert len([anchor for _, anchor in found if re.fullmatch("r[0-9a-f]{8}", anchor)]) >= 7
    for page, anchor in found:
        assert built.text(page).count(f'id="{anchor}"') == 1
    page = built.text(f"{Path(name).stem}.html")
    first, second, third, fourth = (page.index(f'id="{anchor}"') for anchor in sentences)
    assert first < page.index("510") < second < page.index("1.17") < third < page.index("2.30") < fourth
    assert fourth < page.index("60\u00a0µs" if "60\u00a0µs" in page else "60 µs")


def test_a_claim_of_a_title_leads_to_its_section_and_two_alike_have_two_anchors(tmp_path: Path) -> None:
    text = f"# Of 510 µs<!-- claim: at {GIVEN}: stealing -->\n\n<!-- given: {GIVEN} -->\n\n"
    text += "It takes 510 µs<!-- claim: stealing -->.\n\nIt takes 510 µs<!-- claim: stealing -->.\n"
    built = with_matrix(tmp_path, page=text).build()
    assert built.warnings == []
    anchors = re.findall(r'href="page.html#([^"]+)"', built.text("all.html"))
    assert len(set(anchors)) == 3
    assert all(f'id="{anchor}"' in built.text("page.html") for anchor in anchors)
    assert anchors[2] == f"{anchors[1]}-2"


def test_options_choose_pages_benchmarks_and_columns(tmp_path: Path) -> None:
    project = with_matrix(tmp_path, read=COMMENTS, faster=FASTER.format(ORDER))
    page = project.docs / "all.md"
    page.write_text("# One\n\n```{perf-claims}\n:pages: /faster\n:devices: toy-paper\n:benchmarks: toy\n```\n")
    built = project.build()
    assert built.warnings == []
    assert "1 claim on 1 page" in built.text("all.html")
    assert row_of(built, "one thread")[1:] == ["✓ holds: stealing 610 µs, simple 1.800 ms"]
    assert "510" not in built.text("all.html")
    page.write_text("# One\n\n```{perf-claims}\n:pages: fster\n```\n")
    (warning,) = project.build().warnings
    assert 'found the page "fster", expected a document of this site; did you mean "faster"' in warning
    page.write_text("# One\n\n```{perf-claims}\n:pages: index\n```\n")
    assert "No page has a claim." in project.build().text("all.html")


def test_the_page_is_written_again_when_another_page_or_a_card_changes(tmp_path: Path) -> None:
    project = with_matrix(tmp_path, read=COMMENTS, faster=FASTER.format(ORDER), plain="# Nothing\n")
    project.build()

    def again(changed: str) -> Built:
        built = project.build()
        assert built.read == {changed}
        clean = project.build(out="clean", fresh=True)
        assert built.text("all.html") == clean.text("all.html")
        return built

    (project.docs / "faster.md").write_text(
        FASTER.format("stealing slower than simple").replace("faster than", "slower than")
    )
    assert row_of(again("faster"), "slower than one thread per sample")[1:][-1].startswith("✗ fails: stealing 610 µs")
    (project.docs / "faster.md").write_text("# Other\n\nNothing bound.\n")
    assert "4 claims on 1 page" in again("faster").text("all.html")
    (project.docs / "read.md").write_text(COMMENTS.replace("# Reading it", "# Read <b>"))
    assert "<caption>Read &lt;b&gt;</caption>" in again("read").text("all.html")
    before = (tmp_path / "out-html" / "all.html").stat().st_mtime_ns
    (project.docs / "plain.md").write_text("# Nothing\n\nA word.\n")
    again("plain")
    assert (tmp_path / "out-html" / "all.html").stat().st_mtime_ns == before

    slower = gpu_card()
    slower["device"] |= {"id": "toy-gpu-2", "name": "Another GPU"}
    path = tmp_path / "benchmarks" / "toy" / "cards" / "toy-gpu-2.json"
    path.write_text(json.dumps(slower))
    built = project.build()
    assert "all" in built.read
    assert row_of(built, "510 µs")[1:] == ["✓ holds, home", "✓ holds: 510.4 µs", "≠ fails: 610 µs"]
    path.unlink()
    (project.docs / "read.md").unlink()
    (project.docs / "index.rst").write_text(
        "Home\n====\n\n.. toctree::\n\n   all\n   faster\n   plain\n   devices/index\n"
    )
    assert "No page has a claim." in project.build().text("all.html")


def test_read_in_parallel_it_is_the_same(tmp_path: Path) -> None:
    pages = {f"page{i}": FASTER.format(ORDER).replace("# Faster", f"# Page {i}") for i in range(8)}
    project = with_matrix(tmp_path, **pages)
    one = project.build(out="one")
    many = project.build(out="many", jobs=2)
    assert one.warnings == many.warnings == []
    assert one.text("all.html") == many.text("all.html")
    assert "8 claims on 8 pages" in one.text("all.html")
    assert one.text("all.html").index("Page 0: 1 claim") < one.text("all.html").index("Page 7: 1 claim")


HOSTILE = '</bdi><script>alert("x")</script>'


def test_text_of_strangers_stays_text(tmp_path: Path) -> None:
    text = (
        f"# Title `<i>`&lt;script&gt; {{x}}\n\n<!-- given: {GIVEN} -->\n\n"
        "A `</a><script>alert(1)</script>\" onload='x'` of \u202eright 510 µs<!-- claim: stealing -->.\n"
    )
    project = with_matrix(tmp_path, page=text, other=FASTER.format(ORDER))
    evil = card("evil", gpu_card()["measurements"], device={"id": "evil", "kind": "gpu", "name": HOSTILE})
    (tmp_path / "benchmarks" / "toy" / "cards" / "evil.json").write_text(json.dumps(evil))
    html = project.build().text("all.html")
    body = html[html.index('<div class="perfdocs">') :]
    assert "<script>alert" not in body
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
    assert "&lt;/bdi&gt;&lt;script&gt;" in body
    assert "\u202e" not in body
    assert "\ufffdright 510" in body
    assert "onload='" not in body


WHERE = {
    "latex": "madeup.tex",
    "text": "all.txt",
    "man": "made.1",
    "epub": "all.xhtml",
    "singlehtml": "index.html",
    "dirhtml": "all/index.html",
}


@pytest.mark.parametrize("builder", ["latex", "text", "singlehtml", *slow("man", "epub", "dirhtml")])
def test_every_builder_shows_it(tmp_path: Path, builder: str) -> None:
    conf = CONF + 'man_pages = [("index", "made", "made up", [], 1)]\n'
    built = make(tmp_path, {"all.md": MATRIX, "read.md": COMMENTS}, conf).build(builder)
    assert built.warnings == []
    text = built.text(WHERE[builder])
    for shown in ("holds, home", "610", "not measured", "imported"):
        assert shown in text, shown
    if builder == "latex":
        assert "✗" not in text
        assert "≠" not in text
        assert "\u202f" not in text
    if builder in ("singlehtml", "dirhtml", "epub"):
        for anchor in re.findall(r'href="[^"]*#(claim-[^"]+)"', text):
            assert any(f'id="{anchor}"'.encode() in data for data in built.files().values())
