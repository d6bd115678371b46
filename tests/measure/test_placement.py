"""Which processors the threads of a compiled arm run on."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfdocs.measure.placement import core, cores_first, processors


def test_every_core_comes_before_any_second_thread_of_one() -> None:
    beside = {0: 0, 1: 0, 2: 2, 3: 2, 4: 4, 5: 4}
    assert cores_first([5, 4, 3, 2, 1, 0], beside.get) == [0, 2, 4, 1, 3, 5]
    apart = {0: 0, 1: 1, 2: 2, 3: 0, 4: 1, 5: 2}
    assert cores_first([1, 2, 3, 4, 5], apart.get) == [1, 2, 3, 4, 5]
    assert cores_first([0, 3, 1], apart.get) == [0, 1, 3]


@pytest.mark.parametrize(("text", "wanted"), [("0,8\n", 0), ("6-7\n", 6), ("", 9), (None, 9)])
def test_the_core_of_a_processor(text: str | None, wanted: int, tmp_path: Path) -> None:
    topology = tmp_path / "cpu9" / "topology"
    topology.mkdir(parents=True)
    if text is not None:
        (topology / "thread_siblings_list").write_text(text)
    assert core(9, tmp_path) == wanted


def test_without_enough_processors_nothing_is_pinned() -> None:
    assert processors(100_000) is None
