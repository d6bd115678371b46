"""The clock_gate benchmark without a GPU: chains, what surrounds a run, gates of an arm against itself."""

from __future__ import annotations

import importlib
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lacking import skip_or_fail
from tests.machine_code import MachineCode
from tests.measure.fakes import FakeClock, FakeFiles

from perfdocs.ab.order import orders
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, VerificationError
from perfdocs.measure.hostcc import compiler
from perfdocs.measure.kernels import inlined
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.monitor import Monitor
from perfdocs.measure.processes import adopt
from perfdocs.measure.protocol import Timer, measure_block, warm_up
from perfdocs.measure.sampler import tree
from perfdocs.measure.sass import total
from perfdocs.measure.sensors import Sensors

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "clock_gate"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
surroundings: Any = importlib.import_module(f"{workload.__package__}.surroundings")
others: Any = importlib.import_module(f"{workload.__package__}.others")
gates: Any = importlib.import_module(f"{workload.__package__}.gates")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


def told(path: str) -> str | None:
    """What a file of the system says, where it is there still."""
    try:
        return Path(path).read_text()
    except OSError:
        return None


@pytest.fixture(scope="module")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=1)


def test_every_arm_has_its_file_and_every_point_its_table() -> None:
    assert {path.stem for path in (FOLDER / "arms").glob("*.py")} - {"__init__"} == set(DEFINITION.arms)
    for kind in ("gpu", "cpu"):
        for quick in (True, False):
            for task in workload.tasks(kind, quick):
                assert set(task.at) == set(DEFINITION.tables[task.table].axes)
                assert any(kind in DEFINITION.arms[arm].on for arm in DEFINITION.arms_of(task.table))
                assert workload.work(task.at) > 0
                workload.problem(task.at)
    assert [t.at for t in workload.tasks("gpu", False) if t.table == "itself"] == [{"gates": 300}]


def test_idle_is_a_pause_and_load_is_work() -> None:
    assert workload.problem({"state": "idle"}) == workload.Chain(workload.STEPS, 2.0, 0.0)
    assert workload.problem({"state": "load"}) == workload.Chain(workload.STEPS, 0.0, 1.0)


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 1000])
def test_the_end_of_a_chain_is_where_a_walk_ends(steps: int) -> None:
    x = 7
    for _ in range(steps):
        x = (x * workload.FACTOR + workload.SUMMAND) % 2**32
    assert workload.chain_end(7, steps) == x


@needs_compiler
def test_the_host_walks_its_chain(context: Context) -> None:
    problem = workload.Chain(1001, 0.0, 0.0)
    ready = load_arm(FOLDER, "host_chain").prepare(problem, context)
    ready.run()
    reference = workload.reference(problem, context)
    assert workload.verify(problem, reference, ready.result()) == {}
    assert workload.counts(problem) == {"steps": 1001}
    with pytest.raises(VerificationError, match="1 of 1 chains ended elsewhere"):
        workload.verify(problem, reference + np.uint32(1), ready.result())


def test_the_state_comes_right_before_each_timed_run_and_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, log = FakeClock(), []

    def paused(seconds: float) -> None:
        log.append(f"pause {seconds:g}")
        clock.turn(seconds)

    monkeypatch.setattr(surroundings.time, "sleep", paused)
    monkeypatch.setattr(surroundings.time, "monotonic", lambda: clock.seconds)

    class Arm(surroundings.Surrounded):  # type: ignore[misc] # loaded above
        def run(self) -> None:
            log.append("run")
            clock.turn(0.25)

        def result(self) -> None:
            return None

    timer = Timer(clock, 1e-7, 1e-3)
    timed = warm_up(Arm(workload.Chain(1, 2.0, 0.5)), timer, 2, lambda _: {})
    assert log == ["run", "run"]  # warm-ups have no state
    log.clear()
    measure_block(
        timed,
        timer,
        Sensors(FakeFiles(), "none"),
        Monitor("none", clock),
        ramp=None,
        settle=0.002,
        runs=2,
        end_to_end=0,
    )
    assert log == ["pause 2", "run", "run", "run"] * 2  # of which the last of each is timed
    assert timed.wall == pytest.approx([0.25, 0.25])


def test_what_is_beside_is_a_process_of_somebody_else() -> None:
    def there() -> set[int]:
        pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
        fields = {pid: (told(f"/proc/{pid}/stat") or "").rpartition(")")[2].split() for pid in pids}
        return {pid for pid, stat in fields.items() if len(stat) > 3 and stat[0] != "Z" and int(stat[3]) == session}

    adopt(False)  # as a measurement has it; what another test left may be otherwise
    beside = others.Others("cpu")
    session = beside._process.pid
    try:
        beside.work()
        found = there()
        assert len(found) > len(os.sched_getaffinity(0))  # one on each processor, and the one that is asked
        assert not found & tree(told, os.getpid(), 0.01)[0]
    finally:
        beside.close()
    until = time.monotonic() + 30
    while there():  # its pipes are closed a moment before it is gone
        assert time.monotonic() < until
        time.sleep(0.01)


