"""The reduction benchmark without a GPU: numbers, verification, arms on the host, kernels run on the host."""

from __future__ import annotations

import ctypes
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.lacking import skip_or_fail
from tests.machine_code import MachineCode
from tests.shipped import Kernel, accesses, look_at_all, look_at_fill

from perfdocs.cardfile import read_card
from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, Prepared, VerificationError
from perfdocs.measure.hostcc import FLAGS, compiler, load
from perfdocs.measure.loader import load_arm, load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.runner import run
from perfdocs.measure.sass import total

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "reduction"
DATA = Path(__file__).resolve().parent / "data"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
host: Any = importlib.import_module(f"{workload.__package__}.host")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")
ON_HOST = [key for key, arm in DEFINITION.arms.items() if "cpu" in arm.on]


@pytest.fixture(scope="session")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


def prepare(arm: str, problem: Any, context: Context) -> Prepared:
    try:
        return load_arm(FOLDER, arm).prepare(problem, context)
    except Cannot as reason:
        skip_or_fail(reason)


# ---- the numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 64, 4096])
def test_the_numbers_are_one_to_n_each_once_and_scrambled(n: int, context: Context) -> None:
    found = host.scrambled(n)
    assert sorted(found) == list(range(1, n + 1))
    if n > 2:
        assert (np.diff(found) != 1).any()
    if compiler() is not None:
        assert (host.numbers(n, context) == found).all()


def test_points_and_counts(context: Context) -> None:
    for kind in ("gpu", "cpu"):
        assert [t.at["n"] for t in workload.tasks(kind, False)] == [2**power for power in range(10, 29, 2)]
        assert [t.at["n"] for t in workload.tasks(kind, True)] == [2**10, 2**22]
    problem = workload.problem({"n": 65_536})
    assert workload.counts(problem) == {"minimum_byte": 524_288}
    assert workload.reference(problem, context) == 2_147_516_416  # more than 32 bits hold
    assert workload.work({"n": 1024}) == 1024


def test_a_wrong_sum_is_refused() -> None:
    problem = workload.Problem(1024)
    assert workload.verify(problem, 524_800, [524_800, 524_800]) == {}
    with pytest.raises(VerificationError, match="the sum of 1 to 1024 is 524800, not 524799"):
        workload.verify(problem, 524_800, [524_800, 524_799])
    with pytest.raises(VerificationError, match="no sum"):
        workload.verify(problem, 524_800, [])


# ---- arms on the host ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", ON_HOST)
@pytest.mark.parametrize("n", [2, 1024, 2**18])
def test_an_arm_reaches_the_sum_again_and_again(arm: str, n: int, context: Context) -> None:
    problem = workload.Problem(n)
    ready = prepare(arm, problem, context)
    for _ in range(2):
        ready.run()
        workload.verify(problem, workload.reference(problem, context), ready.result())
    assert ready.on_host
    assert {*ready.counts(), *workload.counts(problem)} <= set(DEFINITION.metrics)


