"""Arms of rk4 in other frameworks: what can be held without a GPU, and without most of the frameworks."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context
from perfdocs.measure.loader import load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "rk4"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
PACKAGE = workload.__package__

PEERS = {
    "warp_kernel": "warp",
    "numba_cuda": "numba",
    "jax_while": "jax",
    "jax_fused": "jax",
    "torch_masked": "torch",
    "torch_graph": "torch",
    "torch_compile": "torch",
}


@pytest.fixture(scope="session")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


def gpu(context: Context) -> Context:
    return Context(kind="gpu", build=context.build, threads=2, sm_count=100)


def forget() -> None:
    """Empty the caches of what was opened, so that no fake of one test is seen by the next."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith(PACKAGE):
            for value in list(vars(module).values()):
                if callable(clear := getattr(value, "cache_clear", None)) and value.__module__ == module.__name__:
                    clear()


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget()
    yield
    forget()


# ---- what is issued ----------------------------------------------------------------------------------------------


def slow_warp_steps(nstop: list[int], lanes: int) -> int:
    return sum(lanes * max(nstop[i : i + lanes]) for i in range(0, len(nstop), lanes))


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 1000])
def test_a_warp_issues_the_steps_of_its_longest_sample(n: int) -> None:
    nstop = np.random.default_rng(n).integers(0, 1000, n)
    assert workload.warp_steps(nstop) == slow_warp_steps(nstop.tolist(), 32)
    assert workload.warp_steps(nstop, lanes=64) == slow_warp_steps(nstop.tolist(), 64)
    order = np.argsort(-nstop, kind="stable")
    assert workload.warp_steps(nstop, order) == slow_warp_steps(nstop[order].tolist(), 32)
    assert int(nstop.sum()) <= workload.warp_steps(nstop, order) <= workload.warp_steps(nstop)


# ---- tables and points -------------------------------------------------------------------------------------------

OTHER = ("fp32", "compile", "memory", "traced")


@pytest.mark.parametrize("kind", ["gpu", "cpu"])
def test_a_point_of_a_table_has_the_axes_of_the_table(kind: str) -> None:
    tasks = workload.tasks(kind, False)
    assert len({(t.table, *sorted(t.at.items())) for t in tasks}) == len(tasks)
    for task in tasks:
        assert set(task.at) == set(DEFINITION.tables[task.table].axes), task
        for axis, value in task.at.items():
            assert not DEFINITION.axes[axis].values or value in DEFINITION.axes[axis].values
        assert workload.problem({**task.at, "n": 10}).n == 10
        assert workload.work(task.at) > 0
    expected = set(OTHER) if kind == "gpu" else {"compile", "memory"}
    assert {t.table for t in tasks} & set(OTHER) == expected
    assert not {t.table for t in workload.tasks(kind, True)} & set(OTHER)


def test_how_a_point_is_measured_and_that_traces_are_last() -> None:
    tasks = workload.tasks("gpu", False)
    assert {t.how for t in tasks if t.table not in OTHER or t.table == "fp32"} == {"timed"}
    assert all(t.how == t.table for t in tasks if t.table in ("compile", "memory", "traced"))
    ways = [t.how for t in tasks]
    assert ways == sorted(ways, key=("timed", "compile", "memory", "traced").index)


def test_single_precision_is_asked_for_by_the_point() -> None:
    at = next(t.at for t in workload.tasks("gpu", False) if t.table == "fp32")
    single = workload.problem({**at, "n": 1000})
    double = workload.problem({"config": at["config"], "n": 1000})
    assert {plane.dtype for plane in single.planes[:4]} == {np.dtype("float32")}
    assert (single.omega == double.omega).all()
    assert single.useful_byte == 40_000
    assert {"warp_kernel", "jax_while"} <= set(DEFINITION.tables["fp32"].arms)


# ---- arms that cannot run ----------------------------------------------------------------------------------------


