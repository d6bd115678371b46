"""HTML, Markdown and grids of the same models: escaped, well-formed, and with the same cells."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from tests.render_kit import DEFINITION, demo, gpu_card

from perfdocs.library import Benchmark
from perfdocs.loading import LoadedCard
from perfdocs.render import facts
from perfdocs.render.absent import not_run
from perfdocs.render.detail import detail
from perfdocs.render.devices import measured_on
from perfdocs.render.fastest import fastest_lines
from perfdocs.render.grid import grid, lines_text, notes
from perfdocs.render.html import escape, isolate, lines_html, table_html
from perfdocs.render.markdown import escape as escape_markdown
from perfdocs.render.markdown import lines_markdown, table_markdown
from perfdocs.render.model import Line, TableModel, has_rows
from perfdocs.render.numbers import cells_of_html, cells_of_markdown, numbers_of_html, numbers_of_markdown
from perfdocs.render.overview import overview

Pair = tuple[Benchmark, LoadedCard]
HOSTILE = (
    """<script>alert("x")</script> & 'y' | `code` **b** _i_ [a](javascript:b) ![i](j) {{ x }} $m$ :bomb: \\ ~~s~~"""
)
RTL = "כרטיס \u0627\u0644\u0639\u0631\u0628"
COMBINING = "Z\u0351\u036b\u0343a\u0321lgo e\u0301"
STRANGE = f"{HOSTILE} {RTL} {COMBINING}"


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return demo(tmp_path, gpu_card())


def models(benchmark: Benchmark, card: LoadedCard) -> list[TableModel]:
    """Every table of a card."""
    found = [make(benchmark, card, t) for t in benchmark.definition.tables for make in (overview, detail)]
    found += [make(card) for make in (facts.device_facts, facts.method_facts, facts.software, facts.sources)]
    found += [facts.arms(benchmark), facts.terms(benchmark), measured_on([benchmark])]
    missing = not_run(benchmark, card)
    return [m for m in (*found, missing) if m is not None and has_rows(m)]


def parse(html: str) -> ElementTree.Element:
    """The fragment as XML: raises where it is not well-formed."""
    return ElementTree.fromstring(f"<div>{html}</div>")


def rendered(markdown: str) -> SyntaxTreeNode:
    return SyntaxTreeNode(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown))


def text_of(node: SyntaxTreeNode) -> str:
    """The text of a parsed node as a reader sees it."""
    if node.type in ("text", "code_inline"):
        return node.content
    return "".join(text_of(child) for child in node.children)


def cells_of_tree(tree: SyntaxTreeNode) -> list[str]:
    return [text_of(node).strip() for node in tree.walk() if node.type in ("th", "td")]


def hostile(tmp_path: Path) -> Pair:
    """A card and a definition with hostile text in every string that takes text."""
    card: dict[str, Any] = gpu_card()
    card["device"] |= {"name": STRANGE[:120], "vendor": STRANGE[:120], "mig": HOSTILE[:80]}
    card["host"] = {"os": STRANGE[:120], "cpu": STRANGE[:120], "driver": HOSTILE[:80]}
    card["software"] = {HOSTILE[:80]: HOSTILE[:80]}
    card["source"] = {"files": {"step.cuh": "0" * 64}}
    card["origin"] = {"kind": "imported", "source": STRANGE, "licence": STRANGE}
    card["method"] |= {"timer": HOSTILE[:80], "clocks_reason": STRANGE, "pinning": STRANGE}
    card["not_run"] = [{"arm": "peer", "reason": STRANGE}]
    card["measurements"] = [m for m in card["measurements"] if m["arm"] != "peer"]
    quoted = STRANGE.replace("\\", "\\\\").replace('"', '\\"')
    definition = re.sub(r'(title|summary|label|loop) = "[^"]*"', lambda m: f'{m[1]} = "{quoted[:180]}"', DEFINITION)
    definition = definition.replace('thin = "thinning"', f'thin = "{quoted[:180]}"')
    return demo(tmp_path, card, definition=definition)


def test_every_table_is_well_formed_xml_and_says_what_its_headers_head(pair: Pair) -> None:
    for model in models(*pair):
        root = parse(table_html(model, lambda device: f"devices/{device}.html"))
        for table in root.iter("table"):
            assert table.find("caption") is not None
            assert all(th.get("scope") == "col" for th in table.findall("thead/tr/th"))
            width = len(table.findall("thead/tr/th"))
            for row in table.findall("tbody/tr"):
                assert row[0].tag == "th"
                assert row[0].get("scope") == "row"
                assert len(row) == width
        scrolls = [d for d in root.iter("div") if d.get("class") == "perfdocs-table"]
        assert [(d.get("tabindex"), d.get("role"), bool(d.get("aria-label"))) for d in scrolls] == [
            ("0", "region", True)
        ]


def test_cells_of_markdown_equal_cells_of_html(pair: Pair, tmp_path: Path) -> None:
    for benchmark, card in (pair, hostile(tmp_path / "hostile")):
        for model in models(benchmark, card):
            html, markdown = table_html(model), table_markdown(model)
            shown = cells_of_html(html)
            assert len(shown) > 3
            assert cells_of_markdown(markdown) == shown
            # and a Markdown parser sees the same
            assert cells_of_tree(rendered(markdown)) == list(shown)
            assert numbers_of_markdown(markdown) == numbers_of_html(html)


def test_lines_of_markdown_equal_lines_of_html_and_of_text(pair: Pair) -> None:
    groups = fastest_lines(*pair, "main")
    html = cells_of_html(lines_html(groups))
    assert cells_of_markdown(lines_markdown(groups)) == html
    plain = [f"{lead}: {text}" for _, lines in lines_text(groups) for lead, text in lines]
    assert [re.sub(r" \[(.*)\]$", r"\1", line) for line in plain] == list(html)
    parse(lines_html(groups))


def test_hostile_text_stays_text_in_html(tmp_path: Path) -> None:
    benchmark, card = hostile(tmp_path)
    allowed = {
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "p",
        "ul",
        "li",
        "sup",
        "abbr",
        "bdi",
        "a",
    }
    for model in models(benchmark, card):
        root = parse(table_html(model, lambda device: "x.html"))
        assert {e.tag for e in root.iter()} <= allowed
        assert not any(name.startswith("on") or name == "style" for e in root.iter() for name in e.attrib)
        assert all(e.get("href", "").startswith("x.html") for e in root.iter("a"))
    lines = parse(lines_html(fastest_lines(benchmark, card, "main")))
    assert {e.tag for e in lines.iter()} <= {"div", "p", "ul", "li", "strong", "sup", "abbr", "bdi"}


def test_hostile_text_stays_text_in_markdown(tmp_path: Path) -> None:
    benchmark, card = hostile(tmp_path)
    expected = {"root", "paragraph", "inline", "text", "table", "thead", "tbody", "tr", "th", "td", "strong"}
    expected |= {"bullet_list", "list_item", "html_inline", "softbreak"}
    for model in models(benchmark, card):
        for node in rendered(table_markdown(model)).walk():
            assert node.type in expected, node.type
            if node.type == "html_inline":
                assert node.content in ("<sup>", "</sup>")


def test_text_from_a_card_is_isolated(tmp_path: Path) -> None:
    benchmark, card = hostile(tmp_path)
    root = parse(table_html(measured_on([benchmark])))
    assert "".join(next(root.iter("bdi")).itertext()) == card.card.device.name
    (note,) = [
        e for e in parse(table_html(overview(benchmark, card, "main"))).iter("ul") if e.get("class") == "perfdocs-notes"
    ]
    assert "".join(next(note.iter("bdi")).itertext()) == STRANGE


def test_controls_and_overrides_of_direction_become_visible() -> None:
    assert escape("a\u202eb\x00c\ud800") == "a\ufffdb\ufffdc\ufffd"
    assert escape("two\nlines\u2028three") == "two lines three"
    assert escape("666\u00a0µs 94\u202f100") == "666\u00a0µs 94\u202f100"
    assert isolate("<b>'\"&") == "<bdi>&lt;b&gt;&#39;&quot;&amp;</bdi>"


@given(st.text(max_size=60))
def test_any_text_survives_html(text: str) -> None:
    root = parse(f'<p title="{escape(text)}">{escape(text)}</p>')
    (paragraph,) = root
    assert (paragraph.text or "") == paragraph.get("title")
    assert len(paragraph) == 0


@given(
    st.text(
        alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs", "Cn", "Co"]),
        max_size=60,
    )
)
def test_any_text_survives_markdown(text: str) -> None:
    from perfdocs.render.html import plain

    tree = rendered(f"| a |\n| :-- |\n| x{escape_markdown(text)}x |\n")
    assert cells_of_tree(tree)[1:] == [plain(f"x{text}x")]


def test_anchors_and_links(pair: Pair) -> None:
    whole = detail(*pair, "main")
    ids = re.findall(r'<tr id="([^"]+)"', table_html(whole))
    assert len(ids) == len(set(ids)) == 18
    assert "perf-demo.made-up-gpu.main.steal.thin.1000" in ids
    assert "id=" not in table_html(whole, anchors=False)
    model = overview(*pair, "main")
    link = "made-up-gpu#perf-demo.made-up-gpu.main.steal.thin.1000"
    assert f'href="d.html?{link}"' in table_html(model, lambda asked: f"d.html?{asked}")
    assert f'href="d.html?{link}"' in table_html(whole, lambda asked: f"d.html?{asked}")  # the name of a row
    assert "<a " not in table_html(whole, lambda asked: f"#{asked.partition('#')[2]}")  # of the row to itself
    assert "<a " not in table_html(model, lambda _: "")
    assert "<a " not in table_html(model, lambda _: None)
    assert "<a " not in table_html(model)
    # a device's own page needs no link to itself
    assert "<a " not in table_html(measured_on([pair[0]]), lambda _: "")
    assert "[Made Up Gpu](made-up-gpu.md)" in table_markdown(measured_on([pair[0]]), lambda d: f"{d}.md")


def test_flags_are_readable_without_hovering(pair: Pair) -> None:
    html = table_html(overview(*pair, "main"))
    assert '<sup><abbr title="throttled: sw power cap, read after a timed run">T</abbr>s</sup>' in html
    legend = html[html.index("perfdocs-flags") :]
    assert "throttled: the device reported a clock-throttle reason" in legend
    assert "perfdocs-flags" not in table_html(overview(*pair, "main"), legend=False)
    assert "perfdocs-notes" not in table_html(overview(*pair, "main"), notes=False)


def test_parts_of_a_long_table_and_many_notes_open_where_a_format_folds(pair: Pair) -> None:
    whole = detail(*pair, "main")
    assert whole.folded
    html = table_html(whole, folds=True)
    root = parse(html)
    assert [e[0].text for e in root.iter("details")] == [g.title for g in whole.groups]
    assert all(len(list(e.iter("table"))) == 1 for e in root.iter("details"))
    assert cells_of_html(html) == cells_of_html(table_html(whole))  # closed or not, all is there
    assert "<details" not in table_html(whole)
    assert not detail(*pair, "ladder").folded
    notes_of = replace(overview(*pair, "main"), notes=(Line("arm", "why"),) * 3)
    assert "<details" not in table_html(notes_of, folds=True)
    many = table_html(replace(notes_of, notes=(Line("<arm>", "why"),) * 4), folds=True)
    assert "<summary>Not run</summary>" in many
    assert '<p class="perfdocs-notes">' not in many


def test_cells_cost_few_bytes(pair: Pair) -> None:
    model = detail(*pair, "main")
    cells = sum(len(row) for g in model.groups for row in g.rows)
    assert len(table_html(model).encode()) / cells < 72  # heads, anchors of rows and the reasons of marks included


def test_an_empty_table_is_nothing() -> None:
    assert table_html(TableModel("k", "t", ())) == table_markdown(TableModel("k", "t", ())) == ""


def test_grids_hold_the_same_cells_and_the_notes(pair: Pair) -> None:
    for model in models(*pair):
        grids = grid(model)
        flat = [c for g in grids for c in (*g.head, *(x for row in g.rows for x in row))]
        assert [re.sub(r" \[(.*)\]$", r"\1", c) for c in flat] == list(cells_of_html(table_html(model)))
        assert all(len(row) == len(g.head) for g in grids for row in g.rows)
    model = overview(*pair, "main")
    assert (0, 2) in grid(model)[0].best
    assert grid(model)[0].numbers == {1, 2}
    assert any(line.endswith("needs 90 GiB") for line in notes(model))
    assert any(line.startswith("[T] throttled") for line in notes(model))
