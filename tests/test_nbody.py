"""The nbody benchmark without a GPU: bodies, reference, verification, arms on the host, kernels run on the host."""

from __future__ import annotations

import ctypes
import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lacking import skip_or_fail
from tests.machine_code import MachineCode
from tests.shipped import AROUND, Kernel, accesses, look_at_all

from perfdocs.cardfile import read_card
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, Prepared, VerificationError
from perfdocs.measure.hostcc import FLAGS, compiler, load
from perfdocs.measure.kernels import inlined
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.runner import run
from perfdocs.measure.sass import total

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "nbody"
DATA = Path(__file__).resolve().parent / "data"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
host: Any = importlib.import_module(f"{workload.__package__}.host")
held: Any = load_arm(FOLDER, "held")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")
ON_HOST = [key for key, arm in DEFINITION.arms.items() if "cpu" in arm.on]
TYPES = ("fp32", "fp64")


@pytest.fixture(scope="session")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


def prepare(arm: str, problem: Any, context: Context) -> Prepared:
    try:
        return load_arm(FOLDER, arm).prepare(problem, context)
    except Cannot as reason:
        skip_or_fail(reason)


# ---- the problem --------------------------------------------------------------------------------------------------


def test_points_bodies_and_counts() -> None:
    full = workload.tasks("gpu", False)
    assert [t.at["bodies"] for t in full if t.at["type"] == "fp32"] == [2**power for power in range(10, 19)]
    assert len(full) == 16
    assert len(workload.tasks("cpu", False)) == 12
    assert [(t.at["type"], t.at["bodies"]) for t in workload.tasks("cpu", True)] == [(name, 4096) for name in TYPES]
    single, double = (workload.problem({"type": name, "bodies": 1024}) for name in TYPES)
    assert single.bodies.dtype == np.float32
    assert (single.bodies == double.bodies.astype(np.float32)).all()
    assert np.abs(double.bodies[:, :3]).max() < 1
    assert double.bodies[:, 3].sum() == pytest.approx(1, abs=0.05)
    assert workload.flop(single, 3) == {"evaluations": 3, "fp32_flop": 60.0 * 1024**2, "fp64_flop": 0.0}
    assert workload.flop(double, 1)["fp64_flop"] == 20.0 * 1024**2
    assert workload.work({"type": "fp32", "bodies": 1024}) == 2**20
    assert workload.counts(single) == {}


def test_the_reference_is_gravity(context: Context) -> None:
    bodies = np.array([[0.0, 0, 0, 2], [3, 0, 0, 1], [0, 4, 0, 5]])
    found = workload.reference(workload.Problem("fp64", bodies), context)
    assert found.which.tolist() == [0, 1, 2]
    assert found.acceleration[:, 0] == pytest.approx([1 / 9, 5 / 16, 0], rel=1e-4)
    assert found.acceleration[:, 1] == pytest.approx([-2 / 9 - 5 / 25 * 0.6, 5 / 25 * 0.8, 0], rel=1e-4)
    assert found.scale == pytest.approx([1 / 9 + 5 / 16, 2 / 9 + 1 / 5, 2 / 16 + 1 / 25], rel=1e-4)


