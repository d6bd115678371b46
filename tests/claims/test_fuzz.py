"""Whatever is written, a claim comes to an outcome: never a traceback, nor what would have been one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.claims.toy import write_toy

from perfdocs.claims.check import check_text
from perfdocs.claims.evaluate import check_bound
from perfdocs.claims.model import Bound, Given, Outcome
from perfdocs.library import Library, load_library

WORDS = """
stealing simple twin masked host loop_16 gpu cpu wall memory(stealing) bandwidth(stealing) launches(simple) peak n k
config spread-100 uniform toy toy-cpu toy-gpu toy-paper device cell faster slower more less than ahead of behind level
with within leads lead then but by under over about overtakes at rises falls from to every each some no only below in
and ; : , ( ) [ ] + - * / = ? % × 1 0 5 1e5 1e6 n=1e5 n=? k=? k=8 min(stealing,simple) max() exempt
trails trail median( geomean(stealing max(simple 2 4
"""
PROSE = """
work stealing one thread per sample the twin Host faster slower fastest behind level within 510 µs 1.17 ms 5 % 2.30×
N = 10⁵ 10⁶ samples K = 8 10⁻⁹ spread-100 uniform batch `stealing` not every about Toy CPU 0 ms 1e400 s −5 % ⁹ × = . ,
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


def joined(words: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(words.split()), max_size=14).map(" ".join)


def judged(outcome: Outcome) -> bool:
    code = outcome.problem.code if outcome.problem else ""
    return outcome.passes or (code.startswith("claim-") and code != "claim-fault")


COUNTS = ["? of ? cell: ", "2 of 4 n: "]
COMMON = settings(
    max_examples=120, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@COMMON
@given(
    expression=joined(WORDS),
    text=joined(PROSE),
    around=st.sampled_from(["", "toy", "toy, toy-gpu, spread-1000, n=1e6"]),
)
def test_any_words(library: Library, expression: str, text: str, around: str) -> None:
    givens = (Given(1, around),) if around else ()
    outcome = check_bound(Bound("x.md", 1, text, text, expression, givens), library)
    assert judged(outcome)


@COMMON
@given(
    scope=st.sampled_from(
        [
            "",
            "every n: ",
            "each config: ",
            "no n: ",
            "only from n=?: ",
            "at n=?: ",
            "every cell: ",
            *COUNTS,
        ]
    ),
    left=st.sampled_from(
        ["stealing", "simple / stealing", "host[toy-cpu]", "memory(twin)", "stealing and twin", "1", "n"]
    ),
    item=st.sampled_from(
        [
            "",
            "about 0",
            "= ?",
            "under ?",
            "faster than simple by ?",
            "more than n",
            "within ? of simple",
            "leads gpu then simple",
            "rises over n",
            "falls over k from ? to ?",
            "overtakes simple by n=?",
            "behind host by about ?",
        ]
    ),
    text=joined(PROSE),
)
def test_any_claim_that_parses(library: Library, scope: str, left: str, item: str, text: str) -> None:
    givens = (Given(1, "toy, toy-gpu, spread-1000, n=1e6"),)
    outcome = check_bound(Bound("x.md", 1, text, text, f"{scope}{left} {item}", givens), library)
    assert judged(outcome)


@COMMON
@given(
    text=st.text(alphabet="<!->claim:gvn`{}\\*_[]()|\n \t#%&=?5µs.xé\u202e", max_size=120),
    suffix=st.sampled_from(["md", "rst"]),
)
def test_any_source(library: Library, text: str, suffix: str) -> None:
    for outcome in check_text(text, f"x.{suffix}", library):
        assert str(outcome)
        assert judged(outcome)
