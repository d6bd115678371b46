"""How much of its benchmark a card covers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.render_kit import demo, gpu_card

from perfdocs.extent import deadline_reason, extent
from perfdocs.render.devices import measured_on
from perfdocs.render.facts import method_facts


def lost(n: int, reason: str = deadline_reason(60.0)) -> dict[str, Any]:
    at = {"config": "thin", "n": n}
    return {"arm": "thread", "kind": "out_of_time", "reason": reason, "table": "main", "at": at}


@pytest.mark.parametrize(
    ("method", "not_run", "text"),
    [
        ({}, [], "full"),
        ({"quick": True}, [], "quick"),
        ({"narrowed": True}, [], "full, only some arms, tables or points"),
        ({}, [lost(10)], "full, 1 cell left out at the deadline"),
        (
            {},
            [lost(10), lost(20, "2 s a run: more than 60 s for the measurement")],
            "full, 1 cell left out at the deadline",
        ),
        (
            {"quick": True, "narrowed": True},
            [lost(10), lost(20, deadline_reason(3.25))],
            "quick, only some arms, tables or points, 2 cells left out at the deadline",
        ),
    ],
)
def test_a_card_says_what_is_not_there(
    tmp_path: Path, method: dict[str, bool], not_run: list[dict[str, Any]], text: str
) -> None:
    card = gpu_card()
    card["method"] |= method
    card["not_run"] = not_run
    benchmark, loaded = demo(tmp_path, card)
    assert extent(loaded.card) == text
    assert text in [cell.text for cell in measured_on([benchmark]).groups[0].rows[0]]
    (told,) = [row[1].text for group in method_facts(loaded).groups for row in group.rows if row[0].text == "extent"]
    assert told == text.replace("quick", "quick: a reduced matrix")
