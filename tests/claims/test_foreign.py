"""Arms of another benchmark in the words of a claim."""

from __future__ import annotations

import pytest
from tests.claims.test_claims import PREFIX
from tests.claims.toy import write_toy

from perfdocs.claims.check import check_text
from perfdocs.claims.model import Status
from perfdocs.library import Library, load_library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The toy benchmark beside another, of which three arms are called otherwise."""
    folder = write_toy(tmp_path_factory.mktemp("benchmarks"))
    text = (folder / "toy" / "benchmark.toml").read_text(encoding="utf-8")
    for old, new in (
        ('id = "toy"', 'id = "other"'),
        ("work stealing", "coarse sorting"),
        ("the twin", "NumPy twice"),
        ("loop_16", "sixteen_k"),
        ("[arms.simple]", "[arms.plainly]"),
        ('"simple"', '"plainly"'),
    ):
        text = text.replace(old, new)
    (folder / "other").mkdir()
    (folder / "other" / "benchmark.toml").write_text(text, encoding="utf-8")
    found = load_library(folder)
    assert not found.problems
    return found


@pytest.mark.parametrize("said", ["Coarse sorting", "NumPy", "With `sixteen_k` work stealing", "`plainly`"])
def test_an_arm_of_another_benchmark_is_refused(said: str, library: Library) -> None:
    *_, found = check_text(f"{PREFIX}{said} takes 510 µs<!-- claim: stealing -->.\n", "page.md", library)
    assert found.status is Status.FAILS
    assert found.problem
    assert found.problem.found.endswith("an arm of other")


@pytest.mark.parametrize("said", ["Work stealing", "Of one launch, with `wall` as metric, it", "Sorting"])
def test_words_of_this_benchmark_and_others_pass(said: str, library: Library) -> None:
    *_, found = check_text(f"{PREFIX}{said} takes 510 µs<!-- claim: stealing -->.\n", "page.md", library)
    assert found.passes, str(found)
