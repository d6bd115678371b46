"""Random mutations of good cards and definitions: success, or one problem; never anything else."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.bad_input.kit import DEFINITION, GOOD, LINE

from perfdocs.cardfile import decode_card, encode_card
from perfdocs.crosscheck import check_card, check_expressions
from perfdocs.definition import Definition
from perfdocs.definitionfile import decode_definition, parse_definition
from perfdocs.errors import PerfdocsError
from perfdocs.expression import parse
from perfdocs.flags import FLAGS
from perfdocs.frame import rows
from perfdocs.library import Benchmark
from perfdocs.loading import LoadedCard
from perfdocs.quantity import axis_text, format_percent, format_value, scale_for
from perfdocs.row import share_of_peak
from perfdocs.verdict import Missing, Value, fastest

CARD = json.loads(GOOD)
TREE = tomllib.loads(DEFINITION)
PATH = Path("made-up.json")
FAST = settings(
    max_examples=250, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)

ODD: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(
        [
            None,
            True,
            False,
            0,
            -1,
            1,
            0.0,
            -0.0,
            5e-324,
            1e-300,
            1e99,
            1e101,
            10**30,
            10**400,
            float("nan"),
            float("inf"),
        ]
    ),
    st.sampled_from(
        ["", "wall", "quick", "narrow", "n", "-", "a" * 3000, "\0", "\u202e", "<b>", "1e3", "é", "1 ms", "\ud800"]
    ),
    st.sampled_from(
        ["made-up", "main", "shifts", "least", "greedy", "least(n, wall, 1)", "wall / 0", "n - n", "1e999 * 0"]
    ),
    st.sampled_from(
        [[], {}, [[]], [None], [1.0], [0.0], [1e-300, 1e99], ["quick"], {"centre": 1.0}, {"n": 1}, {"": ""}]
    ),
)
SIMPLE = st.one_of(st.integers(-5, 5), st.floats(allow_nan=True), st.text(max_size=8))


def places(tree: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every path of a tree below its root."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from places(child, (*path, key))


@st.composite
def mutated(draw: st.DrawFn, good: Any) -> Any:
    """``good`` with one to three entries deleted, doubled, renamed, replaced or taken from elsewhere."""
    tree = copy.deepcopy(good)
    for _ in range(draw(st.integers(1, 3))):
        every = list(places(tree))
        if not every:
            break
        *way, last = draw(st.sampled_from(every))
        item: Any = tree
        for step in way:
            item = item[step]
        act = draw(st.sampled_from(["delete", "double", "rename", "replace", "replace", "replace", "graft"]))
        if act == "delete":
            del item[last]
        elif act == "double" and isinstance(item, list) and isinstance(last, int):
            item.append(copy.deepcopy(item[last]))
        elif act in ("double", "rename") and isinstance(item, dict):
            name = draw(st.one_of(st.sampled_from(["wall", "extra", "n", "values", "at", "is"]), st.text(max_size=8)))
            item[name] = copy.deepcopy(item[last]) if act == "double" else item.pop(last)
        elif act == "graft":
            source: Any = good
            for step in draw(st.sampled_from(list(places(good)))):
                source = source[step]
            item[last] = copy.deepcopy(source)
        else:
            item[last] = copy.deepcopy(draw(st.one_of(ODD, SIMPLE)))
    return tree


def judge(error: PerfdocsError) -> None:
    """A problem reads as one printable, bounded line."""
    line = str(error)
    assert LINE.fullmatch(line), line
    assert line.isprintable()
    assert len(line) < 1500


def use(benchmark: Benchmark, loaded: LoadedCard) -> None:
    """Ask for everything a page would: each value exists or says why not, prints, and can be compared."""
    d = benchmark.definition
    for table in d.tables:
        found: dict[str, Value] = {}
        for row in rows(benchmark, loaded, table):
            assert row.flags <= set(FLAGS)
            assert row.anchor.startswith("perf-")
            for point in row.at.values():
                assert axis_text(point)
            for key in (*d.metrics, *d.derived, *row.at):
                try:
                    value = row.value(key)
                    unit = "" if key in row.at else d.quantity(key).unit
                    assert format_value(value.centre, unit)
                    assert scale_for([value.centre, value.lo, value.hi], unit).factor > 0
                    found[f"{row.anchor} {key}"] = value
                    assert format_percent(share_of_peak(row, key).centre)
                except Missing:  # with its reason
                    continue
        assert bool(fastest(found)) == bool(found)


@FAST
@given(mutated(CARD))
def test_a_mutated_card(tree: Any) -> None:
    definition = parse_definition(copy.deepcopy(TREE), Path("benchmark.toml"))
    try:
        card = decode_card(json.dumps(tree).encode("utf-8", "surrogatepass"), PATH)
        check_card(card, definition, PATH)
    except PerfdocsError as error:
        judge(error)
        return
    assert decode_card(encode_card(card), PATH) == card
    loaded = LoadedCard(card, PATH, repr(tree))
    use(Benchmark(definition, Path("bench"), (loaded,), "the good one"), loaded)


@FAST
@given(mutated(TREE))
def test_a_mutated_definition(tree: Any) -> None:
    path = Path("benchmark.toml")
    try:
        definition: Definition = parse_definition(tree, path)
        check_expressions(definition, path)
        card = decode_card(GOOD.encode(), PATH)
        check_card(card, definition, PATH)
    except PerfdocsError as error:
        judge(error)
        return
    loaded = LoadedCard(card, PATH, "the good one")
    use(Benchmark(definition, Path("bench"), (loaded,), repr(tree)), loaded)


@st.composite
def damaged(draw: st.DrawFn, good: bytes) -> bytes:
    """Bytes cut, overwritten or repeated somewhere."""
    data = bytearray(good)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        length = draw(st.integers(0, 40))
        data[at : at + length] = draw(st.one_of(st.binary(max_size=8), st.just(bytes(data[at : at + length]) * 2)))
    return bytes(data)


@FAST
@given(damaged(GOOD.encode()))
def test_a_damaged_card(data: bytes) -> None:
    try:
        decode_card(data, PATH)
    except PerfdocsError as error:
        judge(error)


@FAST
@given(damaged(DEFINITION.encode()))
def test_a_damaged_definition(data: bytes) -> None:
    path = Path("benchmark.toml")
    try:
        check_expressions(decode_definition(data, path), path)
    except PerfdocsError as error:
        judge(error)


TOKENS = [
    *"()[]+-*/%,=.?é\0\"'$<;:\\",
    "wall",
    "n",
    "min",
    "best",
    "least",
    "1",
    "0.5",
    "1e9",
    "1e999",
    "__x",
    "a-b",
    "a.b",
]


@FAST
@given(st.lists(st.sampled_from(TOKENS), max_size=30), st.sampled_from(["", " "]))
def test_any_expression(tokens: list[str], gap: str) -> None:
    try:
        parse(gap.join(tokens), "$.derived.x.is")
    except PerfdocsError as error:
        judge(error)


@pytest.mark.parametrize("length", [10, 1000])
def test_a_long_chain_of_derived_quantities_is_one_problem(length: int) -> None:
    tree, path = copy.deepcopy(TREE), Path("benchmark.toml")
    for i in range(length):
        tree["derived"][f"d{i}"] = {"label": "d", "is": f"d{i + 1} + wall" if i + 1 < length else "wall"}
    definition = parse_definition(tree, path)
    if length == 1000:
        with pytest.raises(PerfdocsError) as caught:
            check_expressions(definition, path)
        assert caught.value.problem.code == "definition-depth"
        return
    check_expressions(definition, path)
    loaded = LoadedCard(decode_card(GOOD.encode(), PATH), PATH, "x")
    row = rows(Benchmark(definition, Path("b"), (loaded,), "ten"), loaded)[0]
    assert row.value("d0").centre == pytest.approx(10 * row.value("wall").centre)
