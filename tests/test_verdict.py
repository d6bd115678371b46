"""The one rule for "faster"."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfdocs.card import Summary
from perfdocs.verdict import (
    Better,
    Order,
    Value,
    apart,
    compare,
    crossovers,
    fastest,
    ratio,
    summarise,
    value_of_summary,
)

MANY = settings(max_examples=100, deadline=None, derandomize=True, database=None)
OPPOSITE = {Order.FASTER: Order.SLOWER, Order.SLOWER: Order.FASTER}


@st.composite
def values(draw: st.DrawFn) -> Value:
    """A positive quantity with an interval around its centre; close to others often enough to tie."""
    lo = draw(st.one_of(st.sampled_from([0.99, 1.0, 1.005, 1.01, 2.0]), st.floats(0.1, 10)))
    hi = lo * draw(st.sampled_from([1.0, 1.001, 1.005, 1.02, 1.5, 4.0]))
    centre = lo + (hi - lo) * draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))
    return Value(min(max(centre, lo), hi), lo, hi, lo, hi, 5)


betters = st.sampled_from(["lower", "higher"])


def interval(lo: float, hi: float, centre: float | None = None) -> Value:
    """A value known to lie between two ends."""
    middle = (lo + hi) / 2 if centre is None else centre
    return Value(middle, lo, hi, lo, hi, 5)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (interval(1.0, 1.1), interval(2.0, 2.1), Order.FASTER),
        (interval(2.0, 2.1), interval(1.0, 1.1), Order.SLOWER),
        (interval(1.0, 1.001), interval(1.002, 1.003), Order.LEVEL),  # apart, and by less than the tolerance
        (interval(1.0, 1.0), interval(1.0, 1.0), Order.LEVEL),
        (interval(1.0, 1.2), interval(1.1, 1.3), Order.UNDECIDED),
        (interval(1.88e-3, 5.27e-3), interval(2e-3, 2.001e-3), Order.UNDECIDED),
        (interval(1.0, 1.008, 1.0), interval(1.009, 1.02, 1.009), Order.UNDECIDED),  # apart, centres too near
        (interval(0.0, 0.0), interval(1.0, 1.0), Order.FASTER),
        (interval(0.0, 0.0), interval(0.0, 0.0), Order.LEVEL),
    ],
)
def test_three_values(a: Value, b: Value, expected: Order) -> None:
    assert compare(a, b) is expected


def test_what_is_better_turns_the_order_and_the_tolerance_widens_level() -> None:
    a, b = interval(1.0, 1.001), interval(1.05, 1.051)
    assert compare(a, b, better="higher") is Order.SLOWER
    assert compare(a, b, tolerance=0.06) is Order.LEVEL


@MANY
@given(values(), values(), betters)
def test_antisymmetric_and_level_symmetric(a: Value, b: Value, better: Better) -> None:
    there, back = compare(a, b, better=better), compare(b, a, better=better)
    assert back is OPPOSITE.get(there, there)
    assert compare(a, a, better=better) in (Order.LEVEL, Order.UNDECIDED)


@MANY
@given(values(), values(), values(), betters)
def test_faster_is_transitive(a: Value, b: Value, c: Value, better: Better) -> None:
    for x, y, z in itertools.permutations((a, b, c)):
        if compare(x, y, better=better) is compare(y, z, better=better) is Order.FASTER:
            assert compare(x, z, better=better) is Order.FASTER


def test_level_is_not_transitive() -> None:
    a, b, c = (interval(x, x) for x in (693.0, 699.0, 703.0))
    assert [compare(a, b), compare(b, c), compare(a, c)] == [Order.LEVEL, Order.LEVEL, Order.FASTER]


@MANY
@given(st.dictionaries(st.text("abcd", min_size=1, max_size=2), values(), min_size=1), betters)
def test_fastest_is_what_the_best_centre_does_not_beat(found: dict[str, Value], better: Better) -> None:
    winners = fastest(found, better=better)
    assert winners
    pick = min if better == "lower" else max
    best = found[winners[0]]
    assert best.centre == pick(v.centre for v in found.values())
    for key, value in found.items():
        assert (key in winners) == (compare(best, value, better=better) is not Order.FASTER)
        assert compare(value, best, better=better) is not Order.FASTER


def test_fastest_is_a_set_best_first() -> None:
    assert fastest({"c": interval(3, 3), "b": interval(1, 1), "a": interval(0.995, 1.2, 1.1)}) == ("b", "a")
    assert fastest({}) == ()


@MANY
@given(st.dictionaries(st.integers(1, 40).map(float), st.tuples(values(), values()), max_size=12))
def test_crossovers_bracket_every_change_of_the_leader(found: dict[float, tuple[Value, Value]]) -> None:
    a, b = ({x: pair[i] for x, pair in found.items()} for i in (0, 1))
    brackets = crossovers(a, b)
    leads = {x: compare(a[x], b[x]) for x in sorted(found) if compare(a[x], b[x]) in OPPOSITE}
    changes = [(x, y) for (x, p), (y, q) in itertools.pairwise(leads.items()) if p is not q]
    assert [(c.after, c.by) for c in brackets] == changes
    for c in brackets:
        first, second = (a, b) if c.leader == "a" else (b, a)
        assert compare(first[c.by], second[c.by]) is Order.FASTER
        assert compare(first[c.after], second[c.after]) is Order.SLOWER
    assert [(c.after, c.by) for c in crossovers(b, a)] == changes


def test_crossovers_need_points_both_have_and_ignore_ties() -> None:
    one, two, tie = interval(1, 1), interval(2, 2), interval(0.5, 3)
    assert crossovers({1: one, 2: tie, 3: two}, {1: two, 2: one, 3: one})[0].after == 1
    assert crossovers({1: one}, {2: two}) == ()


def test_a_block_drops_the_highest_and_the_lowest_and_judges_by_all() -> None:
    value = summarise([5.0, 1.0, 2.0, 3.0, 100.0], "block")
    assert (value.centre, value.lo, value.hi) == pytest.approx((10 / 3, 1.0, 100.0))
    assert (value.show_lo, value.show_hi, value.samples) == (2.0, 5.0, 5)
    assert value.flags == frozenset()


def test_rotation_shows_the_median_and_the_quartiles() -> None:
    value = summarise([1.0, 2.0, 3.0, 4.0, 100.0], "rotate")
    assert (value.centre, value.show_lo, value.show_hi) == (3.0, 2.0, 4.0)
    assert (value.lo, value.hi) == (1.0, 100.0)


@pytest.mark.parametrize("protocol", ["block", "rotate"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_fewer_than_five_runs_are_flagged(protocol: str, count: int) -> None:
    value = summarise([float(i + 1) for i in range(count)], protocol)  # type: ignore[arg-type] # one of the two
    assert value.flags == {"few_samples"}
    assert value.lo <= value.show_lo <= value.centre <= value.show_hi <= value.hi


@MANY
@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=9), st.sampled_from(["block", "rotate"]))
def test_the_centre_lies_within_and_order_does_not_matter(samples: list[float], protocol: str) -> None:
    value = summarise(samples, protocol)  # type: ignore[arg-type] # one of the two
    assert min(samples) == value.lo <= value.centre <= value.hi == max(samples)
    assert summarise(samples[::-1], protocol) == value  # type: ignore[arg-type] # one of the two


@pytest.mark.parametrize(
    ("summary", "lo", "hi"),
    [
        (Summary(centre=0.613, digits=3), 0.6125, 0.6135),
        (Summary(centre=1750.0, digits=3), 1745.0, 1755.0),
        (Summary(centre=1.0, low=0.9, high=1.3, digits=2), 0.895, 1.35),
        (Summary(centre=2.0), 2.0, 2.0),
        (Summary(centre=0.0, digits=3), 0.0, 0.0),
    ],
)
def test_a_printed_value_is_as_wide_as_its_rounding(summary: Summary, lo: float, hi: float) -> None:
    value = value_of_summary(summary)
    assert (value.lo, value.hi) == pytest.approx((lo, hi))
    assert (value.show_lo, value.samples) == (summary.centre if summary.low is None else summary.low, 0)


@MANY
@given(values(), values())
def test_a_ratio_holds_every_ratio_of_runs(a: Value, b: Value) -> None:
    found = ratio(a, b)
    for x, y in itertools.product((a.lo, a.centre, a.hi), (b.lo, b.centre, b.hi)):
        assert found.lo <= x / y * (1 + 1e-12)
        assert x / y <= found.hi * (1 + 1e-12)


def test_a_ratio_to_nothing_is_no_number() -> None:
    assert math.isnan(ratio(interval(1, 1), interval(0, 1)).hi)
    assert math.isnan(ratio(interval(1, 1), interval(0, 0)).centre)


@pytest.mark.parametrize(
    ("a", "b", "far"), [(1, 1.5, 0.5), (1.5, 1, 0.5), (0, 0, 0), (0, 1, math.inf), (-1, 1, math.inf), (-2, -1, 1)]
)
def test_one_definition_of_apart(a: float, b: float, far: float) -> None:
    assert apart(a, b) == pytest.approx(far)
