"""The timers benchmark without a GPU: definition, answers, kernels run on the host, each clock on a made-up device."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import pytest
from tests.limits_kit import (
    BENCHMARKS,
    Stream,
    address,
    asked_kernels,
    emulated,
    every_point_has_a_table_and_a_problem,
    files_are_arms,
    module_of,
    series,
)
from tests.machine_code import MachineCode
from tests.measure.fakes import FakeClock

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, Prepared, VerificationError
from perfdocs.measure.hostcc import compiler
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.packages import import_cupyx_profiler, import_nvbench
from perfdocs.measure.runner import run
from perfdocs.measure.sass import total
from perfdocs.measure.words import PERIOD
from perfdocs.verdict import Missing

FOLDER = BENCHMARKS / "timers"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
SAMPLE = Path(__file__).parent / "data" / "nvbench.synthetic.json"
workload: Any = load_workload(FOLDER)
device: Any = module_of(workload, "device")
answers: Any = module_of(workload, "answers")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


def test_arms_points_and_problems(tmp_path: Path) -> None:
    files_are_arms(FOLDER, DEFINITION)
    every_point_has_a_table_and_a_problem(workload, DEFINITION)
    assert list(workload.PROBLEMS) == list(DEFINITION.axes["kernel"].values)
    assert not workload.tasks("cpu", False)
    assert run(FOLDER, Options(devices="cpu", out=tmp_path / "cards", build=tmp_path)) == []


def test_lengths_are_ten_times_one_another_and_reads_are_whole() -> None:
    short, middle, long = (workload.PROBLEMS[f"chain_{key}"] for key in ("short", "middle", "long"))
    assert middle == replace(short, steps=10 * short.steps, seconds=10 * short.seconds)
    assert long == replace(short, steps=100 * short.steps, seconds=100 * short.seconds)
    words = workload.PROBLEMS["read"].words
    assert words * 4 == 2 * 2**30
    assert words % device.TILE == words % PERIOD == 0


def test_wrong_answers_are_refused() -> None:
    zeros = np.zeros(64, np.uint32)
    for problem, result in [
        (workload.Empty(), 99),
        (workload.Chain(100, 1.0), zeros),
        (workload.Read(PERIOD), zeros),
    ]:
        with pytest.raises(VerificationError):
            workload.verify(problem, None, result)


# ---- kernels, run on the host, and their machine code -------------------------------------------------------------

KERNELS = """
namespace kernels {
#include "kernels.cu"
}
extern "C" void chain(unsigned steps, const unsigned* of, const float* with, unsigned* sums) {
  start(kernels::timers_chain, 3, 256, steps, of[0], of[1], of[2], of[3], with[0], with[1], with[2], sums);
}
extern "C" void read(unsigned* data, unsigned long long words, unsigned tiles, unsigned* sums) {
  start(kernels::timers_fill, 3, 256, data, words);
  start(kernels::timers_read, 3, 256, (const kernels::Vector*)data, tiles, sums);
}
extern "C" void count(unsigned* counter) {
  start(kernels::timers_empty, 1, 32);
  start(kernels::timers_count, 1, 32, counter);
}
"""


@needs_compiler
def test_kernels_answer_what_is_expected(tmp_path: Path) -> None:
    library = emulated(KERNELS, tmp_path / "build", FOLDER, "timers")
    sums, counter, data = np.zeros(3 * 256, np.uint32), np.zeros(1, np.uint32), np.zeros(PERIOD, np.uint32)
    problem = workload.Chain(77, 1.0)
    library.chain(ctypes.c_uint(77), *map(address, (workload.FLOAT.bits, np.array(workload.FLOAT.constants), sums)))
    workload.verify(problem, None, sums)
    for steps in (76, 78):
        with pytest.raises(VerificationError, match="threads are wrong"):
            workload.verify(replace(problem, steps=steps), None, sums)
    library.read(address(data), ctypes.c_ulonglong(PERIOD), ctypes.c_uint(PERIOD // device.TILE), address(sums))
    workload.verify(workload.Read(PERIOD), None, sums)
    library.count(address(counter))
    assert counter[0] == 1


@pytest.mark.parametrize("architecture", [90])
def test_the_loops_hold_what_is_counted(architecture: int, machine_code: MachineCode) -> None:
    entries = {entry.name: entry for entry in asked_kernels(FOLDER)}
    assert len(entries) == 5

    def loops(name: str) -> list[Any]:
        entry = entries[name]
        return list(machine_code.inner_loops(entry.code, entry.options, architecture)[name])

    body = max(loops("timers_chain"), key=lambda loop: sum(loop.values()))
    assert total(body, "FFMA") == 256
    assert sum(body.values()) <= 256 + 12  # next to nothing but steps
    (body,) = loops("timers_read")
    assert total(body, "LDG.E.128") == 8
    assert not loops("timers_empty")


def test_every_arm_launches_the_same_kernels() -> None:
    arms = {key for key, arm in DEFINITION.arms.items() if arm.on}
    asked = {entry.name: entry for entry in asked_kernels(FOLDER)}
    for name in ("timers_empty", "timers_chain", "timers_read"):
        assert asked[name].arms == arms
        assert asked[name].threads == (32 if name == "timers_empty" else 256)


Package = TypeVar("Package")


def installed(monkeypatch: pytest.MonkeyPatch, package: Package) -> Package:
    """The package as ``cuda.bench``."""
    parent: Any = ModuleType("cuda")
    parent.bench = package
    monkeypatch.setitem(sys.modules, "cuda", parent)
    monkeypatch.setitem(sys.modules, "cuda.bench", package)
    return package


def test_an_nvbench_that_is_installed_is_not_run_to_find_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    def on_no_device(arguments: list[str]) -> None:
        raise AssertionError

    package = installed(monkeypatch, Bench(""))
    monkeypatch.setattr(package, "run_all_benchmarks", on_no_device)
    assert len(asked_kernels(FOLDER)) == 5


# ---- clocks against a device that is made up ----------------------------------------------------------------------


class Plane:
    """An array "on the device"."""

    def __init__(self, size: int) -> None:
        self.host = np.zeros(size, np.uint32)
        self.data = SimpleNamespace(ptr=self.host.ctypes.data)

    def fill(self, value: int) -> None:
        self.host[...] = value

    def get(self) -> Any:
        return self.host


@dataclass
class Device:
    """A device on which a launch takes ``seconds``; its time stands still otherwise. ``call`` is the host's part."""

    clock: FakeClock
    seconds: float = 2e-3
    call: float = 5e-6
    now: float = 0.0
    launched: list[tuple[Any, ...]] = field(default_factory=list)

    def launch(self, *given: Any) -> None:
        self.launched.append(given)
        self.now += self.seconds
        self.clock.turn(self.call)

    def cupy(self) -> Any:
        outer = self

        class Event:
            at = float("nan")

            def record(self, stream: Any = None) -> None:
                self.at = outer.now

            def synchronize(self) -> None:
                pass

        class Seventh(Stream):
            ptr = 7

        def function(name: str) -> Any:
            return SimpleNamespace(num_regs=0, kernel=SimpleNamespace(ptr=name))

        module: Any = ModuleType("cupy")
        module.zeros = lambda size, _: Plane(size)
        module.RawModule = lambda **_: SimpleNamespace(get_function=function)
        module.cuda = SimpleNamespace(
            Stream=Seventh,
            Event=Event,
            Device=lambda: SimpleNamespace(id=3),
            driver=SimpleNamespace(launchKernel=self.launch),
            get_elapsed_time=lambda before, after: 1e3 * (after.at - before.at),
        )
        return module


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    made = Device(FakeClock())
    monkeypatch.setitem(sys.modules, "cupy", made.cupy())
    device.module.cache_clear()
    yield made
    device.module.cache_clear()


