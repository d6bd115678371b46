"""Like is added to, subtracted from and compared with like only."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_definition import _extra

from perfdocs.card import Device
from perfdocs.dimension import PLAIN, unit_dimension
from perfdocs.errors import PerfdocsError
from perfdocs.facts import FACT_UNITS
from perfdocs.peaks import PEAKS


@pytest.mark.parametrize(
    ("a", "b"),
    [("Hz", "1/s"), ("W·s", "J"), ("sample", ""), ("byte/s", "byte·Hz"), ("%", "1"), ("s/s", ""), ("J/sample", "J")],
)
def test_units_of_one_dimension(a: str, b: str) -> None:
    assert unit_dimension(a) == unit_dimension(b)


@pytest.mark.parametrize(("a", "b"), [("s", "Hz"), ("byte", "bit"), ("flop", "byte"), ("s", "ms"), ("flop", "")])
def test_units_of_two_dimensions(a: str, b: str) -> None:
    assert unit_dimension(a) != unit_dimension(b)


UNLIKE = [
    ("wall + sm_clock", '"+" of unlike quantities: s and 1/s'),
    ("wall - 1", '"-" of unlike quantities: s and a plain number'),
    ("2 * (wall + device.memory)", "s and byte"),
    ("max(wall, wall, sm_clock)", "`max` of unlike quantities: s and 1/s"),
    ("min(useful_flop / wall, device.peak.dram)", "flop/s and byte/s"),
    ("flop_rate + wall", "flop/s and s"),
    ("cycles + wall", '"+" of unlike quantities: a plain number and s'),
]


@pytest.mark.parametrize(("expression", "said"), UNLIKE)
def test_unlike_quantities_are_refused_where_they_stand(tmp_path: Path, expression: str, said: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        _extra(tmp_path, f'is = "{expression}"\n{CLOCK}')
    assert caught.value.problem.code == "expression-dimension"
    assert said in caught.value.problem.found
    assert "$.derived.extra.is" in caught.value.problem.where


def test_the_share_of_least_is_a_plain_number(tmp_path: Path) -> None:
    with pytest.raises(PerfdocsError, match="the share in `least`"):
        _extra(tmp_path, f'is = "least(n, flop_rate, wall)"\nover = ["n"]\n{CLOCK}')


FITTED = [("half", "1"), ("ceiling", "device.peak.fp64"), ("misfit_hyperbola", "1")]
FITTED += [("knee", "1"), ("plateau", "device.peak.fp64"), ("misfit_corner", "1")]


@pytest.mark.parametrize(("function", "like"), FITTED)
def test_what_is_fitted_is_like_x_like_y_or_a_plain_number(tmp_path: Path, function: str, like: str) -> None:
    _extra(tmp_path, f'is = "{function}(n, flop_rate) + {like}"\nover = ["n"]\n{CLOCK}')
    with pytest.raises(PerfdocsError, match="unlike quantities"):
        _extra(tmp_path, f'is = "{function}(n, flop_rate) + best(wall)"\nover = ["n"]\n{CLOCK}')


CLOCK = """
[metrics.sm_clock]
label = "clock"
kind = "samples"
unit = "Hz"

[derived.cycles]
label = "cycles"
is = "wall * sm_clock"
"""


@pytest.mark.parametrize(
    "expression",
    [
        "-wall + wall[steady] - 0",
        "wall + 1 / sm_clock",
        "1 - wall / wall[steady]",
        "cycles - 100",
        "max(n - 1, 1) / wall + sm_clock",
        "min(useful_flop / wall, device.peak.fp64)",
        "flop_rate + useful_flop * sm_clock",
        "device.memory + device.l2_cache",
    ],
)
def test_like_quantities_are_not_refused(tmp_path: Path, expression: str) -> None:
    assert _extra(tmp_path, f'is = "{expression}"\n{CLOCK}').derived["extra"].is_ == expression


def test_facts_with_a_unit_are_facts() -> None:
    facts = {*Device.__struct_fields__, *(f"peak.{key}" for key in PEAKS)}
    assert set(FACT_UNITS) <= facts
    assert PLAIN not in map(unit_dimension, FACT_UNITS.values())
