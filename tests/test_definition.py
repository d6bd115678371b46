"""A definition: what it gives to those who ask."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import PROJECT

from perfdocs.crosscheck import check_expressions
from perfdocs.definition import Definition, Derived, Metric
from perfdocs.definitionfile import RESERVED_WORDS, read_definition
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
    assert rk4.tables["main"].without == ("graph_every_k",)
    assert rk4.arms_of("main") == tuple(arm for arm in rk4.arms if arm != "graph_every_k")
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


@pytest.mark.parametrize(
    ("expression", "code", "hint"),
    [
        ("wall / wall[stedy]", "definition-name", 'did you mean "steady"?'),
        ("wall / wall[config=narrow]", "expression-selector", "`wall[arm]`"),
        ("wall / wall[quick, steady]", "expression-selector", "name one arm"),
        ("wall / wall[narrow]", "definition-name", "an arm of the definition"),
        ("device.sm_count[steady]", "expression-selector", "the same for every arm"),
        ("n[steady]", "expression-selector", "the same for every arm"),
        ("wall / extra[steady]", "definition-cycle", "extra"),
        ("best(wall)[steady]", "expression-syntax", "["),
    ],
)
def test_a_reference_arm_that_cannot_be_is_one_message(tmp_path: Path, expression: str, code: str, hint: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        _extra(tmp_path, f'is = "{expression}"')
    assert caught.value.problem.code == code
    assert hint in str(caught.value)
    assert "$.derived.extra.is" in str(caught.value)


def _extra(folder: Path, lines: str) -> Definition:
    """The good definition with one derived quantity more, checked."""
    text = (PROJECT / "tests" / "bad_input" / "benchmark.toml").read_text(encoding="utf-8")
    path = folder / "benchmark.toml"
    path.write_text(f'{text}\n[derived.extra]\nlabel = "extra"\n{lines}\n', encoding="utf-8")
    definition = read_definition(path)
    check_expressions(definition, path)
    return definition


def test_a_reference_arm_stands_behind_metrics_and_derived_quantities(tmp_path: Path) -> None:
    definition = _extra(tmp_path, 'is = "wall / wall[steady] + flop_rate[quick] / flop_rate"')
    assert definition.derived["extra"].is_.startswith("wall")


@pytest.mark.parametrize("more", ['unit = "s"', 'of_peak = "device.peak.fp64"'])
def test_a_fraction_is_a_plain_number(tmp_path: Path, more: str) -> None:
    assert _extra(tmp_path, 'is = "wall / wall[steady]"\nfraction = true').derived["extra"].fraction
    with pytest.raises(PerfdocsError) as caught:
        _extra(tmp_path, f'is = "wall / wall[steady]"\nfraction = true\n{more}')
    assert caught.value.problem.code == "definition-fraction"


def test_the_order_of_the_runs_can_be_chosen(tmp_path: Path) -> None:
    text = (PROJECT / "tests" / "bad_input" / "benchmark.toml").read_text(encoding="utf-8")
    path = tmp_path / "benchmark.toml"
    path.write_text(f'protocol = "rotate"\n{text}', encoding="utf-8")
    assert read_definition(path).protocol == "rotate"
    path.write_text(f'protocol = "best"\n{text}', encoding="utf-8")
    with pytest.raises(PerfdocsError, match="protocol"):
        read_definition(path)
