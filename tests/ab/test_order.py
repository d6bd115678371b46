"""The order of the rounds: drawn, the same every time, balanced within two rounds and over all."""

from __future__ import annotations

from statistics import median

import pytest

from perfdocs.ab.order import orders
from perfdocs.ab.statistics import judged, ratio_of


@pytest.mark.parametrize("rounds", [0, 1, 2, 3, 20, 21, 22, 30, 1000])
def test_orders_are_balanced(rounds: int) -> None:
    found = orders(rounds)
    assert len(found) == rounds
    pairs = list(zip(found[::2], found[1::2], strict=False))
    assert all(set(pair) == {"AB", "BA"} for pair in pairs)
    first = [pair[0] for pair in pairs]
    assert abs(first.count("AB") - first.count("BA")) <= 2
    if rounds % 4 == 0:
        assert first.count("AB") == first.count("BA")


def test_the_draw_is_the_same_every_time_and_no_rhythm() -> None:
    assert orders(20) == orders(20)
    assert orders(20) != orders(20, seed=1)
    first = list(orders(20)[::2])
    assert first not in (["AB", "BA"] * 5, ["BA", "AB"] * 5, ["AB"] * 5 + ["BA"] * 5)


@pytest.mark.parametrize("phase", range(4))
@pytest.mark.parametrize("seed", range(5))
def test_what_comes_again_every_four_runs_turns_no_gate(phase: int, seed: int) -> None:
    """In rounds A B B A alone it would fall on B in one of four phases."""
    times: dict[str, list[float]] = {"A": [], "B": []}
    for number, side in enumerate("".join(orders(20, seed))):
        times[side].append(1.08 if (number + phase) % 4 < 2 else 1.0)
    assert median(times["A"]) == median(times["B"])
    assert judged(ratio_of(times["A"], times["B"]), 1.05) != "fail"
