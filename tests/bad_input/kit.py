"""What the tests of bad input share: a good card and definition, small changes to them, and one way to judge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfdocs.errors import Problem
from perfdocs.library import Library, load_library

HERE = Path(__file__).resolve().parent
DEFINITION = (HERE / "benchmark.toml").read_text(encoding="utf-8")
GOOD = (HERE / "good.json").read_text(encoding="utf-8")
LINE = re.compile(r"(?P<where>.+): found .+, expected .+; .+ \[(?P<code>[a-z][a-z0-9-]+)\]")

Change = Callable[[str], str | bytes]


@dataclass(frozen=True)
class Case:
    """A change of a good file, the code of the one problem it makes, and where in the file it is."""

    title: str
    change: Change
    code: str
    at: str = ""
    hint: str = ""


def steps(path: str) -> list[str | int]:
    """``measurements[0].at.n`` as keys and indices."""
    return [int(i) if i else name for name, i in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)]


def edit(path: str, act: Callable[[Any, Any], None]) -> Change:
    """Change the parsed card at ``path`` with ``act(container, last key)``."""

    def change(text: str) -> str:
        tree = json.loads(text)
        *way, last = steps(path)
        item = tree
        for step in way:
            item = item[step]
        act(item, last)
        return json.dumps(tree)

    return change


def put(path: str, value: Any) -> Change:
    """Set the value at ``path``."""

    def act(item: Any, last: Any) -> None:
        item[last] = value

    return edit(path, act)


def drop(path: str) -> Change:
    """Remove the entry at ``path``."""

    def act(item: Any, last: Any) -> None:
        del item[last]

    return edit(path, act)


def swap(old: str, new: str) -> Change:
    """Replace text that stands in the file once or more (its first place)."""

    def change(text: str) -> str:
        assert old in text, f"the good file has no {old!r}"
        return text.replace(old, new, 1)

    return change


def lay_out(root: Path, *, card: str | bytes | None = None, definition: str | bytes = DEFINITION) -> Path:
    """A folder of benchmarks: ``bench`` with a good card ``other`` and, where given, ``made-up.json``; and ``twin``."""
    benchmarks = root / "benchmarks"
    for name, text in (("bench", definition), ("twin", DEFINITION.replace('"bench"', '"twin"'))):
        cards = benchmarks / name / "cards"
        cards.mkdir(parents=True)
        data = text if isinstance(text, bytes) else text.encode()
        (benchmarks / name / "benchmark.toml").write_bytes(data)
        other = GOOD.replace('"made-up"', '"other"').replace('"bench"', f'"{name}"')
        (cards / "other.json").write_text(other, encoding="utf-8")
    if card is not None:
        data = card if isinstance(card, bytes) else card.encode("utf-8", "surrogatepass")
        (benchmarks / "bench" / "cards" / "made-up.json").write_bytes(data)
    return benchmarks


def only_problem(library: Library, code: str, at: str = "", hint: str = "") -> Problem:
    """The library's one problem, after checking that it is the expected one and reads as one line of fixed form."""
    assert [p.code for p in library.problems] == [code], [str(p) for p in library.problems]
    problem = library.problems[0]
    line = str(problem)
    found = LINE.fullmatch(line)
    assert found, line
    assert found["code"] == code
    assert line.isprintable(), line
    assert len(line) < 1500, len(line)
    assert at in problem.where, line
    assert hint in line, line
    return problem


def load(benchmarks: Path) -> Library:
    """The library; never raises for bad input."""
    return load_library(benchmarks)
