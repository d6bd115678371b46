"""What an undecided claim is told would decide it: each promise is tried."""

from __future__ import annotations

import random
import re
from statistics import median

import pytest
from msgspec.structs import replace

from perfdocs.claims.deciding import for_limit, for_order, for_printed
from perfdocs.verdict import Order, Value, compare


def measured(centre: float, spread: float, runs: int = 5) -> Value:
    return Value(centre, centre - spread, centre + spread, centre, centre, runs)


def published(centre: float, half: float) -> Value:
    return replace(measured(centre, half, 0), flags=frozenset({"imported"}))


def narrowed(value: Value, factor: float) -> Value:
    half = (value.hi - value.lo) / 2 * factor
    return replace(value, lo=value.centre - half, hi=value.centre + half)


@pytest.mark.parametrize(
    ("a", "b"), [((10.0, 1.0), (11.0, 1.0)), ((10.0, 0.2), (11.0, 4.0)), ((10.0, 1.0), (10.01, 1.0))]
)
def test_the_spread_that_it_names_decides_and_a_wider_one_does_not(
    a: tuple[float, float], b: tuple[float, float]
) -> None:
    one, other = measured(*a), measured(*b)
    assert compare(one, other) is Order.UNDECIDED
    said = for_order(one, other, tolerance=0.01)
    found = re.search(r"spread less than ([\d.]+) times as far", said)
    assert found is not None, said
    assert compare(narrowed(one, float(found[1])), narrowed(other, float(found[1]))) is not Order.UNDECIDED
    wider = float(found[1]) + 0.02
    assert compare(narrowed(one, wider), narrowed(other, wider)) is Order.UNDECIDED


def test_no_number_of_runs_is_promised_where_none_would_do() -> None:
    said = for_order(measured(10.0, 1.0), measured(10.03, 1.0), tolerance=0.01)
    assert said.startswith(
        "no number of runs decides it: the centres are 0.30\N{NO-BREAK SPACE}% apart and the tolerance is 1.0"
    )
    assert "rounds" not in said
    assert "rounds" not in for_order(measured(10.0, 1.0), measured(11.0, 1.0), tolerance=0.01, several=True)


def test_so_many_rounds_do_tell_them_apart() -> None:
    """Medians of rounds of two laws with this spread: nearly always in the right order, with a margin."""
    dice = random.Random(1)
    runs = {key: [dice.gauss(centre, 1.0) for _ in range(5)] for key, centre in (("a", 10.0), ("b", 10.6))}
    a, b = (Value(10.0, min(r), max(r), 10.0, 10.0, 5) for r in runs.values())
    b = replace(b, centre=10.6)
    found = re.search(r"about (\d+) rounds", for_order(a, b, tolerance=0.01))
    assert found is not None
    rounds = int(found[1])
    assert 10 < rounds < 200
    right = 0
    for _ in range(200):
        first, second = (median(dice.gauss(c, 1.0) for _ in range(rounds)) for c in (10.0, 10.6))
        right += first < second
    assert right > 180


@pytest.mark.parametrize(("half", "digits"), [(0.5, 1), (5.0, 2), (50.0, 3)])
def test_so_many_digits_decide_and_one_fewer_does_not(half: float, digits: int) -> None:
    a, b = published(100.0, half), published(100.6, half)
    said = for_order(a, b, tolerance=0.001)
    assert said == f"{digits} more digit{'s' if digits > 1 else ''} of the source would decide, if the centres stay"
    shrunk = [compare(narrowed(a, 10.0**-n), narrowed(b, 10.0**-n), tolerance=0.001) for n in (digits - 1, digits)]
    assert shrunk[0] is Order.UNDECIDED is not shrunk[1]


def test_a_limit_and_a_printed_number() -> None:
    assert for_limit(published(100.0, 5.0), 99.0) == "1 more digit of the source would decide, if the centres stay"
    said = for_limit(measured(100.0, 5.0), 99.0)
    assert said == "more runs do not narrow a range: the runs would have to spread less than 0.19 times as far"
    assert for_printed(published(610.0, 5.0), 612.5, 613.5).startswith("1 more digit ")
    assert for_printed(published(610.0, 5.0), 609.99, 610.02).startswith("3 more digits ")
    assert for_printed(measured(610.0, 5.0), 609.9, 609.99999999) == ""  # never so few digits that it would be told
