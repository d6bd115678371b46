"""The roofline benchmark without a GPU: points, answers, host arm, the kernel run on the host, machine instructions."""

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
    emulated,
    every_point_has_a_table_and_a_problem,
    files_are_arms,
    module_of,
    prepared,
    series,
    verified,
)
from tests.machine_code import MachineCode
from tests.shipped import AROUND, Kernel, accesses, look_at_all, look_at_fill, steps

from perfdocs.cardfile import read_card
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context, VerificationError
from perfdocs.measure.chains import ELEMENTS, Sums
from perfdocs.measure.hostcc import compiler
from perfdocs.measure.loader import load_workload
from perfdocs.measure.matrices import Rows
from perfdocs.measure.options import Options
from perfdocs.measure.runner import run
from perfdocs.verdict import Missing

FOLDER = BENCHMARKS / "roofline"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


@pytest.fixture(scope="module")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


@pytest.fixture(scope="module", autouse=True)
def small_buffers() -> Any:
    """Buffers of a few megabytes in place of gigabytes."""
    host = module_of(workload, "host")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "LARGEST", 2**18)
        yield


def test_arms_points_and_problems() -> None:
    files_are_arms(FOLDER, DEFINITION)
    every_point_has_a_table_and_a_problem(workload, DEFINITION)
    main = [t for t in workload.tasks("gpu", False) if t.table == "main"]
    chains = [t.at["chain"] for t in main if t.at["type"] == "fp64"]
    assert (len(chains), chains[0], chains[-1], sorted(set(chains))) == (35, 0, 1024, chains)
    assert {t.at["type"] for t in main} == {"fp32", "fp64", "fp16", "int32"}
    assert all(t.at["chain"] % 8 == 0 and t.at["chain"] for t in workload.tasks("gpu", False) if t.table == "matrix")


def test_memory_is_cut_down_only_where_it_does_not_tell() -> None:
    sizes = [workload.problem({"type": "fp32", "chain": chain}) for chain in workload.CHAINS]
    assert all(p.words * 4 >= 2**29 for p in sizes)
    assert all(p.words * 4 == 2**32 for p in sizes if p.chain <= 64)
    assert all(p.host_words * 4 == 2**30 for p in sizes if p.chain <= 16)
    for key in ("tensor_fp64", "tensor_bf16"):
        tall = workload.problem({"type": key, "chain": 128})
        assert tall.counts()["moved_byte"] == pytest.approx(2**31, rel=0.001)


@pytest.mark.parametrize(("key", "operations_a_byte"), [("fp32", 0.5), ("fp64", 0.25), ("fp16", 1.0), ("int32", 0.5)])
def test_operations_are_counted_by_numbers(key: str, operations_a_byte: float) -> None:
    counts = workload.Chains(key, 3, 1024, 1024).counts(1024.0)
    assert counts["operations"] / counts["moved_byte"] == 3 * operations_a_byte
    assert set(counts) <= set(DEFINITION.metrics)
    assert counts["moved_byte"] == 4096


@needs_compiler
@pytest.mark.parametrize("key", ["fp32", "fp64", "int32"])
def test_the_host_arm_is_right(key: str, context: Context) -> None:
    for chain in (0, 1, 2, 7, 64):
        problem = workload.Chains(key, chain, 0, 2**17)
        ready = prepared(FOLDER, "openmp", problem, context)
        counts = verified(workload, ready, problem, DEFINITION)
        assert counts["moved_byte"] == 2**19
        with pytest.raises(VerificationError, match="the sum of part"):
            workload.verify(replace(problem, chain=chain + 1), None, ready.result())


def test_a_wrong_product_is_refused() -> None:
    problem = workload.Tall("tensor_fp16", 16, 1000)
    with pytest.raises(VerificationError, match="row 3, column"):
        workload.verify(problem, None, Rows((3,), np.zeros((1, 16))))


KERNEL = """
namespace kernels {
#include "fma.cu"
}
extern "C" void run(const void* data, unsigned rounds, unsigned passes, unsigned steps, const double* with,
                    unsigned* sums) {
  start(kernels::roofline_fma, 2, 32, (const uint4*)data, rounds, passes, steps, with[0], with[1], with[2], sums);
}
extern "C" void fill(unsigned* data, unsigned long long words, const unsigned* of) {
  start(kernels::roofline_fill, 2, 32, data, words, of[0], of[1], of[2], of[3]);
}
"""


