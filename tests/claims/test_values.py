"""What the ``value`` role prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.claims.toy import SIZES, write_toy

from perfdocs.claims.check import check_text
from perfdocs.library import Library, load_library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("stealing", "510 µs"),
        ("simple", "1.17 ms"),
        ("n=1e5: stealing", "60.0 µs"),
        ("toy, toy-cpu, n=1e4: host", "300 µs"),
        ("stealing faster than simple", "2.30×"),
        ("simple slower than stealing", "2.30×"),
        ("simple / stealing", "2.30×"),
        ("memory(stealing)", "45.8 MiB"),
        ("memory(stealing) more than needed(stealing)", "1.20×"),
        ("bandwidth(stealing)", "78.4 GB/s"),
        ("bandwidth(stealing) / peak", "39.2 %"),
        ("bandwidth(stealing) / device.peak.dram", "39.2 %"),
        ("device.peak.dram", "200 GB/s"),
        ("launches(stealing)", "1"),
        ("end_to_end: stealing", "710 µs"),
        ("stealing - n", "claim-unit"),
        ("simple faster than stealing", "claim-order"),
        ("at n=1e5: host faster than simple", "claim-syntax"),
        ("n=1e5: host faster than simple", "claim-order"),
        ("masked", "claim-empty"),
        ("stealing / 0", "claim-empty"),
        ("gpu", "claim-name"),
        ("stealing; simple", "claim-syntax"),
    ],
)
def test_value(library: Library, expression: str, text: str) -> None:
    source = f"<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->\n\nIt is {{value}}`{expression}`.\n"
    outcome = check_text(source, "page.md", library)[-1]
    shown = outcome.problem.code if outcome.problem else outcome.measured.replace("\u00a0", " ")
    assert shown == text


def test_a_claim_depends_on_what_it_asked(library: Library, tmp_path: Path) -> None:
    source = "x 510 µs<!-- claim: at toy, toy-gpu, spread-1000, n=1e6: stealing -->\n"
    (outcome,) = check_text(source, "page.md", library)
    assert outcome.uses == {("toy", None), ("toy", "toy-gpu")}
    (mark,) = outcome.marks
    assert mark.datum is not None
    assert (outcome.bound.text[mark.start : mark.end], mark.datum.device) == ("510 µs", "toy-gpu")
    assert mark.datum.anchor == "perf-toy.toy-gpu.main.stealing.spread-1000.1000000"
    assert mark.flags == ("synthetic",)


@pytest.mark.parametrize(
    "source",
    [
        "<!-- given: toyy, toy-gpu, n=1e6 -->\n\n1 s<!-- claim: stealing -->\n",
        "<!-- given: toy-gpu, n=1e6, toyy -->\n\n1 s<!-- claim: stealing -->\n",
        "1 s<!-- claim: toyy: stealing -->\n",
        "1 s<!-- claim: at toy-gpu, toyy: stealing -->\n",
    ],
)
def test_nearly_a_benchmark(library: Library, source: str) -> None:
    (outcome,) = check_text(source, "page.md", library)
    assert outcome.problem is not None
    assert (outcome.problem.found, outcome.problem.expected) == (
        '"toyy"',
        'a benchmark or device; did you mean "toy"?',
    )


AT = "at toy, toy-gpu, spread-1000, n=1e6"
ROW = "perf-toy.toy-gpu.main"


@pytest.mark.parametrize(
    ("words", "claim", "anchors"),
    [
        ("1.17 ms", f"{AT}: max(stealing, simple, twin)", [f"{ROW}.simple.spread-1000.1000000"]),
        ("510 µs", f"{AT}: max(stealing over n)", [f"{ROW}.stealing.spread-1000.1000000"]),
        ("20.0 µs", f"{AT}: min(stealing over n)", [f"{ROW}.stealing.spread-1000.1000"]),
        (
            "610 µs",
            f"{AT}: max(stealing over device)",
            ["perf-toy.toy-paper.main.stealing.spread-1000.1000000"],
        ),
        (
            "2.30×",
            f"{AT}: max(simple / stealing over n)",
            [f"{ROW}.simple.spread-1000.100000", f"{ROW}.stealing.spread-1000.100000"],
        ),
        (
            "2.30× faster",
            f"{AT}: stealing faster than simple by ?",
            [f"{ROW}.stealing.spread-1000.1000000", f"{ROW}.simple.spread-1000.1000000"],
        ),
        ("45.0 µs", f"{AT}: median(stealing over n)", [f"{ROW}.stealing.spread-1000.{n}" for n in SIZES]),
    ],
)
def test_a_number_knows_the_data_that_it_is_of(library: Library, words: str, claim: str, anchors: list[str]) -> None:
    (outcome,) = check_text(f"{words}<!-- claim: {claim} -->\n", "page.md", library)
    assert outcome.passes, outcome
    line = outcome.marks[0].line
    assert line is not None
    assert [datum.anchor for datum in line.chosen] == anchors
    assert {*line.chosen} <= {*line.data}
    datum = outcome.marks[0].datum
    assert datum is not None
    assert datum.anchor == anchors[0]


def test_a_line_has_formula_value_and_interval(library: Library) -> None:
    given = "<!-- given: toy, toy-gpu, spread-100 -->\n\n"
    text = f"{given}130 % faster<!-- claim: {AT}: stealing faster than simple by ? -->, 800 bit"
    _, ratio, fact, counted = check_text(
        f"{text}<!-- claim: {AT}: device.memory_bus_width -->; in 4 of 4 faster than the host"
        "<!-- claim: ? of ? n: stealing faster than host -->\n",
        "page.md",
        library,
    )
    line = ratio.marks[0].line
    assert line is not None
    assert (line.formula, line.less, line.unit, line.runs) == ("simple / stealing", 1.0, "", 5)
    assert line.value is not None
    assert line.value == pytest.approx(1173 / 510.4)
    assert line.low < line.value < line.high
    of_fact = fact.marks[0].line
    assert of_fact is not None
    assert [(d.device, d.key, d.anchor) for d in of_fact.data] == [("toy-gpu", "device.memory_bus_width", "")]
    assert (of_fact.value, of_fact.unit) == (800, "bit")
    every = counted.marks[-1].line
    assert every is not None
    assert (every.value, len(every.data)) == (4, 8)


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("over 2×", f"{AT}: stealing faster than simple by over 2"),
        ("3 %", f"{AT}: stealing within 3 % of twin"),
        ("over 2", f"{AT}: simple / stealing over 2"),
        ("4 of 4", "? of 4 n, at toy, toy-gpu, spread-100: stealing faster than host"),
    ],
)
def test_a_number_that_the_claim_states_knows_what_it_is_held_against(library: Library, words: str, claim: str) -> None:
    given = "<!-- given: toy, toy-gpu, spread-100 -->\n\n" if claim.startswith("?") else ""
    (*_, outcome) = check_text(
        f"{given}{words}<!-- claim: {claim.replace(', at toy, toy-gpu, spread-100', '')} -->\n", "page.md", library
    )
    assert outcome.passes, outcome
    assert outcome.marks
    for mark in outcome.marks:
        assert mark.line is not None
        assert mark.line.data
