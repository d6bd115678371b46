"""Formats of numbers in words are values of an axis of formats, where a definition has one."""

from __future__ import annotations

import pytest
from tests.claims.test_claims import PREFIX
from tests.claims.toy import write_toy

from perfdocs.claims.check import check_text
from perfdocs.library import Library, load_library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The toy benchmark, whose configurations are formats."""
    folder = write_toy(tmp_path_factory.mktemp("benchmarks"))
    for file in (folder / "toy").rglob("*.*"):
        text = file.read_text(encoding="utf-8")
        for config, name in (("spread-1000", "fp64"), ("spread-100", "fp32"), ("uniform", "tensor_fp64")):
            text = text.replace(config, name)
        file.write_text(text, encoding="utf-8")
    found = load_library(folder)
    assert not found.problems
    return found


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ("in double", True),
        ("In double precision", True),
        ("with doubles", True),
        ("in single precision", False),
        ("in half precision", False),
        ("with pairs of halves", False),
    ],
)
def test_a_format_in_words(said: str, passes: bool, library: Library) -> None:
    given = PREFIX.replace("spread-1000", "fp64")
    *_, found = check_text(f"{given}{said} it takes 510 µs<!-- claim: stealing -->.\n", "page.md", library)
    assert found.passes is passes, str(found)


def test_one_of_several_values_of_a_format(library: Library) -> None:
    given = PREFIX.replace("spread-1000", "tensor_fp64")
    *_, found = check_text(f"{given}In double it takes 1.78 ms<!-- claim: stealing -->.\n", "page.md", library)
    assert found.passes, str(found)
