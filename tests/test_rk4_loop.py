"""The arms of rk4 that launch a few steps at a time, run on the host by a small CUDA for it."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.limits_kit import Stream

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context
from perfdocs.measure.hostcc import compiler, load
from perfdocs.measure.loader import load_arm, load_workload

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "benchmarks" / "rk4"
SHIM = HERE / "data" / "cuda_on_host.hpp"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
device: Any = importlib.import_module(f"{workload.__package__}.device")
loop: Any = importlib.import_module(f"{workload.__package__}.loop")

FLAGS = ("-O0", "-U_FORTIFY_SOURCE", "-march=native", "-ffp-contract=off", "-std=c++17", "-shared", "-fPIC", "-w")
KERNELS = (
    "rk4_begin",
    "rk4_steps_count",
    "rk4_steps",
    "rk4_steps_while",
    "rk4_live_first",
    "rk4_live",
    "rk4_live_while",
)
THREADS = 64  # a block: small, so that a small batch has several


class Plane(np.ndarray):
    """An array "on the device"."""

    def set(self, host: Any, stream: Any = None) -> None:
        self[...] = host

    def get(self, stream: Any = None, out: Any = None) -> Any:
        if out is None:
            return np.array(self)
        out[...] = self
        return out


class Kernel:
    """A kernel of a library compiled for the host."""

    num_regs = 0

    def __init__(self, library: ctypes.CDLL, name: str) -> None:
        self._call = getattr(library, f"launch_{name}")

    def __call__(self, grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...]) -> None:
        kept = [np.uint64(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arguments]
        boxes = [np.array([value]) for value in kept]
        pointers = (ctypes.c_void_p * len(boxes))(*(box.ctypes.data for box in boxes))
        self._call(grid[0], block[0], pointers)


class HostGraph:
    """What a graph with a WHILE node does."""

    def __init__(self, stream: Stream, begin: Callable[[], None], body: Callable[[Any], None]) -> None:
        self._begin, self._body = begin, body
        self.rounds = 0

    def launch(self) -> None:
        self._begin()
        condition = np.ones(1, dtype=np.uint32)
        self.rounds = 0
        while condition[0]:
            condition[0] = 77  # a guard that forgets to decide is seen
            self._body(np.uint64(condition.ctypes.data))
            assert condition[0] in (0, 1)
            self.rounds += 1
            assert self.rounds < 2000

    def close(self) -> None:
        pass


class Host:
    """Arms prepared for the host, and the bytes their kernels moved."""

    def __init__(self, build: Path) -> None:
        self._build = build
        self._libraries: dict[str, ctypes.CDLL] = {}

    def module(self, code: str, options: tuple[str, ...], backend: str) -> Any:
        # Both families of kernels go into one library.
        graph = "-DRK4_GRAPH=1"
        defines = [o for o in options if o.startswith("-D") and "RK4_LIVE" not in o and o != graph] + [graph]
        exports = "".join(f"HOST_CUDA_KERNEL({name})\n" for name in KERNELS)
        text = f'#include "{SHIM}"\n{code}\n{exports}'
        key = sha256("\0".join((text, *defines)).encode()).hexdigest()[:16]
        if key not in self._libraries:
            source = self._build / f"loop-{key}.cpp"
            source.write_text(text)
            self._libraries[key] = load(source, self._build, (*FLAGS, *defines))
        library = self._libraries[key]
        return SimpleNamespace(get_function=lambda name: Kernel(library, name))

    def moved(self) -> int:
        """Bytes that the planes' loads and stores moved since the last call."""
        total = 0
        for library in self._libraries.values():
            read, written = ctypes.c_ulonglong(), ctypes.c_ulonglong()
            library.host_cuda_bytes(ctypes.byref(read), ctypes.byref(written))
            total += read.value + written.value
        return total


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("loop")


@pytest.fixture(scope="module")
def shared_host(build: Path) -> Host:
    return Host(build)


