"""What an A/B tells beside its ratio: clocks, throttling, patterns of the runs, and what nobody watched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec import structs
from tests.ab.fakes import BUSY, FakeHeld, FakeObserver, spread, unwatched
from tests.ab.test_session import LOCK, LOST, session

from perfdocs.ab.record import Comparison, Reading, Record, Turn
from perfdocs.ab.report import report
from perfdocs.ab.rounds import Side
from perfdocs.ab.session import Asked, run_session
from perfdocs.card import State


@dataclass
class OfSides(FakeObserver):
    """Sees what ``look`` makes of a side's label and the number of its turn."""

    look: Callable[[str, int], State | None] = lambda _, __: BUSY
    seen: dict[str, int] = field(default_factory=dict)

    def turn(self, side: Side) -> Turn:
        self.seen[side.label] = number = self.seen.get(side.label, 0) + 1
        regions, _ = side.run(unwatched())
        return Turn(regions=dict(regions), state=self.look(side.label, number))


def of(**more: Any) -> State:
    return structs.replace(BUSY, **more)


def measured(look: Callable[[str, int], State | None], asked: Asked | None = None, **times: Any) -> Record:
    return run_session(session(OfSides(look=look), lock=FakeHeld(), **times), asked or Asked())


def default(record: Record) -> Reading:
    return record.readings["default_clocks"]


def main(record: Record) -> Comparison:
    return default(record).regions["main"]


def hertz(a: float, b: float) -> Callable[[str, int], State]:
    return lambda side, _: of(sm_clock=spread(*(2 * [a if side == "A" else b])), p_states=(0 if side == "A" else 2,))


def test_clocks_apart_are_flagged_and_the_ratio_in_cycles_stands_beside() -> None:
    record = measured(hertz(1.5e9, 1.2e9), b=lambda _: {"main": 0.025})
    found = main(record)
    assert found.verdict == "fail"
    assert found.ratio == pytest.approx(1.25)
    assert found.cycles == pytest.approx(1.0)
    assert record.flags == ("clocks_apart",)
    text = report(record).replace("\N{NO-BREAK SPACE}", " ")
    assert "fail K" in text
    assert "in cycles" in text
    assert "1.0000" in text
    assert "default clocks, main: A 1.50 GHz, B 1.20 GHz" in text
    assert "default clocks, A: SM clock 1.5 GHz, memory clock 2.6 GHz, P0" in text
    assert "default clocks, B: SM clock 1.2 GHz, memory clock 2.6 GHz, P2" in text
    assert text.splitlines()[-1].endswith("above 1.05; flagged: clocks apart")


def test_clocks_that_are_level_leave_no_mark() -> None:
    record = measured(hertz(1.5e9, 1.48e9))
    assert (main(record).cycles, main(record).flags, record.flags) == (None, {}, ())
    assert "in cycles" not in report(record)


def test_a_clock_that_moves_within_a_side_is_flagged() -> None:
    record = measured(lambda side, _: of(sm_clock=spread(0.9e9 if side == "B" else 1.98e9, 1.98e9)))
    assert set(main(record).flags) == {"clock_spread"}
    assert "B: 0.9 to 1.98" in main(record).flags["clock_spread"]
    between = measured(lambda _, number: of(sm_clock=spread(*(2 * [1.9e9 if number % 2 else 1.98e9]))))
    assert set(main(between).flags) == {"clock_spread"}


def test_throttled_turns_are_repeated_and_then_count_with_a_flag() -> None:
    record = measured(lambda *_: of(throttle=("thermal",)))
    repeats = default(record).repeats
    assert [(r.round, r.why) for r in repeats] == [(1, "A: throttled: temperature")] * 3
    assert (len(default(record).rounds), record.verdict) == (20, "pass")
    assert main(record).flags == {"throttled": "A: temperature in 20 of 20 rounds; B: temperature in 20 of 20 rounds"}
    assert default(record).seen["a"].throttle == {"thermal": 20}
    assert "pass T" in report(record)
    assert "repeated 3 times, A: throttled: temperature" in report(record)


