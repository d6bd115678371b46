"""The rk4 benchmark without a GPU: draws, step, verification, host arms, the compiled step."""

from __future__ import annotations

import importlib
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lacking import skip_or_fail

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, VerificationError
from perfdocs.measure.hostcc import compiler
from perfdocs.measure.kernels import inlined
from perfdocs.measure.loader import arm_path, load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "rk4"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
host: Any = importlib.import_module(f"{workload.__package__}.host")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


@pytest.fixture(scope="session")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


@pytest.mark.parametrize(
    ("config", "totals"),
    [
        ("spread-100", (21_061, 218_591, 2_188_425, 22_002_461)),
        ("spread-1000", (209_197, 2_172_608, 21_557_646, 215_284_583)),
        ("uniform-1000", (10**6, 10**7, 10**8, 10**9)),
    ],
)
def test_the_draws_have_the_published_totals(config: str, totals: tuple[int, ...]) -> None:
    assert tuple(workload.problem({"config": config, "n": 10**p}).sample_steps for p in (3, 4, 5, 6)) == totals


def test_counts_follow_the_published_rules() -> None:
    counts = workload.counts(workload.problem({"config": "spread-100", "n": 1000}))
    assert counts == {"sample_steps": 21_061, "useful_flop": 44 * 21_061, "useful_byte": 64_000, "minimum_byte": 40_000}


def test_the_full_plan_reaches_further_than_the_quick_one() -> None:
    sizes = {
        (kind, quick): max(t.at["n"] for t in workload.tasks(kind, quick) if t.table == "main")
        for kind in ("cpu", "gpu")
        for quick in (True, False)
    }
    assert sizes == {("cpu", True): 10**5, ("cpu", False): 10**6, ("gpu", True): 10**6, ("gpu", False): 10**7}


def exact(t: float, omega: float, zeta: float, x0: float, v0: float) -> tuple[float, float]:
    """Place and speed of the damped oscillator at ``t``."""
    wd = omega * math.sqrt(1 - zeta**2)
    a, b = x0, (v0 + zeta * omega * x0) / wd
    decay, c, s = math.exp(-zeta * omega * t), math.cos(wd * t), math.sin(wd * t)
    x = decay * (a * c + b * s)
    return x, decay * (wd * (b * c - a * s)) - zeta * omega * x


@needs_compiler
def test_the_step_is_of_fourth_order(context: Context) -> None:
    """The error of one step against the exact solution falls with the fifth power of omega * h."""
    step = host.library(context.build).rk4_step
    errors = []
    for omega in (4.0, 2.0, 1.0):  # h is fixed, so the frequency is what shrinks
        state = np.array([0.3, 0.7 * omega])
        step(state.ctypes.data, -2 * 0.1 * omega, -omega * omega)
        x, _ = exact(0.01, omega, 0.1, 0.3, 0.7 * omega)
        errors.append(abs(state[0] - x))
    orders = [math.log2(a / b) for a, b in pairwise(errors)]
    assert orders == pytest.approx([5, 5], abs=0.35)


@needs_compiler
def test_a_thousand_steps_follow_the_exact_solution(context: Context) -> None:
    problem = workload.problem({"config": "uniform-1000", "n": 1000})
    out = workload.reference(problem, context)
    truth = np.array([exact(10.0, *s) for s in zip(problem.omega, problem.zeta, problem.x0, problem.v0, strict=True)])
    bound = 10.0 * problem.omega**5 * 1e-8  # t * omega * (omega h)^4, and a margin
    assert (np.abs(out.x - truth[:, 0]) < bound * 2).all()


@needs_compiler
def test_the_compiled_reference_and_the_numpy_one_agree(context: Context) -> None:
    for config in ("spread-100", "uniform-1000"):
        problem = workload.problem({"config": config, "n": 1000})
        assert workload.verify(problem, workload.numpy_reference(problem), workload.reference(problem, context))


