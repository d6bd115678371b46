"""Sets of arms: by the kind of device that they run on, and printed."""

from __future__ import annotations

import pytest
from tests.claims.test_claims import PREFIX
from tests.claims.toy import write_toy

from perfdocs.claims.check import check_text
from perfdocs.claims.model import Outcome
from perfdocs.library import Library, load_library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The toy benchmark with groups that are not called like a kind of device."""
    folder = write_toy(tmp_path_factory.mktemp("benchmarks"))
    file = folder / "toy" / "benchmark.toml"
    text = file.read_text(encoding="utf-8")
    for kind in ("gpu", "cpu"):
        text = text.replace(f"[groups.{kind}]", f"[groups.of_{kind}]").replace(
            f'group = "{kind}"', f'group = "of_{kind}"'
        )
    file.write_text(text, encoding="utf-8")
    found = load_library(folder)
    assert not found.problems
    return found


def checked(written: str, library: Library) -> Outcome:
    *_, found = check_text(f"{PREFIX}{written}\n", "page.md", library)
    return found


def test_a_kind_of_device_is_a_set_of_arms(library: Library) -> None:
    whole = "5 of 5 take under 50 ms<!-- claim: at n=1e4, ? of ? arm of gpu: arm under 50e-3 -->"
    assert checked(f"On the GPU {whole}.", library).passes
    assert not checked(f"Of the CPU arms {whole}.", library).passes
    alone = "every arm of cpu: arm over 100e-6"
    assert checked(f"Every arm on the CPU takes over 0.1 ms<!-- claim: at n=1e4, {alone} -->.", library).passes
    assert not checked(f"Every arm takes over 0.1 ms<!-- claim: at n=1e4, {alone} -->.", library).passes


def test_the_best_of_a_set_is_printed(library: Library) -> None:
    printed = checked("{value}`min(arm over arm of of_gpu)`", library).measured
    assert printed == "510\u00a0µs"
