"""What a claim or a page may cost: nested expressions, pages that are no plain files, paragraphs full of findings."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.claims.toy import write_toy

from perfdocs.claims.check import check_text, extracted
from perfdocs.claims.coverage import MAX_FOUND
from perfdocs.claims.scope import MAX_STEPS
from perfdocs.cli import main
from perfdocs.library import Library, load_library

GIVEN = "<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->\n\n"


class Overdue(BaseException):
    """No error that a command would catch."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """End what takes longer, also where it waits for a pipe."""

    def end(*_: object) -> None:
        raise Overdue

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


def nested(levels: int) -> str:
    expression = "stealing"
    for _ in range(levels):
        expression = f"max({expression} over n)"
    return expression


@pytest.mark.parametrize("levels", [12, 49])
def test_over_in_over_ends(library: Library, levels: int) -> None:
    began = time.process_time()
    _, outcome = check_text(f"{GIVEN}510 µs<!-- claim: {nested(levels)} -->\n", "x.md", library)
    assert time.process_time() - began < 20
    assert outcome.problem is not None
    assert (outcome.problem.code, str(MAX_STEPS) in outcome.problem.found) == ("claim-size", True)


def test_the_budget_is_that_of_the_whole_claim(library: Library) -> None:
    one = f"max(max(max({'+'.join(['stealing'] * 190)} over n) over n) over n) under 1"
    assert check_text(f"{GIVEN}A<!-- claim: {one} -->\n", "x.md", library)[1].passes
    _, outcome = check_text(f"{GIVEN}A<!-- claim: every n, every config: {one} -->\n", "x.md", library)
    assert outcome.problem is not None
    assert outcome.problem.code == "claim-size"


def test_some_nesting_is_allowed(library: Library) -> None:
    assert check_text(f"{GIVEN}510 µs<!-- claim: {nested(3)} -->\n", "x.md", library)[1].passes


def test_a_fault_is_that_of_its_claim(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("all of it")

    monkeypatch.setattr("perfdocs.claims.items._within", broken)
    page = f"{GIVEN}5 %<!-- claim: stealing within ? of twin -->, 510 µs<!-- claim: stealing -->\n"
    _, fault, other = check_text(page, "x.md", library)
    assert other.passes
    assert fault.problem is not None
    assert (fault.problem.code, fault.problem.where) == ("claim-fault", "x.md:3")
    assert "a fault in perfdocs: unexpected KeyError" in fault.problem.found


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_toy(tmp_path / "benchmarks")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text(f"{GIVEN}510 µs<!-- claim: stealing -->\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize("words", [["check"], ["check", "--fix"], ["mutate", "--only", "sentences"]])
def test_a_page_that_is_no_plain_file(docs: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(docs / "pipe.md")
    (docs / "zero.md").symlink_to("/dev/zero")
    (docs / "loop.md").symlink_to("loop.md")
    (docs / "gone.rst").symlink_to("gone")
    with at_most(30):
        assert main.main(words, standalone_mode=False) == 1
    out, err = capsys.readouterr()
    told = [line for line in (out + err).splitlines() if "claim-unreadable" in line]
    assert [line.split(": expected")[0].split(", expected")[0] for line in sorted(told)] == [
        "docs/gone.rst:1: found no such file".replace(":1", ""),
        "docs/loop.md: found no such file",
        "docs/pipe.md: found a device or pipe",
        "docs/zero.md: found a device or pipe",
    ]


def test_a_page_named_that_is_a_pipe(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(docs / "pipe.md")
    with at_most(30):
        assert main.main(["check", "docs/pipe.md"], standalone_mode=False) == 1
    assert "docs/pipe.md: found a device or pipe" in capsys.readouterr().out


def test_a_page_may_be_a_link(docs: Path) -> None:
    (docs / "link.md").symlink_to("good.md")
    assert main.main(["check", "docs/link.md"], standalone_mode=False) == 0


def test_a_page_that_is_too_large(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfdocs.claims.check.MAX_BYTES", 10)
    assert main.main(["check", "docs/good.md"], standalone_mode=False) == 1


@pytest.mark.parametrize(("suffix", "mark"), [("md", "<!-- perfdocs: strict -->"), ("rst", ".. perfdocs: strict")])
def test_a_paragraph_full_of_findings(library: Library, suffix: str, mark: str) -> None:
    began = time.process_time()
    found = check_text(f"{mark}\n\n{'faster ' * 8000}\n\nslower\n", f"x.{suffix}", library)
    assert time.process_time() - began < 5
    assert len(found) == MAX_FOUND + 2
    problems = [o.problem.found for o in found if o.problem]
    assert problems[0] == 'the word "faster", which no claim covers'
    assert problems[-2] == '7980 more such numbers and words in this block, from "faster" on'
    assert problems[-1] == 'the word "slower", which no claim covers'


HOSTILE = {
    "x.rst": (":claim:`a ‹" * 20_000, ":claim:`a <b>` " * 4000, "5 ms :claim:`a`\n" * 4000),
    "x.md": ("{claim}`a ‹" * 8000, "a 5 ms<!-- claim: a -->" * 4000, "5 ms {claim}`a`\n" * 4000),
}


@pytest.mark.parametrize("file", HOSTILE)
@pytest.mark.parametrize("number", range(3))
def test_a_paragraph_full_of_claims(library: Library, file: str, number: int) -> None:
    mark = "<!-- perfdocs: strict -->" if file.endswith(".md") else ".. perfdocs: strict"
    text = f"{mark}\n\n{HOSTILE[file][number]}\n"
    began = time.process_time()
    found = check_text(text, file, library)
    assert sum(len(str(outcome)) + len(outcome.bound.sentence) for outcome in found) < 1e9
    assert time.process_time() - began < 12
    assert len(found) >= 4000


MARKS = {
    "never closed": ("x.md", "<!-- claim: " * 40_000, 40_000),
    "one behind another": ("x.md", "<!-- claim: a -->" * 30_000, 30_000),
    "in reStructuredText": ("x.rst", "<!-- claim: " * 40_000, 40_000),
}


@pytest.mark.parametrize("title", MARKS)
def test_a_page_full_of_broken_marks(title: str) -> None:
    file, text, count = MARKS[title]
    began = time.process_time()
    assert len(extracted(f"{text}\n", file)) == count
    assert time.process_time() - began < 10


def test_broken_marks_keep_their_lines() -> None:
    for file in ("x.md", "x.rst"):
        found = extracted("a\n\n<!-- claim: b\n<!-- claim: c\nd\n<!-- claim: e\n", file)
        assert [b.line for b in found] == [3, 4, 6]
