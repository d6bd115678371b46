"""The parallelism benchmark without a GPU: points, answers, host arms, kernels on the host, machine instructions."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.limits_kit import (
    BENCHMARKS,
    address,
    asked_kernels,
    emulated,
    every_point_has_a_table_and_a_problem,
    files_are_arms,
    prepared,
    series,
    verified,
)
from tests.machine_code import MachineCode
from tests.shipped import Kernel, look_at_all, look_at_chains

from perfdocs.cardfile import read_card
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context, VerificationError
from perfdocs.measure.chains import ELEMENTS, MOST_STEPS
from perfdocs.measure.hostcc import compiler
from perfdocs.measure.loader import load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.runner import run
from perfdocs.measure.sass import total
from perfdocs.verdict import Missing

FOLDER = BENCHMARKS / "parallelism"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


@pytest.fixture(scope="module")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


def test_arms_points_and_problems() -> None:
    files_are_arms(FOLDER, DEFINITION)
    every_point_has_a_table_and_a_problem(workload, DEFINITION)
    tasks = workload.tasks("gpu", False)
    assert {t.at["chains"] for t in tasks} == {1, 2, 4, 8}
    threads = sorted({t.at["threads"] for t in tasks})
    assert {2**power for power in range(5, 12)} <= set(threads)
    assert all(n % 32 == 0 for n in threads)
    assert len({t.curve for t in tasks}) == 2 * 4


def test_runs_are_long_enough_and_chains_short_enough_to_be_known() -> None:
    for task in workload.tasks("gpu", False):
        problem = workload.problem(task.at)
        assert problem.steps % 2 == 0
        assert problem.steps <= MOST_STEPS
        cycles = problem.steps * max(4, problem.threads * problem.chains / 128)
        assert cycles == pytest.approx(4 * MOST_STEPS, rel=0.01)


@needs_compiler
@pytest.mark.parametrize("arm", ["openmp", "openmp_1"])
@pytest.mark.parametrize("key", ["fp32", "fp64"])
def test_a_host_arm_is_right(key: str, arm: str, context: Context) -> None:
    for vectors in workload.VECTORS:
        problem = workload.Problem(key, vectors, 0, 1001)
        ready = prepared(FOLDER, arm, problem, context)
        counts = verified(workload, ready, problem, DEFINITION)
        assert counts["operations"] == counts[f"{key}_flop"]
        assert counts["operations"] % (2 * 1001 * vectors) == 0
        with pytest.raises(VerificationError, match="threads are wrong"):
            workload.verify(replace(problem, steps=999), None, ready.result())


KERNELS = """
namespace kernels {
#include "chains.cu"
}
extern "C" void run(unsigned steps, const unsigned* of, const float* with, unsigned* sums, unsigned* one,
                    long long* cycles) {
  using namespace kernels;
  start(parallelism_chains, 3, 64, steps, of[0], of[1], of[2], of[3], with[0], with[1], with[2], sums);
  start(parallelism_latency, 1, 32, steps, of[0], of[1], of[2], of[3], with[0], with[1], with[2], one, cycles);
}
"""


@needs_compiler
def test_kernels_make_their_steps(context: Context) -> None:
    library = emulated(KERNELS, context.build, FOLDER, "parallelism", "PARALLELISM_CHAINS=2")
    element, sums, one, cycles = ELEMENTS["fp32"], np.zeros(192, np.uint32), np.zeros(32, np.uint32), np.ones(1, int)
    bits, constants = element.bits, np.array(element.constants)
    library.run(ctypes.c_uint(78), *map(address, (bits, constants, sums, one, cycles)))
    problem = workload.Problem("fp32", 2, 64, 78)
    workload.verify(problem, None, workload.Ends(sums, 2))
    workload.verify(problem, None, workload.Ends(one, 1))
    assert cycles[0] == 0


def look_at_shared_out(kernel: Kernel) -> None:
    look_at_chains(kernel, kernel.of("BODY"), kernel.of("CHAINS"))


def look_at_latency(kernel: Kernel) -> None:
    """One chain, with the body that is the text's own, between two readings of the clock."""
    look_at_chains(kernel, 256, 1)
    assert total(kernel.whole, "CS2R") >= 2
    assert not any(total(loop, "CS2R") for loop in kernel.loops)


@pytest.mark.parametrize("architecture", [90])
def test_the_loops_hold_what_is_counted(architecture: int, machine_code: MachineCode) -> None:
    looks = {"parallelism_chains": look_at_shared_out, "parallelism_latency": look_at_latency}
    look_at_all(FOLDER, machine_code, architecture, looks)


def test_a_block_keeps_others_away() -> None:
    """Asked for with the attributes of a device with 228 KiB an SM and 227 a block."""
    for entry in asked_kernels(FOLDER):
        if entry.name == "parallelism_chains":
            assert entry.threads == 1024
            assert 228 * 1024 / 2 < entry.dynamic <= 227 * 1024


def test_the_least_stands_beside_what_is_foretold(tmp_path: Path) -> None:
    """An SM that four cycles of latency and 128 lanes a cycle limit."""
    points = []
    for threads in workload.THREADS:
        rate = min(threads * 2 / 4, 128) * 2 * 132 * 1.98e9  # two chains a thread
        walls = [1e12 / rate * spread for spread in (1.0, 1.0001, 0.9999, 1.0, 1.0)]
        at = {"type": "fp32", "chains": 2, "threads": threads}
        facts = {"operations": 1e12, "fp32_flop": 1e12, "latency_cycle": 4.0}
        points.append({"table": "main", "arm": "chain", "at": at, "wall": walls, **facts})
    (row,) = series(FOLDER, tmp_path, points, "least")
    found = {key: row.value(key).centre for key in DEFINITION.tables["least"].columns if key != "fp64_needed"}
    assert (found["least_threads"], found["rule"], found["foretold"], found["over_foretold"]) == (256, 128, 256, 1)
    assert found["fp32_needed"] == pytest.approx(256)
    with pytest.raises(Missing):
        row.value("fp64_needed")


@needs_compiler
def test_a_real_card_of_the_host(context: Context, tmp_path: Path) -> None:
    at: Any = {"type": ("fp64",), "vectors": (8,)}
    options = Options(devices="cpu", at=at, out=tmp_path / "cards", build=context.build, runs=3, warmups=1)
    (path,) = run(FOLDER, options)
    measured = read_card(path).measurements
    assert [one.arm for one in measured] == ["openmp", "openmp_1"]
    assert all(one.values["steps"] == MOST_STEPS for one in measured)
