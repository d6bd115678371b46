"""Where the time of a run goes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from perfdocs.measure.spent import Spent

from .fakes import FakeClock


def spent_of(line: str) -> dict[str, float]:
    """The parts of ``where the time went: 1.0 s: gate 1.0 s, ...``."""
    parts = line.split(": ", 2)[2].split(", ")
    return {words[0]: float(words[1]) for part in parts if (words := part.removesuffix(" s").rsplit(" ", 1))}


def test_a_moment_counts_for_the_innermost_part() -> None:
    clock = FakeClock()
    spent = Spent(clock.monotonic)
    clock.turn(1.0)
    with spent.on("preparing and compiling"):
        clock.turn(2.0)
        with spent.on("verification"):
            clock.turn(4.0)
        clock.turn(8.0)
    found = {part: seconds for part, seconds in spent.seconds().items() if seconds}
    assert found == {"preparing and compiling": 10.0, "verification": 4.0, "other": 1.0}


def test_what_raises_ends_its_part() -> None:
    clock = FakeClock()
    spent = Spent(clock.monotonic)
    with pytest.raises(ValueError, match="no"), spent.on("gate"):
        raise ValueError("no")
    clock.turn(3.0)
    assert spent.seconds()["gate"] == 0
    assert spent.line() == (
        "3.0 s: problem and reference 0.0 s, preparing and compiling 0.0 s, verification 0.0 s, "
        "ramps and timed runs 0.0 s, gate 0.0 s, fresh processes 0.0 s, saving 0.0 s, other 3.0 s"
    )


def test_a_card_ends_with_where_the_time_went(toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    verify, problem = toy.workload.verify, toy.workload.problem

    def slow_verify(*of: Any) -> Any:
        toy.clock.turn(10.0)
        return verify(*of)

    def slow_problem(at: Any) -> Any:
        toy.clock.turn(100.0)
        return problem(at)

    monkeypatch.setattr(toy.workload, "verify", slow_verify)
    monkeypatch.setattr(toy.workload, "problem", slow_problem)
    toy.nvml.busy = 1.0
    toy.measure("good", device="gpu", at={"n": (1000,)}, gate_wait=5.0)
    assert toy.quiet.lines[-1].startswith("where the time went: ")
    found = spent_of(toy.quiet.lines[-1])
    assert found["problem and reference"] == 100.0
    assert found["verification"] == 10.0
    assert found["preparing and compiling"] == pytest.approx(0.2, abs=0.1)  # two warm-ups of 0.1 s
    assert found["ramps and timed runs"] == pytest.approx(1.6, abs=0.15)
    assert found["gate"] == pytest.approx(5.0, abs=0.15)
