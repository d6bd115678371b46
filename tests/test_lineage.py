"""From any number to where it comes from: one link, without a script, on every page that has one."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import pytest
from tests.claims.toy import card, gpu_card, imported_card
from tests.sphinx_kit import CONF, Built, Project, quick_figures, text_of_html
from tests.test_sphinx_claims import GIVEN, make

from perfdocs.files import digest
from perfdocs.render.exact import exact_text, interval_text, runs_text
from perfdocs.render.rows import row_id
from perfdocs.sphinx_ext import figures
from perfdocs.verdict import Value

PAGE = f"""# Of 510 µs<!-- claim: at {GIVEN.replace(", spread", ", main, spread")}: stealing -->

<!-- given: {GIVEN} -->

At most 1.17 ms<!-- claim: max(stealing, simple, twin) -->,
2.30× faster<!-- claim: stealing faster than simple by ? -->,
130 % faster<!-- claim: stealing faster than simple by ? -->.
The bus has 800 bit<!-- claim: device.memory_bus_width -->. See [the 522 µs of the twin](index)<!-- claim: twin -->.
A median of 45.0 µs<!-- claim: median(stealing over n) -->. Printed: {{value}}`stealing`.

```{{perf-table}} toy
:devices: toy-gpu
```

```{{perf-table}} toy
:devices: toy-gpu
:detail:
```

```{{perf-table}} toy
:devices: toy-paper
:detail:
```
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "draw", quick_figures)


def entry(built: Built, printed: str, page: str = "numbers/page.html") -> str:
    """What the page of numbers says of one that is printed so."""
    sections = re.findall(r'<section class="perfdocs-number".*?</section>', built.text(page), re.DOTALL)
    (found,) = [s for s in sections if f"<h2><bdi>{printed}</bdi></h2>" in s.replace("\u00a0", " ")]
    return str(found)


def said(html: str) -> str:
    return " ".join(text_of_html(html).replace("\u00a0", " ").split())


def row(anchor: str) -> str:
    return f'href="../devices/toy-gpu/toy.html#{row_id(f"perf-toy.toy-gpu.main.{anchor}")}"'


