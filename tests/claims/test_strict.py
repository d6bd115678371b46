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
from perfdocs.claims.fix import fix_text
from perfdocs.claims.telling import NOT_COMPARATIVE, WORDS
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


@pytest.mark.parametrize(
    "number",
    [
        *("5 KB", "5 MBs", "5 sec", "5 msec", "5 usecs", "5 mins", "2 hrs", "12 pct", "12‰", "5 MB/sec", "5 GiBs"),
        *("1½ ms", "½ s", "1 ½ MiB", "¾ %", "one and a half seconds", "2.5 minutes", "two and a half times"),
        *("2 times", "five times", "2.5 times", "thrice", "0.87 of", ".5 of", "2:1", "1.5:1", "1:4", "10:1"),
        *("3 per mille", "5-fold", "two seconds", "twelve times", "billion seconds"),
        *("3 µs/sample", "5-ms", "5\u2011ms", "8-byte", "1.5 x", "×2", "5.1·10⁻⁴ s", "1,173 µs"),
    ],
)
def test_numbers_in_other_spellings(library: Library, number: str) -> None:
    mark = "<!-- perfdocs: strict -->\n\n"
    assert found(f"{mark}It has {number} it.\n", "x.md", library) == [(3, number)]
    assert found(f"{mark}It has {number}<!-- exempt: made up --> it.\n", "x.md", library) == []


def test_what_reads_like_one_and_is_none(library: Library) -> None:
    mark = "<!-- perfdocs: strict -->\n\n"
    plain = (
        "At 2:10, 12:30 or 09:15:30, in docs/a.md:5:1, lines 1:1 and x:2; 3 of 4; one time; "
        "many times; timesheets; a 10:3 draw; 5 keys; 5 bits; half-open; 2 timestamps; more than 2; 64-bit; "
        "2 × n; 2 x 3; n×2; 3/4; 24/7; x2; `0`s; `3` arms; 10⁶ samples."
    )
    assert found(f"{mark}{plain}\n", "x.md", library) == []


def test_fractions_and_letters_for_times_count_before_what_they_are_of(library: Library) -> None:
    mark = "<!-- perfdocs: strict -->\n\n"
    assert found(f"{mark}It is 3/4 of the time.\n", "x.md", library) == [(3, "3/4")]
    assert found(f"{mark}It is 2 x the time, 3 x.\n", "x.md", library) == [(3, "2 x"), (3, "3 x")]


def test_a_number_set_as_code_or_math_has_the_unit_behind_it(library: Library) -> None:
    mark = "<!-- perfdocs: strict -->\n\n"
    assert found(f"{mark}`999` µs, $999$ ms, `2`×, `5 µs` and $5 s$\n", "x.md", library) == [
        *((3, "999 µs"), (3, "999 ms"), (3, "2×"))
    ]
    rst = ".. perfdocs: strict\n\n``999`` µs, :math:`998` µs, 997\\ µs, **996**\\ µs\n"
    assert found(rst, "x.rst", library) == [(3, "999 µs"), (3, "998 µs"), (3, "997µs"), (3, "996µs")]


PLACES = {
    "page.md": """# Places

<!-- perfdocs: strict -->

A {strong}`1 ms`, {sub}`2 ms`, {kbd}`3 ms`, {literal}`9 ms` and ![4 ms](a.png)

```{versionadded} 0.1 since 5 ms
```

```{centered} 6 ms
```

```{contents} 7 ms
:depth: 2
```

```{csv-table} 8 ms
a, 9 ms
```

```{code-block} text
:name: of-9-ms
:caption: In 10 ms

9 ms
```

```{figure} a.png
:alt: 11 ms
:width: 9 %

12 ms
```

A ![13 ms](a.png)<!-- exempt: made up --> and {kbd}`14 ms`<!-- exempt: made up -->
""",
    "page.rst": """Places
======

.. perfdocs: strict

A :strong:`1 ms`, :sub:`2 ms`, :kbd:`3 ms` and :literal:`9 ms`

.. versionadded:: 0.1 since 4 ms

.. centered:: 5 ms

.. contents:: 6 ms
   :depth: 2

.. csv-table:: 7 ms

   a, 9 ms

.. code-block:: text
   :name: of-9-ms
   :caption: In 8 ms

   9 ms

.. image:: a.png
   :alt: 10 ms
   :width: 9 %

.. |s| replace:: 11 ms or
   12 ms

|s|
""",
}
LINES = {
    "page.md": [(5, 1), (5, 2), (5, 3), (5, 4), (7, 5), (10, 6), (13, 7), (17, 8), (23, 10), (29, 11), (32, 12)],
    "page.rst": [(6, 1), (6, 2), (6, 3), (8, 4), (10, 5), (12, 6), (15, 7), (21, 8), (26, 10), (29, 11), (30, 12)],
}


@pytest.mark.parametrize("name", PLACES)
def test_places_that_a_reader_sees(library: Library, name: str) -> None:
    assert found(PLACES[name], name, library) == [(line, f"{number} ms") for line, number in LINES[name]]


def test_a_claim_over_such_words_is_the_same_in_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = f"""# A

<!-- perfdocs: strict -->
<!-- given: {GIVEN} -->

{{kbd}}`510 µs`<!-- claim: stealing -->, {{strong}}`511 µs`<!-- claim: stealing -->

```{{code-block}} text
:caption: Of {{claim}}`512 µs <stealing>` or {{claim}}`510 µs <stealing>`

x
```
"""
    built = make(tmp_path, {"page.md": page}).build()
    monkeypatch.chdir(tmp_path)
    assert main.main(["check"], standalone_mode=False) == 1
    for told in (built.warnings, capsys.readouterr().out.splitlines()):
        assert [re.findall(r'found "([^"]*)" for', line) for line in told] == [["511 µs"], ["512 µs"]]
