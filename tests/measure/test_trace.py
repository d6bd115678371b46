"""Profiles: their events, and what a traced run answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perfdocs.measure.arm import Cannot, Context, Prepared, VerificationError
from perfdocs.measure.child import Desk, memory, traced
from perfdocs.measure.fresh import Answer
from perfdocs.measure.trace import CuptiProfiler, Event, Trace, events_of_chrome, profiler_version, trace_of

from .fakes import FakeClock, FakeFiles, FakeGpu

CHROME = json.loads((Path(__file__).parent / "data" / "trace.json").read_text(encoding="utf-8"))


def call(name: str, start: float = 0.0, seconds: float = 1.0, thread: object = 1) -> Event:
    return Event("call", name, start, seconds, thread)


def test_a_chrome_trace_is_counted_by_its_categories() -> None:
    """Two kernels (30 and 12.5 µs), one copy, one fill, three launches: runtime, driver, graph."""
    found = trace_of(events_of_chrome(CHROME))
    assert (found.kernels, found.launches) == (4, 3)
    assert found.kernel_time == pytest.approx(42.5e-6)
    assert trace_of(events_of_chrome(CHROME["traceEvents"])) == found
    assert trace_of(events_of_chrome({})) == Trace(0, 0, 0.0)


@pytest.mark.parametrize(
    ("name", "launches"),
    [
        ("cudaLaunchKernel", 1),
        ("cudaLaunchKernel_v7000", 1),
        ("cudaLaunchKernelExC_v11060", 1),
        ("cudaLaunchCooperativeKernel", 1),
        ("cuLaunchKernel", 1),
        ("cuLaunchKernelEx", 1),
        ("cuLaunchKernel_ptsz", 1),
        ("cudaGraphLaunch", 1),
        ("cuGraphLaunch", 1),
        ("cudaLaunchHostFunc", 0),
        ("cuLaunchHostFunc", 0),
        ("cudaDeviceSynchronize", 0),
        ("cudaGraphInstantiate", 0),
        ("cudaMemcpyAsync", 0),
        ("myLaunchKernel", 0),
    ],
)
def test_calls_that_launch(name: str, launches: int) -> None:
    assert trace_of([call(name)]).launches == launches


def test_a_call_inside_a_call_is_one_launch() -> None:
    nested = [call("cuLaunchKernel", 0.2, 0.5), call("cudaLaunchKernel", 0.0, 1.0)]
    assert trace_of(nested).launches == 1
    assert trace_of([*nested, call("cuLaunchKernel", 0.2, 0.5, thread=2)]).launches == 2
    assert trace_of([call("cudaLaunchKernel", float(i)) for i in range(5)]).launches == 5


class Traced(Prepared):
    """An arm of the toy problem that runs as many kernels as it is told."""

    def __init__(self, n: int, least: int | None, launches: float) -> None:
        self._n, self._least, self._launches = n, least, launches
        self.runs = 0
        self.closed = False

    def run(self) -> None:
        self.runs += 1

    def result(self) -> int:
        return self._n

    def counts(self) -> Mapping[str, float]:
        assert self.runs  # what was run is counted
        return {"launches": self._launches, "bytes": 1.0}

    def least_kernels(self) -> int | None:
        return self._least

    def close(self) -> None:
        self.closed = True


class Host(Traced):
    on_host = True


class Fake:
    """A profiler that saw what it is told, and how often the arm had run before."""

    name = "fake 1"

    def __init__(self, *seen: Sequence[Event]) -> None:
        self.seen = seen
        self.times = 0

    def trace(self, run: Callable[[], None]) -> Sequence[Event]:
        run()
        self.times += 1
        return self.seen[(self.times - 1) % len(self.seen)]


KERNEL = Event("kernel", "k", 0.0, 2e-3)
LAUNCH = call("cuLaunchKernel")


def desk(
    profiler: Fake | str,
    least: int | None = None,
    launches: float = 1.0,
    arm: type[Traced] = Traced,
    gpu: FakeGpu | None = None,
) -> tuple[Desk, list[Traced]]:
    made: list[Traced] = []

    def prepare(problem: int, context: Context) -> Prepared:
        made.append(arm(problem, least, launches))
        return made[-1]

    def verify(problem: int, reference: int, result: int) -> Mapping[str, float]:
        if result != reference:
            raise VerificationError("not the same")
        return {"max_difference": 0.0}

    workload: Any = SimpleNamespace(
        problem=lambda at: at["n"], reference=lambda p, c: 10, verify=verify, counts=lambda p: {"elements": p}
    )
    module: Any = SimpleNamespace(prepare=prepare)
    context = Context("gpu", Path(), 1)
    return Desk(workload, module, context, context, FakeClock(), FakeFiles(), gpu or FakeGpu(), lambda: profiler), made


def test_a_traced_run_is_warm_and_verified_and_repeated() -> None:
    profiler = Fake([KERNEL, LAUNCH], [KERNEL, KERNEL, LAUNCH], [KERNEL, LAUNCH])
    at, made = desk(profiler)
    answer = traced(at, {"n": 10})
    assert answer == Answer({"elements": 10, "launches": 1.0, "kernels": 1.0, "kernel_time": (2e-3, 4e-3, 2e-3)})
    assert made[0].runs == 5
    assert made[0].closed
    with pytest.raises(VerificationError):
        traced(at, {"n": 11})
    assert profiler.times == 3
    assert made[1].closed


def test_a_long_traced_run_is_not_repeated() -> None:
    profiler = Fake([KERNEL, LAUNCH])
    at, _ = desk(profiler)
    clock = at.clock
    assert isinstance(clock, FakeClock)
    seen = profiler.trace

    def slow(run: Callable[[], None]) -> Sequence[Event]:
        clock.turn(20)
        return seen(run)

    profiler.trace = slow  # type: ignore[method-assign] # on purpose
    assert traced(at, {"n": 10}).values["kernel_time"] == (2e-3,)


@pytest.mark.parametrize(
    ("seen", "least", "kept", "absent"),
    [
        ([LAUNCH], None, {"launches"}, "kernels and their time: fake 1 sees none"),
        ([LAUNCH, KERNEL], 100, {"launches"}, "kernels and their time: fake 1 sees 1 of 100 or more"),
        ([LAUNCH, KERNEL], 1, {"launches", "kernels", "kernel_time"}, None),
        ([KERNEL], None, {"kernels", "kernel_time"}, "launches: fake 1 sees none"),
    ],
)
def test_what_a_profiler_does_not_see_is_left_out(
    seen: list[Event], least: int | None, kept: set[str], absent: str | None
) -> None:
    answer = traced(desk(Fake(seen), least)[0], {"n": 10})
    assert set(answer.values) - {"elements"} == kept
    assert answer.absent == absent


@pytest.mark.parametrize(
    ("profiler", "arm", "launches", "kind", "words"),
    [
        (Fake([]), Traced, 1, "unsupported", "sees neither kernels nor launches"),
        ("there is none", Traced, 1, "not_installed", "there is none"),
        (Fake([KERNEL]), Host, 1, "unsupported", "on the host"),
        (Fake([KERNEL]), Traced, 1e6, "unsupported", "1e\\+06 launches"),
    ],
)
def test_what_cannot_be_traced(profiler: Fake | str, arm: type[Traced], launches: float, kind: str, words: str) -> None:
    at, made = desk(profiler, arm=arm, launches=launches)
    with pytest.raises(Cannot, match=words) as caught:
        traced(at, {"n": 10})
    assert caught.value.kind == kind
    assert all(arm.closed for arm in made)


def test_device_memory_is_what_the_driver_misses_or_the_arm_tells() -> None:
    gpu = FakeGpu()
    found = memory(desk("none", gpu=gpu)[0], {"n": 10}).values
    assert found["device_memory"] == 1000  # the fake's free memory falls by so much at every question
    assert found["elements"] == 10
    assert gpu.released == 1
    assert "device_memory" not in memory(desk("none", arm=Host)[0], {"n": 10}).values

    class Tells(Traced):
        def device_memory(self) -> int:
            return 77

    assert memory(desk("none", arm=Tells)[0], {"n": 10}).values["device_memory"] == 77


class FakeCupti:
    """The calls of cupti-python that are used, and records as it hands them out."""

    class ActivityKind:
        CONCURRENT_KERNEL, MEMCPY, MEMSET, RUNTIME, DRIVER = 10, 1, 2, 5, 4

    class CallbackDomain:
        RUNTIME_API, DRIVER_API = 3, 2

    def __init__(self) -> None:
        self.enabled: set[int] = set()
        self.records: list[SimpleNamespace] = []
        self.flushed = 0

    def activity_register_callbacks(self, asked: Callable[[], tuple[int, int]], take: Callable[[Any], None]) -> None:
        assert asked()[0] > 0
        self.take = take

    def activity_enable(self, kind: int) -> None:
        self.enabled.add(kind)

    def activity_disable(self, kind: int) -> None:
        self.enabled.remove(kind)

    def activity_flush_all(self, flag: int) -> None:
        self.take([r for r in self.records if r.kind in self.enabled])
        self.records = []

    def get_callback_name(self, domain: int, cbid: int) -> str:
        return {(3, 1): "cudaLaunchKernel_v7000", (2, 7): "cuGraphLaunch", (2, 8): "cuMemAlloc"}[domain, cbid]


def test_records_of_cupti(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "13.4.0")
    cupti = FakeCupti()
    profiler = CuptiProfiler(cupti, lambda: None)
    assert profiler.name == "cupti-python 13.4.0"

    def run() -> None:
        assert cupti.enabled == {10, 1, 2, 5, 4}
        for kind, cbid, start, end in ((10, 0, 1000, 4000), (1, 0, 0, 5), (2, 0, 0, 5), (5, 1, 0, 9), (4, 7, 20, 30)):
            cupti.records.append(SimpleNamespace(kind=kind, cbid=cbid, start=start, end=end, thread_id=1))
        cupti.records.append(SimpleNamespace(kind=4, cbid=8, start=40, end=50, thread_id=1))

    for _ in range(2):
        found = trace_of(profiler.trace(run))
        assert (found.kernels, found.launches) == (3, 2)
        assert found.kernel_time == pytest.approx(3e-6)
    assert not cupti.enabled


def test_the_version_of_the_profiler_is_known_without_loading_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, str] = {}

    def version(package: str) -> str:
        if package not in known:
            raise metadata.PackageNotFoundError(package)
        return known[package]

    monkeypatch.setattr(metadata, "version", version)
    assert profiler_version() is None
    known["cupti-python"] = "13.4.0"
    assert profiler_version() == "cupti-python 13.4.0"
    known["torch"] = "2.9.0+cpu"
    assert profiler_version() == "cupti-python 13.4.0"
    known["torch"] = "2.9.0"
    assert profiler_version() == "torch.profiler 2.9.0"