def context(build: Path) -> Context:
    return Context("gpu", build, threads=1, sm_count=2)


def ready(arm: str, tmp_path: Path, problem: Any = None, **more: Any) -> Prepared:
    arms: Any = load_arm(FOLDER, arm)
    made: Prepared = arms.Arm(problem or workload.PROBLEMS["chain_long"], context(tmp_path / "build"), **more)
    return made


def test_arguments_lie_where_the_driver_looks(made_up: Device, tmp_path: Path) -> None:
    arm = ready("events", tmp_path)
    arm.run()
    name, *shape, shared, stream, places, _ = made_up.launched[0]
    assert (name, shape, shared, stream) == ("timers_chain", [2 * 4, 1, 1, 256, 1, 1], 0, 7)
    pointers = (ctypes.c_uint64 * 9).from_address(places)
    steps = ctypes.c_uint32.from_address(pointers[0]).value
    constants = [ctypes.c_float.from_address(pointer).value for pointer in pointers[5:8]]
    sums = ctypes.c_uint64.from_address(pointers[8]).value
    assert (steps, constants[:2]) == (125_000, [-1, 3])
    assert arm.result().ctypes.data == sums


def test_an_empty_kernel_is_checked_by_one_that_counts(made_up: Device, tmp_path: Path) -> None:
    arm, problem = ready("events", tmp_path, workload.Empty()), workload.Empty()
    arm.run()
    with pytest.raises(VerificationError, match="0 launches were counted, expected 100"):
        workload.verify(problem, None, arm.result())
    assert [one[0] for one in made_up.launched] == ["timers_empty", *["timers_count"] * 100]


