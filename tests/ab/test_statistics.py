"""Medians, the interval of their ratio and verdicts, against cases computed by hand."""

from __future__ import annotations

import pytest

from perfdocs.ab.comparing import compare_rounds, overall
from perfdocs.ab.record import Comparison, Reading, Round, Turn
from perfdocs.ab.statistics import Ratio, judged, ratio_of


def rounds(a: list[float], b: list[float], region: str = "main") -> list[Round]:
    def turn(seconds: float) -> Turn:
        return Turn(regions={region: seconds})

    return [Round(a=turn(x), b=turn(y)) for x, y in zip(a, b, strict=True)]


def test_the_centre_is_the_ratio_of_medians() -> None:
    assert ratio_of([1.0, 2.0, 3.0], [6.0, 2.0, 4.0]).centre == 2.0  # 4 / 2
    assert ratio_of([1.0, 2.0, 3.0, 10.0], [5.0, 5.0, 5.0, 5.0]).centre == 2.0  # 5 / 2.5


def test_equal_times_have_an_interval_of_one_point() -> None:
    assert ratio_of([2.0] * 20, [3.0] * 20) == Ratio(1.5, 1.5, 1.5)


def test_one_round_has_itself_as_interval() -> None:
    assert ratio_of([2.0], [1.0]) == Ratio(0.5, 0.5, 0.5)


def test_resamples_draw_whole_rounds() -> None:
    """Each round has the ratio 2: so has every resample of an odd number of rounds, however much the rounds differ."""
    a = [1.0, 5.0, 2.0, 9.0, 4.0]
    assert ratio_of(a, [2 * x for x in a]) == Ratio(2.0, 2.0, 2.0)


def test_ends_of_two_rounds_are_those_of_the_four_resamples() -> None:
    """The ratio is 1 and 3 where a round is drawn twice, each in a quarter of the resamples, and 2 between."""
    assert ratio_of([1.0, 1.0], [1.0, 3.0]) == Ratio(2.0, 1.0, 3.0)


def test_the_same_rounds_have_the_same_interval() -> None:
    a, b = [1.0 + i % 7 / 50 for i in range(21)], [1.0 + i % 5 / 50 for i in range(21)]
    first = ratio_of(a, b)
    assert first == ratio_of(a, b)
    assert first.low < first.centre < first.high


@pytest.mark.parametrize(
    ("a", "b"), [([], []), ([1.0], [1.0, 2.0]), ([0.0], [1.0]), ([1.0], [float("nan")]), ([1.0], [float("inf")])]
)
def test_what_has_no_ratio_is_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError, match="times"):
        ratio_of(a, b)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.9, 1.05, "pass"),  # the end is still within
        (1.04, 1.06, "undecided"),
        (1.05, 1.2, "undecided"),  # not all of it is above
        (1.0500001, 1.2, "fail"),
    ],
)
def test_a_verdict_needs_the_whole_interval(low: float, high: float, verdict: str) -> None:
    assert judged(Ratio((low + high) / 2, low, high), 1.05) == verdict


@pytest.mark.parametrize("gate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_gate_is_a_number_above_zero(gate: float) -> None:
    with pytest.raises(ValueError, match="no gate"):
        judged(Ratio(1, 1, 1), gate)


def test_a_region_that_is_long_enough_is_gated() -> None:
    (found,) = compare_rounds(rounds([0.02] * 20, [0.03] * 20), 1.05, 0.01).values()
    assert (found.a, found.b, found.ratio, found.rounds, found.verdict) == (0.02, 0.03, 1.5, 20, "fail")


def test_a_region_that_is_short_on_both_sides_is_not_gated() -> None:
    (found,) = compare_rounds(rounds([0.009] * 20, [0.0099] * 20), 1.05, 0.01).values()
    assert found.verdict is None
    assert found.why == "shorter than 0.01 s: not gated"


@pytest.mark.parametrize(("a", "b", "verdict"), [(0.0099, 9.0, "fail"), (9.0, 0.0099, "pass")])
def test_a_region_that_is_short_on_one_side_alone_is_gated(a: float, b: float, verdict: str) -> None:
    (found,) = compare_rounds(rounds([a] * 20, [b] * 20), 1.05, 0.01).values()
    assert found.verdict == verdict


def test_runs_that_are_timed_together_make_a_region_together() -> None:
    (found,) = compare_rounds(rounds([0.001] * 20, [0.002] * 20), 3, 0.01, (10, 5)).values()
    assert found.verdict == "pass"


def test_without_a_gate_and_with_too_few_rounds_there_is_no_verdict() -> None:
    (published,) = compare_rounds(rounds([0.02] * 20, [0.02] * 20), None, 0.01).values()
    assert published.verdict is None
    (few,) = compare_rounds(rounds([0.02] * 19, [0.02] * 19), 1.05, 0.01).values()
    assert (few.verdict, few.why) == ("undecided", "19 of at least 20 rounds")


def reading(*ratios: float, **more: str) -> Reading:
    found: dict[str, Comparison] = {}
    for i, ratio in enumerate(ratios):
        found |= compare_rounds(rounds([0.02] * 20, [0.02 * ratio] * 20, f"part{i}"), 1.05, 0.01)
    return Reading(regions=found, **more)  # type: ignore[arg-type] # only texts are passed


@pytest.mark.parametrize(
    ("found", "verdict", "said"),
    [
        (reading(1.0, 1.04), "pass", "default clocks, part1: B takes 1.0400 times as long as A"),
        (reading(1.0, 1.2, 1.0), "fail", "part1: B takes 1.2000 times"),
        (reading(absent="no permission"), "undecided", "default clocks: no permission"),
        (reading(1.2, ended="interrupted"), "undecided", "default clocks: interrupted"),
        (reading(), "undecided", "no region is long enough to be gated"),
    ],
)
def test_the_worst_region_decides(found: Reading, verdict: str, said: str) -> None:
    told, why = overall({"default_clocks": found, "locked_clocks": Reading(absent="x")}, "default_clocks", 1.05)
    assert told == verdict
    assert said in why