def test_the_reference_of_many_bodies_is_of_some(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = workload.draw(512, "fp64")
    whole = workload.reference(problem, context)
    monkeypatch.setattr(workload, "CHECKED", 512 * 40)
    some = workload.reference(problem, context)
    assert len(some.which) == 40
    assert (some.acceleration == whole.acceleration[:, some.which]).all()


@pytest.mark.parametrize("name", TYPES)
def test_a_wrong_answer_is_refused(name: str, context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = workload.draw(1024, name)
    reference = workload.reference(problem, context)
    good = reference.acceleration.astype(problem.bodies.dtype)
    facts = workload.verify(problem, reference, good)
    assert facts["max_error"] < np.finfo(good.dtype).eps
    assert set(facts) <= set(DEFINITION.metrics)
    wrong = good.copy()
    wrong[1, 77] *= 1.01
    with pytest.raises(VerificationError, match=r"body 77 is wrong by .* more than"):
        workload.verify(problem, reference, wrong)
    wrong[1, 77] = np.nan
    with pytest.raises(VerificationError, match="body 77"):
        workload.verify(problem, reference, wrong)
    for bad in (good[:, 1:], good.astype(np.float16)):
        with pytest.raises(VerificationError, match="accelerations"):
            workload.verify(problem, reference, bad)
    # a body that the reference leaves out
    monkeypatch.setattr(workload, "CHECKED", 1024 * 40)
    some = workload.reference(problem, context)
    other = next(i for i in range(1024) if i not in some.which)
    wrong = good.copy()
    wrong[:, other] *= 1.1
    with pytest.raises(VerificationError, match="forces on all bodies do not cancel"):
        workload.verify(problem, some, wrong)


@pytest.mark.parametrize("name", TYPES)
def test_one_pull_left_out_is_beyond_the_tolerance(name: str) -> None:
    assert workload.tolerance(workload.draw(1024, name)) < 1 / 1024 / 2  # the lightest body of all


# ---- arms on the host ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", ON_HOST)
@pytest.mark.parametrize("name", TYPES)
def test_an_arm_reaches_the_reference_again_and_again(arm: str, name: str, context: Context) -> None:
    problem = workload.draw(1024, name)
    ready = prepare(arm, problem, context)
    reference = workload.reference(problem, context)
    for _ in range(2):
        ready.run()
        facts = workload.verify(problem, reference, ready.result())
        ready.result()[:] = 0
    assert ready.on_host
    assert {*facts, *ready.counts()} <= set(DEFINITION.metrics)


def test_array_code_has_a_limit() -> None:
    for arm in ("numpy_arrays", "cupy_arrays"):
        module: Any = load_arm(FOLDER, arm)
        assert module.limits({"type": "fp32", "bodies": 8192}) is None
        assert f"up to {module.MOST}" in module.limits({"type": "fp32", "bodies": 2**17})


def test_the_runner_measures_it(tmp_path: Path) -> None:
    at: dict[str, tuple[int | float | str, ...]] = {"type": ("fp32",), "bodies": (1024,)}
    options = Options(devices="cpu", arms=("numpy_arrays",), at=at, out=tmp_path, build=tmp_path / "build", runs=1)
    (path,) = run(FOLDER, options)
    (found,) = read_card(path, path.parent).measurements
    assert (found.values["fp32_flop"], found.values["fp64_flop"]) == (20.0 * 1024**2, 0.0)


# ---- kernels ------------------------------------------------------------------------------------------------------

KERNELS = """
#include "kernels_on_host.hpp"
#define NBODY_FP64 {fp64}
#define NBODY_THREADS 64
#define NBODY_BODIES {bodies}
{text}
extern "C" void run(int form, unsigned grid, int n, const void* bodies, double softening, void* out) {{
  void (*const forms[])(int, const Body*, Real, Real*) = {{nbody_direct, nbody_tiled, nbody_held}};
  start(forms[form], grid, 64, n, (const Body*)bodies, (Real)softening, (Real*)out);
}}
"""


@needs_compiler
@pytest.mark.parametrize(("name", "bodies"), [("fp32", 4), ("fp32", 1), ("fp64", 2)])
def test_every_form_reaches_the_reference(name: str, bodies: int, tmp_path: Path, context: Context) -> None:
    source = tmp_path / "kernels.cpp"
    text, replaced = re.subn(r"asm\(.*?\);", "y = 1 / std::sqrt(x);", inlined(FOLDER / "nbody.cu"))
    assert replaced == 2
    source.write_text(KERNELS.format(fp64=int(name == "fp64"), bodies=bodies, text=text))
    library = load(source, tmp_path, (*FLAGS, f"-I{DATA}", "-Wno-unknown-pragmas"))
    library.run.argtypes = [
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_double,
        ctypes.c_void_p,
    ]
    for n in (128, 384):
        problem = workload.draw(n, name)
        reference = workload.reference(problem, context)
        for form, per_block in enumerate((64, 64, 32 * bodies)):
            out = np.full((3, n), np.nan, dtype=problem.bodies.dtype)
            library.run(form, n // per_block, n, problem.bodies.ctypes.data, workload.SOFTENING, out.ctypes.data)
            workload.verify(problem, reference, out)


def test_few_bodies_are_spread_over_more_blocks() -> None:
    def found(n: int, name: str = "fp32") -> int:
        return int(held.held_by_thread(workload.Problem(name, np.zeros((n, 4))), 132))

    assert [found(n) for n in (1024, 4096, 8192, 16_384, 32_768, 131_072)] == [1, 1, 2, 4, 8, 8]
    assert [found(n, "fp64") for n in (4096, 8192, 65_536)] == [1, 2, 2]


def look_at_pulls(kernel: Kernel) -> None:
    """Eight bodies a jump back, each of which pulls those that a thread holds; the direct form has a rest of one."""
    fp64, form, held = kernel.of("FP64"), kernel.name.removeprefix("nbody_"), int(kernel.defines.get("BODIES", 1))
    of = {"DFMA": 9, "DADD": 3, "DMUL": 5} if fp64 else {"FFMA": 6, "FADD": 3, "FMUL": 3}
    pulling = [loop for loop in kernel.loops if total(loop, "MUFU")]
    assert [total(loop, "MUFU") for loop in pulling] == ([8, 1] if form == "direct" else [8 * held])
    for loop in pulling:
        pulls = total(loop, "MUFU")
        assert {opcode: total(loop, opcode) for opcode in of} == {opcode: pulls * each for opcode, each in of.items()}
        loads = accesses(loop, "LDG" if form == "direct" else "LDS")
        assert not accesses(loop, "LDS" if form == "direct" else "LDG")
        moves = pulls if fp64 else 0  # of halves of doubles
        assert sum(loop.values()) <= pulls * (1 + sum(of.values())) + sum(loads.values()) + AROUND + moves
    # the mass may have a load of its own, and a part of a rest too
    bodies = accesses(pulling[0], "LDG" if form == "direct" else "LDS")
    assert bodies[16] == 8 * (2 if fp64 else 1)
    assert set(bodies) <= {4, 16}


@pytest.mark.parametrize("architecture", [90])
def test_an_interaction_is_no_more_than_it_must(architecture: int, machine_code: MachineCode) -> None:
    forms = ("direct", "tiled", "held")
    look_at_all(FOLDER, machine_code, architecture, {f"nbody_{form}": look_at_pulls for form in forms})