def hide(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As if a package were not installed."""
    for loaded in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("arm", PEERS)
def test_an_arm_without_its_framework_is_not_installed(
    arm: str, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = load_arm(FOLDER, arm)
    assert module.PACKAGES
    hide(monkeypatch, PEERS[arm])
    if arm == "numba_cuda":
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Cannot, match="is not installed") as reason:
        module.prepare(workload.draw(10, 100, True), gpu(context))
    assert reason.value.kind == "not_installed"


def spec(name: str) -> importlib.machinery.ModuleSpec:
    return importlib.machinery.ModuleSpec(name, None)


@pytest.mark.parametrize("error", [ImportError, AttributeError, ValueError])
def test_a_numba_cuda_that_does_not_load_is_unsupported_in_one_line(
    error: type[Exception], context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(types.ModuleType):
        def __getattr__(self, name: str) -> object:
            if name == "cuda":
                raise error("no attribute that NumPy had\nonce " + "x" * 500)
            raise AttributeError(name)

    hide(monkeypatch, "numba")
    monkeypatch.setitem(sys.modules, "numba", Broken("numba"))
    monkeypatch.setattr(importlib.util, "find_spec", spec)
    with pytest.raises(Cannot, match="numba-cuda does not load") as reason:
        load_arm(FOLDER, "numba_cuda").prepare(workload.draw(10, 100, True), gpu(context))
    assert reason.value.kind == "unsupported"
    assert "\n" not in str(reason.value)
    assert len(str(reason.value)) < 200


def test_a_numba_that_sees_no_gpu_says_so(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    numba = types.ModuleType("numba")
    numba.cuda = types.SimpleNamespace(is_available=lambda: False)  # type: ignore[attr-defined]
    hide(monkeypatch, "numba")
    monkeypatch.setitem(sys.modules, "numba", numba)
    monkeypatch.setattr(importlib.util, "find_spec", spec)
    with pytest.raises(Cannot, match="Numba sees no GPU"):
        load_arm(FOLDER, "numba_cuda").prepare(workload.draw(10, 100, True), gpu(context))


# ---- JAX's arms around any executable ----------------------------------------------------------------------------


class FakeExecutable:
    """The reference in NumPy, and an account of memory."""

    def __init__(self, real: str) -> None:
        self.real = real

    def __call__(self, omega: Any, zeta: Any, x0: Any, v0: Any, nstop: Any) -> Any:
        doubles = (np.asarray(plane, dtype=np.float64) for plane in (omega, zeta, x0, v0))
        return workload.numpy_reference(workload.Problem("", len(nstop), *doubles, np.asarray(nstop), self.real))

    def memory_analysis(self) -> Any:
        return types.SimpleNamespace(
            argument_size_in_bytes=40, output_size_in_bytes=24, temp_size_in_bytes=16, alias_size_in_bytes=8
        )


@pytest.fixture
def any_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(f"{PACKAGE}.jax_step")
    jax = types.SimpleNamespace(device_put=lambda plane, device: plane, block_until_ready=lambda planes: planes)
    monkeypatch.setattr(module, "open_jax", lambda kind: (jax, f"the {kind}"))
    monkeypatch.setattr(module, "executable", lambda kind, batch, n, real: FakeExecutable(real))


@pytest.mark.parametrize(("arm", "iterations", "steps"), [("jax_while", 100, 1), ("jax_fused", 7, 16)])
def test_jax_counts_its_iterations(arm: str, iterations: int, steps: int, context: Context, any_jax: None) -> None:
    problem = workload.draw(50, 100, True)
    ready = load_arm(FOLDER, arm).prepare(problem, gpu(context))
    ready.run()
    assert workload.verify(problem, workload.numpy_reference(problem), ready.result()) == {"max_difference": 0.0}
    ready.end_to_end()
    assert ready.counts() == {
        "issued_byte": 50 * (88 * iterations + 16 + 72),
        "issued_steps": 50 * iterations * steps,
    }
    assert ready.device_memory() == 72
    ready.close()


def test_jax_counts_half_the_bytes_of_reals_in_single_precision(context: Context, any_jax: None) -> None:
    problem = workload.draw(50, 100, True, real="float32")
    ready = load_arm(FOLDER, "jax_while").prepare(problem, gpu(context))
    assert ready.counts()["issued_byte"] == 50 * (64 * 100 + 16 + 40)


# ---- on the host, where a framework is installed -----------------------------------------------------------------

ON_HOST = [arm for arm in PEERS if arm != "numba_cuda"]


@pytest.mark.filterwarnings("default")  # what other packages warn of is theirs
@pytest.mark.parametrize("real", ["float64", "float32"])
@pytest.mark.parametrize("arm", ON_HOST)
def test_a_peer_reaches_the_reference_on_the_host(arm: str, real: str, context: Context) -> None:
    pytest.importorskip(PEERS[arm], reason=f"{PEERS[arm]} is not installed")
    problem = workload.draw(77, 100, True, "spread-100", real=real)
    problem.nstop[5] = 0  # ends before it begins
    ready = load_arm(FOLDER, arm).prepare(problem, context)
    for _ in range(2):
        ready.run()
        workload.verify(problem, workload.numpy_reference(problem), ready.result())
    assert ready.result().x.dtype == np.dtype(real)
    counts = ready.counts()
    assert set(counts) <= set(DEFINITION.metrics)
    assert problem.sample_steps <= counts["issued_steps"] <= 32 * 3 * 112
    ready.close()


# ---- the compiled step -------------------------------------------------------------------------------------------


def ptx_of_warp(real: str, folder: Path) -> str:
    warp = pytest.importorskip("warp", reason="Warp is not installed")
    arm: Any = load_arm(FOLDER, "warp_kernel")
    warp.config.kernel_cache_dir = str(folder)
    warp.init()
    warp.compile_aot_module(arm.kernel(real).module, device=None, arch=90, module_dir=str(folder), use_ptx=True)
    (file,) = folder.glob("*.ptx")
    return file.read_text(encoding="utf-8")


def ptx_of_numba(real: str, folder: Path) -> str:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed")
    cuda: Any = importlib.import_module("numba.cuda")
    kind: Any = getattr(importlib.import_module("numba.types"), real)[::1]
    steps: Any = importlib.import_module("numba.types").int64[::1]
    arm: Any = load_arm(FOLDER, "numba_cuda")
    ptx, _ = cuda.compile_ptx(
        arm.integrate(np.dtype(real).type), (kind, kind, kind, kind, steps, kind, kind, steps), cc=(9, 0)
    )
    return str(ptx)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("real", ["float64", "float32"])
@pytest.mark.parametrize("compiled", [ptx_of_warp, ptx_of_numba])
def test_a_step_of_a_peer_is_as_many_instructions_as_ours(
    compiled: Callable[[str, Path], str], real: str, tmp_path: Path
) -> None:
    """Eighteen fused multiply-adds and four multiplications, and nothing in the other precision."""
    ptx = compiled(real, tmp_path)
    ours, other = ("f64", "f32") if real == "float64" else ("f32", "f64")
    fused, plain = (len(re.findall(rf"\b{op}\.{ours}\b", ptx)) for op in (r"fma\.rn", r"mul(?:\.rn)?"))
    steps = fused // 18
    assert steps >= 1
    assert fused == 18 * steps
    assert plain == 4 * steps + 3  # and three that make damping and stiffness of omega and zeta
    assert not re.search(rf"\b(?:add|div)[.\w]*\.{ours}", ptx)
    assert not re.search(rf"\b(?:fma|mul|add|cvt)[.\w]*\.{other}", ptx)
