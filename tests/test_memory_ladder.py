"""The memory_ladder benchmark without a GPU: addresses and sums, streams on the host, the kernels' instructions."""

from __future__ import annotations

import ctypes
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.machine_code import MachineCode
from tests.shipped import Kernel, accesses, look_at_all, look_at_fill

from perfdocs.definitionfile import read_definition
from perfdocs.frame import rows
from perfdocs.library import load_library
from perfdocs.measure import compiled
from perfdocs.measure.arm import Context, VerificationError
from perfdocs.measure.hostcc import FLAGS, compiler, load
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.sass import total
from perfdocs.measure.words import PERIOD, word_at
from perfdocs.render.series import panels
from perfdocs.verdict import Missing

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "memory_ladder"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
ladder: Any = importlib.import_module(f"{workload.__package__}.ladder")
streams: Any = importlib.import_module(f"{workload.__package__}.streams")
contents: Any = importlib.import_module(f"{workload.__package__}.contents")
host: Any = importlib.import_module(f"{workload.__package__}.host")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


@pytest.fixture(scope="module")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ladder over sectors of 4 MiB in all."""
    monkeypatch.setattr(ladder, "DISTINCT", 4 * 2**20)
    monkeypatch.setattr(ladder, "REACH", 16 * 2**20)


def test_every_arm_has_its_file_and_every_task_a_table_of_its_axes() -> None:
    files = {path.stem for path in (FOLDER / "arms").glob("*.py")} - {"__init__"}
    assert files == set(DEFINITION.arms)
    for kind in ("gpu", "cpu"):
        for quick in (True, False):
            for task in workload.tasks(kind, quick):
                assert set(task.at) == set(DEFINITION.tables[task.table].axes)
                assert workload.work(task.at) > 0


def test_ladders_vary_one_knob_and_the_others_are_at_their_best() -> None:
    tasks = workload.tasks("gpu", False)
    ladders = [task for task in tasks if task.table in workload.TABLES]
    assert len({(task.table, task.curve) for task in ladders}) == 4
    best = ladder.Ladder()
    assert all(
        best in [workload.problem(task.at) for task in ladders if task.table == name] for name in workload.TABLES
    )
    curves = {task.curve for task in tasks if task.table == "occupancy"}
    assert len(curves) == 12
    assert sum(task.table == "occupancy" for task in tasks) == 12 * 8 - 2
    points = [workload.problem(task.at) for task in tasks if task.table != "streams"]
    assert all(point.width * point.loads <= 64 or point.warps <= 32 for point in points)


def test_threads_go_up_in_powers_of_two_to_all() -> None:
    assert workload.thread_rungs(6, False) == [1, 2, 4, 6]
    assert workload.thread_rungs(16, False) == [1, 2, 4, 8, 16]
    assert workload.thread_rungs(6, True) == [6]


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("stride", [1, 2, 4, 16, 256])
def test_a_reading_touches_so_many_distinct_sectors_and_sums_their_words(small: None, width: int, stride: int) -> None:
    point = ladder.Ladder(width=width, stride=stride, warps=1, loads=1)
    x = np.arange(point.accesses) * point.apart
    address = x % point.region + 128 * (x // point.region % point.passes)
    assert point.accesses * width == point.counts()["useful_byte"]
    assert len(np.unique(address)) == point.accesses
    assert len(np.unique(address // 32)) * 32 == ladder.DISTINCT == point.counts()["sector_byte"]
    assert int(address.max()) + width <= ladder.REACH
    i = (address[:, None] // 4 + np.arange(width // 4)).ravel()
    assert int(word_at(i).sum(dtype=np.uint64)) % 2**32 == point.reference()


def test_sectors_are_many_times_a_cache_and_a_run_reads_them_more_often_where_it_is_fast() -> None:
    slow, fast = ladder.Ladder(width=4, warps=1, loads=1), ladder.Ladder()
    assert fast.counts()["footprint_byte"] == slow.counts()["footprint_byte"] >= 30 * 60 * 10**6
    assert (slow.readings, fast.readings) == (1, 8)
    assert fast.in_flight == 64 * 1024
    with pytest.raises(VerificationError, match="add up to"):
        fast.verify(1, 2)


ON_HOST = """
#include <cstddef>
#define __CUDA_ARCH__ 900
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
struct Dim { unsigned x; };
static Dim blockIdx, threadIdx, gridDim, blockDim;
#include "ladder.cu"
extern "C" void ladder_run(char* buffer, u64 region, u64 end, int shift, u64 last, u32* sums, unsigned grid,
                           unsigned block) {
  gridDim.x = grid;
  blockDim.x = block;
  for (int read = 0; read < 2; ++read)
    for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x)
      for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x) {
        if (read) ladder_read(buffer, end, shift, last, sums);
        else ladder_fill((perfdocs::Vector<16>*)buffer, region / 16);
      }
}
"""


@needs_compiler
@pytest.mark.parametrize(("width", "loads", "stride"), [(16, 4, 1), (16, 8, 2), (8, 4, 1), (4, 1, 1), (16, 4, 256)])
def test_the_kernel_reads_what_is_predicted(
    small: None, width: int, loads: int, stride: int, tmp_path: Path, context: Context
) -> None:
    """The kernel's own text, its threads one after the other on the host; the blocks divide nothing evenly."""
    point = ladder.Ladder(width=width, loads=loads, stride=stride, warps=1)
    (tmp_path / "run.cpp").write_text(ON_HOST)
    knobs = (("WIDTH", width), ("LOADS", loads), ("STRIDE", stride), ("BLOCKS", 2))
    flags = (*FLAGS, f"-I{FOLDER}", *(f"-DLADDER_{name}={value}" for name, value in knobs))
    run = load(tmp_path / "run.cpp", context.build, flags).ladder_run
    run.argtypes = [ctypes.c_void_p, *[ctypes.c_uint64] * 2, ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p]
    run.argtypes += [ctypes.c_uint, ctypes.c_uint]
    buffer, sums = np.empty(ladder.REACH, dtype=np.uint8), np.empty(3 * 96, dtype=np.uint32)
    end = point.readings * point.accesses * point.apart
    shift = point.region.bit_length() - 1
    run(buffer.ctypes.data, point.region, end, shift, point.passes - 1, sums.ctypes.data, 3, 96)
    assert point.verify(point.reference(), int(sums.sum(dtype=np.uint64)) % 2**32) == {}


