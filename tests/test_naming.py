"""Devices of one name are told apart by what their ids do not share."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import write_synthetic

from perfdocs.library import load_library
from perfdocs.naming import told_apart


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ({"a": "Chip", "b": "Other"}, {"a": "Chip", "b": "Other"}),
        (
            {"intel-xeon-16c": "Intel Xeon", "intel-xeon-32c": "intel  xeon", "x": "X"},
            {"intel-xeon-16c": "Intel Xeon (16c)", "intel-xeon-32c": "intel  xeon (32c)", "x": "X"},
        ),
        ({"gpu": "Chip", "gpu-lab2": "Chip"}, {"gpu": "Chip (gpu)", "gpu-lab2": "Chip (gpu-lab2)"}),
        ({"a-x": "Chip", "b-x": "Chip"}, {"a-x": "Chip (a-x)", "b-x": "Chip (b-x)"}),
        (
            {"a-x": "Chip", "a-y": "Chip", "evil": "Chip (y)"},
            {"a-x": "Chip (x)", "a-y": "Chip (a-y)", "evil": "Chip (y) (evil)"},
        ),
        ({}, {}),
    ],
)
def test_names(names: dict[str, str], shown: dict[str, str]) -> None:
    assert told_apart(names) == shown


def test_a_library_shows_no_name_twice(benchmarks: Path) -> None:
    for device in ("chip-16c", "chip-32c"):
        path = write_synthetic(benchmarks / "rk4" / "cards", device)
        text = path.read_text(encoding="utf-8")
        name = load_library(benchmarks).benchmarks["rk4"].card_of(device)
        assert name is not None
        path.write_text(text.replace(name.card.device.name.partition(" (")[0], "Chip"), encoding="utf-8")
    found = {c.device_id: c.card.device.name for c in load_library(benchmarks).benchmarks["rk4"].cards}
    assert found["chip-16c"] == "Chip (16c)"
    assert found["chip-32c"] == "Chip (32c)"
    assert len(set(found.values())) == len(found)
