"""What stands over a claim and right behind it: the same is found in both markups, by the command and by the build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.claims.toy import write_toy
from tests.test_sphinx_claims import make

from perfdocs.claims.check import check_text
from perfdocs.library import Library, load_library

GIVEN = "toy, toy-gpu, spread-1000, n=1e6"
PAGES = {
    "page.md": f"""# Nearby

<!-- given: {GIVEN} -->

## On spread-100

It takes 510 µs<!-- claim: stealing -->. On spread-1000 it takes 510 µs<!-- claim: stealing -->.

At N = 10⁵, on spread-1000:

<!-- given: stealing -->

- 510 µs<!-- claim: stealing -->
- for a million samples 510 µs<!-- claim: stealing -->

## On spread-1000

It takes 510 µs<!-- claim: stealing --> at N = 10⁵.

| arm | spread-100 | N = 10⁶ |
| --- | --- | --- |
| a | 510 µs<!-- claim: stealing --> | 510 µs<!-- claim: stealing --> |
""",
    "page.rst": f"""Nearby
======

.. given:: {GIVEN}

On spread-100
-------------

It takes :claim:`510 µs <stealing>`. :claim:`On spread-1000 it takes 510 µs <stealing>`.

At N = 10⁵, on spread-1000:

- :claim:`510 µs <stealing>`
- :claim:`for a million samples 510 µs <stealing>`

On spread-1000
--------------

It takes :claim:`510 µs <stealing>` at N = 10⁶, and :claim:`510 µs <stealing>` at N = 10⁵.
""",
}
FOUND = {
    "page.md": [
        *((7, '"spread-100" over it'), (13, '"n = 10⁵" over it'), (18, '"n = 10⁵" right behind it')),
        (22, '"spread-100" over it'),
    ],
    "page.rst": [(9, '"spread-100" over it'), (13, '"n = 10⁵" over it'), (19, '"n = 10⁵" right behind it')],
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


@pytest.mark.parametrize("name", PAGES)
def test_the_command_and_the_build_find_the_same(tmp_path: Path, name: str, library: Library) -> None:
    bad = [o for o in check_text(PAGES[name], name, library) if not o.passes]
    assert [(o.bound.line, o.problem.found) for o in bad if o.problem] == FOUND[name]
    warnings = make(tmp_path, {name: PAGES[name]}).build().warnings
    told = [re.search(r"found (.*) in ", warning) for warning in warnings]
    assert [m[1] for m in told if m] == [what for _, what in FOUND[name]]


def test_a_text_that_names_its_place_is_held_by_itself(library: Library) -> None:
    said = "On the Toy GPU 510 µs<!-- claim: stealing -->, 510 µs<!-- claim: stealing -->."
    page = f"# The Toy CPU\n\n<!-- given: {GIVEN} -->\n\n{said}\n"
    assert [o.passes for o in check_text(page, "page.md", library)] == [True, True, False]
