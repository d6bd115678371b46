"""The compiled host arms of rk4: vectors of samples make the bits of the scalar step, whatever the vectors' width."""

from __future__ import annotations

import importlib
import os
import platform
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import all_but_first_slow, slow

from perfdocs.measure.arm import Cannot, Context
from perfdocs.measure.hostcc import FLAGS, INCLUDE, compiler
from perfdocs.measure.loader import load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "rk4"
workload: Any = load_workload(FOLDER)
host: Any = importlib.import_module(f"{workload.__package__}.host")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")
X86 = platform.machine() in ("x86_64", "AMD64")
ALLOWED = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None  # before any arm ran

# What the tests compile for: this machine; vectors wider than its own; x86 with and without fused multiply-adds.
TARGETS = {
    "native": (),
    "wide": ("-DRK4_VECTOR_BYTE=64",),
    "sse2": ("-march=x86-64",),
    "fma": ("-march=haswell",),
}


@pytest.fixture(scope="session")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=3)


def runs_here(target: str) -> bool:
    """Whether this processor has what the target's code uses."""
    if target == "sse2":
        return X86
    if target == "fma":
        flags = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
        return X86 and {"fma", "avx2", "bmi2"} <= set(flags)
    return True


def problem_of(nstop: np.ndarray) -> Any:
    """Oscillators with these stop steps, drawn with a fixed seed."""
    n = len(nstop)
    rng = np.random.default_rng([7, n])
    planes = (rng.uniform(1, 10, n), rng.uniform(0.01, 0.2, n), rng.uniform(-1, 1, n), rng.uniform(-1, 1, n))
    return workload.Problem("", n, *planes, nstop.astype(np.int64))


def scalar(problem: Any, context: Context, target: str) -> Any:
    out = host.outputs(problem.n)
    machine = [flag for flag in TARGETS[target] if flag.startswith("-march")]
    host.runner(context, *machine)(problem, out, 2)
    return out


def vectors(problem: Any, context: Context, threads: int, target: str = "native") -> Any:
    arm = host.SimdArm(problem, context, threads, *TARGETS[target])
    arm.run()
    return arm


def assert_same_bits(got: Any, wanted: Any) -> None:
    for one, other in zip(got, wanted, strict=True):
        assert one.dtype == other.dtype
        assert (one.view(np.int64) == other.view(np.int64)).all()


def lengths(n: int, longest: int) -> np.ndarray:
    return np.random.default_rng([11, n]).integers(1, longest + 1, n)


@needs_compiler
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("target", all_but_first_slow(TARGETS))
def test_vectors_make_the_bits_of_the_scalar_step(target: str, threads: int, context: Context) -> None:
    if not runs_here(target):
        pytest.skip("this processor lacks the instructions")
    problem = problem_of(lengths(5000, 60))  # several parts, the last group of each not full
    wanted = scalar(problem, context, target)
    assert (wanted.steps == problem.nstop).all()
    assert_same_bits(vectors(problem, context, threads, target).result(), wanted)


@needs_compiler
@pytest.mark.parametrize("n", [0, 1, 2, 7, 15, 16, 17, 31, 33, 1024, 1025, 8193])
def test_batches_of_any_size(n: int, context: Context) -> None:
    problem = problem_of(lengths(n, 20))
    assert_same_bits(vectors(problem, context, 2).result(), scalar(problem, context, "native"))


@needs_compiler
def test_lengths_that_are_none_or_more_than_the_ordering_tells_apart(context: Context) -> None:
    nstop = np.concatenate([[0, -3, 5000, 1, 1023, 1024, 1025], lengths(200, 3000)])
    problem = problem_of(nstop)
    got = vectors(problem, context, 2).result()
    assert_same_bits(got, scalar(problem, context, "native"))
    assert got.x[0] == problem.x0[0]
    assert got.steps[1] == 0


@needs_compiler
def test_a_run_changes_nothing_and_can_be_repeated(context: Context) -> None:
    problem = problem_of(lengths(3000, 50))
    before = [plane.copy() for plane in problem.planes]
    arm = vectors(problem, context, 2)
    first = [plane.copy() for plane in arm.result()]
    arm.result().x[:] = np.nan
    arm.run()
    assert_same_bits(arm.result(), first)
    assert all((a == b).all() for a, b in zip(before, problem.planes, strict=True))


