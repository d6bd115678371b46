"""Cards of the same places share one layout, and what is looked up in it is what looking through all of it finds."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.claims.toy import write_toy

from perfdocs.card import AxisValue, Card
from perfdocs.frame import rows, rows_of_card
from perfdocs.layout import Layout, at_point, layout_of, matching
from perfdocs.library import Benchmark, load_library


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """The toy benchmark with its cards."""
    root: Path = tmp_path_factory.mktemp("layout")
    write_toy(root / "benchmarks")
    return load_library(root / "benchmarks").benchmarks["toy"]


def card_of(toy: Benchmark) -> Card:
    """The card with most tables."""
    loaded = toy.card_of("toy-gpu")
    assert loaded is not None
    return loaded.card


def test_one_layout_for_cards_of_the_same_places(toy: Benchmark) -> None:
    card = card_of(toy)
    other = replace(card, measurements=tuple(replace(m, values={}) for m in card.measurements))
    assert layout_of(toy.definition, other) is layout_of(toy.definition, card)
    assert layout_of(toy.definition, replace(card, measurements=card.measurements[1:])) is not layout_of(
        toy.definition, card
    )


def test_a_number_said_in_another_way_is_another_layout(toy: Benchmark) -> None:
    card = card_of(toy)
    floats = tuple(
        replace(m, at={a: float(v) if isinstance(v, int) else v for a, v in m.at.items()}) for m in card.measurements
    )
    whole, pointed = (layout_of(toy.definition, c) for c in (card, replace(card, measurements=floats)))
    assert whole.index == pointed.index
    assert whole is not pointed
    assert {type(s.at["n"]) for s in whole.every} != {type(s.at["n"]) for s in pointed.every}


def test_the_spots_are_those_of_the_rows_in_their_order(toy: Benchmark) -> None:
    for loaded in toy.cards:
        known = rows_of_card(toy, loaded)
        series = [r for key, t in toy.definition.tables.items() if t.of is not None for r in rows(toy, loaded, key)]
        expected = [*rows(toy, loaded), *series]
        assert [known.row(spot) for spot in known.layout.every] == expected
        assert [dict(spot.at) for spot in known.layout.every] == [dict(row.at) for row in expected]
        assert all(known.place(r.table, r.arm, tuple(r.at.values())) is r for r in expected)


def points(layout: Layout) -> list[dict[str, AxisValue]]:
    """Points of every kind: with all axes, with some, with none, with a value that nothing has."""
    full = [dict(spot.at) for spot in layout.every]
    some = [{a: v} for point in full for a, v in point.items()]
    return [{}, {"n": 7}, *full, *some]


def test_an_arm_looked_up_is_the_arm_found_by_looking_through_all(toy: Benchmark) -> None:
    layout = layout_of(toy.definition, card_of(toy))
    arms = [*dict.fromkeys(spot.arm for spot in layout.every), "no_such_arm"]
    unique = {tuple(p.items()): p for p in points(layout)}.values()
    found = 0
    for arm, point, own in product(arms, unique, (0, 1, 9)):
        items = tuple(point.items())
        for table in (None, *toy.definition.tables):
            looked = at_point(layout, arm, table, items[:own], items[own:])
            assert set(looked) == set(matching(layout, (arm,), None, table, items[:own], items[own:]))
            found += bool(looked)
    assert found > 100
