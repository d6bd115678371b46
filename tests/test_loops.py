"""The loops benchmark without a GPU: the problem, verification, every language here, kernels run on the host."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lacking import skip_or_fail
from tests.machine_code import MachineCode
from tests.shipped import Kernel, look_at_all

from perfdocs.cardfile import read_card
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, Prepared, VerificationError
from perfdocs.measure.hostcc import FLAGS, compiler, load
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.provenance import software, source
from perfdocs.measure.runner import run
from perfdocs.measure.sass import total

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "loops"
DATA = Path(__file__).resolve().parent / "data"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
host: Any = importlib.import_module(f"{workload.__package__}.host")
device: Any = importlib.import_module(f"{workload.__package__}.device")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")
ON_HOST = [key for key, arm in DEFINITION.arms.items() if "cpu" in arm.on]
PROBLEMS = [(35, 10), (90, 10), (2, 10), (11, 10), (9, 10), (437, 50), (6, 3), (3, 3), (2, 2), (35, 11)]
"""Found in the middle, as the last pair of its row, as the first pair; not found, twice the same factor; few rows."""


@pytest.fixture(scope="session")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


def prepare(arm: str, problem: Any, context: Context) -> Prepared:
    try:
        return load_arm(FOLDER, arm).prepare(problem, context)
    except Cannot as reason:
        skip_or_fail(reason)


# ---- the problem --------------------------------------------------------------------------------------------------


def test_the_published_problem_and_its_answer(context: Context) -> None:
    problem = workload.problem({"limit": 15_000})
    assert (problem.target, problem.pairs) == (87_654_321, 112_492_500)
    assert workload.reference(problem, context) == (5991, 14_631)
    small = workload.problem({"limit": 1500})
    assert workload.reference(small, context) == (599, 1463)
    for each in (problem, small):  # one answer: whoever searches on after it finds no other
        pairs = [i for i in range(1, each.limit) if each.target % i == 0 and i < each.target // i <= each.limit]
        assert len(pairs) == 1
    assert [task.at["limit"] for task in workload.tasks("cpu", False)] == [1500, 15_000]
    assert [task.at["limit"] for task in workload.tasks("gpu", True)] == [1500]
    assert workload.work({"limit": 15_000}) == 112_492_500
    assert workload.counts(problem) == {}


def test_a_wrong_answer_is_refused() -> None:
    problem = workload.Problem(35, 10)
    good = workload.Result([(5, 7)], 42)
    assert workload.verify(problem, (5, 7), good) == {"tried": 42}
    assert workload.verify(problem, (5, 7), good._replace(tried=45)) == {"tried": 45}
    for bad, why in (
        (workload.Result([(5, 7), (0, 0)], 42), "found 0 × 0, not 5 × 7"),
        (workload.Result([(7, 5)], 42), "found 7 × 5"),
        (workload.Result([], 42), "no search"),
        (good._replace(tried=41), "41 pairs tried of 45, of which 3 may be left out"),
        (good._replace(tried=46), "46 pairs tried"),
    ):
        with pytest.raises(VerificationError, match=why):
            workload.verify(problem, (5, 7), bad)
    with pytest.raises(VerificationError, match="44 pairs tried of 45, of which 0"):
        workload.verify(workload.Problem(11, 10), (0, 0), workload.Result([(0, 0)], 44))


# ---- languages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", ON_HOST)
def test_an_arm_finds_the_pair_and_tries_every_other(arm: str, context: Context) -> None:
    for target, limit in [*PROBLEMS, (876_337, 1500)]:
        problem = workload.Problem(target, limit)
        ready = prepare(arm, problem, context)
        try:
            for _ in range(2):
                ready.run()
                facts = workload.verify(problem, workload.reference(problem, context), ready.result())
            assert ready.on_host
            assert {*facts, *ready.counts()} <= set(DEFINITION.metrics)
            assert ready.counts() == {"searches": 1}
        finally:
            ready.close()


@pytest.mark.parametrize(("arm", "said"), [("javascript", "Node.js"), ("pascal", "Free Pascal")])
def test_a_language_that_is_absent_says_so(
    arm: str, said: str, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(Cannot, match=f"{said} .* is not installed") as raised:
        load_arm(FOLDER, arm).prepare(workload.Problem(35, 10), context)
    assert raised.value.kind == "not_installed"


def test_a_program_that_ends_is_an_error_and_is_closed() -> None:
    ready = host.ProgramArm(workload.Problem(35, 10), [sys.executable, "-c", "input()"])
    with pytest.raises(RuntimeError, match="ended without an answer, exit code 0"):
        ready.run()
    ready.close()
    answers = "while True: input(); print('5 7 42', flush=True)"
    ready = host.ProgramArm(workload.Problem(35, 10), [sys.executable, "-c", answers])
    ready.close()  # nothing was started
    ready.run()
    program = ready._program
    ready.run()
    assert ready._program is program
    assert ready.result() == workload.Result([(5, 7)], 42)
    ready.close()
    assert program.returncode is not None


@needs_compiler
def test_the_runner_measures_it(tmp_path: Path) -> None:
    options = Options(devices="cpu", arms=("c_loop", "numpy_rows"), out=tmp_path, build=tmp_path / "build", runs=1)
    (path,) = run(FOLDER, options)
    found = read_card(path, path.parent).measurements
    assert {(m.arm, m.values["searches"], m.values["tried"]) for m in found} == {
        ("c_loop", 1.0, 1_124_213.0),
        ("numpy_rows", 1.0, 1_124_250.0),
    }


# ---- kernels ------------------------------------------------------------------------------------------------------

KERNELS = """
#include "kernels_on_host.hpp"
#include "search.cu"
extern "C" void run(int balanced, unsigned grid, unsigned block, int target, int limit, int* found, int* tried) {
  start(balanced ? loops_balanced : loops_naive, grid, block, target, limit, (int2*)found, tried);
}
"""


LANES = 32  # of a warp, whose neighbours try neighbours


def answers_at_every_place(limit: int) -> list[tuple[int, int]]:
    """Products of one pair each, which stands at another place of the unrolled loop each time, of either kernel."""

    def pairs(target: int) -> list[int]:
        return [i for i in range(1, limit) if target % i == 0 and i < target // i <= limit]

    found = []
    for place in range(device.UNROLL):
        behind = LANES * place + place  # of the row's first pair: at this place for a lane, and for a thread of its own
        found.append(next((t, limit) for i in range(2, limit) if len(pairs(t := i * (i + 1 + behind))) == 1))
    return found


@needs_compiler
@pytest.mark.parametrize("balanced", [0, 1])
def test_the_kernels_find_the_pair_and_try_every_other(balanced: int, tmp_path: Path, context: Context) -> None:
    """As they are unrolled where they are measured.

    What is told as tried is reckoned from where a search ends, and each answer that is measured stands at one place of
    the loop: that the pairs at all of its places are tried is known from here, and how many from the machine code.
    """
    source = tmp_path / "kernels.cpp"
    source.write_text(KERNELS)
    unrolled = f"-DLOOPS_UNROLL={device.UNROLL}"
    library = load(source, tmp_path, (*FLAGS, f"-I{DATA}", f"-I{FOLDER}", unrolled, "-Wno-unknown-pragmas"))
    others = [(876_337, 1500), (1499 * 1500, 1500), (1498 * 1499, 1500)]
    for target, limit in [*PROBLEMS, *others, *answers_at_every_place(limit=600)]:
        problem = workload.Problem(target, limit)
        threads = 32 * (limit // 2) if balanced else limit - 1
        found, tried = np.zeros(2, dtype=np.int32), np.zeros(threads, dtype=np.int32)
        library.run(balanced, -(-threads // 64), 64, target, limit, found.ctypes, tried.ctypes)
        result = workload.Result([tuple(found.tolist())], int(tried.sum()))
        workload.verify(problem, workload.reference(problem, context), result)


def look_at_naive(kernel: Kernel) -> None:
    (loop,), unroll = kernel.loops, kernel.of("UNROLL")
    assert [total(loop, "ISETP.NE"), total(loop, "ISETP.GE")] == [unroll] * 2  # each product, each end of the row
    assert total(kernel.whole, "ISETP.NE") == unroll


def look_at_balanced(kernel: Kernel) -> None:
    """A loop for the long row and one for the short; the partner of what was found is a division, which has its own."""
    unroll, division = kernel.of("UNROLL"), {"ISETP.NE": 1, "IMAD": 3}
    assert len(kernel.loops) == 2
    for loop in kernel.loops:
        assert total(loop, "ISETP.NE") == unroll + division["ISETP.NE"]
        assert loop["IMAD"] == unroll + division["IMAD"]  # every product is made anew
        assert sum(loop.values()) < 5.5 * unroll


@pytest.mark.parametrize("architecture", [90])
def test_every_pair_is_compared_in_the_machine_code(architecture: int, machine_code: MachineCode) -> None:
    """So many as are unrolled. Which they are is not seen here, but where the kernels run on the host."""
    looks = {"loops_naive": look_at_naive, "loops_balanced": look_at_balanced}
    look_at_all(FOLDER, machine_code, architecture, looks)


def test_the_card_names_what_its_programs_were_compiled_and_run_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, says in (("node", "echo v20.1.0"), ("fpc", "exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{says}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert workload.versions() == {"node": "v20.1.0"}
    assert software(None, programs=workload.versions)["node"] == "v20.1.0"
    assert {"search.c", "search.js", "search.pas"} <= set(source(FOLDER, []).files)
    assert "benchmark.toml" not in source(FOLDER, []).files