@needs_compiler
@pytest.mark.parametrize("n", [1000, 5000, 9000])
def test_issued_steps_follow_from_the_order_of_each_part(n: int, context: Context) -> None:
    problem, threads = problem_of(lengths(n, 40)), 2
    lanes = host.simd_library(context.build).rk4_simd_lanes()
    size = min(4096, max(1024, -(-n // threads)))
    issued = 0
    for first in range(0, n, size):
        ordered = np.sort(problem.nstop[first : first + size])[::-1]
        issued += lanes * int(ordered[::lanes].sum())
    counts = vectors(problem, context, threads).counts()
    assert counts == {"issued_byte": 88 * n, "issued_steps": issued}
    assert issued >= problem.sample_steps


@needs_compiler
def test_of_a_published_batch_few_lanes_idle(context: Context) -> None:
    problem = workload.problem({"config": "spread-100", "n": 10_000})
    assert problem.sample_steps / vectors(problem, context, 2).counts()["issued_steps"] > 0.98


def test_more_threads_than_processors_are_refused(context: Context) -> None:
    with pytest.raises(Cannot, match="8 threads on 3 processors") as raised:
        load_arm(FOLDER, "cpu_simd_8").prepare(problem_of(lengths(10, 5)), context)
    assert raised.value.kind == "unsupported"


@needs_compiler
@pytest.mark.skipif(ALLOWED is None, reason="the system does not tell who may run where")
def test_the_callers_processors_come_back(context: Context) -> None:
    problem = problem_of(lengths(100, 5))
    vectors(problem, context, 1)
    host.HostArm(problem, context, 1).run()
    assert os.sched_getaffinity(0) == ALLOWED


def assembly(tmp_path: Path, *flags: str) -> str:
    """Of host_simd.cpp; skips where the compiler does not know the processor."""
    made = tmp_path / "simd.s"
    usual = [flag for flag in FLAGS if flag not in ("-march=native", "-shared")]
    command = [str(compiler()), *usual, *flags, f"-I{INCLUDE}", "-S", "-o", str(made), str(FOLDER / "host_simd.cpp")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode and re.search(r"(bad value|unknown|unsupported).*(cpu|march)", done.stderr):
        pytest.skip("the compiler does not know this processor")
    assert done.returncode == 0, done.stderr
    return made.read_text()


@needs_compiler
@pytest.mark.skipif(not X86, reason="the assembly of x86")
@pytest.mark.parametrize(("march", "register"), [("skylake-avx512", "zmm"), *slow(("haswell", "ymm"))])
def test_both_loops_are_whole_vectors(march: str, register: str, tmp_path: Path) -> None:
    """Twice four steps of 18 fused multiply-adds on the widest registers, none on single numbers."""
    text = assembly(tmp_path, f"-march={march}")
    fused = re.findall(r"\tvfn?m\w+(sd|pd)\s.*%(\w)mm", text)
    assert {(kind, f"{wide}mm") for kind, wide in fused} == {("pd", register)}
    assert len(fused) == 2 * 4 * 18


POOL = """
import sys, time
from multiprocessing import active_children
from pathlib import Path
from perfdocs.measure.arm import Context
from perfdocs.measure.loader import load_arm, load_workload

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    problem = load_workload(folder).draw(20_000, 1000, False)
    arm = load_arm(folder, "multiprocessing_pool").prepare(problem, Context("cpu", Path(), 2))
    try:
        arm._pool.map(abs, [1, 2])
        print(*[child.pid for child in active_children()], flush=True)
        while True:
            arm.run()
    finally:
        arm.close()
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_the_pool_ends_with_the_run(name: str, tmp_path: Path) -> None:
    """After an interrupt of the whole group, as from a keyboard, and after the death of the parent alone."""
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    command = [sys.executable, str(script), str(FOLDER)]
    with subprocess.Popen(  # a session of its own: the interrupt must not reach the tests
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        try:
            assert len(workers) == 2
            assert all(map(alive, workers))
            if name == "SIGINT":
                os.killpg(parent.pid, signal.SIGINT)
            else:
                parent.kill()
            _, errors = parent.communicate(timeout=60)
            assert name == "SIGKILL" or errors.count("Traceback") == 1, errors  # the parent's own
            end = time.monotonic() + 30
            while any(map(alive, workers)) and time.monotonic() < end:
                time.sleep(0.02)
            assert not any(map(alive, workers))
        finally:
            for pid in (parent.pid, *workers):
                if alive(pid):
                    os.kill(pid, signal.SIGKILL)


def test_the_pool_is_limited() -> None:
    limits: Any = load_arm(FOLDER, "multiprocessing_pool")
    assert limits.limits({"n": 100_000}) is None
    assert "100000" in limits.limits({"n": 1_000_000})
