"""False edits of true sentences are noticed: each worked example that holds, with a digit, word or name changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.claims.test_claims import ALL, PREFIX
from tests.claims.toy import write_toy

from perfdocs.claims.check import check_text
from perfdocs.claims.evaluate import check_bound
from perfdocs.claims.model import Bound, Status
from perfdocs.library import Library, load_library

SWAPS = (
    ("faster", "slower"),
    ("slower", "faster"),
    ("ahead", "behind"),
    ("behind", "ahead"),
    ("leads", "trails"),
    ("fastest", "slowest"),
    ("under", "over"),
    ("over", "under"),
    ("level with", "faster than"),
    ("rises", "falls"),
    ("falls", "rises"),
    ("climbs", "drops"),
    ("more than", "less than"),
    ("MiB", "MB"),
    (" µs", " ms"),
    ("ms", "µs"),
    ("GB/s", "GB"),
    ("%", "×"),
    ("10⁶", "10⁵"),
    ("K = 8", "K = 16"),
    ("Work stealing", "One thread per sample"),
    ("one thread per sample", "the Host"),
    ("the twin", "the Host"),
    ("spread-1000", "spread-100"),
    ("Toy CPU", "Toy GPU"),
)
LOOSE = re.compile(r"about|under|over\b|from|below")
"""Claims that stay true, or are meant to, when their number changes a little."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


def true_claims(library: Library) -> Iterator[Bound]:
    for _, _, given, _ in ALL:
        for outcome in check_text(PREFIX + given, "page.md", library):
            if outcome.bound.form == "claim" and outcome.status is Status.HOLDS:
                yield outcome.bound


def unnoticed(bound: Bound, text: str, library: Library) -> list[str]:
    outcome = check_bound(replace(bound, text=text), library)
    return [f"{bound.text!r} -> {text!r} ({bound.expression})"] if outcome.passes else []


def test_another_last_digit(library: Library) -> None:
    missed, tried = [], 0
    for bound in true_claims(library):
        for m in re.finditer(r"(?<![\w-])\d+(?:\.\d+)?", bound.text):
            if not LOOSE.search(bound.expression):
                tried += 1
                digit = str((int(m[0][-1]) + 1) % 10)
                text = bound.text[: m.end() - 1] + digit + bound.text[m.end() :]
                missed += unnoticed(bound, text, library)
    assert not missed
    assert tried > 40


def weaker(bound: Bound, word: str) -> bool:
    """Whether the sentence says less with another word there, and stays true or as undecided as it was."""
    under = "under" in bound.expression and word in (" µs", "ms")
    start = ", from" in bound.expression and word == "10⁶"
    edge = "the edge over" in bound.text and word == "over"  # no words at all then
    return under or start or edge or (" then " in bound.expression and word == "behind")


def test_another_word_or_name(library: Library) -> None:
    missed, tried = [], 0
    for bound in true_claims(library):
        for word, other in SWAPS:
            text = re.sub(rf"(?<![a-z]){re.escape(word)}(?![a-z])", other, bound.text, count=1)
            if text != bound.text and not weaker(bound, word):
                tried += 1
                missed += unnoticed(bound, text, library)
    assert not missed
    assert tried > 60