def test_events_tell_the_time_of_one_launch_and_of_each_of_many(made_up: Device, tmp_path: Path) -> None:
    counts = ready("events", tmp_path).counts()
    assert counts == {
        "gpu_time": pytest.approx(2e-3),
        "gpu_time_back_to_back": pytest.approx(2e-3),
        "samples": device.SAMPLES,
    }
    assert len(made_up.launched) == 250 + device.SAMPLES + 5 * 200  # the ramp, half a second of it, first
    assert set(counts) <= set(DEFINITION.metrics)


def test_the_launching_call_is_timed_without_the_device(made_up: Device, tmp_path: Path) -> None:
    counts = ready("perfdocs", tmp_path, clock=made_up.clock).counts()
    assert counts == {"host_time": pytest.approx(5e-6 + made_up.clock.tick), "samples": device.SAMPLES}


def test_cupyx_is_read_as_it_prints(made_up: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def benchmark(call: Any, args: tuple[Any, ...], **options: Any) -> Any:
        assert options == {"n_repeat": device.SAMPLES, "n_warmup": 10, "name": "launch"}
        call(*args)
        return SimpleNamespace(gpu_times=np.array([[1e-3, 3e-3, 5e-3]]), cpu_times=np.array([1e-6, 2e-6, 6e-6]))

    profiler: Any = ModuleType("cupyx.profiler")
    profiler.benchmark = benchmark
    package: Any = ModuleType("cupyx")
    package.profiler = profiler
    monkeypatch.setitem(sys.modules, "cupyx", package)
    monkeypatch.setitem(sys.modules, "cupyx.profiler", profiler)
    counts = ready("cupyx", tmp_path).counts()
    assert counts == {"gpu_time": pytest.approx(3e-3), "host_time": pytest.approx(3e-6), "samples": 3}
    assert len(made_up.launched) == 250 + 1


# ---- NVBench ------------------------------------------------------------------------------------------------------


class Bench:
    """NVBench's package, as far as the arm uses it: a second run in one process is refused."""

    State = object

    def __init__(self, output: str) -> None:
        self.output, self.arguments, self.axis, self.seen = output, [""], ("", [""]), [("", 0)]
        self.timeout = 0.0

    def register(self, state: Any) -> Bench:
        self.state = state
        return self

    def add_string_axis(self, name: str, values: list[str]) -> Bench:
        self.axis = (name, values)
        return self

    def set_timeout(self, seconds: float) -> Bench:
        self.timeout = seconds
        return self

    def run_all_benchmarks(self, arguments: list[str]) -> None:
        if len(self.arguments) > 1:
            raise RuntimeError("Benchmarks were already executed")
        self.arguments, self.seen = arguments, []
        name, values = self.axis
        for value in values:

            def execute(call: Any, *, batched: bool, value: str = value) -> None:
                assert batched
                call(SimpleNamespace(get_stream=lambda: SimpleNamespace(addressof=lambda: 11)))
                self.seen.append((value, 11))

            self.state(SimpleNamespace(get_string={name: value}.get, exec=execute))
        Path(arguments[arguments.index("--json") + 1]).write_text(self.output, encoding="utf-8")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, made_up: Device) -> Iterator[Bench]:
    """NVBench beside the made-up device; what is read is short."""
    package = installed(monkeypatch, Bench(SAMPLE.read_text(encoding="utf-8")))
    arm: Any = load_arm(FOLDER, "nvbench")
    monkeypatch.setattr(arm, "PROBLEMS", {k: p for k, p in workload.PROBLEMS.items() if k != "read"})
    arm.measured.cache_clear()
    yield package
    arm.measured.cache_clear()


