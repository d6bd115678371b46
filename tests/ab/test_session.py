"""Rounds alternate, what disturbs one repeats it, and a reading is there or says why it is not."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from msgspec.json import decode
from tests.ab.fakes import BUSY, FakeHeld, FakeObserver, FakeSide, spread
from tests.measure.fakes import FakeClock, Quiet

from perfdocs.ab.order import ORDER_SEED, orders
from perfdocs.ab.record import Reading, Record, SideFacts, encode, write
from perfdocs.ab.report import report
from perfdocs.ab.session import Asked, Held, Session, run_session
from perfdocs.card import State
from perfdocs.errors import PerfdocsError
from perfdocs.measure.ending import ended_by_signals

LOCK = Asked(lock="base")
LOST = "the sampler does not answer (made up)"


def shifted(state: State, **more: Any) -> State:
    return structs.replace(state, **more)


def session(
    observer: FakeObserver | None = None, lock: Held | str = "no permission", alone: str | None = None, **times: Any
) -> Session:
    log: list[str] = []
    a, b = (FakeSide(name, log, times.get(name.lower(), lambda _: {"main": 0.02})) for name in "AB")
    return Session(
        sides=(a, b),
        facts=(a.facts, b.facts),
        observer=observer or FakeObserver(),
        clock=FakeClock(),
        progress=Quiet(),
        may_lock=lambda: alone,
        lock=lambda: lock,
        kernels=lambda: ((0.01,) * 3, (0.012,) * 3),
    )


def log_of(found: Session) -> list[str]:
    side = found.sides[0]
    assert isinstance(side, FakeSide)
    return side.log


def test_rounds_alternate_after_one_run_of_each() -> None:
    found = session()
    record = run_session(found, Asked())
    assert log_of(found) == [*"AB", *"".join(orders(20))]  # both once to warm up
    assert tuple(r.order for r in record.readings["default_clocks"].rounds) == orders(20)
    assert record.method.order_seed == ORDER_SEED
    assert (record.verdict, record.gated) == ("pass", "default_clocks")


def test_clocks_are_never_locked_without_being_asked() -> None:
    def refuse() -> Held | str:
        raise AssertionError("locked")

    record = run_session(replace(session(), lock=refuse), Asked())
    assert record.readings["locked_clocks"].absent == "locking was not asked for"
    assert record.readings["profiler"].absent == "a profiler was not asked for"


def test_locked_clocks_are_the_gated_reading_and_the_other_is_published() -> None:
    lock = FakeHeld()

    def b(run: int) -> Mapping[str, float]:  # slower by the clocks that it finds
        return {"main": 0.03 if run <= 21 else 0.02}

    record = run_session(session(lock=lock, b=b), LOCK)
    default, locked = record.readings["default_clocks"], record.readings["locked_clocks"]
    assert (default.regions["main"].ratio, default.regions["main"].verdict) == (1.5, None)
    assert (locked.regions["main"].ratio, locked.regions["main"].verdict) == (1.0, "pass")
    assert (locked.how, locked.clocks, locked.restored) == ("NVML", (1.5e9, 2.6e9), True)
    assert (record.verdict, record.gated) == ("pass", "locked_clocks")
    assert lock.closed == 1


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"lock": "NVML: insufficient permissions"}, "NVML: insufficient permissions"),
        ({"lock": FakeHeld(), "alone": "the GPU is shared, processes of others on it: 2"}, "the GPU is shared"),
    ],
)
def test_where_clocks_cannot_be_locked_the_reading_is_absent_and_nothing_decided(
    more: dict[str, Any], why: str
) -> None:
    record = run_session(session(**more), LOCK)
    locked = record.readings["locked_clocks"]
    assert str(locked.absent).startswith(why)
    assert not locked.rounds
    assert record.readings["default_clocks"].regions["main"].verdict is None
    assert record.verdict == "undecided"
    assert why in record.why
    if isinstance(more["lock"], FakeHeld):
        assert more["lock"].closed == 0


# Turns of the observer: 40 of the default reading, one to see the clocks, then those of the locked one.
@pytest.mark.parametrize(
    ("state", "why"),
    [
        (shifted(BUSY, sm_clock=spread(1.2e9, 1.5e9)), "SM clock 1200 MHz, locked at 1500 MHz"),
        (shifted(BUSY, sm_clock=spread(1.5e9, 1.6e9)), "SM clock 1600 MHz, locked at 1500 MHz"),
        (shifted(BUSY, memory_clock=spread(2.6e9, 3.2e9)), "memory clock 3200 MHz, locked at 2600 MHz"),
        (shifted(BUSY, samples=0, sm_clock=None, memory_clock=None), "no sample of a busy GPU"),
        (shifted(BUSY, foreign_processes=1), "1 foreign process on the device"),
        (shifted(BUSY, foreign_load=0.7), "foreign load of 0.7 processors"),
    ],
)
def test_a_round_off_the_clock_or_disturbed_is_measured_again(state: State, why: str) -> None:
    record = run_session(session(FakeObserver(states={46: state}), FakeHeld()), LOCK)
    locked = record.readings["locked_clocks"]
    assert [(r.round, r.why, len(r.turns)) for r in locked.repeats] == [(3, f"{orders(20)[2][0]}: {why}", 1)]
    assert len(locked.rounds) == 20
    assert record.verdict == "pass"


def test_a_clock_is_not_asked_of_the_default_reading_but_foreign_work_is() -> None:
    states = {5: shifted(BUSY, sm_clock=spread(1e9, 2e9)), 8: shifted(BUSY, foreign_load=0.6)}
    record = run_session(session(FakeObserver(states=states)), Asked())
    (repeat,) = record.readings["default_clocks"].repeats
    assert (repeat.round, repeat.order, len(repeat.turns)) == (4, orders(20)[3], 2)
    assert repeat.why == f"{repeat.order[1]}: foreign load of 0.6 processors"


def test_what_nobody_saw_repeats_nothing_at_default_clocks() -> None:
    record = run_session(session(FakeObserver(None, reason=LOST)), Asked())
    assert (len(record.readings["default_clocks"].rounds), record.verdict) == (20, "pass")
    assert record.readings["default_clocks"].repeats == ()


def test_a_lock_that_is_accepted_and_not_held_ends_the_reading() -> None:
    lock = FakeHeld(clocks=(1.9e9, None))
    record = run_session(session(lock=lock), LOCK)
    locked = record.readings["locked_clocks"]
    assert str(locked.absent).startswith("round 1 did not count 4 times in a row: A: SM clock 1500 MHz")
    assert len(locked.repeats) == 4
    assert lock.closed == 1
    assert record.verdict == "undecided"


def test_what_only_ncu_knows_is_read_while_a_side_runs() -> None:
    record = run_session(session(lock=FakeHeld(clocks=(None, None))), LOCK)
    assert record.readings["locked_clocks"].clocks == (1.5e9, 2.6e9)


def test_without_clocks_a_lock_cannot_be_checked() -> None:
    lock = FakeHeld()
    record = run_session(session(FakeObserver(None, reason=LOST), lock), LOCK)
    assert "cannot be checked" in str(record.readings["locked_clocks"].absent)
    assert LOST in record.why
    assert record.method.sampler_reason == LOST
    assert lock.closed == 1


def test_a_sampler_that_dies_in_mid_run_ends_the_locked_reading() -> None:
    observer = FakeObserver(states=dict.fromkeys(range(60, 200)), reason=LOST)
    record = run_session(session(observer, FakeHeld()), LOCK)
    locked = record.readings["locked_clocks"]
    assert LOST in str(locked.ended)
    assert 0 < len(locked.rounds) < 20
    assert record.verdict == "undecided"


def test_a_lock_that_is_lost_ends_the_reading_with_what_it_has() -> None:
    lock = FakeHeld(rounds=7)
    record = run_session(session(lock=lock), LOCK)
    locked = record.readings["locked_clocks"]
    assert (len(locked.rounds), locked.ended) == (7, "ncu ended by itself")
    assert record.verdict == "undecided"
    assert lock.closed == 1


def test_clocks_that_stay_locked_are_said() -> None:
    record = run_session(session(lock=FakeHeld(resets=False)), LOCK)
    assert record.readings["locked_clocks"].restored is False
    assert "perfdocs ab --reset" in report(record)


def interrupting(at: int, error: BaseException) -> Any:
    def times(run: int) -> Mapping[str, float]:
        if run == at:
            raise error
        return {"main": 0.02}

    return times


@pytest.mark.parametrize("interrupts", [0, 1])
def test_an_interrupt_resets_the_clocks_and_keeps_what_there_is(interrupts: int) -> None:
    lock = FakeHeld(interrupts=interrupts)
    record = run_session(session(lock=lock, b=interrupting(27, KeyboardInterrupt())), LOCK)
    assert record.stopped == "interrupted"
    assert len(record.readings["default_clocks"].rounds) == 20
    locked = record.readings["locked_clocks"]
    assert (len(locked.rounds), locked.ended, locked.restored) == (5, "interrupted", True)
    assert lock.closed == 1 + interrupts
    assert record.verdict == "undecided"


def test_an_interrupt_before_the_first_round_is_a_record_too() -> None:
    record = run_session(session(a=interrupting(1, KeyboardInterrupt())), Asked())
    assert record.stopped == "interrupted"
    assert record.readings["default_clocks"].absent == "interrupted"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_second_interrupt_takes_the_record_while_it_is_made_and_kept(number: signal.Signals) -> None:
    kept: list[Record] = []

    def again() -> tuple[tuple[str, ...], tuple[str, ...]]:
        os.kill(os.getpid(), number)
        return (), ()

    def keep(record: Record) -> None:
        again()
        kept.append(record)

    found = replace(session(b=interrupting(9, KeyboardInterrupt())), changed=again)
    with ended_by_signals():
        record = run_session(found, Asked(), keep)
    assert kept == [record]
    assert (len(record.readings["default_clocks"].rounds), record.stopped) == (7, "interrupted")


FAILED = PerfdocsError("ab-command", "command B", "exit code 3", "exit code 0", "correct it")


def test_a_side_that_fails_later_ends_all_and_keeps_what_there_is() -> None:
    lock = FakeHeld()
    record = run_session(session(lock=lock, b=interrupting(27, FAILED)), LOCK)
    assert "exit code 3" in str(record.stopped)
    assert len(record.readings["locked_clocks"].rounds) == 5
    assert lock.closed == 1


@pytest.mark.parametrize("run", [1, 2, 22])
def test_a_side_that_fails_at_once_is_an_error_and_the_clocks_are_reset(run: int) -> None:
    lock = FakeHeld()
    with pytest.raises(PerfdocsError, match="exit code 3"):
        run_session(session(lock=lock, a=interrupting(run, FAILED)), LOCK)
    assert lock.closed == (1 if run > 21 else 0)


def test_other_regions_in_a_later_round_are_located() -> None:
    record = run_session(session(b=lambda run: {"main" if run < 5 else "other": 0.02}), Asked())
    assert "B (B), round 4: found other regions than before: main, other" in str(record.stopped)


def test_kernels_are_a_reading_of_their_own_and_not_gated() -> None:
    record = run_session(session(), Asked(profile=True))
    kernels = record.readings["profiler"].regions["kernels"]
    assert kernels.ratio == pytest.approx(1.2)
    assert (kernels.verdict, kernels.rounds) == (None, 3)
    assert record.verdict == "pass"


def test_progress_tells_rounds_and_time_left() -> None:
    found = session(a=lambda _: {"main": 0.02})
    run_session(found, Asked())
    quiet = found.progress
    assert isinstance(quiet, Quiet)
    assert quiet.lines[0] == "A A, B B: 20"
    assert quiet.lines[-1] == "end"
    assert quiet.left[0] is None
    assert quiet.left[-1] is not None


def test_time_left_counts_the_readings_to_come() -> None:
    clock = FakeClock()

    def a(run: int) -> Mapping[str, float]:
        clock.turn(1.0)
        return {"main": 0.02}

    found = replace(session(lock=FakeHeld(), a=a), clock=clock)
    run_session(found, LOCK)
    quiet = found.progress
    assert isinstance(quiet, Quiet)
    assert quiet.lines[0].endswith(": 40")
    assert quiet.left[1] == pytest.approx(39.0)
    assert quiet.left[-1] == pytest.approx(1.0)


def test_the_record_reads_back_whole(tmp_path: Path) -> None:
    record = run_session(session(lock=FakeHeld()), Asked(lock="base", profile=True))
    path = tmp_path / "new" / "record.json"
    write(record, path)
    assert decode(path.read_bytes(), type=Record) == record
    tree = json.loads(encode(record))
    assert tree["schema"] == "perfdocs.ab/1"
    assert len(tree["readings"]["locked_clocks"]["rounds"]) == 20
    assert encode(record).decode().count("\n") < 120  # a round a line


def test_the_report_names_every_reading_and_no_label_is_markup() -> None:
    found = session(lock="no permission", a=lambda _: {"x": 0.0123})
    odd = replace(
        found,
        facts=(SideFacts(label="[red]a\x1b[31m", kind="command"), found.facts[1]),
        sides=(FakeSide("A", times=lambda _: {"x": 0.0123}), FakeSide("B", times=lambda _: {"x": 0.0246})),
    )
    text = report(run_session(odd, Asked(gate=2.5)))
    assert "[red]a" in text
    assert "\x1b" not in text
    assert "default clocks  x       12.30" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "2.0000" in text
    assert "locked clocks: absent, locking was not asked for" in text
    assert text.splitlines()[-1].startswith("pass: default clocks, x: B takes 2.0000 times as long as A")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_record_has_no_number_that_json_has_not(number: float) -> None:
    record = run_session(session(), Asked())
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode(structs.replace(record, method=structs.replace(record.method, gate=number)))
    rounds = record.readings["default_clocks"].rounds
    odd = structs.replace(rounds[0], a=structs.replace(rounds[0].a, regions={"main": number}))
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode(structs.replace(record, readings={"default_clocks": Reading(rounds=(odd,))}))
