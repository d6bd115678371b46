"""The peaks benchmark without a GPU: points, answers, host arms, kernels run on the host, machine instructions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.limits_kit import (
    BENCHMARKS,
    address,
    emulated,
    every_point_has_a_table_and_a_problem,
    files_are_arms,
    module_of,
    prepared,
    series,
    verified,
)
from tests.machine_code import MachineCode
from tests.shipped import Kernel, accesses, look_at_all, look_at_chains, look_at_fill

from perfdocs.cardfile import read_card
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context, VerificationError
from perfdocs.measure.chains import Sums
from perfdocs.measure.hostcc import compiler
from perfdocs.measure.loader import load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.runner import run
from perfdocs.measure.sass import total
from perfdocs.verdict import Missing

FOLDER = BENCHMARKS / "peaks"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
problems: Any = module_of(workload, "problems")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


@pytest.fixture(scope="module")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


def test_arms_points_and_problems() -> None:
    files_are_arms(FOLDER, DEFINITION)
    every_point_has_a_table_and_a_problem(workload, DEFINITION)
    assert len(workload.tasks("gpu", False)) == 15 + 20 + 14 + 9 + 4 + 4
    assert len(workload.tasks("cpu", False)) == 15 + 15 + 2 + 4


POINTS = [
    *(problems.Memory(pattern, lanes, 2**20) for pattern in ("read", "copy", "triad") for lanes in (1, 2, 4, 8, 16)),
    *(problems.Arithmetic(key, lanes, 1001) for key in ("fp32", "fp64", "int32") for lanes in (1, 2, 4, 8, 16)),
    problems.Latency("region", 20),
    problems.Latency("barrier", 20),
    problems.Atomics(1),
    problems.Atomics(4096),
]


def test_what_is_said_per_joule_stands_beside_its_joules() -> None:
    for table in DEFINITION.tables.values():
        per_joule = {key for key in table.columns if DEFINITION.quantity(key).unit.endswith("/J")}
        assert not per_joule or "energy" in table.columns


@needs_compiler
@pytest.mark.parametrize("arm", ["openmp", "openmp_1"])
def test_a_host_arm_is_right_at_every_kind_of_point(arm: str, context: Context) -> None:
    for problem in POINTS:
        counts = verified(workload, prepared(FOLDER, arm, problem, context), problem, DEFINITION)
        assert counts
        if isinstance(problem, problems.Memory):
            arrays = {"read": 2, "copy": 2, "triad": 3}[problem.pattern]
            assert counts["memory_byte"] == arrays * problem.words  # a quarter of the words, of 4 byte
        if isinstance(problem, problems.Arithmetic):
            assert counts["operations"] % (2 * problem.lanes * problem.steps) == 0


def test_wrong_answers_are_refused() -> None:
    stretch = np.zeros((64, 64), np.uint32)
    wrong = [
        (problems.Memory("copy", 4, 2**20), problems.Stretches(stretch, 2**20, 2**20)),
        (problems.Memory("triad", 4, 2**20), problems.Stretches(stretch, 2**20, 2**20)),
        (problems.Memory("read", 4, 2**20), Sums(stretch[0], 4, ((16, 64),), ((64, 1),))),
        (problems.Arithmetic("fp64", 4, 100), problems.Ends(stretch[0], 4, 100)),
        (problems.Transfer("pinned", "both", 2**20), problems.Moved((stretch,) * 2, 2**20)),
        (problems.Transfer("pinned", "both", 2**20), problems.Moved((), 2**20)),
        (problems.Latency("graph_node", 100), 99),
        (problems.Atomics(4), problems.Counters(np.full(4, 25, np.uint32), 104)),
    ]
    for problem, result in wrong:
        with pytest.raises(VerificationError):
            workload.verify(problem, None, result)


def test_counters_may_come_out_uneven() -> None:
    counters = problems.Counters(np.array([3, 3, 2, 2], np.uint32), 10)
    assert workload.verify(problems.Atomics(4), None, counters) == {}


@needs_compiler
def test_one_step_more_or_less_is_noticed(context: Context) -> None:
    problem = problems.Arithmetic("fp32", 4, 1000)
    ready = prepared(FOLDER, "openmp", problem, context)
    ready.run()
    for steps in (998, 999, 1001, 1002):
        with pytest.raises(VerificationError, match="sums of threads: 2 of 2 are wrong"):
            workload.verify(problem, None, replace(ready.result(), steps=steps))


# ---- kernels, run on the host -------------------------------------------------------------------------------------

SMALL = ("PEAKS_TYPE=double", "PEAKS_CHAINS=4", "PEAKS_THREADS=32")
KERNELS = """
#include "small.cu"
namespace memory {
#include "memory.cu"
}
namespace arithmetic {
#include "arithmetic.cu"
}
extern "C" void run(int pattern, unsigned rounds, float* b, float* c, float* a, unsigned* sums) {
  using namespace memory;
  if (pattern == 0) start(peaks_read, 2, 32, (const Vector*)b, rounds, 2, sums);
  if (pattern == 1) start(peaks_copy, 2, 32, (const Vector*)b, (Vector*)a, rounds);
  if (pattern == 2) start(peaks_triad, 2, 32, (const Vector*)b, (const Vector*)c, (Vector*)a, 0.4f, rounds);
}
extern "C" void fill(unsigned* data, unsigned long long words, const unsigned* of) {
  start(peaks_fill, 2, 32, data, words, of[0], of[1], of[2], of[3]);
}
extern "C" void add(unsigned* counters, unsigned mask, unsigned rounds) {
  start(peaks_add, 2, 32, counters, mask, rounds);
}
extern "C" void count(unsigned* counter) {
  start(peaks_empty, 1, 32);
  start(peaks_count, 1, 32, counter);
}
extern "C" void chains(unsigned steps, const unsigned* of, const double* with, unsigned* sums) {
  start(arithmetic::peaks_chains, 2, 32, steps, of[0], of[1], of[2], of[3], with[0], with[1], with[2], sums);
}
"""


@needs_compiler
@pytest.mark.parametrize("lanes", [1, 8])
def test_kernels_go_through_every_vector(lanes: int, context: Context) -> None:
    library = emulated(KERNELS, context.build, FOLDER, f"peaks{lanes}", f"PEAKS_LANES={lanes}", *SMALL)
    rounds, batch = 3, max(1, 16 // lanes)
    words = 64 * lanes * batch * rounds
    data = problems.FLOAT.words(np.arange(3 * words)).astype(np.uint32)
    b, c, a = (data[i * words :][:words] for i in range(3))
    for pattern in ("copy", "triad", "read"):
        sums = np.zeros(64, np.uint32)
        library.run(("read", "copy", "triad").index(pattern), rounds, *map(address, (b, c, a, sums)))
        if pattern == "read":
            result = Sums(sums, lanes, ((rounds, 2 * 32 * batch), (batch, 32)), ((2, 32 * batch), (32, 1)), 2)
        else:
            result = problems.Stretches(problems.stretches(a), words, words)
            assert not np.array_equal(a, problems.FLOAT.words(np.arange(2 * words, 3 * words)))
        workload.verify(problems.Memory(pattern, lanes, words), None, result)


@needs_compiler
def test_the_kernel_of_chains_makes_its_steps(context: Context) -> None:
    library = emulated(KERNELS, context.build, FOLDER, "peaks8", "PEAKS_LANES=8", *SMALL)
    problem = problems.Arithmetic("fp64", 4, 77)
    sums, bits = np.zeros(64, np.uint32), problem.element.bits
    constants = np.array(problem.element.constants)
    library.chains(ctypes.c_uint(77), *map(address, (bits, constants, sums)))
    workload.verify(problem, None, problems.Ends(sums, 4, 77))


@needs_compiler
def test_small_kernels_fill_add_and_count(context: Context) -> None:
    library = emulated(KERNELS, context.build, FOLDER, "peaks8", "PEAKS_LANES=8", *SMALL)
    words, bits = np.zeros(1000, np.uint32), problems.FLOAT.bits
    library.fill(address(words), ctypes.c_ulonglong(1000), address(bits))
    assert np.array_equal(words, problems.FLOAT.words(np.arange(1000)))
    for addresses in (1, 32, 1024):
        counters = np.zeros(addresses, np.uint32)
        library.add(address(counters), addresses - 1, 17)
        workload.verify(problems.Atomics(addresses), None, problems.Counters(counters, 64 * 17))
    counter = np.zeros(1, np.uint32)
    library.count(address(counter))
    assert counter[0] == 1


# ---- machine code -------------------------------------------------------------------------------------------------


def look_at_peaks_chains(kernel: Kernel) -> None:
    look_at_chains(kernel, kernel.of("BODY"), kernel.of("CHAINS"))


def look_at_memory(kernel: Kernel) -> None:
    pattern, lanes = kernel.name.removeprefix("peaks_"), kernel.of("LANES")
    width, words = min(16, 4 * lanes), max(kernel.of("BATCH"), lanes)
    moves = 4 * words // width
    *_, loop = kernel.loops
    assert len(kernel.loops) == 1
    assert accesses(loop, "LDG") == accesses(kernel.whole, "LDG") == {width: moves * (2 if pattern == "triad" else 1)}
    assert accesses(loop, "STG") == ({} if pattern == "read" else {width: moves})
    assert total(loop, "FFMA") == (words if pattern == "triad" else 0)
    if pattern == "read":
        assert 2 * total(loop, "IADD3", "IMAD.IADD") >= words  # every word is added, two at a time


def look_at_atomics(kernel: Kernel) -> None:
    """Eight rounds a jump back, then one; each adds once, to a place that its mask makes."""
    assert [total(loop, "REDG", "RED", "ATOMG") for loop in kernel.loops] == [8, 1]
    assert [total(loop, "LOP3") for loop in kernel.loops] == [8, 1]
    assert not any(accesses(loop, opcode) for loop in kernel.loops for opcode in ("LDG", "STG"))


def look_at_small(loads: int = 0, stores: int = 0, atomics: int = 0) -> Callable[[Kernel], None]:
    def look(kernel: Kernel) -> None:
        whole = kernel.whole
        assert not kernel.loops
        assert [total(whole, "LDG"), total(whole, "STG"), total(whole, "RED", "REDG")] == [loads, stores, atomics]
        assert sum(whole.values()) <= 32

    return look


@pytest.mark.parametrize("architecture", [90])
def test_the_loops_hold_what_is_counted(architecture: int, machine_code: MachineCode) -> None:
    looks = {
        "peaks_chains": look_at_peaks_chains,
        **{f"peaks_{pattern}": look_at_memory for pattern in problems.ARRAYS},
        "peaks_add": look_at_atomics,
        "peaks_empty": look_at_small(),
        "peaks_count": look_at_small(atomics=1),
        "peaks_begin": look_at_small(stores=1),
        "peaks_again": look_at_small(loads=1, stores=1),
        "peaks_fill": look_at_fill(4),
    }
    look_at_all(FOLDER, machine_code, architecture, looks)


def test_shares_are_those_of_the_clock_that_was_observed(tmp_path: Path) -> None:
    at = {"type": "int32", "lanes": 4}
    facts = {"wall": [1.0] * 5, "sm_clock": [0.99e9] * 5, "operations": 16e12, "int32_op": 16e12}
    (row,) = series(FOLDER, tmp_path, [{"table": "arithmetic", "arm": "chains", "at": at, **facts}], "arithmetic")
    assert row.value("rate").centre == row.value("int32_rate").centre == 16e12
    assert row.value("int32_share").centre == pytest.approx(16e12 / (2 * 64 * 132 * 0.99e9))
    with pytest.raises(Missing):
        row.value("fp32_share")


@needs_compiler
def test_a_real_card_of_the_host(context: Context, tmp_path: Path) -> None:
    options = Options(
        devices="cpu", at={"way": ("region",)}, out=tmp_path / "cards", build=context.build, runs=3, warmups=1
    )
    (path,) = run(FOLDER, options)
    (one,) = read_card(path).measurements
    assert (one.table, one.arm, one.values["repeats"]) == ("latency", "openmp", 1000)
