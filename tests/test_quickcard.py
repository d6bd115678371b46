"""A card read fast is the card read with care, and what is refused with care is never read fast."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import PROJECT, synthetic_card

from perfdocs.cardfile import decode_card, encode_card
from perfdocs.crosscheck import check_card
from perfdocs.definitionfile import read_definition
from perfdocs.library import load_library
from perfdocs.quickcard import QuickReader

PATH = Path("made-up-gpu.json")
RK4 = read_definition(PROJECT / "benchmarks" / "rk4" / "benchmark.toml")
GOOD = json.dumps(synthetic_card()).encode()


def test_the_published_cards_are_the_same_either_way() -> None:
    quick = 0
    for benchmark in load_library(PROJECT / "benchmarks").benchmarks.values():
        reader = QuickReader(benchmark.definition)
        for loaded in (*benchmark.cards, *benchmark.repeats):
            data = loaded.path.read_bytes()
            card = reader.read(data, loaded.path)
            careful = decode_card(data, loaded.path)
            assert card in (None, careful)
            assert (card is not None) == (careful.origin.kind == "measured")
            quick += card is not None
    assert quick > 20


def test_a_card_of_the_library_is_read_fast_in_any_layout() -> None:
    reader = QuickReader(RK4)
    for data in (GOOD, json.dumps(synthetic_card(), indent=3).encode(), encode_card(decode_card(GOOD, PATH))):
        assert reader.read(data, PATH) == decode_card(data, PATH)


def changed(path: str, value: Any) -> Callable[[], bytes]:
    """The card with one value set."""

    def make() -> bytes:
        card = synthetic_card()
        at: Any = card
        *keys, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        for key in keys:
            at = at[key]
        at[last] = value
        return json.dumps(card, ensure_ascii=False).encode()

    return make


def text(old: str, new: str) -> Callable[[], bytes]:
    """The card's text with something else in it."""
    assert old in GOOD.decode()
    return lambda: GOOD.decode().replace(old, new, 1).encode()


@pytest.mark.parametrize(
    "make",
    [
        changed("host.os", "/home/someone"),
        changed("host.os", "see /mnt/x"),
        changed("host.os", "01234567-89ab-cdef-0123-456789abcdef"),
        changed("host.os", "a\u202eb"),
        changed("host.os", "a\x7fb"),
        changed("host.load", 1e200),
        changed("device.memory", 2**63),
        changed("measurements.0.wall", [-1.0]),
        changed("measurements.0.wall", [0.0]),
        changed("measurements.0.wall", []),
        changed("measurements.0.wall", [1e100]),
        changed("measurements.0.wall", [True]),
        changed("measurements.0.wall", {"centre": 2.0, "low": 3.0, "high": 4.0}),
        changed("measurements.0.wall", {"centre": 2.0, "low": 0.0, "high": 4.0}),
        changed("measurements.0.wall", {"centre": 2.0, "low": 1.0, "high": 1e200}),
        changed("measurements.0.wall", {"centre": 2.0, "low": 1.0, "high": 4.0, "least": 1.0}),
        changed("measurements.0.launches", [1.0]),
        changed("measurements.0.launches", "none"),
        changed("measurements.0.at", {"config": "spread-100"}),
        changed("measurements.0.at", {"config": "spread-100", "n": 0}),
        changed("measurements.0.at", {"config": "spread-100", "n": 2**64}),
        changed("measurements.0.at", {"config": "spread-101", "n": 1000}),
        changed("measurements.0.at", {"config": "spread-100", "n": 10_000}),
        changed("measurements.0.arm", "no_such_arm"),
        changed("measurements.0.table", "no_such_table"),
        changed("measurements.0.flags", ["no_such_flag"]),
        changed("measurements.0.walk", 1.0),
        changed("measurements.0.block", {"load": [1e200]}),
        changed("measurements.0.block", {"ramp_runs": 2**63}),
        changed("measurements.0.block", {"curve": "in /home/someone"}),
        changed("measurements.0.block", {"throttle": ["01234567-89ab-cdef-0123-456789abcdef"]}),
        changed("not_run.0.arm", "no_such_arm"),
        changed("not_run.0.reason", "no room in /home/someone"),
        changed("measurements.0.launches", 2**63),
        changed("measurements.0.wall", [1e-3, 2**63]),
        changed("version", 2),
        changed("benchmark", "rk5"),
        changed("recorded", "2026-02-30T12:00:00Z"),
        changed("schema", "perfdocs.card/2"),
        text('"wall":', '"wall": [1.0], "wall":'),
        text('"wall":', '"launches": 2, "wall":'),
        text('"kind": "synthetic"', '"kind": "measured", "kind" : "synthetic"'),
        text('"n": 1000', '"n": NaN'),
        text('"n": 1000', '"n": 01000'),
        text('"n": 1000', '"n": 1000, "n": 1000'),
    ],
)
def test_what_is_refused_with_care_is_not_read_fast(make: Callable[[], bytes]) -> None:
    data = make()
    assert QuickReader(RK4).read(data, PATH) is None
    with pytest.raises(Exception, match=r"\[(card|unknown|axis)-"):
        check_card(decode_card(data, PATH), RK4, PATH)


@pytest.mark.parametrize(
    "make",
    [
        changed("host.os", "a \\ b"),
        changed("origin", {"kind": "imported", "source": "a paper", "licence": "CC0"}),
        changed("measurements.0.wall", {"centre": 1.0}),
        changed("measurements.0.wall", {"centre": 2.0, "low": 1.0, "high": 4.0}),
        changed("measurements.0.flags", []),
        text("1e-14", "0.00000000000001"),
        changed("measurements.0.block", {"curve": "a–b µs", "warmup": [0.001234567890123456789, 3e30]}),
    ],
)
def test_what_is_unusual_is_the_same_card_or_left_to_the_careful_reader(make: Callable[[], bytes]) -> None:
    data = make()
    assert QuickReader(RK4).read(data, PATH) in (None, decode_card(data, PATH))