def test_nvbench_times_every_kernel_at_the_first_point(bench: Bench, made_up: Device, tmp_path: Path) -> None:
    kernels = ["empty", "chain_short", "chain_middle", "chain_long"]
    found = {key: ready("nvbench", tmp_path, workload.PROBLEMS[key]) for key in kernels}
    assert found["empty"].counts() == {"gpu_time": 3e-6, "gpu_time_back_to_back": 2e-6, "samples": 4000}
    assert bench.seen == [(key, 11) for key in kernels]
    assert [one[-3] for one in made_up.launched].count(11) == len(kernels)
    assert bench.arguments[:5] == ["timers", "--quiet", "--devices", "3", "--json"]
    assert found["chain_short"].counts() == {"gpu_time": 2.1e-5, "samples": 2000}  # no batch
    with pytest.raises(Cannot, match="NVBench left it out: made up") as reason:
        found["chain_middle"].counts()
    assert reason.value.kind == "error"
    with pytest.raises(Cannot, match="NVBench gives no nv/cold/time/gpu/mean"):
        found["chain_long"].counts()
    assert not list((tmp_path / "build").iterdir())  # nothing is left behind


@pytest.mark.parametrize("output", ["", "[]", "{}", '{"benchmarks": [{"states": [{"axis_values": []}]}]}', "\x00"])
def test_what_nvbench_did_not_write_is_an_error_of_every_kernel(output: str, bench: Bench, tmp_path: Path) -> None:
    bench.output = output
    for key in ("empty", "chain_long"):
        with pytest.raises(Cannot, match="NVBench's output is not as it writes it") as reason:  # and no second run
            ready("nvbench", tmp_path, workload.PROBLEMS[key]).counts()
        assert reason.value.kind == "error"


def test_what_nvbench_failed_with_is_the_reason_at_every_point(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [MemoryError("made up")]  # and then that it ran already

    def run_all_benchmarks(arguments: list[str]) -> None:
        raise failures.pop() if failures else RuntimeError("Benchmarks were already executed")

    monkeypatch.setattr(bench, "run_all_benchmarks", run_all_benchmarks)
    for key in ("empty", "chain_long"):
        with pytest.raises(MemoryError, match="made up"):
            ready("nvbench", tmp_path, workload.PROBLEMS[key]).counts()


def test_numbers_that_are_none_are_left_out() -> None:
    whole = json.loads(SAMPLE.read_text(encoding="utf-8"))
    assert "synthetic" in whole["meta"]["argv"][0]
    state = whole["benchmarks"][0]["states"][0]
    for bad in ("nan", "inf", "0", "-1", None):
        for summary in state["summaries"]:
            if summary["tag"] == "nv/batch/time/gpu/mean":
                summary["data"][0]["value"] = bad
        assert set(answers.answers(json.dumps(whole), "kernel")["empty"]) == {"gpu_time", "samples"}


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cuda.bench", "cupyx.profiler", "cupyx"):
        monkeypatch.setitem(sys.modules, name, None)
    for opened, said in ((import_nvbench, "cuda-bench"), (import_cupyx_profiler, "cupyx.profiler")):
        with pytest.raises(Cannot, match=said) as reason:
            opened()
        assert reason.value.kind == "not_installed"


def test_a_part_of_nvbench_that_does_not_load_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lacking(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise ImportError("no extension for this CUDA")

    installed(monkeypatch, Lacking("cuda.bench"))
    with pytest.raises(Cannot, match="NVBench does not load: no extension for this CUDA") as reason:
        import_nvbench()
    assert reason.value.kind == "unsupported"


# ---- the table ----------------------------------------------------------------------------------------------------


def test_distances_are_shares_of_the_longer_time(tmp_path: Path) -> None:
    """Synthetic: of an empty kernel the wall is many times what events tell, and NVBench tells less."""
    facts = {
        "perfdocs": {"host_time": 2e-6},
        "events": {"gpu_time": 4e-6, "gpu_time_back_to_back": 2e-6},
        "nvbench": {"gpu_time": 1e-6, "gpu_time_back_to_back": 2e-6},
    }
    measurements = [
        {"table": "main", "arm": arm, "at": {"kernel": "empty"}, "wall": [1e-5] * 5, **found}
        for arm, found in facts.items()
    ]
    rows = {row.arm: row for row in series(FOLDER, tmp_path, measurements, "main")}
    assert rows["nvbench"].value("distance").centre == pytest.approx(-0.75)
    assert rows["events"].value("distance").centre == 0
    assert rows["nvbench"].value("distance_back_to_back").centre == 0
    assert rows["perfdocs"].value("distance_wall").centre == pytest.approx(0.6)
    assert rows["perfdocs"].value("host_share").centre == pytest.approx(0.2)
    assert {f for row in rows.values() for f in row.value("distance_wall").flags} == {"synthetic"}
    with pytest.raises(Missing):
        rows["perfdocs"].value("distance")
