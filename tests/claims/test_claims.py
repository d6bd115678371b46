"""Worked examples of the language: each file in this folder is a list of title / input / expected.

The input stands below ``<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->``; lines are counted in the input. Expected is
one line for each claim: its line, what came of it, the code, and what was found, expected and to be done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.claims.toy import write_toy
from tests.conftest import PROJECT

from perfdocs.claims.check import check_text
from perfdocs.claims.model import Outcome, Status
from perfdocs.definitionfile import RESERVED_WORDS
from perfdocs.library import Library, load_library

HERE = Path(__file__).resolve().parent
PREFIX = "<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->\n\n"


def cases(path: Path) -> Iterator[tuple[str, str, str]]:
    """Title, input and expected of each case of a file."""
    for block in path.read_text(encoding="utf-8").split("\n.\n\n"):
        title, given, expected = block.removesuffix("\n.\n").split("\n.\n")
        yield title.strip(), given + "\n", expected.strip()


ALL = [(path.name, *case) for path in sorted(HERE.glob("*.md")) for case in cases(path)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    found = load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))
    assert not found.problems
    return found


def line_of(outcome: Outcome, before: int) -> str:
    p = outcome.problem
    said = f" [{p.code}] {p.found} | {p.expected} | {p.do}" if p else ""
    return f"{outcome.bound.line - before} {outcome.status}{said}"


@pytest.mark.parametrize(("file", "title", "given", "expected"), ALL, ids=[f"{f}: {t}" for f, t, _, _ in ALL])
def test_example(library: Library, file: str, title: str, given: str, expected: str) -> None:
    outcomes = check_text(PREFIX + given, "page.md", library)[1:]
    assert "\n".join(line_of(o, 2) for o in outcomes) == expected


def test_the_example_of_the_reference(library: Library) -> None:
    page = (PROJECT / "docs" / "reference" / "claims.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```markdown\n(<!-- given: toy, toy-gpu -->.*?)```", page, re.DOTALL)
    assert [o.status for o in check_text(example, "page.md", library)[1:]] == [Status.HOLDS] * 5


def test_words_of_the_grammar_are_no_names() -> None:
    grammar = PROJECT / "src" / "perfdocs" / "claims" / "grammar.lark"
    words = set(re.findall(r'"([a-z]+)"', grammar.read_text(encoding="utf-8")))
    assert {"leads", "trails", "of"} <= words <= RESERVED_WORDS
