"""What an author writes: directives, their warnings, and what strangers' files can do to a page (nothing)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sphinx.errors import ConfigError
from tests.conftest import synthetic_card, write_synthetic
from tests.sphinx_kit import Project, project, quick_figures, text_of_html

from perfdocs.render.numbers import numbers_of_html
from perfdocs.sphinx_ext import figures
from perfdocs.sphinx_ext.directives import DIRECTIVES
from perfdocs.sphinx_ext.pages import MARKER, Part, Source, escape_title, markdown, rst

PAGE = "Made up\n=======\n\n.. toctree::\n\n   devices/index\n\n"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(figures, "draw", quick_figures)
    return project(tmp_path, {})


def page(made: Project, text: str) -> None:
    (made.docs / "index.rst").write_text(PAGE + text, encoding="utf-8")


UNKNOWN = [
    (
        ".. perf-results:: rk5",
        'found the benchmark "rk5", expected a folder of `perfdocs_benchmarks`; did you mean "rk4"?; '
        "correct the name [perfdocs.unknown-benchmark]",
    ),
    (
        ".. perf-fastest:: rk4\n   :devices: made-up-gp",
        'found the device "made-up-gp", expected a device with a card of rk4; did you mean "made-up-gpu"?; '
        "correct the name [perfdocs.unknown-device]",
    ),
    (
        ".. perf-table:: rk4\n   :table: mian",
        'found the table "mian", expected a table of rk4; did you mean "main"?; '
        "correct the name [perfdocs.unknown-table]",
    ),
    (
        ".. perf-plot:: rk4\n   :plot: wal",
        'found the plot "wal", expected a plot of rk4; did you mean "wall"?; correct the name [perfdocs.unknown-plot]',
    ),
    (
        ".. perf-compare:: rk4\n   :at: spread-10, n=1e6",
        'found the point "spread-10", expected a value of the axes config, n; did you mean "spread-100"?; '
        "correct the name [perfdocs.unknown-point]",
    ),
    (
        ".. perf-compare:: rk4\n   :at: m=1e6",
        'found the axis "m", expected an axis of the table; correct the name [perfdocs.unknown-axis]',
    ),
    (".. perf-compare:: rk4\n   :at: n=many", 'found "many", expected a number; write n=1e6 [perfdocs.unknown-point]'),
    (
        ".. perf-device:: made-up-cpuu",
        'found the device "made-up-cpuu", expected a device with a card; did you mean "made-up-cpu"?; '
        "correct the name [perfdocs.unknown-device]",
    ),
    (
        ".. perf-device:: made-up-gpu\n   :benchmark: rk4\n   :table: overhad",
        'found the table "overhad", expected a table of rk4 in the card of made-up-gpu; correct the name '
        "[perfdocs.unknown-table]",
    ),
    (
        ".. perf-device:: made-up-gpu\n   :about:",
        'found the benchmark "", expected `:benchmark:` and a benchmark with a card of made-up-gpu; correct the name '
        "[perfdocs.unknown-benchmark]",
    ),
    (
        ".. perf-claims::\n   :devices: made-up-gp",
        'found the device "made-up-gp", expected a device with a published card; did you mean "made-up-gpu"?; '
        "correct the name [perfdocs.unknown-device]",
    ),
    (
        ".. perf-claims::\n   :benchmarks: rk5",
        'found the benchmark "rk5", expected a folder of `perfdocs_benchmarks`; did you mean "rk4"?; '
        "correct the name [perfdocs.unknown-benchmark]",
    ),
    (
        ".. perf-claims::\n   :pages: indx",
        'found the page "indx", expected a document of this site; did you mean "index"?; correct the name '
        "[perfdocs.unknown-page]",
    ),
    (
        ".. perf-measured-on:: rk4, rk78",
        'found the benchmark "rk78", expected a folder of `perfdocs_benchmarks`; did you mean "rk4"?; '
        "correct the name [perfdocs.unknown-benchmark]",
    ),
]


def test_words_that_name_nothing(made: Project) -> None:
    """One located warning each, all of them, and the rest of the page is there."""
    text, expected, line = "", [], PAGE.count("\n") + 1
    for directive, message in UNKNOWN:
        text += directive + "\n\n"
        expected.append(f"docs/index.rst:{line}: WARNING: {message}")
        line += directive.count("\n") + 2
    page(made, text + "The end.\n")
    built = made.build()
    assert built.warnings == expected
    assert "The end." in built.text("index.html")


def test_warnings_can_be_suppressed(made: Project) -> None:
    page(made, ".. perf-results:: rk5\n")
    (made.cards / "bad.json").write_text("{")
    assert made.build(suppress_warnings=["perfdocs.unknown-benchmark", "perfdocs.card-syntax"]).warnings == []


SHOWN = {
    "perf-results rk4": "2.30× ahead of one thread per sample",
    "perf-table rk4": "Wall time by configuration and batch size",
    "perf-fastest rk4": "2.30× ahead of one thread per sample",
    "perf-plot rk4": '<figure class="perfdocs-figure">',
    "perf-arms rk4": "a lane that finishes takes the next sample",
    "perf-terms rk4": "useful flop rate",
    "perf-method rk4": "warm-up",
    "perf-measured-on": ">Made Up Cpu<",
    "perf-device made-up-gpu": "50\u00a0MiB",
    "perf-compare rk4": ">Made Up Cpu",
    "perf-repeatability rk4": "No device was measured twice yet.",
    "perf-numbers": ">Made Up Cpu",
    "perf-claims": "No page has a claim.",
}


def test_every_directive_shows_what_it_is_for(made: Project) -> None:
    assert {line.split()[0] for line in SHOWN} == set(DIRECTIVES)
    page(made, ".. toctree::\n   :glob:\n\n   one-*\n")
    for line in SHOWN:
        name, *argument = line.split()
        (made.docs / f"one-{name}.rst").write_text(f"One\n===\n\n.. {name}:: {''.join(argument)}\n")
    built = made.build("dirhtml")
    assert built.warnings == []
    shown = {line: built.text(f"one-{line.split()[0]}/index.html") for line in SHOWN}
    assert [line for line, text in SHOWN.items() if text not in shown[line]] == []


def test_devices_beyond_the_limit_are_linked(made: Project) -> None:
    for i in range(4):
        write_synthetic(made.cards, f"gpu-{i}")
    page(made, ".. perf-results:: rk4\n   :limit: 2\n")
    html = made.build().text("index.html")
    assert html.count('<div class="perfdocs-panel">') == 2
    assert re.findall(r"More devices: .*?</p>", html)[0].count('<a class="reference internal" href="devices/') == 4


def test_one_device_needs_no_tabs(made: Project) -> None:
    page(made, ".. perf-results:: rk4\n   :devices: made-up-cpu\n")
    html = made.build().text("index.html")
    assert "perfdocs-tabs" not in html
    assert "C++ and OpenMP" in html


def test_nothing_measured_yet(made: Project) -> None:
    for card in made.cards.iterdir():
        card.unlink()
    page(made, ".. perf-results:: rk4\n\n.. perf-measured-on::\n\n.. perf-plot:: rk4\n\n.. perf-arms:: rk4\n")
    built = made.build()
    assert built.warnings == []
    assert text_of_html(built.text("index.html")).count("Not measured on any device yet.") == 3
    assert "work stealing" in built.text("index.html")


def test_bad_cards_are_one_warning_each_and_the_others_build(made: Project) -> None:
    page(made, ".. perf-results:: rk4\n")

    def spoil(name: str, **changes: Any) -> None:
        card = synthetic_card(name) | changes
        card["device"]["id"] = changes.get("id", name)
        card.pop("id", None)
        (made.cards / f"{name}.json").write_text(json.dumps(card))

    (made.cards / "cut.json").write_text('{"schema": "perfdocs.card/1",')
    spoil("future", schema="perfdocs.card/99")
    spoil("named", id="otherwise")
    spoil("retired", version=99)
    spoil("stray", benchmark="rk78")
    (made.cards / "lab").mkdir()
    write_synthetic(made.cards / "lab", "made-up-cpu", kind="cpu")
    built = made.build()
    codes = [re.search(r"\[perfdocs\.([\w-]+)\]$", w) for w in built.warnings]
    assert [m and m[1] for m in codes] == [
        "card-syntax",
        "card-future",
        "card-two-files",
        "card-name",
        "card-version",
        "card-benchmark",
    ]
    assert all(re.match(r"benchmarks/rk4/cards/[\w/-]+\.json(: |:\d)", w) for w in built.warnings)
    assert "cards/made-up-cpu.json" in built.warnings[2]
    assert "cards/lab/made-up-cpu.json holds too" in built.warnings[2]
    html = built.text("index.html")
    assert "Made Up Gpu" in html
    assert "Made Up Cpu" not in html  # neither of the two is taken


def test_benchmarks_folder_missing(made: Project) -> None:
    page(made, ".. perf-measured-on::\n")
    built = made.build(perfdocs_benchmarks="../nowhere")
    assert [w.rsplit(" ", 1)[1] for w in built.warnings] == ["[perfdocs.benchmarks-missing]"]


HOSTILE = (
    '<script>alert(1)</script><img src=x onerror="alert(2)"> `x` *y* |z| {{ 7*7 }} $q$ _u_ [t](javascript:x) <!-- \' "'
)


def hostile_card() -> dict[str, Any]:
    card = synthetic_card("hostile-gpu")
    card["device"] |= {"name": HOSTILE[:119], "vendor": HOSTILE[:119], "mig": HOSTILE[:79]}
    card["host"] |= {"os": HOSTILE[:119], "driver": HOSTILE[:79]}
    card["software"] = {HOSTILE[:79]: HOSTILE[:79]}
    card["not_run"] = [{"arm": "torch_graph", "kind": "error", "reason": HOSTILE}]
    card["method"] |= {"pinning": HOSTILE, "timer": HOSTILE[:79]}
    card["origin"] = {"kind": "imported", "source": HOSTILE, "licence": HOSTILE}
    return card


@pytest.mark.parametrize(("builder", "suffix"), [("html", ".rst"), ("html", ".md"), ("epub", ".rst"), ("text", ".md")])
def test_hostile_strings_are_text(made: Project, builder: str, suffix: str) -> None:
    (made.cards / "hostile-gpu.json").write_text(json.dumps(hostile_card()))
    toml = made.cards.parent / "benchmark.toml"
    evil = json.dumps(HOSTILE, ensure_ascii=False)
    toml.write_text(
        toml.read_text()
        .replace('"Damped oscillators, fixed step"', evil)
        .replace('"work stealing"', evil)
        .replace('"Wall time against batch size"', evil)
    )
    extra: dict[str, Any] = {}
    if suffix == ".md":
        extra["source_suffix"] = {".md": "markdown"}
        (made.docs / "index.md").write_text(
            "# Made up\n\n```{toctree}\ndevices/index\n```\n\n```{perf-results} rk4\n```\n"
        )
    else:
        page(made, ".. perf-results:: rk4\n\n.. perf-arms:: rk4\n")
    built = made.build(builder, **extra)
    assert built.warnings == []
    seen = 0
    for path in built.out.rglob("*"):
        if path.suffix in (".html", ".xhtml", ".opf", ".ncx", ".svg"):
            text = path.read_text()
            seen += "alert(1)" in text
            assert "<script>alert" not in text, path
            assert "<img src=x" not in text, path
            assert not re.search(r"<[^>]* on\w+=", re.sub(r'"[^"]*"', '""', text)), path
            assert 'javascript:x"' not in text
        elif path.suffix == ".txt":
            seen += "alert(1)" in path.read_text()
    assert seen >= 2
    assert (made.docs / f"devices/hostile-gpu{suffix}").is_file()


def test_this_machine_unpublished(made: Project) -> None:
    write_synthetic(made.root / "local" / "rk4", "made-up-gpu", factor=2.0)
    page(made, ".. perf-results:: rk4\n")
    built = made.build(perfdocs_local="../local")
    assert built.warnings == []
    name = "Made Up Gpu (this machine, unpublished)"
    assert f"<bdi>{name}</bdi></label>" in built.text("index.html")
    assert f"<h1>{name}" in built.text("devices/made-up-gpu-local.html")
    assert json.loads(built.text("_perfdocs/cards/rk4/made-up-gpu-local.json"))["device"]["id"] == "made-up-gpu"
    again = made.build()  # switched off: gone
    assert not [n for n in again.files() if "-local" in n]


def test_device_pages_an_author_wrote_stay(made: Project) -> None:
    page(made, ".. perf-measured-on::\n")
    (made.docs / "devices").mkdir()
    (made.docs / "devices" / "index.md").write_text("# My devices\n\n```{toctree}\n:glob:\n\n*\n```\n")
    (made.docs / "devices" / "made-up-gpu.rst").write_text("Mine\n====\n")
    built = made.build()
    assert built.warnings == []
    assert sorted(p.name for p in (made.docs / "devices").iterdir()) == [
        "index.md",
        "made-up-cpu.rst",
        "made-up-gpu.rst",
    ]
    assert "Mine" in built.text("devices/made-up-gpu.html")
    (made.cards / "made-up-gpu.json").unlink()
    made.build()
    assert (made.docs / "devices" / "made-up-gpu.rst").read_text() == "Mine\n====\n"


def test_device_pages_can_be_switched_off(made: Project) -> None:
    (made.docs / "index.rst").write_text(
        "Made up\n=======\n\n.. perf-table:: rk4\n   :devices: made-up-gpu\n   :detail:\n"
    )
    built = made.build(perfdocs_device_pages="")
    assert built.warnings == []
    assert not (made.docs / "devices").exists()
    assert 'id="perf-rk4.made-up-gpu.main.persistent.spread-100.1000"' in built.text("index.html")


def test_device_pages_that_cannot_be_written(made: Project) -> None:
    (made.docs / "index.rst").write_text("Made up\n=======\n\n.. perf-arms:: rk4\n")
    (made.docs / "taken").write_text("a file")
    built = made.build(perfdocs_device_pages="taken")
    assert [w.rsplit(" ", 1)[1] for w in built.warnings] == ["[perfdocs.pages-unwritable]"]
    assert "work stealing" in built.text("index.html")


@pytest.mark.parametrize("folder", ["/etc", "../up", "a/../../b"])
def test_device_pages_stay_inside(made: Project, folder: str) -> None:
    page(made, "")
    with pytest.raises(ConfigError, match="perfdocs_device_pages"):
        made.build(perfdocs_device_pages=folder)


@pytest.mark.parametrize(("name", "value"), [("perfdocs_cards", 5), ("perfdocs_benchmarks", None)])
def test_a_setting_of_the_wrong_type_is_one_message(made: Project, name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{name}: found {value}, expected the name of a folder"):
        made.build(**{name: value})


def test_two_devices_of_one_name_are_told_apart(made: Project) -> None:
    card = synthetic_card("twin-gpu")
    card["device"]["name"] = "Made Up Gpu"
    (made.cards / "twin-gpu.json").write_text(json.dumps(card))
    page(made, ".. perf-results:: rk4\n")
    html = made.build().text("index.html")
    assert "<bdi>Made Up Gpu (made-up-gpu)</bdi></label>" in html
    assert "<bdi>Made Up Gpu (twin-gpu)</bdi></label>" in html


def card_of_two_tables(made: Project) -> None:
    card = synthetic_card("two-tables")
    more = [m | {"table": "traced", "kernel_time": m["wall"]} for m in card["measurements"]]
    few = [m | {"table": "overhead", "at": {"config": "spread-100", "n": 64}} for m in card["measurements"][:1]]
    card["measurements"] += [{k: v for k, v in m.items() if k != "wall"} for m in more] + few
    card["not_run"] = [{"arm": "graph", "reason": "late", "table": "main", "at": {"n": 10**i}} for i in range(12)]
    (made.cards / "two-tables.json").write_text(json.dumps(card))


def details_of(html: str) -> list[str]:
    """Summaries that stand in no other details."""
    found, depth = [], 0
    for close, summary in re.findall(r"(</details>)|<details[^>]*><summary>(.*?)</summary>", html):
        found += [] if close or depth else [summary]
        depth += -1 if close else 1
    return found


def test_a_device_page_begins_with_its_facts_and_main_table_and_folds_the_rest(made: Project) -> None:
    page(made, "")
    card_of_two_tables(made)
    built = made.build()
    assert built.warnings == []
    html = built.text("devices/two-tables.html")
    assert re.search(r"<p><bdi>GPU · memory\u00a080\u00a0GiB · [^<]*</bdi></p>", html)
    assert re.findall(r'<h[123]>(.*?)<a class="headerlink"', html) == [
        "Two Tables",
        "In numbers",
        "Damped oscillators, fixed step",
        "Fixed overhead: 64 samples, 100 steps each",
        "What the device ran, as a profiler saw it",
        "About this card",
    ]
    assert details_of(html) == [
        "Every fact of the device",
        "All measurements",
        "What the device ran, as a profiler saw it",
        "Not run",
        "Method, software and sources",
    ]
    first = html.index("<details", html.index("Every fact") + 1)
    assert "perfdocs-fastest" in html[:first]
    assert "best first at the last column" in html[:first]


def test_a_device_whole_and_in_parts_shows_the_same(made: Project) -> None:
    card_of_two_tables(made)
    index = made.docs / "index.rst"
    index.write_text("Made up\n=======\n\n.. perf-device:: two-tables\n   :benchmark: rk4\n")
    whole = made.build(perfdocs_device_pages="").text("index.html")
    tables = "".join(
        f".. perf-device:: two-tables\n   :benchmark: rk4\n   :table: {t}\n\n" for t in ("main", "overhead", "traced")
    )
    about = ".. perf-device:: two-tables\n   :benchmark: rk4\n   :about:\n"
    index.write_text(f"Made up\n=======\n\n{tables}{about}")
    built = made.build(perfdocs_device_pages="")
    assert built.warnings == []
    parts = built.text("index.html")
    ids = re.findall(r'<tr id="(perf-[^"]+)"', parts)
    assert ids == re.findall(r'<tr id="(perf-[^"]+)"', whole)
    assert len(ids) == len(set(ids)) > 20
    assert numbers_of_html(parts) == numbers_of_html(whole)
    assert details_of(parts) == details_of(whole)


def test_titles_of_device_pages_hold_no_markup() -> None:
    assert escape_title("a  b\u2028c") == "a b c"
    assert escape_title("*x* `y`") == r"\*x\* \`y\`"
    assert escape_title(" ") == "–"
    source = Source("T_", (Part("perf-device", "d", (":facts:",)), Part("perf-device", "d", (), "H")), True, ("d",))
    for text in (rst(source), markdown(source)):
        assert MARKER in text[:200]
        assert r"T\_" in text
    assert ".. perf-device:: d\n   :facts:\n" in rst(source)
    assert "```{perf-device} d\n:facts:\n```" in markdown(source)
    below = Source("T", (Part("perf-device", "d", (), "H", 3),))
    assert "\nH\n~~~~\n" in rst(below)
    assert "\n### H\n" in markdown(below)