@pytest.fixture
def host(shared_host: Host, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    if compiler() is None:
        pytest.skip("no C++ compiler is installed")

    def plane(values: Any) -> Any:
        return np.array(values).view(Plane)

    def zeros(n: int, dtype: Any) -> Any:  # not zeros: what a pool hands out
        return np.full(n, 113, dtype=dtype).view(Plane)

    cupy = SimpleNamespace(
        asarray=plane,
        zeros=zeros,
        RawModule=shared_host.module,
        cuda=SimpleNamespace(Stream=Stream, alloc_pinned_memory=bytearray),
    )
    monkeypatch.setattr(device, "import_cupy", lambda: cupy)
    monkeypatch.setattr(loop, "import_driver", lambda: None)
    monkeypatch.setattr(loop, "WhileGraph", HostGraph)
    device.kernel.cache_clear()
    yield shared_host
    device.kernel.cache_clear()


LOOPS = {
    "eager": None,
    "graph": (1, 1, None),
    "graph_every_k": (1, 16, None),
    "graph_fused": (16, 1, None),
    "graph_compact": (1, 16, 0.0),
    "graph_reorder": (1, 16, 0.5),
    "graph_fused_compact": (16, 4, 0.0),
}
"""Steps a launch, launches a round, and theta where there is a map."""


def prepared(arm: str, problem: Any, monkeypatch: pytest.MonkeyPatch, sms: int = 2, threads: int = THREADS) -> Any:
    for kind in (loop.LoopArm, loop.EveryArm, loop.LiveArm):
        monkeypatch.setitem(kind.__init__.__kwdefaults__, "threads", threads)
    return load_arm(FOLDER, arm).prepare(problem, Context("gpu", Path("unused"), 2, sm_count=sms))


def mixed(n: int, longest: int = 100, zeros: int = 0, real: str = "float64", every: int | None = None) -> Any:
    problem = workload.draw(n, longest, True, "spread-100", real=real, every=every)
    problem.nstop[n - zeros :] = 0
    return problem


def slots_by_hand(problem: Any, arm: str) -> int:
    """Lanes times steps, step by step: what the kernels' documentation says, without a short cut."""
    steps, launches, theta = LOOPS[arm] or (1, 1, None)
    nstop = problem.nstop
    entries = np.arange(problem.n)  # samples, in the order of the entries
    old = entries
    places = np.arange(problem.n)  # positions of the entries
    total, base = 0, 0
    while True:
        for step in range(steps * launches):
            now = old if step < steps else entries
            for warp in range(0, len(now), 32):
                total += 32 * bool((nstop[now[warp : warp + 32]] > base + step).any())
        base += steps * launches
        alive = nstop[entries] > base
        if not alive.any():
            return total
        old = entries
        if theta is not None and not alive.all():
            entries, places = entries[alive], places[alive]
            groups = len({int(place) // 32 for place in places})
            if len(places) < theta * 32 * groups:
                places = np.arange(len(places))


BATCHES = [(1, 0), (1, 1), (31, 2), (32, 0), (33, 33), (64, 0), (500, 7), (1501, 0)]


@pytest.mark.parametrize(("n", "zeros"), BATCHES)
@pytest.mark.parametrize("arm", LOOPS)
def test_an_arm_reaches_the_reference_and_moves_what_it_says(
    arm: str, n: int, zeros: int, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = mixed(n, zeros=zeros)
    ready = prepared(arm, problem, monkeypatch)
    reference = workload.numpy_reference(problem)
    host.moved()
    for _ in range(2):
        ready.run()
        moved = host.moved()
        assert workload.verify(problem, reference, ready.result())["max_difference"] <= 1e-11
        counts = ready.counts()
        assert counts["issued_byte"] == moved
        assert counts["issued_steps"] == slots_by_hand(problem, arm)
        assert set(counts) <= set(DEFINITION.metrics)
    ready.end_to_end()
    assert workload.verify(problem, reference, ready.result())
    ready.close()


@pytest.mark.parametrize("arm", LOOPS)
def test_the_last_sample_to_run_may_be_anywhere(arm: str, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (5, 600, 1100):  # a later thread's, and in an early, a middle and a last turn of it
        problem = mixed(1101, 20)
        problem.nstop[0] = 7
        problem.nstop[place] = 100
        ready = prepared(arm, problem, monkeypatch)
        ready.run()
        assert workload.verify(problem, workload.numpy_reference(problem), ready.result())


@pytest.mark.parametrize("arm", [arm for arm, shape in LOOPS.items() if shape])
def test_a_run_is_as_many_kernels_as_it_says(arm: str, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    for longest in (1, 15, 16, 17, 64, 65, 100):
        problem = mixed(40, longest)
        ready = prepared(arm, problem, monkeypatch)
        ready.run()
        assert ready.rounds == ready._graph.rounds
        assert ready.least_kernels() == 1 + ready.rounds * ready.round_launches


@pytest.mark.parametrize(
    ("arm", "real"),
    [
        ("graph_compact", "float64"),
        ("graph_fused_compact", "float64"),
        ("graph_reorder", "float64"),
        ("graph_reorder", "float32"),
    ],
)
def test_samples_are_found_again_after_many_moves(
    arm: str, real: str, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few survivors of many, over several rounds, in maps and planes that are used again."""
    problem = mixed(3000, 400, real=real)
    ready = prepared(arm, problem, monkeypatch, sms=1)
    reference = workload.numpy_reference(problem)
    host.moved()
    ready.run()
    assert ready.counts()["issued_byte"] == host.moved()
    assert workload.verify(problem, reference, ready.result())


def test_the_samples_of_a_thin_batch_are_moved_more_than_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = mixed(3000, 400)
    ready = prepared("graph_reorder", problem, monkeypatch, sms=1)
    seen = []
    whole = ready.round

    def spied(handle: Any) -> None:
        whole(handle)
        seen.append(tuple(int(word) for word in ready.control[4:8]))

    ready._graph._body = spied
    ready.run()
    planes = [view[2] for view in seen]
    assert {0, 1, 2} <= set(planes)
    maps = [view[1] for view in seen]
    assert {0, 1, 2} <= set(maps)
    spans = [view[0] for view in seen]
    assert spans == sorted(spans, reverse=True)
    assert spans[-1] == 0


def test_a_batch_of_one_length_has_no_map(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = workload.draw(200, 50, False, "uniform-50")
    for arm in ("graph_compact", "graph_reorder", "graph_fused_compact"):
        ready = prepared(arm, problem, monkeypatch)
        host.moved()
        ready.run()
        moved = host.moved()
        assert workload.verify(problem, workload.numpy_reference(problem), ready.result())
        assert int(ready.control[5]) == 0 or int(ready.control[4]) == 0
        launches = ready.rounds * ready.round_launches
        assert moved == loop.every_sample(problem, ready._steps, launches, True).byte
        assert ready.counts()["issued_byte"] == moved


@pytest.mark.parametrize("arm", LOOPS)
def test_only_the_graphs_ask_for_the_conditional_node(arm: str, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = prepared(arm, mixed(40), monkeypatch)
    assert (loop.GUARDED in ready._defines) == (arm != "eager")


@pytest.mark.parametrize("arm", LOOPS)
def test_a_batch_without_samples_ends(arm: str, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    none = np.zeros(0)
    problem = workload.Problem("none", 0, none, none, none, none, none.astype(np.int64))
    ready = prepared(arm, problem, monkeypatch)
    ready.run()
    assert ready.result().steps.shape == (0,)
    assert ready.counts()["issued_byte"] == 0
    ready.close()


@pytest.mark.parametrize("every", [8, 16, 32])
@pytest.mark.parametrize("arm", ["graph_every_k", "graph_compact"])
def test_the_cadence_is_the_problems(arm: str, every: int, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = mixed(300, every=every)
    ready = prepared(arm, problem, monkeypatch)
    assert ready.round_steps == every
    host.moved()
    ready.run()
    assert ready.counts()["issued_byte"] == host.moved()
    assert workload.verify(problem, workload.numpy_reference(problem), ready.result())


@pytest.mark.parametrize("arm", ["graph", "graph_fused", "eager"])
def test_a_large_batch_is_not_read_ahead(arm: str, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = mixed(500)
    module = importlib.import_module(f"{workload.__package__}.arms.{arm}")
    for place in (loop, module):
        if hasattr(place, "AHEAD_MOST"):
            monkeypatch.setattr(place, "AHEAD_MOST", 400)
    ready = prepared(arm, problem, monkeypatch)
    host.moved()
    ready.run()
    moved = host.moved()
    assert ready.counts()["issued_byte"] == moved
    assert moved < loop.every_sample(problem, 1, 100, True).byte
    assert workload.verify(problem, workload.numpy_reference(problem), ready.result())


class CountedArrays:
    """The array functions of ``cupy_masked``, by NumPy; counts kernels and the bytes they read and write."""

    cuda = SimpleNamespace(Stream=Stream)

    def __init__(self) -> None:
        self.kernels = self.bytes = 0

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        if name == "empty":
            return lambda shape, dtype: np.full(shape, 113).astype(dtype).view(Plane)

        def counted(*arguments: Any, **named: Any) -> Any:
            self.kernels += 1
            arrays = [a for a in (*arguments, *named.values()) if isinstance(a, np.ndarray)]
            self.bytes += sum(a.nbytes for a in arrays if a.ndim)
            if "where" in named:  # one mask for place and speed, read for both
                self.bytes += named["where"].nbytes
            return function(*arguments, **named)

        return counted

    def asarray(self, values: Any) -> Any:
        return np.array(values).view(Plane)

    zeros = staticmethod(lambda n, dtype: np.zeros(n, dtype).view(Plane))


@pytest.mark.parametrize("real", ["float64", "float32"])
def test_the_masked_arrays_reach_the_reference_and_move_what_they_say(
    real: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = CountedArrays()
    monkeypatch.setattr(device, "import_cupy", lambda: arrays)
    problem = mixed(100, 40, zeros=3, real=real)
    module: Any = load_arm(FOLDER, "cupy_masked")
    ready: Any = module.prepare(problem, Context("gpu", Path("unused"), 2, sm_count=2))
    for _ in range(2):
        arrays.kernels = arrays.bytes = 0
        ready.run()
        assert workload.verify(problem, workload.numpy_reference(problem), ready.result())
        filled = 8 * problem.n  # zeros for the counts, by a method of the array
        assert ready.counts() == {"issued_byte": arrays.bytes + filled, "issued_steps": 40 * problem.n}
        assert arrays.kernels - 4 == ready.least_kernels()  # two copies, the first mask and the first look
    assert ready.result().x.dtype == real
    ready.end_to_end()
    assert workload.verify(problem, workload.numpy_reference(problem), ready.result())
    ready.close()


def test_the_tables_of_cadence_and_overhead_are_planned() -> None:
    tasks = workload.tasks("gpu", False)
    cadence = [task.at for task in tasks if task.table == "cadence"]
    assert [(at["k"], at["n"]) for at in cadence] == [(k, n) for n in (10**5, 10**6) for k in (8, 16, 32)]
    assert workload.problem({"k": 8, "n": 100}).config == "spread-1000"
    assert workload.problem({"k": 8, "n": 100}).every == 8
    (overhead,) = [task.at for task in tasks if task.table == "overhead"]
    problem = workload.problem(overhead)
    assert problem.n == 64
    assert (problem.nstop == 100).all()
    for kind, quick in (("cpu", False), ("cpu", True)):
        assert not {"cadence", "overhead"} & {task.table for task in workload.tasks(kind, quick)}
    for table in ("cadence", "overhead"):
        axes = set(DEFINITION.tables[table].axes)
        assert all(set(task.at) == axes for task in tasks if task.table == table)


@pytest.mark.parametrize("warps", [1, 2, 7, 40])
def test_counts_do_not_depend_on_how_rounds_are_summed(warps: int) -> None:
    """Rounds in which nobody ends are counted together; a batch in which one sample ends early is not."""
    problem = workload.draw(100, 330, False, "uniform-330")
    alone = loop.live_samples(problem, 1, 16, 0.5, warps)
    assert alone.steps == 330 * 128
    problem.nstop[40] = 3
    one = loop.live_samples(problem, 1, 16, 0.5, warps)
    assert one.byte > alone.byte  # a map to read costs more than one sample saves
    assert one.steps == alone.steps
