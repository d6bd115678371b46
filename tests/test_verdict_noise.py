"""The figures of false winners: what they are made of, and that the method page shows what the tool prints."""

from __future__ import annotations

from math import comb
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.random import RandomState
from tests.conftest import slow
from tools import gate_noise
from tools.same_twice import lines
from tools.verdict_noise import NOISES, by_chance, counted, main, picked_pairs, row, table, twice

from perfdocs.card import Card, Measurement
from perfdocs.cardfile import write_card
from perfdocs.measure.hostcc import compiler
from perfdocs.shares import interval
from perfdocs.verdict import Value, summarise

METHOD = Path(__file__).resolve().parents[1] / "docs" / "method.md"
NAMES = {noise.about: noise for noise in NOISES}
GATES = {noise.about: noise for noise in gate_noise.GATE_NOISES}
PAIRS = 2000


def values(*runs: tuple[float, ...]) -> list[Value]:
    return [summarise(r, "block") for r in runs]


def test_pairs_are_counted_by_the_verdict_itself() -> None:
    a, near, far = values((1.0, 1.001, 1.002), (1.003, 1.004, 1.005), (2.0, 2.001, 2.002))
    counts = counted([(a, near), (a, far), (far, a), (a, a)])
    assert (counts.pairs, counts.faster) == (4, 2)


@pytest.mark.parametrize("runs", [3, 5, 7])
def test_ranges_of_one_law_are_apart_as_often_as_counted(runs: int) -> None:
    """Of all ways to share out 2n runs two leave the ranges apart, whatever the law."""
    assert by_chance(runs) == 2 / comb(2 * runs, runs)
    for law in (RandomState(1).standard_normal, RandomState(2).standard_exponential):
        drawn = np.exp(law((2 * 20_000, runs))).tolist()
        pairs = zip(values(*drawn[:20_000]), values(*drawn[20_000:]), strict=True)
        found = counted(pairs, tolerance=0.0)
        low, high = interval(found.faster, found.pairs)
        assert low <= by_chance(runs) <= high


@pytest.mark.parametrize("about", NAMES)
def test_each_law_is_centred_where_it_says_and_blocks_are_rows(about: str) -> None:
    drawn = NAMES[about].draw(RandomState(1), 4000, 5)
    assert drawn.shape == (4000, 5)
    assert drawn.min() > 0
    of_blocks = np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1]
    assert (of_blocks > 0.5) == (("block" in about and "drift" not in about) or "keeps" in about)


def test_a_row_has_a_cell_for_each_column() -> None:
    shown = table([row(NOISES[0], PAIRS)]).splitlines()
    assert len({line.count(" | ") for line in shown}) == 1


@pytest.mark.parametrize(
    "about", ["1 block in 5 is 6 % longer", *slow(*sorted(NAMES.keys() - {"1 block in 5 is 6 % longer"}))]
)
def test_the_page_shows_what_the_tool_prints(about: str) -> None:
    """All laws stand on the page; one of them is drawn again."""
    lines = METHOD.read_text(encoding="utf-8").splitlines()
    head = table([]).splitlines()[0]
    start = lines.index(head)
    shown = {line.split(" | ")[0].removeprefix("| "): line for line in lines[start + 2 : start + 2 + len(NOISES)]}
    assert list(shown) == list(NAMES)
    assert shown[about] == table([row(NAMES[about])]).splitlines()[2], "run tools/verdict_noise.py again"


def synthetic(**walls: tuple[float, ...]) -> Card:
    """A card of these arms at one point; ``auto`` picked ``good``."""
    head = {
        "schema": "perfdocs.card/1",
        "benchmark": "bench",
        "version": 1,
        "recorded": "2026-11-30T12:00:00Z",
        "origin": {"kind": "synthetic"},
        "device": {"id": "d", "kind": "gpu", "name": "D"},
        "host": {},
        "software": {},
        "source": {},
        "method": {"protocol": "block"},
        "measurements": [],
    }
    measurements = tuple(
        Measurement(
            table="main", arm=arm, at={"n": 1}, values={"wall": wall, **({"picked": "good"} if arm == "auto" else {})}
        )
        for arm, wall in walls.items()
    )
    return msgspec.structs.replace(msgspec.convert(head, Card), measurements=measurements)


def test_measured_pairs_are_the_same_code_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = synthetic(auto=(1.0, 1.1, 1.2), good=(2.0, 2.1, 2.2), other=(9.0, 9.1, 9.2))
    second = synthetic(auto=(3.0, 3.1, 3.2), other=(9.0, 9.1, 9.2))
    assert [(a.lo, b.lo) for a, b in picked_pairs(first, "wall")] == [(1.0, 2.0)]
    assert list(picked_pairs(second, "wall")) == []  # what it picked was not measured
    assert [(a.lo, b.lo) for a, b in twice(first, second, "wall")] == [(1.0, 3.0), (9.0, 9.0)]
    paths = [tmp_path / "cards" / "d.json", tmp_path / "repeats" / "d.json"]
    for path, card in zip(paths, (first, second), strict=True):
        write_card(card, path)
    main([str(path) for path in paths])
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(
        "wall, picked beside itself, 2026-11-30T12:00:00Z: 1 pairs; called faster: 1, 100 (2.5–100) %"
    )
    assert out[1].startswith("wall, each cell in both runs: 2 pairs; called faster: 1, 50")


@pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")
def test_the_same_code_is_held_against_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    found = list(lines(0.0))
    assert [line.partition(",")[0].partition(":")[0] for line in found] == ["blocks"] * 3 + ["rotation"] * 3
    assert all(": 1 pairs, " in line for line in found if "," in line.partition(":")[0])


@pytest.mark.parametrize(
    "about", ["2 of every 4 runs are 8 % longer", *slow(*sorted(GATES.keys() - {"2 of every 4 runs are 8 % longer"}))]
)
def test_the_page_shows_what_the_tool_prints_of_gates(about: str) -> None:
    lines = METHOD.read_text(encoding="utf-8").splitlines()
    head, rule = gate_noise.table([]).splitlines()
    start = lines.index(head)
    assert lines[start + 1] == rule
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[start + 2 :][: len(GATES)]] == list(GATES)
    shown = next(line for line in lines[start:] if line.startswith(f"| {about} |"))
    assert shown == gate_noise.table([gate_noise.row(GATES[about])]).splitlines()[2], "run tools/gate_noise.py again"
