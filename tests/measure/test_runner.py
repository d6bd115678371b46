"""The whole runner on the toy benchmark and fake edges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perfdocs.card import PARTIAL_SCHEMA, Card, Measurement
from perfdocs.cardfile import read_card
from perfdocs.errors import PerfdocsError
from perfdocs.extent import extent
from perfdocs.measure.__main__ import main
from perfdocs.measure.arguments import axis_filters
from perfdocs.measure.arm import Task
from perfdocs.measure.failure import Stopped
from perfdocs.measure.options import Options
from perfdocs.measure.runner import listing, run

from .fakes import FakeNvml, fake_edges


def found(card: Card, arm: str, n: int) -> Measurement:
    (one,) = [m for m in card.measurements if m.arm == arm and m.at["n"] == n]
    return one


def reasons(card: Card) -> dict[str, tuple[str, str]]:
    return {r.arm: (r.kind, r.reason) for r in card.not_run}


def test_rotate_times_every_arm_and_writes_one_card(toy: SimpleNamespace) -> None:
    card = toy.measure("good", "double")
    assert card.method.protocol == "rotate"
    assert card.method.ramp == 0
    assert card.device.id == "made-up-9"
    assert card.method.clocks == "none"
    assert card.method.clocks_reason
    one = found(card, "double", 10)
    assert one.values["wall"] == pytest.approx([2e-3] * 5, rel=1e-3)
    assert one.values["end_to_end"] == pytest.approx([2e-3] * 5, rel=1e-3)
    assert one.values["elements"] == 10
    assert one.values["max_difference"] == 0
    assert one.block is not None
    assert len(one.block.warmup) == 2
    assert [m.at["n"] for m in card.measurements] == [10, 10, 100, 100]
    assert not card.not_run
    assert not list(toy.out.rglob("*.partial.json"))
    assert set(card.source.files) >= {"workload.py", "arms/good.py", "arms/double.py"}
    assert not {"arms/wrong.py", "benchmark.toml"} & set(card.source.files)


def test_the_order_turns_every_repetition(toy: SimpleNamespace) -> None:
    toy.measure("good", "double", at={"n": (10,)}, settle=0.0)
    runs = [name for name, what in toy.workload.calls if what == "run"]
    warm, timed = runs[:4], runs[4:]
    assert warm == ["good", "good", "double", "double"]
    # wall and end to end of each turn
    assert timed[:4] == ["good", "good", "double", "double"]
    assert timed[4:8] == ["double", "double", "good", "good"]
    assert timed[8:12] == ["good", "good", "double", "double"]


def test_block_ramps_and_reads_clocks(toy: SimpleNamespace) -> None:
    toy.nvml.reasons = ("power_cap",)
    card = toy.measure("good", device="gpu", at={"n": (100,)})
    assert card.method.protocol == "block"
    assert (card.method.clocks, card.method.gate_within, card.method.idle_temperature) == ("nvml", 3.0, 30.0)
    one = found(card, "good", 100)
    assert one.values["sm_clock"] == 1.98e9
    assert one.values["device_memory"] == 1000
    assert one.block is not None
    assert one.block.throttle == ("power_cap",)
    assert one.block.ramp_runs in (50, 51)  # 0.5 s of runs of 10 ms
    assert one.block.gate is not None
    assert not one.block.gate.timed_out
    assert card.host.driver == "1.2"
    assert card.device.id == "made-up-gpu"


def curves(toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [Task("main", {"n": n}, curve="n") for n in (10, 20, 40)]
    monkeypatch.setattr(toy.workload, "tasks", lambda kind, quick: tasks)


def test_a_curve_is_one_block_of_each_arm(toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    curves(toy, monkeypatch)
    card = toy.measure("good", "double", device="gpu")
    ran = [(m.arm, m.at["n"]) for m in card.measurements]
    assert ran == [(arm, n) for arm in ("good", "double") for n in (10, 20, 40)]
    blocks = [m.block for m in card.measurements if m.block]
    assert all(block.gate for block in blocks)
    assert [block.ramp_runs > 0 for block in blocks] == [True, False, False] * 2
    assert {block.curve for block in blocks} == {"n"}
    assert all(isinstance(wall := m.values["wall"], tuple) and len(wall) == 5 for m in card.measurements)


def test_a_curve_that_goes_on_has_a_gate_and_a_ramp_again(
    toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves(toy, monkeypatch)
    points = iter(range(3))

    def stop_at_the_second_point(_arm: str, run: int) -> None:
        if run == 5 and next(points) == 1:
            raise KeyboardInterrupt

    toy.workload.before_run[0] = stop_at_the_second_point
    with pytest.raises(Stopped):
        toy.measure("good", device="gpu")
    toy.workload.before_run[0] = lambda _arm, _run: None
    card = toy.measure("good", device="gpu")
    assert [m.block.ramp_runs > 0 for m in card.measurements if m.block] == [True, True, False]


def test_processors_turn_through_the_arms_also_on_a_curve(
    toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves(toy, monkeypatch)
    card = toy.measure("good", "double")
    assert [m.at["n"] for m in card.measurements] == [10, 10, 20, 20, 40, 40]


def test_end_to_end_runs_only_where_they_are_asked_for(toy: SimpleNamespace) -> None:
    toml = toy.folder / "benchmark.toml"
    assert "end_to_end" in found(toy.measure("good", device="gpu"), "good", 10).values
    text = re.sub(r"\[metrics\.end_to_end\]\n(?:.+\n)*", "", toml.read_text()).replace(', "end_to_end"', "")
    toml.write_text(text)
    toy.workload.calls.clear()
    assert "end_to_end" not in found(toy.measure("good", device="gpu"), "good", 10).values
    assert "end_to_end" not in {what for _, what in toy.workload.calls}


@pytest.mark.parametrize(("n", "settling"), [(10, 3), (100, 1), (1000, 0)])
def test_short_runs_settle_before_the_first_timed_one(toy: SimpleNamespace, n: int, settling: int) -> None:
    card = toy.measure("good", device="gpu", at={"n": (n,)}, ramp=0.0, settle=0.0025)
    assert card.method.settle == 0.0025
    block = found(card, "good", n).block
    assert block is not None
    runs = [what for _, what in toy.workload.calls].count("run")
    # two warm-ups, five walls, five end to end; runs settle before the first wall and before the first end to end
    assert runs == 2 + block.ramp_runs + 5 + 5 + settling * 2


def test_an_arm_on_the_host_has_neither_gate_nor_clocks(toy: SimpleNamespace) -> None:
    one = found(toy.measure("hosted", device="gpu"), "hosted", 10)
    assert "sm_clock" not in one.values
    assert "device_memory" not in one.values
    assert one.block is not None
    assert one.block.gate is None


def test_without_nvml_the_card_says_so(toy: SimpleNamespace) -> None:
    toy.nvml = "nvidia-ml-py is not installed"
    card = toy.measure("good", device="gpu")
    assert (card.method.clocks, card.method.clocks_reason) == ("none", "nvidia-ml-py is not installed")
    assert card.method.gate_within is None
    assert "sm_clock" not in found(card, "good", 10).values


@pytest.mark.parametrize("rotates", [False, True])
def test_nvml_is_left_alone_while_short_runs_are_timed(toy: SimpleNamespace, rotates: bool) -> None:
    if rotates:
        rotating(toy)
    asked = list[int]()
    toy.nvml.note = lambda: asked.append(len(toy.workload.calls))
    toy.measure("good", "double", device="gpu", at={"n": (10,)}, ramp=0.0)
    runs = [i for i, (_, what) in enumerate(toy.workload.calls) if what == "run"]
    between = [i for i in asked if runs[0] < i <= runs[-1]]
    # at the gates of the blocks and after them; a rotation has one gate, and is over when the clocks are read
    assert len(set(between)) <= (3 if rotates else 4)
    assert all(between.count(i) in (2, 3) for i in set(between))


def test_what_a_state_leads_to_is_read_after_each_run(toy: SimpleNamespace) -> None:
    arm = toy.folder / "arms" / "good.py"
    before = "class After(Arm):\n    def before(self):\n        pass\n"
    arm.write_text(f"{arm.read_text().replace('return Arm', 'return After')}\n\n{before}")
    one = found(toy.measure("good", device="gpu", at={"n": (10,)}), "good", 10)
    assert one.values["sm_clock"] == (1.98e9,) * 5


@pytest.mark.parametrize("lives", range(13))
def test_nvml_dies_anywhere_and_the_run_goes_on(toy: SimpleNamespace, lives: int) -> None:
    """Three questions before the first block, two at its gate, three after its five runs, and again at the next."""
    toy.nvml = FakeNvml(toy.clock, hot=30.0, lives=lives)
    card = toy.measure("good", device="gpu")
    assert card.method.clocks_reason is not None
    assert "GPU is lost" in card.method.clocks_reason
    assert [len(m.values["wall"]) for m in card.measurements] == [5, 5]
    assert ("sm_clock" in found(card, "good", 10).values) is (lives >= 8)
    assert "sm_clock" not in found(card, "good", 100).values


def rotating(toy: SimpleNamespace) -> None:
    toml = toy.folder / "benchmark.toml"
    toml.write_text(f'protocol = "rotate"\n{toml.read_text()}')


def test_a_gpu_can_be_measured_by_rotation(toy: SimpleNamespace) -> None:
    rotating(toy)
    card = toy.measure("good", "double", "hosted", device="gpu", at={"n": (10,)}, settle=0.0, ramp=0.02)
    assert card.method.protocol == "rotate"
    assert card.method.ramp == 0.02
    runs = [name for name, what in toy.workload.calls if what == "run"]
    warm, rest = runs[:6], runs[6:]
    assert warm == ["good"] * 2 + ["double"] * 2 + ["hosted"] * 2
    ramp = rest.index("double") - 2  # a wall and an end to end of the first turn
    assert rest[:ramp] == ["good"] * ramp
    assert 19 <= ramp <= 21  # 20 ms of runs of 1 ms, of the quickest arm
    timed = rest[ramp:]
    assert timed[:8] == ["good", "good", "double", "double", "double", "double", "good", "good"]
    # what runs on the host is timed after what runs on the device, so that the device does not idle in between
    assert timed[20:] == ["hosted"] * 10
    one = found(card, "good", 10)
    assert one.values["sm_clock"] == 1.98e9
    assert "device_memory" not in one.values
    assert one.block is not None
    assert found(card, "double", 10).block is not None
    assert one.block.gate is not None
    host = found(card, "hosted", 10)
    assert "sm_clock" not in host.values
    assert host.block is not None
    assert host.block.gate is None


def test_a_rotation_waits_at_one_gate_a_point(toy: SimpleNamespace) -> None:
    rotating(toy)
    toy.nvml.busy = 1.0  # it never becomes idle
    card = toy.measure("good", "double", device="gpu", at={"n": (10,)}, gate_wait=2.0)
    assert toy.clock.slept == pytest.approx(2.0, abs=0.2)
    for arm in ("good", "double"):
        block = found(card, arm, 10).block
        assert block is not None
        assert block.gate is not None
        assert block.gate.timed_out


def test_in_a_rotation_on_a_gpu_what_fails_is_recorded_and_the_others_go_on(toy: SimpleNamespace) -> None:
    rotating(toy)
    card = toy.measure("raises", "hungry", "wrong", "good", device="gpu")
    assert {m.arm for m in card.measurements} == {"good"}
    assert {arm: kind for arm, (kind, _) in reasons(card).items()} == {
        "raises": "error",
        "hungry": "out_of_memory",
        "wrong": "failed_verification",
    }


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_an_arm_that_finds_no_memory_beside_others_is_measured_after_them(toy: SimpleNamespace, device: str) -> None:
    rotating(toy)
    calls = toy.workload.calls

    def full(arm: str, _run: int) -> None:
        if arm == "double" and calls.count(("good", "prepare")) > calls.count(("good", "close")):
            raise MemoryError

    toy.workload.before_run[0] = full
    card = toy.measure("good", "double", device=device, at={"n": (10,)})
    assert [(m.arm, len(m.values["wall"])) for m in card.measurements] == [("good", 5), ("double", 5)]
    assert card.not_run == ()
    assert calls.index(("good", "close")) < [i for i, call in enumerate(calls) if call == ("double", "prepare")][1]


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_failed_verification_is_never_timed(toy: SimpleNamespace, device: str) -> None:
    card = toy.measure("wrong", "good", device=device)
    assert {m.arm for m in card.measurements} == {"good"}
    assert reasons(card)["wrong"] == ("failed_verification", "a square differs from the reference by 1")
    runs = [name for name, what in toy.workload.calls if name == "wrong" and what == "run"]
    assert len(runs) == 2  # one warm-up at each of two points
    assert ("wrong", "close") in toy.workload.calls


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_what_fails_is_recorded_and_the_others_go_on(toy: SimpleNamespace, device: str) -> None:
    card = toy.measure("raises", "hungry", "absent", "good", device=device)
    assert {m.arm for m in card.measurements} == {"good"}
    why = reasons(card)
    assert why["hungry"] == ("out_of_memory", "not enough memory (MemoryError)")
    assert why["absent"] == ("not_installed", "a_package_nobody_has is not installed")
    kind, text = why["raises"]
    assert kind == "error"
    assert text == "RuntimeError: no file a path on this machine, see an address" or "a path" in text
    assert "somebody" not in text
    assert "example.org" not in text
    absent = [r for r in card.not_run if r.arm == "absent"]
    assert len(absent) == 1
    assert not absent[0].at  # everywhere


def test_a_clock_that_runs_backwards_is_read_again(toy: SimpleNamespace) -> None:
    toy.clock.jumps = [0.0, -5.0]  # the first warm-up ends before it began
    one = found(toy.measure("good", at={"n": (10,)}), "good", 10)
    assert one.block is not None
    assert min(*one.block.warmup, *one.values["wall"]) > 0  # type: ignore[misc] # samples


def test_a_clock_that_always_runs_backwards_is_an_error_and_never_a_time(toy: SimpleNamespace) -> None:
    toy.clock.jumps = [0.0, -5.0] * 3 + [0.0] * 200
    card = toy.measure("good", "double", at={"n": (10,)})
    assert {m.arm for m in card.measurements} == {"double"}
    assert reasons(card)["good"][0] == "error"
    assert "clock" in reasons(card)["good"][1]


def test_a_short_run_is_repeated_until_the_timer_can_see_it(toy: SimpleNamespace) -> None:
    toy.clock.tick = 0.0
    toy.workload.turn[0] = lambda _: toy.clock.turn(4e-6)
    one = found(toy.measure("good", at={"n": (10,)}), "good", 10)
    assert one.block is not None
    assert one.block.inner == 250  # 1 ms
    assert one.values["wall"] == pytest.approx([4e-6] * 5)


def test_a_run_foreseen_as_too_long_is_recorded(toy: SimpleNamespace) -> None:
    card = toy.measure("good", full=True, limit=0.3)
    assert [m.at["n"] for m in card.measurements] == [10, 100]
    (reason,) = card.not_run
    assert (reason.kind, reason.at) == ("out_of_time", {"n": 1000})
    assert "foreseen from n=100" in reason.reason


def test_a_run_found_too_long_tells_of_larger_ones(toy: SimpleNamespace) -> None:
    card = toy.measure("good", full=True, at={"n": (100, 1000)}, limit=0.05)
    assert [r.reason for r in card.not_run] == [
        "0.01 s a run: more than 0.05 s for the measurement",
        "about 0.032 s a run, foreseen from n=100: more than 0.05 s for the measurement",
    ]


def test_a_run_found_too_long_is_recorded(toy: SimpleNamespace) -> None:
    card = toy.measure("good", at={"n": (1000,)}, limit=0.5)
    assert not card.measurements
    assert card.not_run[0].kind == "out_of_time"


def test_interrupt_leaves_a_partial_and_the_same_run_completes_it(
    toy: SimpleNamespace, partial: Callable[[], Path]
) -> None:
    def interrupt(arm: str, run: int) -> None:
        if arm == "double" and run == 5:
            raise KeyboardInterrupt

    toy.workload.before_run[0] = interrupt
    with pytest.raises(Stopped, match=r"interrupted: 1 measurement is kept in .*partial\.json; run the same") as stop:
        toy.measure(device="gpu", as_name="lab")
    assert stop.value.exit_code == 130
    assert "\n" not in str(stop.value)
    path = partial()
    assert path.name == "made-up-gpu-lab.partial.json"
    assert json.loads(path.read_bytes())["schema"] == PARTIAL_SCHEMA
    with pytest.raises(PerfdocsError):
        read_card(path)
    assert not path.with_name("made-up-gpu-lab.json").exists()


def stop_after(toy: SimpleNamespace, arm: str, error: type[BaseException] = KeyboardInterrupt) -> None:
    """End the process, so to speak, in the fifth run of ``arm``."""

    def stop(name: str, run: int) -> None:
        if name == arm and run == 5:
            raise error

    toy.workload.before_run[0] = stop


def test_resume_keeps_finished_blocks(toy: SimpleNamespace, partial: Callable[[], Path]) -> None:
    stop_after(toy, "double")
    with pytest.raises(Stopped):
        toy.measure("good", "double", device="gpu")
    toy.workload.before_run[0] = lambda _arm, _run: None
    toy.workload.calls.clear()
    card = toy.measure("good", "double", device="gpu")
    assert len(card.measurements) == 4
    assert "1 measurements of the interrupted run are kept" in toy.quiet.lines
    assert [c for c in toy.workload.calls if c[1] == "prepare"] == [
        ("double", "prepare"),
        ("good", "prepare"),
        ("double", "prepare"),
    ]
    assert not list(toy.out.rglob("*.partial.json"))


def test_another_limit_of_repeats_goes_on_with_the_same_card(toy: SimpleNamespace) -> None:
    stop_after(toy, "double")
    with pytest.raises(Stopped):
        toy.measure("good", "double", device="gpu")
    toy.workload.before_run[0] = lambda _arm, _run: None
    card = toy.measure("good", "double", device="gpu", repeats=0, repeat_budget=1.0)
    assert not any("measuring anew" in line for line in toy.quiet.lines)
    assert (card.method.repeats, card.method.repeat_budget) == (0, 1.0)


def test_changed_sources_start_anew_and_say_so(toy: SimpleNamespace) -> None:
    stop_after(toy, "double")
    with pytest.raises(Stopped):
        toy.measure("good", "double", device="gpu")
    toy.workload.before_run[0] = lambda _arm, _run: None
    arm = toy.folder / "arms" / "good.py"
    arm.write_text(arm.read_text() + "\n# changed\n")
    toy.workload.calls.clear()
    toy.measure("good", "double", device="gpu")
    assert any("measuring anew" in line for line in toy.quiet.lines)
    assert len([c for c in toy.workload.calls if c[1] == "prepare"]) == 4


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"schema": "other"}', b'{"schema": "perfdocs.partial/1"}'])
def test_a_damaged_partial_starts_anew(toy: SimpleNamespace, partial: Callable[[], Path], content: bytes) -> None:
    stop_after(toy, "double")
    with pytest.raises(Stopped):
        toy.measure("good", "double", device="gpu")
    partial().write_bytes(content)
    toy.workload.before_run[0] = lambda _arm, _run: None
    assert len(toy.measure("good", "double", device="gpu").measurements) == 4
    assert any("measuring anew" in line for line in toy.quiet.lines)


def test_a_kill_in_the_same_place_twice_is_recorded(toy: SimpleNamespace) -> None:
    class Killed(BaseException):
        pass

    stop_after(toy, "double", Killed)
    for _ in range(2):
        with pytest.raises(Killed):
            toy.measure("good", "double", device="gpu")
    toy.workload.before_run[0] = lambda _arm, _run: None
    card = toy.measure("good", "double", device="gpu")
    assert [(m.arm, m.at["n"]) for m in card.measurements] == [("good", 10), ("good", 100), ("double", 100)]
    (reason,) = card.not_run
    assert (reason.arm, reason.at, reason.kind) == ("double", {"n": 10}, "error")
    assert "ended 2 times" in reason.reason


def test_interrupts_in_the_same_place_do_not_count(toy: SimpleNamespace) -> None:
    stop_after(toy, "double")
    for _ in range(3):
        with pytest.raises(Stopped):
            toy.measure("good", "double", device="gpu")
    toy.workload.before_run[0] = lambda _arm, _run: None
    assert len(toy.measure("good", "double", device="gpu").measurements) == 4


@pytest.mark.parametrize(("full", "seconds"), [(False, 0.25), (True, 0.5)])
def test_a_quick_card_ramps_for_half_as_long(toy: SimpleNamespace, full: bool, seconds: float) -> None:
    assert toy.measure("good", device="gpu", at={"n": (10,)}, full=full, ramp=None).method.ramp == seconds


def test_the_deadline_keeps_what_is_measured(toy: SimpleNamespace) -> None:
    with pytest.raises(Stopped, match="stopped at the deadline: 1 measurement is kept") as stop:
        toy.measure("good", device="gpu", deadline=1.0)
    assert stop.value.exit_code == 3
    assert len(toy.measure("good", device="gpu").measurements) == 2


def test_the_deadline_can_close_the_card(toy: SimpleNamespace) -> None:
    card = toy.measure("good", device="gpu", deadline=1.0, close=True)
    assert len(card.measurements) == 1
    assert [r.kind for r in card.not_run] == ["out_of_time"]
    assert extent(card) == "quick, only some arms, tables or points, 1 cell left out at the deadline"


def test_a_card_that_holds_more_is_not_closed_over(toy: SimpleNamespace) -> None:
    fuller = toy.measure("good", device="gpu")
    with pytest.raises(Stopped, match="holds 2 measurements and this run 1; 1 measurement is kept") as stop:
        toy.measure("good", device="gpu", deadline=1.0, close=True)
    assert stop.value.exit_code == 3
    (path,) = (path for path in toy.out.rglob("*.json") if "partial" not in path.name)
    assert read_card(path) == fuller


def test_arms_that_take_turns_are_foreseen_together(toy: SimpleNamespace) -> None:
    begun = toy.clock.seconds
    toy.measure("good", "double", at={"n": (10,)})
    first = toy.clock.seconds - begun
    # at n = 100 the runs are foreseen as 3.2 ms and 6.3 ms: either arm alone would end in time
    with pytest.raises(Stopped, match="stopped at the deadline: 2 measurements are kept"):
        toy.measure("good", "double", fresh=True, deadline=first + 0.09)
    assert toy.clock.seconds - begun < 2 * first + 0.09


def test_a_device_that_died_stops_the_run_and_keeps_the_rest(toy: SimpleNamespace) -> None:
    toy.gpu.works = False
    with pytest.raises(Stopped, match="takes no more work after raises") as stop:
        toy.measure("good", "raises", device="gpu")
    assert stop.value.exit_code == 4


def test_an_estimate_of_what_is_left_is_given(toy: SimpleNamespace) -> None:
    toy.measure("good", "double", device="gpu")
    assert toy.quiet.left[0] is None
    assert all(left is not None and left > 0 for left in toy.quiet.left[1:])


def test_the_listing_measures_nothing(toy: SimpleNamespace) -> None:
    rows = listing(toy.folder, Options(devices="auto", arms=("good",)), fake_edges(toy.clock, toy.gpu))
    assert [(kind, arm, task.at["n"]) for kind, arm, task in rows] == [
        ("cpu", "good", 10),
        ("cpu", "good", 100),
        ("gpu", "good", 10),
        ("gpu", "good", 100),
    ]
    assert not toy.workload.calls


def test_a_device_no_arm_runs_on_has_no_card(toy: SimpleNamespace) -> None:
    toml = toy.folder / "benchmark.toml"
    toml.write_text(toml.read_text().replace('on = ["cpu", "gpu"]', 'on = ["cpu"]'))
    options = Options(devices="auto", arms=("good",), out=toy.out, build=toy.out / "build")
    paths = run(toy.folder, options, fake_edges(toy.clock, toy.gpu, toy.nvml), toy.quiet)
    assert [read_card(path).device.kind for path in paths] == ["cpu"]
    only_gpu = Options(devices="gpu", arms=("good",), out=toy.out, build=toy.out / "build")
    assert run(toy.folder, only_gpu, fake_edges(toy.clock, toy.gpu, toy.nvml), toy.quiet) == []
    assert "none of its arms runs on gpu" in toy.quiet.lines[-1]


@pytest.mark.parametrize(
    ("choices", "code"),
    [
        ({"arms": ("goood",)}, "unknown-arm"),
        ({"at": {"m": (1,)}}, "unknown-axis"),
        ({"at": {"n": (11,)}}, "no-point"),
        ({"devices": "gpu"}, "no-gpu"),
    ],
)
def test_mistakes_are_one_message(toy: SimpleNamespace, choices: dict[str, Any], code: str) -> None:
    with pytest.raises(PerfdocsError) as error:
        listing(toy.folder, Options(**choices), fake_edges(toy.clock))
    assert error.value.problem.code == code


def test_an_arm_without_code_is_refused_before_anything_runs(toy: SimpleNamespace) -> None:
    (toy.folder / "arms" / "double.py").unlink()
    with pytest.raises(PerfdocsError) as error:
        toy.measure("good", "double")
    assert error.value.problem.code == "benchmark-arm"
    assert not toy.workload.calls


def test_a_count_the_definition_lacks_is_refused(toy: SimpleNamespace) -> None:
    toy.workload.counts = lambda problem: {"elemants": 1}
    with pytest.raises(PerfdocsError, match="did you mean"):
        toy.measure("good")


def test_a_narrowed_run_spares_a_wider_card(toy: SimpleNamespace) -> None:
    toy.measure("good", "double")
    with pytest.raises(PerfdocsError, match=r"2 measurements that this run would not repeat.*--as NAME"):
        toy.measure("good")
    assert len(toy.measure("good", as_name="narrow").measurements) == 2
    assert len(toy.measure("good", fresh=True).measurements) == 2


def test_axis_filters() -> None:
    assert axis_filters(["n=1e3", "n=1e4", "config=spread-100"]) == {"n": (1000, 10000), "config": ("spread-100",)}
    with pytest.raises(PerfdocsError):
        axis_filters(["n"])


def test_the_command_line(toy: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(toy.folder), "--device", "cpu", "--list", "--arm", "good"]) == 0
    assert capsys.readouterr().out == "cpu  main  good  n=10\ncpu  main  good  n=100\n"
    assert main([str(toy.folder / "nowhere"), "--list"]) == 1
    assert "found no such file" in capsys.readouterr().err
