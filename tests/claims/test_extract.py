"""Where claims are found in sources: lines, texts, sentences, scopes of givens; and nothing hostile takes long."""

from __future__ import annotations

import pytest

from perfdocs.claims.check import check_text
from perfdocs.claims.extract import MAX_NESTING, extract_markdown
from perfdocs.claims.extract_rst import extract_rst
from perfdocs.claims.forms import read_comment, read_role, sentence_around
from perfdocs.claims.model import Bound
from perfdocs.library import Library

EMPTY = Library({})


def short(bounds: tuple[Bound, ...]) -> list[tuple[int, str, str, str]]:
    """Line, form, text and expression, and the given in force last."""
    return [(b.line, b.form, b.text.strip(), b.expression) for b in bounds]


def test_a_comment_speaks_for_the_text_since_the_one_before() -> None:
    text = "One **two**<!-- claim: a --> three,\n`four`<!-- claim: b --> five <!-- other --> six<!-- claim: c -->.\n"
    assert short(extract_markdown(text, "x.md")) == [
        (1, "claim", "One two", "a"),
        (2, "claim", "three,\n`four`", "b"),
        (2, "claim", "five  six", "c"),
    ]


def test_cells_headings_quotes_directives_and_definitions() -> None:
    text = """# Head 1<!-- claim: a -->

| x | y |
| --- | --- |
| 2<!-- claim: b --> | 3<!-- claim: c --> |

> quote 4<!-- claim: d -->

````{admonition} title
```{note}
5<!-- claim: e -->
```
````

:::{tip}
6<!-- claim: f -->
:::

```{code-block} md
7<!-- claim: not -->
```

```md
8<!-- claim: not -->
```

    9<!-- claim: not -->

% 10<!-- claim: not -->

```{eval-rst}
:claim:`11 <g>`
```
"""
    assert [(b.line, b.expression) for b in extract_markdown(text, "x.md")] == [
        (1, "a"),
        (5, "b"),
        (5, "c"),
        (7, "d"),
        (11, "e"),
        (16, "f"),
        (32, "g"),
    ]


def test_scopes_in_restructured_text() -> None:
    text = """
Title
=====

.. given:: one

:claim:`1 <a>` and ``:claim:`no <x>```

* item

  .. given:: two

  :claim:`2 **bold** <b>`

* item :claim:`3
  more <c>`

.. code-block:: rst

   :claim:`no <x>`

.. a comment
   :claim:`no <x>`

Literal::

   :claim:`no <x>`

.. note::

   :claim:`4 <d>` and :value:`e`

Other
=====

:claim:`5 <f>`
"""
    found = [b for b in extract_rst(text, "x.rst") if b.form != "given"]
    assert [(b.line, b.text, b.expression, [g.expression for g in b.given]) for b in found] == [
        (7, "1", "a", ["one"]),
        (13, "2 bold", "b", ["one", "two"]),
        (15, "3\n  more", "c", ["one"]),
        (31, "4", "d", ["one"]),
        (31, "", "e", ["one"]),
        (36, "5", "f", []),
    ]


@pytest.mark.parametrize(
    ("comment", "kind"),
    [
        ("<!-- claim: a -->", "claim"),
        ("<!--claim:a-->", "claim"),
        ("<!-- Claim: a -->", "claim"),
        ("<!-- claim: exempt: why -->", "exempt"),
        ("<!-- exempt: why -->", "exempt"),
        ("<!-- given: a -->", "given"),
        ("<!-- perfdocs: strict -->", "strict"),
        ("<!-- given a -->", "broken"),
        ("<!-- claim a -->", "broken"),
        ("<!-- claim: a claim: b -->", "claim"),
        ("<!-- claim every n: a faster than b by ? and so on -->", None),
        ("<!-- claim every n, at spread-1000: a faster than b by ? -->", "broken"),
        ("<!-- claim to fame -->", None),
        ("<!-- clam: a -->", "broken"),
        ("<!-- claims: a -->", "broken"),
        ("<!-- claim: a\nb -->", "broken"),
        ("<!-- claim: a -- b -->", "broken"),
        ("<!-- claim: a - -->", "claim"),
        ("<!-- claim: a--->", "broken"),
        ("<!-- claim: a | b -->", "broken"),
        ("<!-- claim: -->", "broken"),
        ("<!-- a note -->", None),
        ("<!-- given that we know better than to do it twice -->", None),
        ("<!-- toc: 2 -->", None),
    ],
)
def test_comments(comment: str, kind: str | None) -> None:
    found = read_comment(comment)
    assert (found.kind if found else None) == kind


def test_a_role_is_split_at_its_last_target() -> None:
    found = read_role("  a < b and <c> 5 <x faster than y>  ")
    assert (found.kind, found.text, found.expression) == ("claim", "a < b and <c> 5", "x faster than y")
    assert read_role("a <b> c").kind == "broken"
    assert read_role("<b>").kind == "broken"


def test_the_sentence_around() -> None:
    block = "First, 1.5 ms. Second one (of 3.2 ms)! Third?"
    assert sentence_around(block, 20, 30) == "Second one (of 3.2 ms)!"
    assert sentence_around(block, 0, 5) == "First, 1.5 ms."


HOSTILE = {
    "nested parentheses": "(" * 3000 + "a" + ")" * 3000,
    "nested within bounds": "(" * 49 + "a" + ")" * 49,
    "a long sum": "a+" * 5000 + "a",
    "minus signs": "-" * 199 + "a",
    "a huge number": "at n=1e999: a",
    "a huge integer": "a = " + "9" * 1900,
    "a tall power": "a under 1e308 * 1e308",
    "many items": "; ".join(["a"] * 600),
    "a long name": "a" * 1999,
    "no words": "",
    "control characters": "a\x00b\x1b[31m",
    "directions": "a\u202eb",
}


