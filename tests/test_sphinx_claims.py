"""Claims on pages: both forms alike, warnings where they do not hold, comments nowhere in any output."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from sphinx.cmd.build import main as sphinx_build
from tests.claims.toy import gpu_card, write_toy
from tests.conftest import slow
from tests.sphinx_kit import CONF, Built, Project, kept_docutils, text_of_html

from perfdocs.cli import main

INDEX = "Home\n====\n\n.. toctree::\n\n   {}\n   devices/index\n"
GIVEN = "toy, toy-gpu, spread-1000, n=1e6"
COMMENTS = f"""# Reading it

<!-- given: {GIVEN} -->

**510 µs**<!-- claim: stealing -->, with code `x = 1`, against 1.17 ms<!-- claim: simple -->;
2.30× faster<!-- claim: stealing faster than simple by ? -->.

- At N = 10⁵ 60 µs<!-- claim: at n=?: stealing --> or so<!-- exempt: a manner of speaking -->.
"""
ROLES = f"""# Reading it

```{{given}} {GIVEN}
```

{{claim}}`**510 µs** <stealing>`, with code `x = 1`, against {{claim}}`1.17 ms <simple>`;
{{claim}}`2.30× faster <stealing faster than simple by ?>`.

- {{claim}}`At N = 10⁵ 60 µs <at n=?: stealing>` or {{claim}}`so <exempt: a manner of speaking>`.
"""
RST = f"""Reading it
==========

.. given:: {GIVEN}

:claim:`**510 µs** <stealing>`, with code ``x = 1``, against :claim:`1.17 ms <simple>`;
:claim:`2.30× faster <stealing faster than simple by ?>`.

- :claim:`At N = 10⁵ 60 µs <at n=?: stealing>` or :claim:`so <exempt: a manner of speaking>`.
"""


def make(root: Path, pages: dict[str, str], conf: str = CONF) -> Project:
    """A project with the toy benchmark and these pages."""
    made = Project(root)
    made.docs.mkdir()
    write_toy(root / "benchmarks")
    (made.docs / "conf.py").write_text(conf)
    names = [Path(name).stem for name in pages]
    (made.docs / "index.rst").write_text(INDEX.format("\n   ".join(names)))
    for name, text in pages.items():
        (made.docs / name).write_text(text, encoding="utf-8")
    return made


def body(built: Built, page: str) -> str:
    """The first section of a page without the anchors of claims: a comment speaks for more words than a role."""
    html = built.text(page)
    section = html[html.index("<section") : html.index("</section>")]
    section = section.replace(f"numbers/{page}", "numbers/page.html")
    return re.sub(r'<span class="target" id="claim-\w+"></span>', "", section)


def main_of(built: Built, page: str) -> str:
    """What a page without a document shows."""
    text = built.text(page)
    return text[text.index("<h1>") : text.index('<div class="clearer">', text.index("<h1>"))]


def test_both_forms_and_both_markups_give_the_same_page(tmp_path: Path) -> None:
    built = make(tmp_path, {"comments.md": COMMENTS, "roles.md": ROLES, "rst.rst": RST}).build()
    assert built.warnings == []
    comments, roles, rst = (body(built, f"{name}.html") for name in ("comments", "roles", "rst"))
    assert comments == roles == rst
    assert comments.count('class="perfdocs-claim reference internal"') == 4
    assert "510.4 µs (509.4–511.4 µs), synthetic" in comments.replace("\u00a0", " ")
    targets = re.findall(r'class="perfdocs-claim[^"]*" href="([^"#]+)#([^"]+)"', built.text("comments.html"))
    assert len(targets) == len(set(targets)) == 4
    for page, anchor in targets:  # each number leads to where it comes from
        assert page == "numbers/comments.html"
        assert built.text(page).count(f'id="{anchor}"') == 1


FALSE = f"""# Wrong<!-- perfdocs: strict -->

<!-- given: {GIVEN} -->

Right: 510 µs<!-- claim: stealing -->. Wrong: 511 µs<!-- claim: stealing -->,
and {{claim}}`2.4× faster <stealing faster than simple by ?>`.