class _Linked(HTMLParser):
    """Cells of tables with a digit in them, and whether they, or the name of their row, are a link."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.bare: list[str] = []
        self.count = 0
        self._row = self._cell = self._in = False
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._row = False
        elif tag in ("td", "th"):
            self._in, self._cell, self._text, self._head = True, False, "", tag == "th"
        elif tag == "a" and self._in:
            self._cell = True
            self._row = self._row or self._head

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "td" and re.search(r"\d", self._text):
            self.count += 1
            if not (self._cell or self._row):
                self.bare.append(self._text)
        if tag in ("td", "th"):
            self._in = False


def test_every_number_of_a_page_leads_to_where_it_comes_from(tmp_path: Path) -> None:
    built = make(tmp_path, {"page.md": PAGE}).build()
    assert built.warnings == []
    html = built.text("page.html")
    links = re.findall(r'<a class="perfdocs-claim[^"]*" href="([^"#]+)#([^"]+)"[^>]*>([^<]*)</a>', html)
    shown = [text.replace("\u00a0", " ") for _, _, text in links]
    wanted = ["510 µs", "1.17 ms", "2.30×", "130 %", "800 bit", "†", "45.0 µs", "510 µs"]
    assert shown == wanted, shown  # in the title, of a fact, beside a link as well
    for page, anchor, _ in links:
        assert built.text(page).count(f'id="{anchor}"') == 1
    tables = _Linked()
    tables.feed(html)
    assert tables.count > 60
    assert tables.bare == []
    for url in re.findall(r'<t[dh][^>]*><a href="([^"]+)"', html):
        page, _, anchor = url.partition("#")
        assert built.text(page).count(f'id="{anchor}"') == 1, url


def test_an_entry_holds_what_there_is_to_know(tmp_path: Path) -> None:
    project = make(tmp_path, {"page.md": PAGE})
    built = project.build()
    ratio = entry(built, "2.30×")
    words = said(ratio)
    assert "formula simple / stealing claim stealing faster than simple by ?" in words
    assert "value 2.29819749 interval 2.28902305 – 2.3074087 runs 5 or more of each" in words
    assert "synthetic: no measurement" in words
    for arm in ("stealing", "simple"):  # both operands, each with its row
        assert row(f"{arm}.spread-1000.1000000") in ratio
    assert "work stealing, spread-1000, N = 10⁶ on Toy GPU : wall 510.4 µs ; interval 509.3792 – 511.4208 µs" in words
    assert "runs 5: 510.4, 510.9104, 509.8896, 511.4208, 509.3792" in words
    file = tmp_path / "benchmarks" / "toy" / "cards" / "toy-gpu.json"
    assert f"recorded 2026-11-30 12:00 UTC; sha256 {digest(file.read_bytes())[:16]}" in words.replace(" …", "")
    definition = digest((tmp_path / "benchmarks" / "toy" / "benchmark.toml").read_bytes())
    assert f"definition {definition[:16]}" in words
    (place,) = re.findall('href="../page.html#(claim-[^"]+)"', ratio)
    assert f'id="{place}"' in built.text("page.html")
    assert "that less 1: 129.819749 %" in said(entry(built, "130 %"))


def test_the_least_and_the_most_lead_to_the_datum_that_it_is(tmp_path: Path) -> None:
    built = make(tmp_path, {"page.md": PAGE}).build()
    chosen, _, others = entry(built, "1.17 ms").partition("Looked at besides")
    assert row("simple.spread-1000.1000000") in chosen
    assert row("stealing.spread-1000.1000000") not in chosen
    assert row("stealing.spread-1000.1000000") in others
    middle = entry(built, "45.0 µs")
    assert [row(f"stealing.spread-1000.{n}") in middle for n in (1000, 10_000, 100_000, 1_000_000)] == [True] * 4
    fact = said(entry(built, "800 bit"))
    assert "device.memory_bus_width 800 bit" in fact
    assert 'href="../devices/toy-gpu.html"' in entry(built, "800 bit")


def test_the_page_of_a_card_has_every_value(tmp_path: Path) -> None:
    built = make(tmp_path, {"page.md": PAGE}).build()
    html = built.text("devices/toy-gpu/toy.html")
    bodies = re.findall(r'<tbody id="(r[0-9a-f]{8})">(.*?)</tbody>', html, re.DOTALL)
    assert len(bodies) == len({i for i, _ in bodies}) == len(gpu_card()["measurements"])
    (own,) = [text for i, text in bodies if i == row_id("perf-toy.toy-gpu.main.stealing.spread-1000.1000000")]
    assert "wall 510.4 µs 509.3792 – 511.4208 µs 5: 510.4, 510.9104, 509.8896, 511.4208, 509.3792" in said(own)
    assert "memory 48000000 byte" in said(own)
    data = (tmp_path / "benchmarks" / "toy" / "cards" / "toy-gpu.json").read_bytes()
    assert digest(data) in html
    assert "<dt>bandwidth</dt><dd><code>needed / wall</code></dd>" in html
    for url in re.findall(r'href="([^"]*toy-gpu\.(?:json|csv))"', html):
        assert (built.out / urljoin("devices/toy-gpu/toy.html", url)).is_file()
    assert "2 digits" in said(built.text("devices/toy-paper/toy.html"))


HOSTILE = '<script>x</script>"&'


def test_what_a_card_and_a_page_say_is_escaped(tmp_path: Path) -> None:
    project = make(tmp_path, {"page.md": PAGE.replace("# Of", f"# {HOSTILE.replace('<', chr(92) + '<')} of")})
    path = tmp_path / "benchmarks" / "toy" / "cards" / "toy-gpu.json"
    content = json.loads(path.read_text())
    content["device"]["name"] = HOSTILE
    content["origin"]["source"] = HOSTILE
    path.write_text(json.dumps(content))
    built = project.build()
    for page in ("numbers/page.html", "devices/toy-gpu/toy.html"):
        assert "<script>x" not in built.text(page)
        assert "&lt;script&gt;x" in built.text(page)


def test_anchors_stay_when_numbers_and_words_change(tmp_path: Path) -> None:
    first = make(tmp_path, {"page.md": PAGE})
    before = re.findall(r'id="(n-[^"]+)"', first.build().text("numbers/page.html"))
    page = first.docs / "page.md"
    page.write_text(page.read_text().replace("At most 1.17 ms", "Up to 1.173 ms"))
    built = first.build()
    assert built.warnings == []
    assert re.findall(r'id="(n-[^"]+)"', built.text("numbers/page.html")) == before
    assert "1.173 ms" in built.text("numbers/page.html")


def test_what_is_gone_leaves_nothing_and_a_new_card_is_everywhere(tmp_path: Path) -> None:
    project = make(tmp_path, {"page.md": PAGE, "other.md": "# Other\n\nNothing.\n"})
    cards = tmp_path / "benchmarks" / "toy" / "cards"

    def same() -> Built:
        built, clean = project.build(), project.build(out="clean", fresh=True)
        assert built.files() == clean.files()
        return built

    same()
    content = imported_card()
    content["measurements"] = content["measurements"][:1]
    (cards / "toy-paper.json").write_text(json.dumps(content))
    assert same().text("devices/toy-paper/toy.html").count("<tbody") == 1
    (cards / "new-gpu.json").write_text(json.dumps(card("new-gpu", gpu_card()["measurements"])))
    assert (same().out / "devices" / "new-gpu" / "toy.html").is_file()
    (cards / "new-gpu.json").unlink()
    assert not [name for name in same().files() if "new-gpu" in name]
    (project.docs / "page.md").write_text("# Of 510 µs\n\nNothing.\n")
    assert not [name for name in same().files() if name.startswith("numbers")]
    assert not (project.root / "out-html" / "numbers").exists()
    made = [project.root / "out-html" / f"devices/{device}/toy.html" for device in ("toy-gpu", "toy-cpu", "toy-paper")]
    stamps = [page.stat().st_mtime_ns for page in made]
    project.build()
    assert [page.stat().st_mtime_ns for page in made] == stamps  # nothing changed, nothing is made anew
    made[0].unlink()
    project.build()
    assert made[0].is_file()


def test_a_page_of_an_author_stays(tmp_path: Path) -> None:
    project = make(tmp_path, {"page.md": PAGE})
    own = project.docs / "numbers"
    own.mkdir()
    (own / "page.md").write_text("---\norphan: true\n---\n\n# Mine\n")
    built = project.build()
    assert "Mine" in built.text("numbers/page.html")
    assert 'href="devices/toy-gpu/toy.html#r' in built.text("page.html")  # the row, where no entry can be told


@pytest.mark.parametrize("builder", ["dirhtml", "singlehtml", "epub"])
def test_other_builders_link_to_what_they_have(tmp_path: Path, builder: str) -> None:
    built = make(tmp_path, {"page.md": PAGE}).build(builder)
    assert built.warnings == []
    if builder == "dirhtml":
        assert re.search('href="../numbers/page/#n-[^"]+"', built.text("page/index.html"))
        assert re.search(
            'href="../../devices/toy-gpu/toy/#r[^"]+"',
            built.text("numbers/page/index.html").replace("../../../", "../../"),
        )
        return
    assert not (built.out / "numbers").exists()
    text = built.text("index.html" if builder == "singlehtml" else "page.xhtml")
    found = re.findall(r'class="perfdocs-claim[^"]*" href="([^"]+)"', text)
    assert len(found) >= 6
    assert all("#perf-toy.toy-gpu.main." in url for url in found)


def test_a_folder_outside_is_refused(tmp_path: Path) -> None:
    from sphinx.errors import ConfigError

    project = make(tmp_path, {"page.md": PAGE}, CONF)
    with pytest.raises(ConfigError, match="perfdocs_number_pages"):
        project.build(perfdocs_number_pages="../out")
    shutil.rmtree(project.root / "out-html", ignore_errors=True)
    assert "numbers" not in {p.name for p in Project(tmp_path).build(perfdocs_number_pages="").out.iterdir()}


def test_values_as_they_are() -> None:
    assert exact_text(5.104e-4, "s").replace("\u00a0", " ") == "510.4 µs"
    assert exact_text(48e6, "byte").replace("\u00a0", " ") == "48000000 byte"
    assert exact_text(1 / 3, "1") == "0.333333333"
    assert exact_text(float("inf"), "s").startswith("∞")
    assert exact_text(-2.0, "") == "−2"
    assert interval_text(Value.exact(3.0), "s") == ""
    assert interval_text(Value(1.5e-3, 1.25e-3, 2e-3, 0, 0), "s").replace("\u00a0", " ") == "1.25 – 2 ms"
    assert runs_text((1.0, 2.0), 1.5, "") == "1, 2"
    assert runs_text((2e-3,) * 4, 2e-3, "s") == "2 each"
    assert runs_text(tuple(map(float, range(20))), 5.5, "").endswith("11, and 8 more in the card")