@pytest.mark.parametrize(
    ("reason", "most", "repeats"),
    [("power_cap", 3, 1), ("application_clocks", 3, 0), ("thermal", 0, 0), ("thermal", 5, 5), ("made_up", 2, 2)],
)
def test_a_reason_that_stays_is_repeated_as_often_as_for_a_card(reason: str, most: int, repeats: int) -> None:
    record = measured(lambda *_: of(throttle=(reason,)), Asked(most_repeats=most))
    assert len(default(record).repeats) == repeats
    assert record.flags == ("throttled",)


def test_a_throttled_turn_that_passes_is_repeated_and_leaves_no_flag() -> None:
    record = measured(lambda side, number: of(throttle=("thermal",) if (side, number) == ("B", 5) else ()))
    assert [r.why for r in default(record).repeats] == ["B: throttled: temperature"]
    assert record.flags == ()


def test_a_lock_is_no_throttling_at_locked_clocks() -> None:
    record = measured(lambda *_: of(throttle=("application_clocks",)), LOCK)
    assert record.readings["locked_clocks"].regions["main"].flags == {}
    assert set(main(record).flags) == {"throttled"}


def test_others_at_work_to_the_end_are_flagged_and_nothing_is_decided() -> None:
    record = measured(lambda _, number: of(foreign_processes=1) if number > 9 else BUSY)
    assert record.verdict == "undecided"
    assert main(record).flags == {"contaminated": "1 foreign process on the device"}


def test_patterns_of_the_times_are_flagged_by_side() -> None:
    record = measured(lambda *_: BUSY, a=lambda run: {"main": 0.02 + 0.0001 * run})
    assert set(main(record).flags) == {"noisy", "drift"}
    assert main(record).flags["drift"].startswith("A: 20")
    modes = measured(lambda *_: BUSY, b=lambda run: {"main": 0.02 if run % 3 else 0.0207})
    assert set(main(modes).flags) == {"bimodal"}
    assert "b  the runs fall into two groups" in report(modes)


def test_what_nobody_watched_is_told_with_the_reason_and_the_verdict_is_flagged() -> None:
    found = session(FakeObserver(states=dict.fromkeys(range(15, 100)), reason=LOST))
    record = run_session(found, Asked())
    assert (record.verdict, record.flags) == ("pass", ("not_watched",))
    assert default(record).seen["a"].rounds == 7
    text = report(record)
    assert f"default clocks: not observed: 13 of 20 rounds were not watched: {LOST}" in text
    assert "pass w" in text
    assert text.splitlines()[-1].endswith("flagged: not watched")


def test_what_the_machine_hides_is_told() -> None:
    record = measured(lambda _, number: of(unobserved=("foreign_processes", *(("energy",) if number < 5 else ()))))
    assert default(record).seen["b"].unobserved == {"energy": 3, "foreign_processes": 20}
    text = report(record)
    assert "default clocks: not observed: foreign processes, in 20 of 20 rounds" in text
    assert "default clocks: not observed: energy, in 3 of 20 rounds" in text
    assert record.flags == ()


def test_a_gpu_that_nobody_can_read_is_told() -> None:
    text = report(run_session(session(FakeObserver(reason="no clocks: nvidia-ml-py is not installed")), Asked()))
    assert "default clocks: not observed: no clocks: nvidia-ml-py is not installed" in text


def test_many_regions_fill_no_page() -> None:
    def noisy(run: int) -> dict[str, float]:
        return {f"r{i}": 0.02 * (1 + run % 4 / 10) for i in range(50)}

    text = report(measured(lambda *_: BUSY, a=noisy, b=noisy))
    assert text.count("default clocks, r") == 8 + 1  # and the line of the verdict
    assert "and 42 more of them" in text
