"""The pages about the language say what its sources say: every rule, every word, every worked example."""

from __future__ import annotations

import re
import sys
from importlib.resources import files

import pytest
from tests.claims.test_claims import ALL, HERE
from tests.conftest import PROJECT

sys.path.insert(0, str(PROJECT / "docs" / "_ext"))
import language  # type: ignore[import-not-found]

from perfdocs.claims.syntax import _parser


def test_every_rule_is_on_the_page() -> None:
    lines = list(language.grammar())
    rules = set(re.findall(r"(?m)^   (\w+):", "\n".join(lines)))
    compiled = {str(rule.origin.name) for rule in _parser().rules}
    assert {name for name in compiled if not name.startswith("_")} <= rules
    said = set(re.findall(r"`(\w+)`", "\n".join(lines)))
    assert said <= rules
    assert rules - said <= {*language.STARTS}


def test_every_word_is_on_the_page() -> None:
    page = "\n".join(language.grammar())
    here = files("perfdocs")
    text = (here / "expression.lark").read_text() + (here / "claims" / "grammar.lark").read_text()
    rules = re.sub(r"//.*", "", text)
    assert set(re.findall(r'"[^"\n]+"', rules)) == set(re.findall(r'"[^"\n]+"', page))
    assert rules.count("|") - text.count("/|/") <= page.count("|")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"a" | b', '"a" | `b`'),
        ('["a"] b* c+', '[ "a" ] { `b` } `c` { `c` }'),
        ('b ("," c)*   -> word', '`b` { "," `c` }'),
        ("(b | c) b?", "( `b` | `c` ) [ `b` ]"),
        (r"/x[)|]+/ b", r"/x[)|]+/ `b`"),
    ],
)
def test_the_notation(text: str, wanted: str) -> None:
    known = dict.fromkeys("bc", ("is", '"x"'))
    tree = language._Reader(language._TOKEN.findall(text)).any()
    assert language.written(tree, known) == wanted


def test_every_example_is_on_the_page() -> None:
    found = [(path.name, *case) for path in sorted(HERE.glob("*.md")) for case in language.cases(path)]
    assert found == ALL
    assert len(found) >= 60
    assert language.FIXTURES == HERE


def test_what_comes_out_is_told_in_full() -> None:
    for _, _, _, expected in ALL:
        told = language.shown(expected)
        assert told.count("line ") >= len(expected.splitlines())
        for part in re.split(r"\n| \| ", re.sub(r"(?m)^(\d+) (\w+)( \[[\w-]+\] )?", "", expected)):
            assert part in told
