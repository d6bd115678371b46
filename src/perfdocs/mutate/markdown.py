"""What came of all false edits as a piece of a page: a table, and every edit that was not noticed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..quantity import NBSP
from .judging import Judged
from .report import Strength, Tally, around, data_by_kind, middle, tally

__all__ = ["page_part"]

ROWS = (
    ("a number, by one unit of its last digit", ("number",)),
    ("a unit", ("unit",)),
    ("an arm, a value of an axis, a device", ("arm", "value", "device")),
    ("two names, exchanged", ("order",)),
    ("a comparative or quantifier", ("comparative", "quantifier")),
    ("a negation put in", ("negation",)),
    ("another place in the order", ("rank",)),
    ("a number made a bound, or a point a range", ("bound",)),
    ("the word of a bound, taken away", ("limit",)),
    ("a multiple in words, inverted", ("multiple",)),
    ("what is compared and what it is compared with, exchanged", ("subject",)),
)
_MARKUP = re.compile(r"(`+[^`]*`+)|([\\*_\[\]<>{}|$#~])")


def page_part(strength: Strength) -> Iterator[str]:
    """The lines of it. What was not tried is left out."""
    yield f"Claims that hold and were tried: {strength.claims}."
    yield ""
    yield "| what is edited | noticed | of | |"
    yield "| --- | ---: | ---: | ---: |"
    yield from _rows(strength)
    if equivalent := tally("", strength.of_claims).equivalent:
        yield ""
        yield f"Edits that leave their sentence true, which are not counted: {equivalent}."
    if (size := middle(strength.margins)) is not None:
        yield ""
        yield f"The middle claim fails once one of the data that it reads moves by {size * 100:.2g}{NBSP}%."
    for title, judged in (
        ("edits of what claims are about that are missed", strength.of_claims),
        ("comparatives and quantifiers that no claim is about and that may be anything", strength.beside),
    ):
        yield from _missed(title, [j for j in judged if j.fate == "survived"])


def _rows(strength: Strength) -> Iterator[str]:
    if strength.prose:
        for title, kinds in ROWS:
            if (one := tally("", [j for j in strength.of_claims if j.mutation.kind in kinds])).tried:
                yield _row(title, one)
        yield _row("sentences, all of what claims are about", tally("", strength.of_claims), bold=True)
        yield _row("comparatives and quantifiers that no claim is about", tally("", strength.beside))
        yield _row("sentences, those included", tally("", strength.prose), bold=True)
    few = [t for t in strength.data if t.fewest <= strength.few]
    many = [t for t in strength.data if t.fewest > strength.few]
    for title, tried in (
        ("data of claims that read eight data or fewer", few),
        ("data of claims over a series, a set or a table", many),
    ):
        if tried:
            kinds_of = data_by_kind(tried)
            yield _row(title, Tally("", sum(t.noticed for t in kinds_of), sum(t.survived for t in kinds_of)))


def _row(title: str, one: Tally, *, bold: bool = False) -> str:
    cells = [title, f"{one.noticed}", f"{one.tried}", f"{_share(one)}{NBSP}%"]
    return f"| {' | '.join(f'**{cell}**' if bold else cell for cell in cells)} |"


def _share(one: Tally) -> str:
    """In percent; 100 only where nothing is missed."""
    return f"{min(one.share * 100, 99.9):.1f}" if one.survived else "100"


def _missed(title: str, judged: Sequence[Judged]) -> Iterator[str]:
    if not judged:
        return
    yield ""
    yield f"<details><summary>{len(judged)} {title}</summary>"
    yield ""
    for one in judged:
        where = one.mutation.bound.where
        yield f"- {_plain(where)}, {one.mutation.kind}: {_said(one, changed=False)} → {_said(one, changed=True)}"
    yield ""
    yield "</details>"


def _said(judged: Judged, *, changed: bool) -> str:
    return _plain(around(judged, changed=changed))


def _plain(text: str) -> str:
    """The same words where Markdown reads them; code stays code."""
    if text.count("`") % 2:
        text = text.replace("`", "'")
    return _MARKUP.sub(lambda m: m[1] or f"\\{m[2]}", text)