@pytest.mark.parametrize("expression", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_expression_is_one_message(expression: str) -> None:
    (outcome,) = check_text(f"5 ms<!-- claim: {expression} -->\n", "x.md", EMPTY)
    assert not outcome.passes
    assert outcome.problem is not None
    assert outcome.problem.code.startswith("claim-")
    assert len(str(outcome)) < 1500
    assert str(outcome).replace("\ufffd", "").isprintable()


HOSTILE_TEXTS = {
    "digits": "9" * 3000 + " ms",
    "superscripts": "10" + "⁹" * 3000,
    "exponents": "1e99999 s",
    "backticks": "`" * 3001,
    "stars": "*" * 3001,
    "too long": "word " * 2000,
    "comments": "<!-- " * 2000,
    "brackets": "[" * 3000,
    "negatives": "-−" * 1000 + "5 ms",
}


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
def test_a_hostile_text_does_not_pass(text: str) -> None:
    outcomes = check_text(f"x {text}<!-- claim: a -->\n", "x.md", EMPTY)
    assert outcomes
    assert not any(o.passes for o in outcomes)
    for markup in (extract_markdown, extract_rst):
        markup(text * 3, "x")


def test_nothing_of_python_is_evaluated() -> None:
    for code in ("__import__('os').getcwd()", "a.__class__", "().x", "lambda: 1", "[x for x in a]"):
        (outcome,) = check_text(f"5<!-- claim: {code} -->\n", "x.md", EMPTY)
        assert outcome.problem is not None
        assert outcome.problem.code in ("claim-syntax", "claim-ambiguous", "claim-name")


@pytest.mark.parametrize(
    ("text", "file", "found", "do"),
    [
        ("5 ms<!-- claim a -->", "x.md", "a comment `claim` without a colon", "write `claim: …`"),
        ("5 ms<!- claim: a -->", "x.md", "`<!- claim:` as plain text", "begin the comment with `<!--`"),
        ("5 ms<! claim: a -->", "x.md", "`<! claim:` as plain text", "begin the comment with `<!--`"),
        ("5 ms<-- claim: a -->", "x.md", "`<-- claim:` as plain text", "begin the comment with `<!--`"),
        ("5 ms<!– claim: a –>", "x.md", "`<!– claim:` as plain text", "begin the comment with `<!--`"),
        ("5 ms claim: a -->", "x.md", "`claim: a -->` as plain text", "begin the comment with `<!--`"),
        ("{clam}`5 ms <a>`", "x.md", "a role `clam`", "write `claim`"),
        ("{Claim}`5 ms <a>`", "x.md", "a role `Claim`", "write `claim`"),
        ("{vlaue}`a`", "x.md", "a role `vlaue`", "write `value`"),
        (":clam:`5 ms <a>`", "x.rst", "a role `clam`", "write `claim`"),
        ("```{givn} a\n```", "x.md", "a directive `givn`", "write `given`"),
        (".. givn:: a", "x.rst", "a directive `givn`", "write `given`"),
    ],
)
def test_what_was_meant_as_a_claim(text: str, file: str, found: str, do: str) -> None:
    (outcome,) = check_text(f"{text}\n", file, EMPTY)
    assert outcome.problem is not None
    assert (outcome.problem.code, outcome.problem.found, outcome.problem.do) == ("claim-broken", found, do)


def test_what_was_not_meant_as_one() -> None:
    page = "A claim: this. `<!- claim: a -->` {clam}`5 ms` {abbr}`a <b>` <!-- claims are tested --> {valley}`a`\n"
    assert check_text(page, "x.md", EMPTY) == ()
    assert check_text("A claim: this. ``<!- claim: a -->`` :abbr:`a <b>` :clam:`5 ms`\n", "x.rst", EMPTY) == ()


@pytest.mark.parametrize("fence", [":", "`"])
def test_directives_in_directives_have_a_bound(fence: str) -> None:
    def nested(levels: int) -> str:
        text = "5 ms<!-- claim: a -->"
        for i in range(levels):
            text = f"{fence * (i + 3)}{{note}}\n{text}\n{fence * (i + 3)}"
        return f"One.\n\n{text}\n"

    (claim,) = extract_markdown(nested(MAX_NESTING), "x.md")
    assert (claim.form, claim.line) == ("claim", 3 + MAX_NESTING)
    (broken,) = check_text(nested(MAX_NESTING + 1), "x.md", EMPTY)
    assert broken.problem is not None
    assert broken.problem.code == "claim-broken"
    assert broken.problem.found == "directives nested more than 20 deep, which are not read"
    assert broken.bound.line == 4 + MAX_NESTING


def test_givens_hold_across_restructured_text_in_markdown() -> None:
    text = """# First

<!-- given: one -->

```{eval-rst}
:claim:`1 <a>`

* item

  .. given:: two

  :claim:`2 <b>`

.. given:: three
```

4<!-- claim: c -->

# Next

```{eval-rst}
:claim:`5 <d>`
```
"""
    found = [b for b in extract_markdown(text, "x.md") if b.form == "claim"]
    assert [(b.line, b.expression, [g.expression for g in b.given]) for b in found] == [
        (6, "a", ["one"]),
        (12, "b", ["one", "two"]),
        (17, "c", ["one", "three"]),
        (22, "d", []),
    ]
