"""What was found wrong, in the forms that other tools read: GitHub's annotations and SARIF."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..claims.model import CODES, Outcome
from ..errors import Problem

__all__ = ["Found", "found_in", "github_lines", "sarif"]

_PLACE = re.compile(r"(?P<file>[^:]+)(?::(?P<line>\d+))?")


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that is wrong: its code, where, and the whole of its message. ``line`` counts from 1."""

    code: str
    file: str
    line: int
    message: str


def found_in(outcomes: Iterable[Outcome], problems: Iterable[Problem]) -> tuple[Found, ...]:
    """Claims that do not hold, then problems of cards and definitions, which know a file and seldom a line."""
    claims = [Found(o.problem.code, o.bound.file, o.bound.line, o.message) for o in outcomes if o.problem is not None]
    return (*claims, *map(_of_problem, problems))


def _of_problem(problem: Problem) -> Found:
    place = _PLACE.match(problem.where)
    file, line = (place["file"], int(place["line"] or 1)) if place else (problem.where, 1)
    return Found(problem.code, file, line, str(problem))


def _escaped(text: str, more: Mapping[str, str] | None = None) -> str:
    """As GitHub's workflow commands want it; ``more`` where a property ends at other characters too."""
    for sign, code in {"%": "%25", "\r": "%0D", "\n": "%0A", **(more or {})}.items():
        text = text.replace(sign, code)
    return text


def github_lines(found: Iterable[Found]) -> Iterable[str]:
    """A workflow command for each, which GitHub shows beside the line."""
    ends = {":": "%3A", ",": "%2C"}
    for one in found:
        where = f"file={_escaped(one.file, ends)},line={one.line},title={_escaped(one.code, ends)}"
        yield f"::error {where}::{_escaped(one.message)}"


def sarif(found: Sequence[Found]) -> dict[str, Any]:
    """A log of one run in the Static Analysis Results Interchange Format 2.1.0."""
    rules = sorted({one.code for one in found})
    described = {code: {"shortDescription": {"text": CODES[code]}} for code in rules if code in CODES}
    driver = {
        "name": "perfdocs",
        "version": __version__,
        "rules": [{"id": code, **described.get(code, {})} for code in rules],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(one) for one in found]}],
    }


def _result(one: Found) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": quote(one.file)}, "region": {"startLine": one.line}}
    return {
        "ruleId": one.code,
        "level": "error",
        "message": {"text": one.message},
        "locations": [{"physicalLocation": place}],
    }
