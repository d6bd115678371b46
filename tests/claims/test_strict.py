"""Strict pages: the same findings from the command line and the build, in both markups, with a project's own words."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from tests.claims.toy import write_toy
from tests.test_sphinx_claims import make

from perfdocs.claims.check import check_text
from perfdocs.claims.coverage import NOT_COMPARATIVE, WORDS
from perfdocs.claims.fix import fix_text
from perfdocs.claims.wording import KNOWN_WORDS
from perfdocs.cli import main
from perfdocs.library import Library, load_library

GIVEN = "toy, toy-gpu, spread-1000, n=1e6"
MARKDOWN = f"""# Strict

<!-- perfdocs: strict -->
<!-- given: {GIVEN} -->

It takes 510 µs<!-- claim: stealing --> or 5 ms<!-- exempt: made up -->. The twin is faster.
It takes 1.5× that.

```{{admonition}} Half of 7 ms
:class: the-9-ms

In a note 8 ms.
```
"""
RST = f"""Strict, 1 ms
============

.. perfdocs: strict

.. given:: {GIVEN}

It takes :claim:`510 µs <stealing>`. The twin is faster. It takes :claim:`5 ms <exempt: made up>`, or
1.5× that. ``9 ms`` and :math:`9 ms`, https://x.org/9x

.. note:: Half of 7 ms
   :class: the-9-ms

   In a note 8
   ms.

.. code-block:: text

   9 ms

.. a comment of 9 ms