def look_at_ladder(kernel: Kernel) -> None:
    (loop,), width, loads = kernel.loops, kernel.of("WIDTH"), kernel.of("LOADS")
    assert accesses(loop, "LDG") == accesses(kernel.whole, "LDG") == {width: loads}
    assert not accesses(loop, "STG")
    assert accesses(kernel.whole, "STG") == {4: 1}
    assert 2 * total(loop, "IADD3", "IMAD.IADD") >= loads * width // 4  # every word is added, two at a time


def look_at_stream(kernel: Kernel) -> None:
    name, vectors = kernel.name.removeprefix("stream_"), kernel.of("VECTORS")
    stream, numbers = streams.KERNELS[name], 2 * kernel.of("VECTORS")  # a vector is a pair
    assert kernel.threads == kernel.of("THREADS")
    assert accesses(kernel.whole, "LDG") == {16: stream.read * vectors}
    arithmetic = {opcode: total(kernel.whole, opcode) for opcode in ("DADD", "DMUL", "DFMA")}
    if name == "dot":
        (loop,) = kernel.loops
        assert accesses(loop, "LDG") == accesses(kernel.whole, "LDG")
        assert total(loop, "DFMA") == arithmetic["DFMA"] == numbers
        assert not accesses(loop, "STG")
    else:
        assert not kernel.loops
        assert accesses(kernel.whole, "STG") == {16: stream.written * vectors}
        of = {"copy": (0, 0), "scale": (0, numbers), "add": (numbers, 0), "triad": (numbers, numbers)}[name]
        assert arithmetic == {"DADD": of[0], "DMUL": of[1], "DFMA": 0}
    moves = [one for one in kernel.whole if one.startswith("LDG") or (one.startswith("STG") and name != "dot")]
    assert all((".EF" in one) == bool(kernel.of("EVICT")) for one in moves)