- One thread per sample leads<!-- claim: simple leads gpu -->.
- {{value}}`steeling`

<!-- claim: stealing -->

Left {{claim}} `x`. <!-- given: xyz --> 5 s<!-- claim: stealing -->

```{{note}}
It takes 138 µs<!-- claim: at n=1e5: simple under ? -->.
```
"""


WARNINGS = """\
docs/wrong.md:5: WARNING: found "511 µs" for stealing at spread-1000, N = 10⁶ on toy-gpu in "Right: 510 µs. Wrong: \
511 µs, and 2.4× faster.", expected 510.4 µs (509.4–511.4 µs), synthetic, as measured; write "510 µs" \
[perfdocs.claim-number]
docs/wrong.md:6: WARNING: found "2.4×" for stealing faster than simple at spread-1000, N = 10⁶ on toy-gpu in "Wrong: \
511 µs, and 2.4× faster.", expected 2.298× (2.289–2.307×), synthetic, as measured; write "2.3×" [perfdocs.claim-number]
docs/wrong.md:8: WARNING: found simple leads gpu at spread-1000, N = 10⁶ on toy-gpu in "One thread per sample leads.", \
expected stealing 510.4 µs (509.4–511.4 µs), synthetic, simple 1.173 ms (1.171–1.175 ms), synthetic, as measured; \
write that stealing leads [perfdocs.claim-order]
docs/wrong.md:9: WARNING: found "steeling", expected a name of toy; did you mean "stealing"?; correct the name \
[perfdocs.claim-name]
docs/wrong.md:11: WARNING: found a claim at the start of a line, which would cut the paragraph in two, expected a \
claim that is read; write it right behind a word [perfdocs.claim-broken]
docs/wrong.md:13: WARNING: found `{claim}` as plain text in "Left {claim} `x`.", expected a claim that is read; write \
the role with its backticks, on one line [perfdocs.claim-broken]
docs/wrong.md:13: WARNING: found "xyz", expected a name of toy; correct the name; the 2 claims under this given \
are not checked [perfdocs.claim-given]
"""


def test_the_whole_list_of_warnings(tmp_path: Path) -> None:
    built = make(tmp_path, {"wrong.md": FALSE}).build()
    assert built.warnings == WARNINGS.splitlines()


@pytest.mark.parametrize("builder", ["dirhtml", "latex", *slow("singlehtml", "epub", "text", "man")])
def test_comments_are_in_no_output(tmp_path: Path, builder: str) -> None:
    title = f"# Of 510 µs<!-- claim: at toy, toy-gpu, spread-1000, n=1e6: stealing --> and more\n\n{COMMENTS[13:]}"
    more = f"\n## Sub<!-- exempt: a title -->\n\nPrinted: {{value}}`{GIVEN}: stealing faster than simple`.\n"
    conf = CONF + 'man_pages = [("index", "made", "made up", [], 1)]\n'
    built = make(tmp_path, {"page.md": title + more}, conf).build(builder)
    assert built.warnings == []
    shown = ""
    for name, data in built.files().items():
        if name.endswith((".html", ".xhtml", ".tex", ".txt", ".1", ".js", ".ncx", ".opf")) and "_sources" not in name:
            text = data.decode()
            assert "<!-- claim" not in text
            assert "leads gpu" not in text
            assert "exempt" not in text
            shown += text
    assert "510" in text_of_html(shown)
    assert "2.30" in text_of_html(shown)


def test_a_changed_card_reads_the_pages_with_claims_on_it_again(tmp_path: Path) -> None:
    other = "# Other\n\n10.2<!-- claim: at toy, toy-paper, spread-1000, n=1e6: simple / stealing over 2 -->\n"
    pages = {"a.md": COMMENTS, "b.md": "# None\n\nNothing claimed.\n", "c.md": other.replace("10.2", "more")}
    project = make(tmp_path, pages)
    assert project.build().warnings == []
    assert project.build().read == set()
    path = tmp_path / "benchmarks" / "toy" / "cards" / "toy-gpu.json"
    card = gpu_card()
    for row in card["measurements"]:
        row["wall"] = [2 * run for run in row["wall"]]
    old = path.stat().st_mtime - 1000
    path.write_text(json.dumps(card))
    os.utime(path, (old, old))
    built = project.build()
    assert {"a", "b", "c"} & built.read == {"a"}
    assert [w.partition(" ")[0] for w in built.warnings] == ["docs/a.md:5:", "docs/a.md:5:", "docs/a.md:8:"]
    assert 'write "1.02 ms"' in built.warnings[0]


def test_unpublished_cards_are_never_asked(tmp_path: Path) -> None:
    project = make(tmp_path, {"a.md": COMMENTS.replace("toy-gpu", "toy-gpu-local")})
    local = tmp_path / "build" / "toy"
    local.mkdir(parents=True)
    (local / "toy-gpu.json").write_text(json.dumps(gpu_card()))
    (warning,) = project.build(perfdocs_local="../build").warnings
    assert "perfdocs.claim-given" in warning
    assert '"toy-gpu-local"' in warning


def test_in_parallel(tmp_path: Path) -> None:
    pages = {f"page{i}.md": COMMENTS.replace("510", "511") for i in range(7)}
    project = make(tmp_path, pages)
    serial, parallel = project.build(out="serial"), project.build(out="parallel", jobs=2)
    assert sorted(serial.warnings) == sorted(parallel.warnings)
    assert len(serial.warnings) == 7
    assert serial.files() == parallel.files()


def test_without_device_pages_numbers_are_plain(tmp_path: Path) -> None:
    project = make(tmp_path, {"a.md": COMMENTS})
    (project.docs / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   a\n")
    built = project.build(perfdocs_device_pages="", perfdocs_number_pages="")
    assert built.warnings == []
    assert '<span class="perfdocs-claim">510 µs</span>' in built.text("a.html")
    built = project.build(perfdocs_device_pages="")  # what tells of a number needs no page of a device
    assert re.search('href="numbers/a.html#n-[^"]+"', built.text("a.html"))
    assert "href=" not in re.sub('href="../a.html[^"]*"', "", main_of(built, "numbers/a.html"))


DEVICES = {
    "first.md": "# First\n\n<!-- given: new-gpu -->\n\n510 µs<!-- claim: at toy, at spread-1000, n=1e6: stealing -->\n",
    "alone.md": "# Alone\n\n<!-- given: new-gpu -->\n\nNothing.\n",
    "arm.md": "# Arm\n\n<!-- given: toy, toy-gpu, stealing, spread-1000, n=1e6 -->\n\n510 µs<!-- claim: wall -->\n",
    "name.md": f"# Name\n\n<!-- given: {GIVEN} -->\n\n510 µs<!-- claim: new-gpu -->\n",
}
"""Pages that a device which comes or goes bears on."""


def write_device(root: Path, device: str, benchmark: str = "toy", arm: str = "stealing") -> Path:
    """A card of another device; in a benchmark that has another name for work stealing, where one is given."""
    text = json.dumps(gpu_card()).replace('"stealing"', f'"{arm}"')
    card = json.loads(text) | {"benchmark": benchmark}
    card["device"] |= {"id": device, "name": device.title()}
    path = root / "benchmarks" / benchmark / "cards" / f"{device}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(card))
    return path


def test_a_device_that_comes_or_goes_is_seen_wherever_a_claim_could_name_it(tmp_path: Path) -> None:
    project = make(tmp_path, DEVICES)
    other = tmp_path / "benchmarks" / "other"
    other.mkdir()
    toml = (tmp_path / "benchmarks" / "toy" / "benchmark.toml").read_text(encoding="utf-8")
    toml = toml.replace('id = "toy"', 'id = "other"').replace("[arms.stealing]", "[arms.stolen]")
    (other / "benchmark.toml").write_text(toml.replace('"stealing"', '"stolen"'), encoding="utf-8")

    known: list[str] = []

    def warned(*pages: str) -> None:
        """The build warns of these pages, and shows what one from nothing shows."""
        built, clean = project.build(), project.build(out="clean", fresh=True)
        assert {Path(w.partition(":")[0]).stem for w in clean.warnings} == {*pages}
        assert {Path(w.partition(":")[0]).stem for w in built.warnings} == {*pages} & built.read
        assert {Path(w.partition(":")[0]).stem for w in known} ^ {*pages} <= built.read  # what changed was read
        known[:] = clean.warnings
        assert built.files() == clean.files()

    warned("first", "alone", "name")
    card = write_device(tmp_path, "new-gpu")
    warned("name")
    card.unlink()
    warned("first", "alone", "name")
    card = write_device(tmp_path, "new-gpu", "other", "stolen")
    warned("first", "name")
    called = write_device(tmp_path, "stealing", "other", "stolen")  # as an arm of the benchmark that is spoken of
    warned("first", "name")
    called.unlink()
    card.unlink()
    warned("first", "alone", "name")


def test_what_does_not_hold_is_said_in_every_build(tmp_path: Path) -> None:
    false = COMMENTS.replace("510 µs", "511 µs")
    strict = "# Strict\n\n<!-- perfdocs: strict -->\n\nIt is faster.\n"
    project = make(tmp_path, {"false.md": false, "true.md": COMMENTS, "strict.md": strict})
    first, second = project.build(), project.build()
    assert len(first.warnings) == 2
    assert second.warnings == first.warnings
    assert second.read == {"false", "strict"}
    (project.docs / "false.md").write_text(COMMENTS, encoding="utf-8")
    (project.docs / "strict.md").write_text("# Strict\n", encoding="utf-8")
    assert project.build().warnings == []
    assert project.build().read == set()


def test_warnings_as_errors_fail_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = make(tmp_path, {"false.md": COMMENTS.replace("510 µs", "511 µs")})
    for _ in range(2):
        with kept_docutils():
            assert sphinx_build(["-W", "-q", str(project.docs), str(tmp_path / "site")]) != 0
        assert 'found "511 µs" for stealing' in capsys.readouterr().err


def test_restructured_text_under_a_given_of_markdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = f"# A\n\n<!-- given: {GIVEN} -->\n\n```{{eval-rst}}\n:claim:`510 µs <stealing>`\n```\n"
    project = make(tmp_path, {"page.md": page})
    monkeypatch.chdir(tmp_path)
    assert project.build().warnings == []
    assert main.main(["check"], standalone_mode=False) == 0
    (project.docs / "page.md").write_text(page.replace("510", "511"), encoding="utf-8")
    (warning,) = project.build().warnings
    assert main.main(["check"], standalone_mode=False) == 1
    assert 'found "511 µs" for stealing' in warning
    assert 'found "511 µs" for stealing' in capsys.readouterr().out


def flagged(root: Path) -> Project:
    """A page of claims alone, over two clocks that are apart, and one without any."""
    claim = "It is 1.74× slower<!-- claim: at cadence, k=8: loop_16 slower than stealing by ? -->."
    page = f"# Marked\n\n<!-- given: {GIVEN} -->\n\n{claim}\n\n## Last\n\nWords.\n"
    return make(root, {"marked.md": page, "quiet.md": "# Quiet\n\nNo number.\n"})


@pytest.mark.parametrize(
    ("builder", "where"),
    [
        ("html", "marked.html"),
        ("text", "marked.txt"),
        ("latex", "madeup.tex"),
        *slow(("man", "madeup.1"), ("texinfo", "madeup.texi"), ("epub", "marked.xhtml"), ("singlehtml", "index.html")),
    ],
)
def test_the_marks_of_a_page_of_claims_alone_are_explained_at_its_end(tmp_path: Path, builder: str, where: str) -> None:
    built = flagged(tmp_path).build(builder)
    assert built.warnings == []
    text = " ".join(re.sub(r"<[^>]*>", "", built.text(where)).split())
    told = text[text.index("Marks behind numbers of the text:") :]
    assert "clocks apart: the SM clocks of what is compared are more than" in told
    assert "synthetic: no measurement" in told
    assert "throttled: " not in told
    if builder == "html":
        assert "Marks behind" not in built.text("quiet.html")