def test_without_a_gpu_nothing_can_be_beside_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(Cannot, match="the process that works beside on the GPU has ended"):
        others.Others("gpu")


def test_others_begin_right_before_a_timed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    log = []

    class Others:
        def __init__(self, where: str) -> None:
            log.append(where)

        def work(self) -> None:
            log.append("others")

        def close(self) -> None:
            log.append("close")

    class Arm(surroundings.Surrounded):  # type: ignore[misc] # loaded above
        def run(self) -> None:
            log.append("run")

    monkeypatch.setattr(surroundings, "Others", Others)
    arm = Arm(workload.problem({"beside": "cpu"}))
    arm.before()
    arm.close()
    assert log == ["cpu", "others", "close"]
    assert workload.problem({"beside": "nothing"}).beside is None


@needs_compiler
@pytest.mark.parametrize(("arm", "at"), [("pair_host", {}), ("itself_host", {"gates": 2})])
def test_gates_run_verified_arms_of_rk4(
    arm: str, at: dict[str, int], context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = workload.problem(at)
    ready = load_arm(FOLDER, arm).prepare(problem, context)
    try:
        ready.run()
    except Cannot as reason:
        skip_or_fail(reason)
    found = workload.verify(problem, workload.reference(problem, context), ready.result())
    assert found["max_difference"] < 1e-11
    assert ready.counts() == {}  # gates are run where the machine is watched: before timed runs
    ready.before()
    told = {**found, **ready.counts()}
    assert set(told) <= set(DEFINITION.metrics)
    assert told["rounds"] == 20
    wrong = workload.Both(ready.result().problem, (ready.result().results[0], ready.result().results[1]._replace(x=0)))
    with pytest.raises(VerificationError):
        workload.verify(problem, workload.reference(problem, context), wrong)
    ready.close()


@needs_compiler
def test_gates_are_run_in_shares_and_anew_for_another_block(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    ready: Any = load_arm(FOLDER, "itself_host").prepare(workload.problem({"gates": 12}), context)
    try:
        ready.run()
    except Cannot as reason:
        skip_or_fail(reason)
    run: list[int] = []

    def gate() -> None:
        run.append(1)
        ready._found.append(([1.0] * 20, [1.0] * 20))

    monkeypatch.setattr(ready, "_gate", gate)
    shares = []
    for _ in range(5):
        ready.before()
        shares.append(len(run))
    assert shares == [3, 6, 9, 12, 15]  # the fifth begins anew: four were enough
    run.clear()
    assert ready.counts()["passed"] == 12.0
    assert len(run) == 9
    ready.close()


def test_gates_are_tallied_by_their_intervals() -> None:
    level = ([1.0, 1.01] * 10, [1.01, 1.0] * 10)
    slower = ([1.0] * 20, [1.1] * 20)
    quicker = ([1.0] * 20, [0.9] * 20)
    around = ([1.0] * 20, [0.9, 1.3] * 10)
    hardly = ([1.0] * 20, [0.995] * 20)
    assert gates.tallied([level, slower, quicker, around, hardly]) == {
        "a_wins": 1.0,
        "b_wins": 2.0,
        "called": 2.0,
        "passed": 3.0,
        "failed": 1.0,
        "rounds": 20.0,
    }
    assert gates.told(*slower) == {
        "a_time": 1.0,
        "b_time": 1.1,
        "rounds": 20.0,
        "ratio": 1.1,
        "ratio_low": 1.1,
        "ratio_high": 1.1,
    }


@pytest.mark.parametrize("architecture", [90])
def test_the_chain_is_walked_step_by_step(architecture: int, machine_code: MachineCode) -> None:
    chains = machine_code.inner_loops(inlined(FOLDER / "chain.cu"), ("--std=c++17",), architecture)
    found = chains["clock_gate_chain"]
    assert any(total(loop, "IMAD") == 16 for loop in found), found


def test_the_rounds_of_a_gate_have_the_orders_of_an_ab(context: Context) -> None:
    clock, log = FakeClock(), []

    class Side:
        def __init__(self, name: str) -> None:
            self.name = name

        def run(self) -> None:
            log.append(self.name)
            clock.turn(0.02)

    gate = gates.Gates(workload.Pair({"cpu": workload.SHORT}), ("A", "B"), context, on_host=True)
    gate._sides, gate._timer = [Side("A"), Side("B")], Timer(clock, 0.0, 0.01)
    gate._gate()
    assert "".join(log[6:]) == "".join(orders(20))  # three runs of each tell how many fill a region