@pytest.mark.parametrize("architecture", [90])
def test_kernels_load_store_and_compute_what_is_counted(architecture: int, machine_code: MachineCode) -> None:
    looks = {"ladder_read": look_at_ladder, "ladder_fill": look_at_fill(16), "stream_fill": look_at_fill(16, 2)}
    look_at_all(
        FOLDER, machine_code, architecture, looks | {f"stream_{name}": look_at_stream for name in streams.KERNELS}
    )


def test_all_loads_of_a_thread_are_in_registers_at_once() -> None:
    """Fewer registers than words loaded, and some that keep the place: then words are added before the last load."""
    rows = [row for row in compiled.read_table(FOLDER / compiled.FILE).rows if row.name == "ladder_read"]
    assert len(rows) >= 12 + 8
    for row in rows:
        knobs = dict(define.split("=") for define in row.defines)
        words = int(knobs["LADDER_WIDTH"]) * int(knobs["LADDER_LOADS"]) // 4
        for architecture, used in row.used.items():
            assert used.registers >= words + 8, f"{row} {architecture}"
            if knobs["LADDER_BLOCKS"] == "2" and architecture in ("sm_80", "sm_90"):
                assert used.registers <= 32  # what 64 warps leave


@needs_compiler
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("arm", [key for key, arm in DEFINITION.arms.items() if "cpu" in arm.on])
def test_a_host_arm_reaches_the_reference_and_leaves_its_inputs(arm: str, threads: int, context: Context) -> None:
    problem = streams.Streams(n=2 * PERIOD, threads=threads)
    reference = workload.reference(problem, context)
    ready = load_arm(FOLDER, arm).prepare(problem, context)
    x, y, _ = host.arrays(problem.n, threads, context.build)
    assert (x[:PERIOD] == contents.reals()[0]).all()
    for _ in range(2):
        ready.run()
        assert workload.verify(problem, reference, ready.result()) == {}
    assert (y[-PERIOD:] == contents.reals()[1] * contents.factor(1)).all()
    counts = ready.counts()
    assert counts["useful_byte"] == 8 * problem.n * (2 if arm in ("copy", "scale", "dot") else 3)
    assert set(counts) <= set(DEFINITION.metrics)
    ready.close()


@pytest.mark.parametrize(("change", "message"), [(0, "add up to"), (1, "elements of triad are not")])
def test_verification_of_a_stream_finds_one_wrong_element(change: int, message: str, context: Context) -> None:
    problem = streams.Streams(n=2 * PERIOD)
    reference = workload.reference(problem, context)
    right = reference["triad"]
    assert workload.verify(problem, reference, right) == {}
    last = right.last.copy()
    last[5] += 1e-16 * 4
    wrong = [right._replace(total=right.total + 0.5), right._replace(last=last)][change]
    with pytest.raises(VerificationError, match=message):
        workload.verify(problem, reference, wrong)
    with pytest.raises(VerificationError, match="add up to"):
        workload.verify(problem, reference, right._replace(total=float("nan")))


def test_random_bits_are_random() -> None:
    """Half of all bits of the words and of the mantissas are set, and no two neighbours are alike."""
    words, (x, y) = word_at(np.arange(PERIOD)), contents.reals()
    bits = np.unpackbits(words[: 2**16].view(np.uint8))
    assert abs(bits.mean() - 0.5) < 2e-3
    assert len(np.unique(words)) == PERIOD
    assert ((x >= 0.5) & (x < 1) & (y >= 0.5) & (y < 1)).all()
    assert abs(float(np.corrcoef(x, y)[0, 1])) < 0.01
    assert abs(float(np.corrcoef(x[1:], x[:-1])[0, 1])) < 0.01