* One of 6 ms [#a]_

>>> 9 %

.. [#a] Of 4 ms

Made up, 3 ms
-------------

.. perfdocs: not strict: made up

9 ms
"""
FOUND = {
    "page.md": [(6, "faster"), (7, "1.5×"), (9, "Half of"), (9, "7 ms"), (12, "8 ms")],
    "page.rst": [
        *((1, "1 ms"), (8, "faster"), (9, "1.5×"), (11, "Half of"), (11, "7 ms"), (14, "8 ms"), (23, "6 ms")),
        *((27, "4 ms"), (29, "3 ms")),
    ],
}
PAGES = {"page.md": MARKDOWN, "page.rst": RST}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


def found(text: str, file: str, library: Library) -> list[tuple[int, str]]:
    bad = [o for o in check_text(text, file, library) if not o.passes]
    assert {o.problem.code for o in bad if o.problem} <= {"claim-uncovered"}
    return [(o.bound.line, o.bound.text) for o in bad]


@pytest.mark.parametrize("name", PAGES)
def test_both_markups(library: Library, name: str) -> None:
    assert found(PAGES[name], name, library) == FOUND[name]
    assert found(PAGES[name].replace("perfdocs: strict", "a comment"), name, library) == []


def test_a_finding_quotes_its_sentence(library: Library) -> None:
    (word, *_) = [o for o in check_text(MARKDOWN, "page.md", library) if not o.passes]
    assert str(word) == (
        'page.md:6: found the word "faster", which no claim covers in "The twin is faster.", expected a claim, or an '
        "exemption with its reason, as the page is strict; write `<!-- claim: … -->` or `<!-- exempt: reason -->` "
        "right behind it [claim-uncovered]"
    )


@pytest.mark.parametrize("name", PAGES)
def test_the_build_says_what_the_command_says(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    built = make(tmp_path, {name: PAGES[name]}).build()
    monkeypatch.chdir(tmp_path)
    assert main.main(["check", f"docs/{name}"], standalone_mode=False) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if line]
    assert [w.replace(" WARNING:", "").replace("[perfdocs.", "[") for w in built.warnings] == told
    assert len(told) == len(FOUND[name])


def test_a_page_that_is_covered_builds_and_shows_no_mark(tmp_path: Path) -> None:
    good = f"# Page\n\n<!-- perfdocs: strict -->\n\n510 µs<!-- claim: at {GIVEN}: stealing -->.\n\n## More\n\n"
    built = make(tmp_path, {"page.md": good + "<!-- perfdocs: not strict: made up -->\n\n5 ms\n"}).build()
    assert built.warnings == []
    assert "perfdocs: " not in built.text("page.html")
    assert "not strict" not in built.text("page.html")


def test_a_mark_that_marks_nothing_in_restructured_text(tmp_path: Path, library: Library) -> None:
    text = "Page\n====\n\n.. perfdocs: strickt\n\n5 ms\n"
    (outcome,) = check_text(text, "docs/page.rst", library)
    (warning,) = make(tmp_path, {"page.rst": text}).build().warnings
    assert warning == str(outcome).replace(": found", ": WARNING: found", 1).replace("[claim", "[perfdocs.claim")
    assert "docs/page.rst:4: " in warning


def test_restructured_text_in_markdown(library: Library) -> None:
    text = "# A\n\n```{eval-rst}\n5 ms and :claim:`510 µs <at toy, toy-gpu, spread-1000, n=1e6: stealing>`\n```\n"
    assert found(text, "x.md", library) == []
    assert found(f"{text}\n<!-- perfdocs: strict -->\n", "x.md", library) == [(4, "5 ms")]
    loose = text.replace("# A\n", "# A\n\n<!-- perfdocs: not strict: made up -->\n<!-- perfdocs: strict -->\n")
    assert found(loose, "x.md", library) == []


def test_a_page_outside_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_toy(tmp_path / "benchmarks")
    readme = tmp_path / "README.md"
    readme.write_text("# Made up\n\n<!-- perfdocs: strict -->\n\nTwice as fast.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main.main(["check", "--format", "json"], standalone_mode=False) == 1
    told = json.loads(capsys.readouterr().out)
    (one,) = told["outcomes"]
    assert told["claims"] == 0
    assert (one["code"], one["file"], one["line"], one["text"]) == ("claim-uncovered", "README.md", 5, "Twice")
    assert one["sentence"] == "Twice as fast."
    readme.write_text(
        "# Made up\n\n<!-- perfdocs: strict -->\n\nTwice as fast<!-- exempt: a joke -->.\n", encoding="utf-8"
    )
    assert main.main(["check"], standalone_mode=False) == 0


def test_numbers_are_fixed_in_a_strict_page_too(library: Library) -> None:
    text = MARKDOWN.replace("510 µs", "490 µs")
    fixed = fix_text(text, "page.md", library)
    assert fixed.text == MARKDOWN
    assert [o.bound.text for o in fixed.outcomes if not o.passes] == [what for _, what in FOUND["page.md"]]


def test_words_of_a_project(tmp_path: Path) -> None:
    page = "# A\n\n<!-- perfdocs: strict -->\n\nIt is leaner, and more\nfrugal than any.\n"
    project = make(tmp_path, {"page.md": page, "other.md": "# Other\n\nLeaner.\n"})
    assert project.build().warnings == []
    words = tmp_path / "benchmarks" / "words.toml"
    words.write_text('comparative = ["leaner", "more frugal"]\n')
    built = project.build()
    assert built.read & {"page", "other"} == {"page"}
    assert [re.findall(r'the word "([^"]*)"', w) for w in built.warnings] == [["leaner"], ["more frugal"]]
    assert found(page, "page.md", load_library(tmp_path / "benchmarks")) == [(5, "leaner"), (5, "more frugal")]
    words.unlink()
    assert project.build().warnings == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("comparative = [", "words-syntax"),
        ('comparatives = ["leaner"]', "words-unknown-key"),
        ('comparative = "leaner"', "words-type"),
        ('comparative = ["5x"]', "words-value"),
        ('comparative = [""]', "words-value"),
    ],
)
def test_a_list_of_words_that_is_none(tmp_path: Path, text: str, code: str) -> None:
    root = write_toy(tmp_path)
    (root / "words.toml").write_text(text)
    read = load_library(root)
    assert [p.code for p in read.problems] == [code]
    assert set(read.benchmarks) == {"toy"}


@pytest.mark.parametrize("word", [w for group in WORDS.values() for w in group])
def test_each_word(library: Library, word: str) -> None:
    mark = "\n\n<!-- perfdocs: strict -->\n"
    assert found(f"X {word} y.{mark}", "x.md", library) == [(1, word)]
    assert found(f"X {word.upper()} y.", "x.md", library) == []
    assert found(f"X `{word}` y-{word}, {word}s-x.{mark}", "x.md", library) == []


def test_phrases_that_compare_nothing_hold_a_word_that_does() -> None:
    words = [w for group in WORDS.values() for w in group]
    for phrase in NOT_COMPARATIVE:
        assert any(re.search(rf"\b{w}\b", phrase) for w in words), phrase
    assert {"faster", "fastest", "slower", "slowest", "ahead", "behind", "rises", "falls"} <= set(KNOWN_WORDS)


HOSTILE = {
    "digits": "9" * 15_000,
    "numbers": "5 ms " * 2000,
    "backticks": "`" * 15_000,
    "dollars": "$" * 15_000,
    "tags": "<" * 15_000,
    "comments": "<!-- " * 5000,
    "lines": "a\n" * 8000,
    "spaces": " \n" * 8000 + "x" + " " * 15_000,
}


@pytest.mark.parametrize("suffix", ["md", "rst"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_page_takes_no_long(library: Library, text: str, suffix: str) -> None:
    mark = {"md": "<!-- perfdocs: strict -->\n\n", "rst": ".. perfdocs: strict\n\n"}[suffix]
    began = time.process_time()
    for outcome in check_text(f"{mark}x {text}\n", f"x.{suffix}", library):
        assert str(outcome)
    assert time.process_time() - began < 20