def test_without_a_compiler_numpy_has_its_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(_: Path) -> Any:
        raise Cannot("not_installed", "no C++ compiler is installed")

    monkeypatch.setattr(host, "library", absent)
    apart = Context(kind="cpu", build=tmp_path, threads=1)
    ready = prepare("numpy_sum", workload.Problem(512), apart)
    ready.run()
    workload.verify(workload.Problem(512), 512 * 513 // 2, ready.result())


def test_the_runner_measures_it(tmp_path: Path) -> None:
    options = Options(
        devices="cpu", arms=("numpy_sum",), at={"n": (1024,)}, out=tmp_path, build=tmp_path / "build", runs=1
    )
    (path,) = run(FOLDER, options)
    (found,) = read_card(path, path.parent).measurements
    assert (found.arm, found.values["sums"], found.values["minimum_byte"]) == ("numpy_sum", 1.0, 8192.0)


# ---- kernels ------------------------------------------------------------------------------------------------------

KERNELS = """
#include "kernels_on_host.hpp"
#define REDUCTION_THREADS 64
#define REDUCTION_LOADS 4
#include "reduce.cu"
extern "C" void run(int way, unsigned grid, long long n, long long* numbers, long long* partial, unsigned* ended,
                    long long* total) {
  void (*const ways[])(const longlong2*, unsigned, long long*, unsigned*, long long*) = {
      reduction_shared, reduction_shuffle_shared, reduction_shuffle, reduction_atomics};
  start(ways[way], grid, 64, (const longlong2*)numbers, (unsigned)(n / 2), partial, ended, total);
}
extern "C" void fill(long long n, long long factor, long long* numbers) {
  start(reduction_numbers, 3, 64, n, factor, numbers);
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("kernels")
    source = folder / "kernels.cpp"
    source.write_text(KERNELS)
    try:
        library = load(source, folder, (*FLAGS, f"-I{DATA}", f"-I{FOLDER}", "-Wno-unknown-pragmas"))
    except Cannot as reason:
        skip_or_fail(reason)
    long, plane = ctypes.c_longlong, ctypes.c_void_p
    library.run.argtypes = [ctypes.c_int, ctypes.c_uint, long, *[plane] * 4]
    library.fill.argtypes = [long, long, plane]
    return library


def test_the_kernels_numbers_are_the_hosts(kernels: Any) -> None:
    found = np.zeros(4096, dtype=np.int64)
    kernels.fill(4096, workload.FACTOR, found.ctypes.data)
    assert (found == host.scrambled(4096)).all()


@pytest.mark.parametrize("way", range(4))
@pytest.mark.parametrize(("n", "grid"), [(2, 1), (64, 1), (1024, 3), (16_384, 5), (8192, 40)])
def test_every_kernel_reaches_the_sum_again_and_again(way: int, n: int, grid: int, kernels: Any) -> None:
    numbers, ended = host.scrambled(n), np.zeros(1, dtype=np.uint32)
    partial = np.full(2 * grid, -1, dtype=np.int64)
    for _ in range(3):  # blocks end in another order each time
        total = np.full(1, 0 if way == 3 else -7, dtype=np.int64)
        kernels.run(way, grid, n, *(plane.ctypes.data for plane in (numbers, partial, ended, total)))
        assert total[0] == n * (n + 1) // 2
        assert ended[0] == 0


def look_at_own_sum(kernel: Kernel) -> None:
    """A thread's own pairs: several a jump back, then one; behind it, where there are any, the partial sums."""
    loads = kernel.of("LOADS")
    first, second, *others = kernel.loops
    for loop, pairs in ((first, loads), (second, 1)):
        assert accesses(loop, "LDG") == {16: pairs}
        assert total(loop, "IADD3.X") == pairs  # the upper halves of three numbers that are added
        assert sum(loop.values()) <= 5 * pairs + 8
    assert accesses(kernel.whole, "LDG")[16] == loads + 1
    assert not any(16 in accesses(loop, "LDG") for loop in others)


def look_at_shared(kernel: Kernel) -> None:
    look_at_own_sum(kernel)
    assert total(kernel.whole, "SHFL.DOWN") == 0
    assert total(kernel.whole, "STS.64") == 2 * 10  # a tree over 512, for the block and for the last


def look_at_shuffle_shared(kernel: Kernel) -> None:
    look_at_own_sum(kernel)
    assert total(kernel.whole, "SHFL.DOWN") >= 2 * 2 * 5 * 2
    assert total(kernel.whole, "STS.64") == 2


def look_at_shuffle(kernel: Kernel) -> None:
    look_at_own_sum(kernel)
    assert total(kernel.whole, "SHFL.DOWN") >= 2 * 5 * 2
    assert total(kernel.whole, "STS", "LDS", "BAR") == 0


def look_at_atomics(kernel: Kernel) -> None:
    look_at_own_sum(kernel)
    assert total(kernel.whole, "SHFL", "STS", "BAR") == 0
    assert total(kernel.whole, "RED", "REDG", "ATOMG") == 1


@pytest.mark.parametrize("architecture", [90])
def test_every_number_is_loaded_and_added(architecture: int, machine_code: MachineCode) -> None:
    """And each way is what its name says."""
    looks = {
        "reduction_shared": look_at_shared,
        "reduction_shuffle_shared": look_at_shuffle_shared,
        "reduction_shuffle": look_at_shuffle,
        "reduction_atomics": look_at_atomics,
        "reduction_groups": look_at_own_sum,
        "reduction_numbers": look_at_fill(8),
    }
    look_at_all(FOLDER, machine_code, architecture, looks)