GPU: dict[str, Any] = {
    "id": "made-up-gpu",
    "kind": "gpu",
    "name": "Made Up GPU",
    "sm_count": 132,
    "compute_capability": [9, 0],
    "max_memory_clock": 3.201e9,
    "memory_bus_width": 6016,
}


def synthetic(latency: float, plateau: float) -> dict[str, Any]:
    """A synthetic card of the curve of bytes in flight, by the two-piece law."""
    measurements = []
    for task in workload.tasks("gpu", False):
        if task.table == "occupancy":
            point = workload.problem(task.at)
            flying = GPU["sm_count"] * point.in_flight
            seconds = point.counts()["sector_byte"] / min(flying / latency, plateau)
            wall = [seconds * (1 + share) for share in (0, 1e-4, -1e-4, 2e-4, -2e-4)]
            values = {**point.counts(), "in_flight_byte": flying, "wall": wall}
            measurements.append({"table": task.table, "arm": "read", "at": dict(task.at), **values})
    return {
        "schema": "perfdocs.card/1",
        "benchmark": "memory_ladder",
        "version": 1,
        "recorded": "2026-11-30T12:00:00Z",
        "origin": {"kind": "synthetic"},
        "device": GPU,
        "host": {},
        "software": {},
        "source": {},
        "method": {"protocol": "block", "warmups": 2, "runs": 5, "ramp": 0.5},
        "measurements": measurements,
    }


def test_the_law_of_a_synthetic_card_is_found_again(tmp_path: Path) -> None:
    latency, plateau = 700e-9, 4.5e12
    folder = tmp_path / "benchmarks" / "memory_ladder"
    (folder / "cards").mkdir(parents=True)
    (folder / "benchmark.toml").write_bytes((FOLDER / "benchmark.toml").read_bytes())
    (folder / "cards" / "made-up-gpu.json").write_text(json.dumps(synthetic(latency, plateau)))
    library = load_library(folder.parent)
    assert not library.problems
    benchmark = library.benchmarks["memory_ladder"]
    loaded = benchmark.card_of("made-up-gpu")
    assert loaded is not None
    summary = rows(benchmark, loaded, "little")
    assert [tuple(row.at.values()) for row in summary] == [(w, n) for w in (4, 8, 16) for n in (1, 2, 4, 8)]
    full = [row for row in summary if int(row.at["width"]) * int(row.at["loads"]) >= 16]  # the others never bend
    assert len(full) == 9
    for row in full:
        assert row.value("corner_latency").centre == pytest.approx(latency, rel=1e-3)
        assert row.value("plateau_rate").centre == pytest.approx(plateau, rel=1e-3)
        assert row.value("knee_byte").centre == pytest.approx(latency * plateau, rel=2e-3)
        assert row.value("corner_misfit").centre < 1e-3 < row.value("hyperbola_misfit").centre
        assert row.value("filling_sm").centre in (24 * 1024, 32 * 1024)  # steps are wider where a load is
    share = rows(benchmark, loaded, "occupancy")[0].value("in_flight_sm")
    assert share.centre == 128


def test_ladders_that_end_on_the_rise_have_no_knee() -> None:
    """The published H200: the narrowest loads do not fill it with all warps, and the others do."""
    benchmark = load_library(FOLDER.parent).benchmarks["memory_ladder"]
    loaded = benchmark.card_of("nvidia-h200")
    assert loaded is not None
    rising = {(4, 1), (4, 2), (8, 1)}
    for row in rows(benchmark, loaded, "little"):
        assert row.value("half_byte").centre > 0
        for key in ("filling", "filling_sm", "knee_byte", "knee_sm", "plateau_rate", "corner_latency"):
            if (row.at["width"], row.at["loads"]) in rising:
                with pytest.raises(Missing, match="not reached"):
                    row.value(key)
            else:
                assert row.value(key).centre > 0
    marked = {panel.title: [c.of for c in panel.curves] for panel in panels(benchmark, [loaded], "little")}
    assert [len(found) for found in marked.values()] == [2, 3, 4]
