"""The stride benchmark without a GPU: who reads which element, sums, the host's walk, the kernel's instructions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.machine_code import MachineCode
from tests.shipped import Kernel, accesses, look_at_all, look_at_fill

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Context, VerificationError
from perfdocs.measure.hostcc import compiler
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.sass import total
from perfdocs.measure.words import word_at

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "stride"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")
THREADS = 2**14  # and 2^20 words an array of single integers


@pytest.fixture(scope="module")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


def test_every_arm_has_its_file_and_every_width_is_one_curve_of_all_shifts() -> None:
    assert {path.stem for path in (FOLDER / "arms").glob("*.py")} - {"__init__"} == set(DEFINITION.arms)
    tasks = workload.tasks("gpu", False)
    assert len(tasks) == 3 * 21
    assert {task.curve for task in tasks} == {"1 a load", "2 a load", "4 a load"}
    assert {task.at["shift"] for task in tasks} == set(range(21))
    single = [task for task in workload.tasks("cpu", False) if task not in tasks]
    assert [(task.table, task.at) for task in single] == [("single", {"shift": shift}) for shift in range(21)]
    assert len(workload.tasks("cpu", True)) < len(workload.tasks("gpu", True)) < len(tasks)
    for task in workload.tasks("cpu", False):
        assert set(task.at) == set(DEFINITION.tables[task.table].axes)
        assert workload.work(task.at) > 0
    assert workload.THREADS * workload.EACH == workload.ELEMENTS == 2**26


@pytest.mark.parametrize("shift", [0, 1, 5, 13, 14])
def test_threads_part_the_array_between_them_and_step_by_the_stride(shift: int) -> None:
    problem = workload.Problem(1, shift, THREADS)
    read = problem.elements(np.arange(THREADS))
    assert (np.diff(read, axis=1) == 2**shift).all()
    assert (np.sort(read.ravel()) == np.arange(THREADS * 64)).all()


def test_the_two_ends_of_the_slide() -> None:
    top = workload.Problem(1, 20).elements(np.arange(3))
    assert (top[:, 0] == [0, 1, 2]).all()
    assert (top[0] == np.arange(64) * 2**20).all()
    bottom = workload.Problem(1, 0).elements(np.arange(3))
    assert (bottom.ravel() == np.arange(3 * 64)).all()


@pytest.mark.parametrize("count", [2**10, 2**20, 3 * 2**20])
def test_sums_of_whole_buffers_have_a_closed_form(count: int) -> None:
    assert workload.whole(count) == int(word_at(np.arange(count)).sum(dtype=np.uint64)) % 2**32


@needs_compiler
@pytest.mark.parametrize("ints", [1, 2, 4])
@pytest.mark.parametrize("shift", [0, 1, 4, 9, 14])
@pytest.mark.parametrize("arm", ["host_threads", "host_thread_1"])
def test_a_host_arm_reads_its_elements(arm: str, shift: int, ints: int, context: Context) -> None:
    problem = workload.Problem(ints, shift, THREADS)
    reference = workload.reference(problem, context)
    ready = load_arm(FOLDER, arm).prepare(problem, context)
    for _ in range(2):
        ready.run()
        assert workload.verify(problem, reference, ready.result()) == {}
    assert ready.counts()["useful_byte"] == 4 * ints * THREADS * 64
    assert set(ready.counts()) <= set(DEFINITION.metrics)
    ready.close()


@needs_compiler
def test_verification_finds_a_word_too_many_and_a_walk_at_another_stride(context: Context) -> None:
    problem = workload.Problem(1, 3, THREADS)
    reference = workload.reference(problem, context)
    ready = load_arm(FOLDER, "host_threads").prepare(problem, context)
    ready.run()
    sums = ready.result().sums.copy()
    sums[7] += 1
    with pytest.raises(VerificationError, match="add up to"):
        workload.verify(problem, reference, workload.Result(sums))
    other = workload.reference(workload.Problem(1, 9, THREADS), context)
    with pytest.raises(VerificationError, match="other elements than its own"):
        workload.verify(problem, other, ready.result())


def look_at_walk(kernel: Kernel) -> None:
    (loop,), ints, loads = kernel.loops, kernel.of("INTS"), kernel.of("LOADS")
    assert accesses(loop, "LDG") == accesses(kernel.whole, "LDG") == {4 * ints: loads}
    assert not accesses(loop, "STG")
    assert accesses(kernel.whole, "STG") == {4: 1}
    assert 2 * (total(loop, "IADD3") - loads) >= loads * ints  # every word is added, two at a time; each load is placed


@pytest.mark.parametrize("architecture", [90])
def test_the_loop_has_its_loads_as_wide_as_an_element(architecture: int, machine_code: MachineCode) -> None:
    look_at_all(FOLDER, machine_code, architecture, {"stride_read": look_at_walk, "stride_fill": look_at_fill(16)})
