"""A definition: what it gives to those who ask."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import PROJECT

from perfdocs.crosscheck import check_expressions
from perfdocs.definition import RESERVED_WORDS, Definition, Derived, Metric, read_definition
from perfdocs.errors import PerfdocsError

TOMLS = [
    *sorted((PROJECT / "benchmarks").glob("*/benchmark.toml")),
    *sorted((PROJECT / "tests").glob("*/*/benchmark.toml")),
]


@pytest.fixture
def rk4(benchmarks: Path) -> Definition:
    """The project's own."""
    return read_definition(benchmarks / "rk4" / "benchmark.toml")


@pytest.mark.parametrize("path", TOMLS, ids=lambda p: f"{p.parent.parent.name}-{p.parent.name}")
def test_every_definition_of_the_project_is_valid(path: Path) -> None:
    check_expressions(read_definition(path), path)


def test_there_are_definitions_to_check() -> None:
    assert len(TOMLS) > 10


def test_a_quantity_is_a_metric_or_derived(rk4: Definition) -> None:
    assert isinstance(rk4.quantity("wall"), Metric)
    assert isinstance(rk4.quantity("flop_rate"), Derived)
    assert rk4.quantity("flop_rate").unit == "flop/s"
    with pytest.raises(KeyError):
        rk4.quantity("nonsense")


def test_arms_of_a_table_keep_the_order_of_the_definition(rk4: Definition) -> None:
    assert rk4.arms_of("main") == tuple(rk4.arms)
    shapes = read_definition(PROJECT / "tests" / "shapes" / "rk4" / "benchmark.toml")
    assert shapes.arms_of("cadence") == ("graph_every_k", "graph_compact")
    assert shapes.arms_of("main") == ("persistent", "longest_first")
    assert shapes.arms_of("overhead") == tuple(shapes.arms)


def test_the_label_of_an_axis_value_is_its_own_or_the_value() -> None:
    d = read_definition(PROJECT / "tests" / "bad_input" / "benchmark.toml")
    assert d.axis_label("config", "narrow") == "narrow one"
    assert d.axis_label("config", "wide-10") == "wide-10"
    assert d.axis_label("n", 1000) == "1000"


def test_line_ends_of_windows_are_no_control_characters(tmp_path: Path) -> None:
    text = (PROJECT / "tests" / "bad_input" / "benchmark.toml").read_text(encoding="utf-8")
    path = tmp_path / "benchmark.toml"
    path.write_bytes(text.replace('"one launch"', '"""one\nlaunch"""').replace("\n", "\r\n").encode())
    assert read_definition(path).arms["quick"].loop == "one\nlaunch"


def test_words_of_claims_are_reserved(tmp_path: Path) -> None:
    text = (PROJECT / "tests" / "bad_input" / "benchmark.toml").read_text(encoding="utf-8")
    path = tmp_path / "benchmark.toml"
    for word in sorted(RESERVED_WORDS):
        path.write_text(text.replace("[arms.steady]", f"[arms.{word}]"), encoding="utf-8")
        with pytest.raises(PerfdocsError) as caught:
            read_definition(path)
        assert caught.value.problem.code == "definition-reserved"
