"""What the ``value`` role prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.claims.toy import write_toy

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
    assert (outcome.bound.text[mark.start : mark.end], mark.device) == ("510 µs", "toy-gpu")
    assert mark.anchor == "perf-toy.toy-gpu.main.stealing.spread-1000.1000000"
    assert mark.flags == ("synthetic",)
