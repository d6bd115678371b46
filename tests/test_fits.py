"""The two laws fitted to series: parameters, intervals and their coverage, and what cannot be fitted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import slow

from perfdocs.expression import evaluate_series, parse
from perfdocs.fits import LAWS, fit
from perfdocs.verdict import Missing, Value, summarise

BEND, AMPLITUDE = 8.0, 100.0
POWERS = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
FUNCTIONS = {"hyperbola": ("half", "ceiling", "misfit_hyperbola"), "corner": ("knee", "plateau", "misfit_corner")}


def curve(law: str, x: list[float]) -> list[float]:
    """The law itself."""
    return [AMPLITUDE * float(LAWS[law].shape(np.array(a), np.array(BEND))) for a in x]


def exactly(numbers: list[float]) -> list[Value]:
    """Numbers without noise."""
    return [Value.exact(number) for number in numbers]


def noisy(law: str, x: list[float], source: np.random.RandomState, between: float, within: float) -> list[Value]:
    """Five runs a point: ``between`` points and ``within`` one the noise has these relative standard deviations."""
    centres = [c * math.exp(between * source.standard_normal()) for c in curve(law, x)]
    return [summarise([c * math.exp(within * z) for z in source.standard_normal(5)], "block") for c in centres]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("x", [POWERS, [2.0, 4.0, 16.0, 64.0], [float(n) for n in range(1, 65)], POWERS[::-1]])
def test_points_on_a_law_give_its_parameters(law: str, x: list[float]) -> None:
    found = fit(law, exactly(x), exactly(curve(law, x)))
    assert found.bend is not None
    assert found.bend.centre == pytest.approx(BEND, rel=1e-4)
    assert (found.bend.lo, found.bend.hi) == pytest.approx((BEND, BEND), rel=1e-3)
    assert found.amplitude.centre == pytest.approx(AMPLITUDE, rel=1e-4)
    assert found.misfit.centre == pytest.approx(0, abs=1e-5)


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(sorted(LAWS)), st.lists(st.floats(-0.2, 0.2), min_size=7, max_size=7))
def test_no_neighbour_fits_better(law: str, noise: list[float]) -> None:
    y = [c * math.exp(e) for c, e in zip(curve(law, POWERS), noise, strict=True)]
    found = fit(law, exactly(POWERS), exactly(y))
    assert found.bend is not None

    def misfit(bend: float, amplitude: float) -> float:
        shape = LAWS[law].shape(np.array(POWERS), np.array(bend))
        return float(np.sqrt(np.mean((amplitude * shape / np.array(y) - 1) ** 2)))

    best = misfit(found.bend.centre, found.amplitude.centre)
    assert found.misfit.centre == pytest.approx(best)
    for by in (0.3, 0.9, 0.999, 1.001, 1.1, 3.0):
        assert best <= misfit(found.bend.centre * by, found.amplitude.centre) + 1e-9
        assert best <= misfit(found.bend.centre, found.amplitude.centre * by) + 1e-9


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("x", "between", "within", "at_least"),
    [(POWERS, 0.03, 0.005, 0.88), *slow((POWERS[2:6], 0.03, 0.005, 0.88), (POWERS, 0.0, 0.03, 0.97))],
)
def test_the_intervals_hold_the_truth_about_as_often_as_they_say(
    law: str, x: list[float], between: float, within: float, at_least: float
) -> None:
    """Of 120 synthetic series 95 % would be 114; 88 % is three standard deviations below."""
    source, trials, held = np.random.RandomState(1), 120, {"bend": 0, "amplitude": 0}
    for _ in range(trials):
        found = fit(law, exactly(x), noisy(law, x, source, between, within))
        held["bend"] += found.bend is not None and found.bend.lo <= BEND <= found.bend.hi
        held["amplitude"] += found.amplitude.lo <= AMPLITUDE <= found.amplitude.hi
    assert min(held.values()) >= at_least * trials, held


@pytest.mark.parametrize("law", LAWS)
def test_the_functions_of_expressions(law: str) -> None:
    y = noisy(law, POWERS, np.random.RandomState(2), 0.02, 0.01)
    lookups = [lambda n, p=p: Value.exact(p[0]) if n.name == "x" else p[1] for p in zip(POWERS, y, strict=True)]
    found = fit(law, exactly(POWERS), y)
    for function, part in zip(FUNCTIONS[law], (found.bend, found.amplitude, found.misfit), strict=True):
        value = evaluate_series(parse(f"{function}(x, y)", "here"), lookups)
        assert value == part
        assert value.lo < value.centre < value.hi
        assert value.samples == 5


def test_points_in_another_order_and_of_another_unit_give_the_same() -> None:
    y = noisy("corner", POWERS, np.random.RandomState(3), 0.05, 0.0)
    found, turned = (fit("corner", exactly(x), v) for x, v in ((POWERS, y), (POWERS[::-1], y[::-1])))
    assert found == turned
    milli = [Value(v.centre * 1e-3, v.lo * 1e-3, v.hi * 1e-3, 0, 0, 5) for v in y]
    scaled = fit("corner", exactly([x * 1e6 for x in POWERS]), milli)
    assert found.bend is not None
    assert scaled.bend is not None
    for a, b, unit in ((found.bend, scaled.bend, 1e6), (found.amplitude, scaled.amplitude, 1e-3)):
        assert (b.centre, b.lo, b.hi) == pytest.approx((a.centre * unit, a.lo * unit, a.hi * unit), rel=1e-6)


def test_flags_of_every_point_travel() -> None:
    y = exactly(curve("hyperbola", POWERS))
    y[3] = y[3].flagged({"noisy"})
    x = [value.flagged({"contaminated"}) for value in exactly(POWERS)]
    assert fit("hyperbola", x, y).misfit.flags == {"noisy", "contaminated"}


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1.0, 2.0, 4.0], [1.0, 2.0, 2.0], "4 points or more, here are 3"),
        ([1.0, 2.0, 2.0, 4.0], [1.0, 2.0, 2.1, 2.0], "4 points or more, here are 3"),
        ([0.0, 1.0, 2.0, 4.0], [1.0, 1.0, 2.0, 2.0], "above 0"),
        ([1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 2.0, 2.0], "above 0"),
        ([1.0, 2.0, 4.0, 8.0], [1.0, 1.0, math.inf, 2.0], "above 0"),
        ([1.0, 2.0, 4.0, 8.0], [1.0, 2.0, 4.0, 8.0], "do not bend"),
    ],
)
@pytest.mark.parametrize("law", LAWS)
def test_what_cannot_be_fitted_says_why(law: str, x: list[float], y: list[float], reason: str) -> None:
    with pytest.raises(Missing, match=reason):
        fit(law, exactly(x), exactly(y))


@pytest.mark.parametrize("law", LAWS)
def test_where_all_is_plateau_only_the_bend_is_unknown(law: str) -> None:
    x, y = exactly(POWERS), exactly([100.0] * 7)
    found = fit(law, x, y)
    assert found.bend is None
    assert found.amplitude.centre == pytest.approx(100.0, rel=0.02)
    lookups = [lambda n, p=p: p[0] if n.name == "x" else p[1] for p in zip(x, y, strict=True)]
    with pytest.raises(Missing, match="all points are on the plateau"):
        evaluate_series(parse(f"{FUNCTIONS[law][0]}(x, y)", "here"), lookups)


ROUNDER = [float(n) for n in range(1, 65)]
"""Steps so small that each of them gains little."""


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (POWERS[:5], [1.0, 2.0, 4.0, 7.7, 14.0]),  # the law bends at the last point
        (
            POWERS[:5],
            [1.0, 2.0, 4.0, 7.5, 11.5],
        ),  # two points beyond the centre of its knee, the last above the plateau
        (ROUNDER, [a / (a + 100) for a in ROUNDER]),
    ],
)
def test_a_series_that_still_rises_has_no_corner_and_no_least(x: list[float], y: list[float]) -> None:
    with pytest.raises(Missing, match=r"^not reached: "):
        fit("corner", exactly(x), exactly(y))
    lookups = [lambda n, p=p: Value.exact(p[0] if n.name == "x" else p[1]) for p in zip(x, y, strict=True)]
    for text in (
        "least(x, y, 90 %)",
        "knee(x, y)",
        "plateau(x, y)",
        "knee(x, y) / plateau(x, y)",
        "misfit_corner(x, y)",
    ):
        with pytest.raises(Missing, match=r"^not reached: "):
            evaluate_series(parse(text, "here"), lookups)
    assert fit("hyperbola", exactly(x), exactly(y)).bend is not None


@pytest.mark.parametrize(
    ("y", "least"),
    [
        ([1.0, 2.0, 4.0, 7.0, 7.6], 8.0),  # the last step gains a little
        ([1.0, 2.0, 4.0, 8.0, 5.0], 8.0),  # a peak, and a fall behind it
        ([7.0, 7.0, 7.0, 7.0, 7.0], 1.0),
        ([1.0, 2.0, 4.0, 7.0, 7.8], None),  # 90 % are above 7, so that the last point alone has them
        ([1.0, 2.0, 4.0, 7.8, 7.0], 8.0),
    ],
)
def test_the_least_is_known_where_another_point_confirms_the_best(y: list[float], least: float | None) -> None:
    lookups = [lambda n, p=p: Value.exact(p[0] if n.name == "x" else p[1]) for p in zip(POWERS, y, strict=False)]
    if least is None:
        with pytest.raises(Missing, match="not reached: the points end"):
            evaluate_series(parse("least(x, y, 90 %)", "here"), lookups)
    else:
        assert evaluate_series(parse("least(x, y, 90 %)", "here"), lookups).centre == least


def test_where_the_plateau_may_be_far_no_upper_end_is_told() -> None:
    y = [Value(v, v * 0.9, v * 1.1, v, v, 5) for v in (1.0, 1.98, 3.9, 7.6)]
    found = fit("hyperbola", exactly(POWERS[:4]), y)
    assert found.bend is not None
    assert (found.bend.hi, found.amplitude.hi) == (math.inf, math.inf)
    assert 0 < found.bend.lo < found.bend.centre