def test_without_a_compiler_the_reference_is_numpy(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: Context) -> None:
        raise Cannot("not_installed", "no C++ compiler is installed")

    monkeypatch.setattr(host, "runner", none)
    problem = workload.problem({"config": "spread-100", "n": 1000})
    out = workload.reference(problem, context)
    assert (out.steps == problem.nstop).all()


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        ("steps", 1, "1 of 1000 samples took other steps"),
        ("x", 2e-11, "x of sample 7 differs"),
        ("v", -2e-11, "v of sample 7 differs"),
        ("x", math.nan, "x of sample 7 differs"),
    ],
)
def test_verification_finds_one_wrong_sample(field: str, change: float, message: str) -> None:
    problem = workload.problem({"config": "spread-100", "n": 1000})
    reference = workload.numpy_reference(problem)
    planes = {name: getattr(reference, name).copy() for name in ("x", "v", "steps")}
    assert workload.verify(problem, reference, workload.Result(**planes)) == {"max_difference": 0.0}
    planes[field][7] += change
    with pytest.raises(VerificationError, match=message):
        workload.verify(problem, reference, workload.Result(**planes))


def test_every_arm_of_the_definition_has_its_file_and_no_file_lacks_an_entry() -> None:
    files = {p.stem for p in (FOLDER / "arms").glob("*.py")} - {"__init__"}
    assert files == set(DEFINITION.arms)
    assert all(arm_path(FOLDER, arm).is_file() for arm in DEFINITION.arms)


CPU_ARMS = [key for key, arm in DEFINITION.arms.items() if "cpu" in arm.on]


@pytest.mark.parametrize("arm", CPU_ARMS)
def test_a_host_arm_reaches_the_reference_again_and_again(arm: str, context: Context) -> None:
    problem = workload.draw(200, 100, True)
    try:
        ready = load_arm(FOLDER, arm).prepare(problem, context)
    except Cannot as reason:
        skip_or_fail(reason)
    reference = workload.numpy_reference(problem)
    for _ in range(2):
        ready.run()
        assert workload.verify(problem, reference, ready.result())["max_difference"] <= 1e-11
    assert set(ready.counts()) <= set(DEFINITION.metrics)
    ready.close()


def test_plain_python_is_limited() -> None:
    limits: Any = load_arm(FOLDER, "python_loop")
    assert limits.limits({"n": 10_000}) is None
    assert "10000" in limits.limits({"n": 100_000})


def assembly(architecture: str, file: str) -> str:
    """PTX of every kernel, by NVRTC alone; what the arms compile is in tests/test_registers.py."""
    nvrtc = pytest.importorskip("cupy", reason="CuPy is not installed").cuda.nvrtc
    device = importlib.import_module(f"{workload.__package__}.device")
    text = inlined(FOLDER / file)
    try:
        program = nvrtc.createProgram(text, file, [], [])
    except Exception as error:  # noqa: BLE001, RUF100 - no NVRTC library shows in several ways
        pytest.skip(f"NVRTC does not load ({type(error).__name__})")
    nvrtc.compileProgram(program, (*device.OPTIONS, f"-arch={architecture}"))
    ptx = nvrtc.getPTX(program)
    nvrtc.destroyProgram(program)
    return ptx.decode() if isinstance(ptx, bytes) else ptx


def test_a_step_is_22_instructions_of_fp64() -> None:
    """Four multiplications and eighteen fused multiply-adds: the count behind the fraction of the issue limit."""
    ptx = assembly("sm_90", "loop.cu")
    body = ptx[ptx.index(".entry rk4_steps_count") :]
    body = body[: body.index("\n}")]
    fused, plain = len(re.findall(r"\bfma\.rn\.f64", body)), len(re.findall(r"\bmul\.f64", body))
    steps = fused // 18
    assert steps >= 1
    assert fused == 18 * steps
    assert plain == 7 * steps  # four, and three that make damping and stiffness of omega and zeta
    device = importlib.import_module(f"{workload.__package__}.device")
    assert device.FP64_A_STEP == 22
    assert not re.search(r"\b(?:add|sub|div)[.\w]*\.f64", body)