@needs_compiler
@pytest.mark.parametrize("chain", [0, 5])
def test_the_kernel_takes_every_element_through_the_chain(chain: int, context: Context) -> None:
    library = emulated(KERNEL, context.build, FOLDER, "roofline", "ROOFLINE_TYPE=double", "ROOFLINE_LOADS=4")
    element, rounds = ELEMENTS["fp64"], 3
    words, sums, bits = np.zeros(64 * 4 * rounds * 4, np.uint32), np.zeros(64, np.uint32), ELEMENTS["fp64"].bits
    library.fill(address(words), ctypes.c_ulonglong(words.size), address(bits))
    assert np.array_equal(words, element.words(np.arange(words.size)))
    constants = np.array(element.constants)
    library.run(address(words), rounds, 2, chain, address(constants), address(sums))
    workload.verify(
        workload.Chains("fp64", chain, words.size, 0), None, Sums(sums, 4, ((rounds * 4, 64),), ((64, 1),), 2)
    )


def look_at_fma(kernel: Kernel) -> None:
    """Of chains that have a pair the loop is the longest; where they have none, loads and a step stand in another."""
    type_, loads = kernel.defines["TYPE"], kernel.of("LOADS")
    elements = loads * 16 // ELEMENTS_BYTE[type_]
    longest = max(kernel.loops, key=lambda loop: sum(loop.values()))
    assert steps(longest, type_) == 2 * kernel.of("PAIRS") * elements
    assert sum(longest.values()) <= steps(longest, type_) + AROUND
    (loading,) = (loop for loop in kernel.loops if accesses(loop, "LDG"))
    assert steps(loading, type_) - (type_ == "unsigned int") == elements  # one IMAD more counts the place
    assert accesses(loading, "LDG") == {16: loads}
    assert accesses(kernel.whole, "LDG") == {16: 2 * loads}  # and so many around the longest
    assert accesses(kernel.whole, "STG") == {4: 1}
    assert not any(accesses(loop, "STG") for loop in kernel.loops)


@pytest.mark.parametrize("architecture", [90])
def test_the_loops_hold_what_is_counted(architecture: int, machine_code: MachineCode) -> None:
    look_at_all(FOLDER, machine_code, architecture, {"roofline_fma": look_at_fma, "roofline_fill": look_at_fill(4)})


ELEMENTS_BYTE = {element.name: element.size for element in ELEMENTS.values()}


def test_the_ridge_is_where_the_best_rates_meet(tmp_path: Path) -> None:
    """A device that reaches 4 TB/s and 30 Tflop/s of FP64; by its facts 4.81 and 33.5."""
    points = []
    for chain in workload.CHAINS:
        flop = 2.0 * chain * 2**27
        wall = max(2**30 / 4e12, flop / 30e12)
        facts = {"moved_byte": 2**30, "operations": flop, "fp64_flop": flop}
        at = {"type": "fp64", "chain": chain}
        points.append({"table": "main", "arm": "fma", "at": at, "wall": [wall] * 5, **facts})
    (row,) = series(FOLDER, tmp_path, points, "ridges")
    assert row.value("ridge").centre == pytest.approx(30 / 4)
    assert row.value("fp64_ridge").centre == pytest.approx(2 * 64 * 132 * 1.98e9 / (2 * 3.201e9 * 6016 / 8))
    with pytest.raises(Missing):
        row.value("fp32_ridge")


@needs_compiler
def test_a_real_card_of_the_host(context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = workload.Chains("fp32", 1024, 0, 2**15)
    monkeypatch.setattr(workload, "problem", lambda at: replace(small, chain=at["chain"]))
    at: Any = {"type": ("fp32",), "chain": (1024,)}
    options = Options(devices="cpu", at=at, out=tmp_path / "cards", build=context.build, runs=3, warmups=1)
    (path,) = run(FOLDER, options)
    (one,) = read_card(path).measurements
    assert (one.table, one.arm, one.values["moved_byte"]) == ("main", "openmp", 2**17)
