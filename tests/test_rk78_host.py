"""The vectors of orbits of rk78's host arms: their path is the scalar attempt's, whatever the vectors' width."""

from __future__ import annotations

import importlib
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.conftest import all_but_first_slow, slow

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context
from perfdocs.measure.hostcc import FLAGS, INCLUDE, compiler
from perfdocs.measure.loader import load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "rk78"
workload: Any = load_workload(FOLDER)
host: Any = importlib.import_module(f"{workload.__package__}.host")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")
X86 = platform.machine() in ("x86_64", "AMD64")
ALLOWED = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None  # before any arm ran
TARGETS = {
    "native": (),
    "estimates": ("-DRK78_ESTIMATES=1",),  # refined as those of AVX-512 are, whatever the processor
    "sse2": ("-march=x86-64",),
    "one": ("-DRK78_VECTORS=1",),
}


@pytest.fixture(scope="session")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=3)


def ran(problem: Any, context: Context, threads: int = 2, target: str = "native") -> Any:
    arm = host.SimdArm(problem, context, threads, *TARGETS[target])
    arm.run()
    return arm


@needs_compiler
@pytest.mark.parametrize("target", all_but_first_slow(TARGETS))
def test_lanes_take_the_path_of_the_scalar_attempt(target: str, context: Context) -> None:
    if target == "sse2" and not X86:
        pytest.skip("not an x86 processor")
    problem = workload.draw(100)
    reference = workload.reference(problem, context)
    for threads in (1, 3):
        facts = workload.verify(problem, reference, ran(problem, context, threads, target).result())
        assert facts["different_path"] == 0
        assert facts["max_difference"] < 1e-10


@needs_compiler
def test_the_known_counts(context: Context) -> None:
    problem = workload.draw(1000)
    arm = ran(problem, context)
    assert (int(arm.result().accepted.sum()), int(arm.result().rejected.sum())) == (415_223, 89_731)
    issued = arm.counts()["issued_attempts"]
    assert issued % host.simd_library(context.build).rk78_simd_lanes() == 0
    assert 0.9 < (415_223 + 89_731) / issued <= 1


@needs_compiler
@pytest.mark.parametrize("n", [1, 3, 7, 8, 9, 17])
def test_batches_of_any_size(n: int, context: Context) -> None:
    problem = workload.draw(n)
    facts = workload.verify(problem, workload.reference(problem, context), ran(problem, context).result())
    assert facts["different_path"] == 0


@needs_compiler
def test_a_run_can_be_repeated(context: Context) -> None:
    arm = ran(workload.draw(50), context)
    first = [plane.copy() for plane in arm.result()]
    arm.result().end[:] = np.nan
    arm.result().accepted[:] = -1
    arm.run()
    assert all((a == b).all() for a, b in zip(arm.result(), first, strict=True))
    assert set(arm.counts()) <= set(read_definition(FOLDER / "benchmark.toml").metrics)


@needs_compiler
def test_an_orbit_out_of_attempts_stops_and_disturbs_no_other(context: Context) -> None:
    problem = workload.draw(40)
    alone = ran(problem, context, 1).result()
    problem = workload.draw(40)
    problem.eccentricity[5] = 1 - 1e-9
    out = ran(problem, context, 1).result()
    assert out.accepted[5] + out.rejected[5] == 4000
    assert out.end[6, 5] < workload.END
    others = np.arange(40) != 5
    assert (out.end[:, others] == alone.end[:, others]).all()
    assert (out.accepted[others] == alone.accepted[others]).all()


def values(name: str, of: npt.NDArray[np.float64], flag: bool, context: Context, target: str = "native") -> Any:
    """A function of the vectors over many numbers."""
    library = host.simd_library(context.build, *TARGETS[target])
    width = library.rk78_simd_lanes() // (1 if target == "one" else 2)
    padded = np.resize(of, -(-len(of) // width) * width)
    out = np.empty_like(padded)
    for i in range(0, len(padded), width):
        getattr(library, name)(padded[i:].ctypes.data, flag, out[i:].ctypes.data)
    return out[: len(of)]


@needs_compiler
@pytest.mark.parametrize("target", ["native", "estimates"])
def test_inverses_are_right_to_the_last_bits(target: str, context: Context) -> None:
    x = np.exp2(np.random.default_rng(4).uniform(-20, 20, 4000))
    assert values("rk78_simd_inverse", x, False, context, target) == pytest.approx(1 / x, rel=5e-16, abs=0)
    assert values("rk78_simd_inverse", x, True, context, target) == pytest.approx(x**-1.5, rel=1e-15, abs=0)


@needs_compiler
@pytest.mark.parametrize(("accepted", "power"), [(True, -1 / 9), (False, -1 / 8)])
def test_growth_is_the_root_to_the_last_bits(accepted: bool, power: float, context: Context) -> None:
    ratios = np.exp2(np.random.default_rng(3).uniform(-40, 0, 4000))
    if not accepted:  # then it is at least 1
        ratios = 1 / ratios
    wanted = np.clip(0.9 * ratios**power, 0.2, 5)
    assert values("rk78_simd_growth", ratios, accepted, context) == pytest.approx(wanted, rel=1e-15, abs=0)


@needs_compiler
def test_growth_of_what_is_no_ratio(context: Context) -> None:
    ratios = np.array([0.0, np.inf, np.nan, 5e-324, 1e308])
    assert values("rk78_simd_growth", ratios, False, context).tolist() == [5.0, 0.2, 0.2, 5.0, 0.2]


@needs_compiler
@pytest.mark.skipif(ALLOWED is None, reason="the system does not tell who may run where")
def test_the_callers_processors_come_back(context: Context) -> None:
    problem = workload.draw(4)
    ran(problem, context, 1)
    host.HostArm(problem, context, 1).run()
    assert os.sched_getaffinity(0) == ALLOWED


def test_more_threads_than_processors_are_refused(context: Context) -> None:
    with pytest.raises(Cannot, match="8 threads on 3 processors") as raised:
        load_arm(FOLDER, "cpu_simd_8").prepare(workload.draw(4), context)
    assert raised.value.kind == "unsupported"


@needs_compiler
@pytest.mark.skipif(not X86, reason="the assembly of x86")
@pytest.mark.parametrize(("march", "register"), [("skylake-avx512", "zmm"), *slow(("haswell", "ymm"))])
def test_the_attempt_is_whole_vectors(march: str, register: str, tmp_path: Path) -> None:
    made = tmp_path / "simd.s"
    usual = [flag for flag in FLAGS if flag not in ("-march=native", "-shared")]
    command = [
        str(compiler()),
        *usual,
        f"-I{INCLUDE}",
        f"-march={march}",
        "-S",
        "-o",
        str(made),
        str(FOLDER / "host_simd.cpp"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode and re.search(r"(bad value|unknown|unsupported).*(cpu|march)", done.stderr):
        pytest.skip("the compiler does not know this processor")
    assert done.returncode == 0, done.stderr
    found = re.search(r"^\w*advance\w*:$.*?\.cfi_endproc", made.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    text = found[0]
    kinds = {(kind, f"{wide}mm") for kind, wide in re.findall(r"\tvfn?m\w+(sd|pd)\s.*%(\w)mm", text)}
    assert kinds == {("pd", register)}
    roots = len(re.findall(r"\tv(?:rsqrt14|sqrt)pd\s", text))
    assert roots == 2 * 13  # one a stage and vector: none is computed again, none alone
