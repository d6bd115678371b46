"""The rk78 benchmark without a GPU: draws, tableau, attempt, verification, arms on the host, the compiled attempt,
kernels run block by block on the host."""

from __future__ import annotations

import ctypes
import importlib
import math
import re
import textwrap
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import slow
from tests.lacking import skip_or_fail
from tests.limits_kit import cpp

from perfdocs.definitionfile import read_definition
from perfdocs.measure.arm import Cannot, Context, VerificationError
from perfdocs.measure.hostcc import FLAGS, compiler, load
from perfdocs.measure.kernels import inlined
from perfdocs.measure.loader import arm_path, load_arm, load_workload

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "rk78"
DATA = Path(__file__).resolve().parent / "data"
DEFINITION = read_definition(FOLDER / "benchmark.toml")
workload: Any = load_workload(FOLDER)
host: Any = importlib.import_module(f"{workload.__package__}.host")
tableau: Any = importlib.import_module(f"{workload.__package__}.tableau")
lines: Any = importlib.import_module(f"{workload.__package__}.lines")
graphs: Any = importlib.import_module(f"{workload.__package__}.graphs")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler is installed")


@pytest.fixture(scope="session")
def context(host_build: Path) -> Context:
    return Context(kind="cpu", build=host_build, threads=2)


def orbits(*eccentricities: float) -> Any:
    """Orbits of these eccentricities in planes of their own."""
    n = len(eccentricities)
    angles = np.linspace(0.1, 1.4, n)
    return workload.Problem(n, np.array(eccentricities), angles, 2 * angles, 4 * angles)


# ---- the definition -----------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize(
    ("n", "accepted", "attempts"), [(1000, 415_223, 504_954), *slow((10_000, 4_105_908, 4_957_614))]
)
def test_the_published_counts_are_met(n: int, accepted: int, attempts: int, context: Context) -> None:
    problem = workload.problem({"n": n})
    reference = workload.reference(problem, context)
    facts = workload.verify(problem, reference, reference.result)
    assert (facts["accepted"], facts["attempts"]) == (accepted, attempts)
    assert facts["rejected"] == attempts - accepted
    assert facts["useful_flop"] == 1106 * attempts
    assert 0.001 < facts["worst_share"] < 0.01  # the bound is loose, the error is not nothing


def test_orbits_start_at_periapsis_with_the_energy_of_their_axis() -> None:
    problem = workload.draw(500)
    place, speed = problem.start[:3], problem.start[3:]
    distance = np.sqrt((place**2).sum(axis=0))
    assert problem.eccentricity[0] == 0.9
    assert distance == pytest.approx(1 - problem.eccentricity, abs=1e-14)
    assert (place * speed).sum(axis=0) == pytest.approx(0, abs=1e-14)
    assert (speed**2).sum(axis=0) / 2 - 1 / distance == pytest.approx(-0.5, abs=1e-13)


def test_the_truth_is_the_start_after_whole_orbits_and_opposite_after_half() -> None:
    problem = workload.draw(200)
    whole, half = workload.truth(problem, 6 * math.pi), workload.truth(problem, 5 * math.pi)
    assert whole == pytest.approx(problem.start[:3], abs=1e-12)
    assert half == pytest.approx(-(1 + problem.eccentricity) * problem.axes[0], abs=1e-12)


def test_counts_and_points() -> None:
    assert workload.counts(workload.draw(1000)) == {"useful_byte": 112_000, "minimum_byte": 64_000}
    for kind in ("gpu", "cpu"):
        full = workload.tasks(kind, False)
        assert [t.at["n"] for t in full if t.table == "main"] == [10**3, 10**4, 10**5, 10**6]
        assert [t.at["n"] for t in workload.tasks(kind, True)] == [10**3, 10**4]
        assert {t.table: t.how for t in full if t.table != "main"} == {
            "compile": "compile",
            "memory": "memory",
            **({"traced": "traced"} if kind == "gpu" else {}),
        }
    assert workload.problem({"start": "cold"}).n == 1000


# ---- the tableau --------------------------------------------------------------------------------------------------


def exact() -> tuple[list[list[Fraction]], list[Fraction]]:
    """Rows and weights as fractions."""
    rows = [[row.get(j, Fraction(0)) for j in range(13)] for row in tableau._ROWS]
    weights = [Fraction(tableau.WEIGHTS.get(j, 0.0)).limit_denominator(1000) for j in range(13)]
    return rows, weights


def test_the_tableau_meets_the_conditions_of_its_orders() -> None:
    rows, b = exact()
    c = [sum(row) for row in rows]
    places = "0 2/27 1/9 1/6 5/12 1/2 5/6 1/6 2/3 1/3 1 0 1"
    assert c == [Fraction(place) for place in places.split()]
    seventh = [b[j] + Fraction(41, 840) * {0: 1, 10: 1, 11: -1, 12: -1}.get(j, 0) for j in range(13)]
    for weights, order in ((b, 8), (seventh, 7)):
        for k in range(order):  # the tree with k leaves, and that with its branch one higher
            assert sum(w * x**k for w, x in zip(weights, c, strict=True)) == Fraction(1, k + 1)
        for k in range(order - 1):
            inner = [sum(a * x**k for a, x in zip(row, c, strict=True)) for row in rows]
            assert sum(w * y for w, y in zip(weights, inner, strict=True)) == Fraction(1, (k + 1) * (k + 2))
            for m in range(order - 1 - k):
                left = sum(w * x**m * y for w, x, y in zip(weights, c, inner, strict=True))
                assert left == Fraction(1, (k + 1) * (k + 2 + m))


def test_the_last_row_is_made_of_two_others() -> None:
    """What the compiled attempt uses in place of it."""
    rows, _ = exact()
    made = [a - b for a, b in zip(rows[10], rows[11], strict=True)]
    made[0] -= 1
    made[11] += 1
    assert rows[12] == made


@needs_compiler
def test_the_compiled_tableau_is_the_one_in_python(context: Context) -> None:
    got = np.empty(12 * 12 + 13)
    host.library(context.build).rk78_tableau(got.ctypes.data)
    rows = [[row.get(j, 0.0) for j in range(12)] for row in tableau.ROWS[1:]]
    weights = [tableau.WEIGHTS.get(j, 0.0) for j in range(13)]
    assert got.tolist() == [a for row in rows for a in row] + weights


# ---- the attempt --------------------------------------------------------------------------------------------------


@needs_compiler
def test_steps_of_one_size_converge_with_the_eighth_order(context: Context) -> None:
    step, problem, errors = host.library(context.build).rk78_step, orbits(0.3), []
    truth = workload.truth(problem, 2.0)[:, 0]
    for count in (8, 16, 32):
        state = np.concatenate([problem.start[:, 0], [0.0, 2.0 / count]])
        for _ in range(count):
            step(state.ctypes.data)
        errors.append(np.abs(state[:3] - truth).max())
    assert [math.log2(a / b) for a, b in pairwise(errors)] == pytest.approx([8, 8], abs=0.15)


@needs_compiler
def test_an_attempt_is_the_textbooks(context: Context) -> None:
    """Stages one after the other from the tableau, every coefficient used, against the rearranged compiled one."""
    library, problem = host.library(context.build), workload.draw(50)
    for i in range(50):
        h, start = 0.02 + 0.005 * i, problem.start[:, i]
        slopes: list[Any] = []
        for row in tableau.ROWS:
            y = start + h * sum((a * slopes[j] for j, a in row.items()), np.zeros(6))
            slopes.append(np.concatenate([y[3:], -y[:3] / np.sqrt(y[:3] @ y[:3]) ** 3]))
        new = start + h * sum(a * slopes[j] for j, a in tableau.WEIGHTS.items())
        error = h * tableau.ERROR * (slopes[0] + slopes[10] - slopes[11] - slopes[12])
        ratio = (np.abs(error) / (1e-10 + 1e-10 * np.maximum(np.abs(new), np.abs(start)))).max()
        tried = np.concatenate([start, [1.0, h]])
        assert library.rk78_step(tried.ctypes.data) == pytest.approx(ratio, rel=1e-4, abs=1e-5)
        assert tried[:6] == pytest.approx(new, rel=1e-13, abs=1e-13)
        state = np.concatenate([start, [1.0, h]])
        accepted = library.rk78_attempt(state.ctypes.data)
        assert accepted == (ratio < 1)
        assert (state[:6] == (tried[:6] if accepted else start)).all()
        assert state[6] == (1.0 + h if accepted else 1.0)
        factor = min(5.0, max(0.2, 0.9 * ratio ** (-1 / 9 if accepted else -1 / 8)))
        assert state[7] == pytest.approx(h * factor, rel=1e-4)


@needs_compiler
def test_the_last_step_is_cut_to_the_end(context: Context) -> None:
    state = np.concatenate([orbits(0.2).start[:, 0], [63.99, 0.009]])
    attempt = host.library(context.build).rk78_attempt
    assert attempt(state.ctypes.data)
    assert state[7] == 64.0 - state[6]
    assert attempt(state.ctypes.data)
    assert state[6] == 64.0
    assert state[7] == 0.0


@needs_compiler
@pytest.mark.parametrize("power", [9, 8])
def test_the_root_is_right_to_the_last_place(power: int, context: Context) -> None:
    root = host.library(context.build).rk78_inverse_root
    x = np.exp(np.linspace(math.log(2**-30), math.log(2**20), 20_001))
    got = np.array([root(value, power == 9) for value in x])
    wanted = np.asarray(x, dtype=np.longdouble) ** (-1 / np.longdouble(power))
    assert float((np.abs(got - wanted) / np.spacing(got)).max()) < 1.5


@needs_compiler
def test_the_growth_of_a_step_is_limited(context: Context) -> None:
    growth = host.library(context.build).rk78_growth
    for ratio in (0.0, 1e-300, 1e-30, 1e-9):
        assert growth(ratio, 1) == 5.0
    for ratio in (1e6, 1e30, math.inf, math.nan):
        assert growth(ratio, 0) == 0.2
    for ratio in (3e-7, 0.01, 0.999):
        assert growth(ratio, 1) == pytest.approx(0.9 * ratio ** (-1 / 9), rel=1e-15)
    for ratio in (1.0, 7.0, 1e5):
        assert growth(ratio, 0) == pytest.approx(0.9 * ratio ** (-1 / 8), rel=1e-15)


# ---- verification -------------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.end.__setitem__((6, 7), 63.9), "1 of 200 orbits did not reach t = 64; orbit 7 is at 63.9"),
        (lambda r: r.end.__setitem__((6, 7), math.nan), "1 of 200 orbits did not reach"),
        (lambda r: r.end.__setitem__((1, 7), r.end[1, 7] + 1e-2), "the place of orbit 7 is 0.01 from the truth"),
        (lambda r: r.end.__setitem__((2, 7), math.nan), "the place of orbit 7 is nan from the truth"),
        (lambda r: r.accepted.__setitem__(slice(5), 1), "5 of 200 orbits took other steps"),
        (lambda r: r.rejected.__setitem__(slice(5), 1), "5 of 200 orbits took other steps"),
    ],
)
def test_verification_finds_what_is_wrong(change: Any, message: str, context: Context) -> None:
    problem = workload.draw(200)
    reference = workload.reference(problem, context)
    copy = workload.Result(*(plane.copy() for plane in reference.result))
    assert workload.verify(problem, reference, copy)["max_difference"] == 0.0
    copy.accepted[:4] += 1  # a handful may
    assert workload.verify(problem, reference, copy)["different_path"] == 4
    copy.accepted[:4] -= 1
    change(copy)
    with pytest.raises(VerificationError, match=re.escape(message)):
        workload.verify(problem, reference, copy)


@needs_compiler
def test_an_error_near_the_bound_is_told_apart_from_one_above(context: Context) -> None:
    problem = workload.draw(50)
    reference = workload.reference(problem, context)
    allowed = workload.bound(problem, reference.result.accepted)
    for share, passes in ((0.9, True), (1.1, False)):
        place = reference.truth + np.array([[1.0], [0.0], [0.0]]) * allowed * share
        result = reference.result._replace(end=np.concatenate([place, reference.result.end[3:]]))
        if passes:
            assert workload.verify(problem, reference, result)["worst_share"] == pytest.approx(share)
        else:
            with pytest.raises(VerificationError, match="times what the tolerance allows"):
                workload.verify(problem, reference, result)


@needs_compiler
def test_the_reference_without_a_compiler_is_numpy(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = orbits(0.0, 0.05, 0.1)
    compiled = workload.reference(problem, context)

    def none(_: Context) -> None:
        raise Cannot("not_installed", "no C++ compiler is installed")

    monkeypatch.setattr(host, "runner", none)
    plain = workload.reference(problem, context)
    facts = workload.verify(problem, plain, compiled.result)
    assert facts["different_path"] == 0
    assert 0 < facts["max_difference"] < 1e-11


# ---- arms ---------------------------------------------------------------------------------------------------------


def test_every_arm_of_the_definition_has_its_file_and_no_file_lacks_an_entry() -> None:
    files = {p.stem for p in (FOLDER / "arms").glob("*.py")} - {"__init__"}
    assert files == set(DEFINITION.arms)
    assert all(arm_path(FOLDER, arm).is_file() for arm in DEFINITION.arms)
    assert DEFINITION.protocol == "rotate"


# Warp runs on a host too: not an arm of a CPU's card, but its kernel can be tried here.
HOST_ARMS = [*(key for key, arm in DEFINITION.arms.items() if "cpu" in arm.on), "warp_kernel"]


@needs_compiler
@pytest.mark.filterwarnings("default")  # what other packages warn of when they are imported is theirs
@pytest.mark.parametrize("arm", HOST_ARMS)
def test_a_host_arm_reaches_the_reference_again_and_again(arm: str, context: Context) -> None:
    problem = workload.draw(100)
    try:
        ready = load_arm(FOLDER, arm).prepare(problem, context)
    except Cannot as reason:
        skip_or_fail(reason)
    reference = workload.reference(problem, context)
    for _ in range(2):
        ready.run()
        facts = workload.verify(problem, reference, ready.result())
        assert facts["different_path"] == 0
        assert facts["max_difference"] < 1e-10
    counts = ready.counts()
    assert set(facts) | set(counts) <= set(DEFINITION.metrics)
    assert counts["code_lines"] > 10
    assert counts["issued_byte"] >= 112 * 100
    ready.close()


def test_numpy_is_limited() -> None:
    limits: Any = load_arm(FOLDER, "numpy_masked")
    assert limits.limits({"n": 10**5}) is None
    assert "100000" in limits.limits({"n": 10**6})


def test_lines_of_code_are_those_that_hold_code() -> None:
    python = textwrap.dedent(
        '''
        """Words
        of the module."""

        import math  # one


        def f(a):  # two
            """Words."""
            # words
            return math.sin(
                a,
            )  # three, four, five
        '''
    )
    assert lines.python_lines(python) == 5
    cpp = "// words\n#pragma once  // one\n\n/* words\nwords */\nint a;\n  // words\n"
    assert lines.c_lines(cpp) == 2
    parts = "int a;\n// ---- one ----\nint b;\n// ---- two ----\nint c;\nint d;\n"
    assert [lines.c_lines(lines.section(parts, names)) for names in ((), ("one",), ("two",), ("one", "two"))] == [
        1,
        2,
        3,
        4,
    ]
    assert lines.lines_of_code("lanes.cu#per_thread") < lines.lines_of_code("lanes.cu#per_thread#persistent")


def test_what_graphs_move_is_counted_from_the_attempts() -> None:
    attempts = np.array([16, 17, 40, 40, 100])
    live = graphs.live_at(attempts)
    assert live.tolist() == [5, 4, 3, 1, 1, 1, 1]
    made = (12 * 5 + 4 * 4) + (12 * 4 + 4 * 3) + (12 * 3 + 4 * 1) + 12 * 1
    assert graphs.map_bytes(live) == 12 * 16 * 16 + made
    assert graphs.moved(live) == 1  # one of five; three of five is more than half
    assert graphs.moved(live, 0.75) == 3 + 1
    assert graphs.moved(live, 0.0) == 0


# ---- kernels ------------------------------------------------------------------------------------------------------


def assembly(name: str, architecture: str) -> str:
    """PTX of every kernel of a file, by NVRTC alone; what the arms compile is in tests/test_registers.py."""
    nvrtc = pytest.importorskip("cupy", reason="CuPy is not installed").cuda.nvrtc
    device = importlib.import_module(f"{workload.__package__}.device")
    text = inlined(FOLDER / name)
    try:
        program = nvrtc.createProgram(text, name, [], [])
    except Exception as error:  # noqa: BLE001, RUF100 - no NVRTC library shows in several ways
        pytest.skip(f"NVRTC does not load ({type(error).__name__})")
    nvrtc.compileProgram(program, (*device.OPTIONS, f"-arch={architecture}"))
    ptx = nvrtc.getPTX(program)
    nvrtc.destroyProgram(program)
    return ptx.decode() if isinstance(ptx, bytes) else ptx


def test_an_attempt_is_some_559_instructions_of_fp64() -> None:
    """The count behind the share of the issue limit: 401 fused, 127 multiplications, 29 additions and 2 compares in
    machine code, and 560 without compares in PTX, which the assembler shortens by three."""
    ptx = assembly("lanes.cu", "sm_90")
    body = ptx[ptx.index(".entry rk78_per_thread") :]
    body = body[: body.index("\n}")]
    found = {op: len(re.findall(rf"\b{op}[.\w]*\.f64\b", body)) for op in ("fma", "mul", "add", "sub", "div", "sqrt")}
    assert (found["div"], found["sqrt"]) == (0, 0)
    device = importlib.import_module(f"{workload.__package__}.device")
    assert sum(found.values()) == device.FP64_AN_ATTEMPT + 1


# ---- kernels, run on the host -------------------------------------------------------------------------------------

ON_HOST = """
#include "cuda_on_host.hpp"
#include <cmath>
template <typename T>
struct Same {
  using type = T;
};
template <typename... Given>
static void start(void (*kernel)(Given...), unsigned grid, unsigned block, typename Same<Given>::type... values) {
  void* given[] = {&values...};
  host_cuda::launch(kernel, grid, block, given);
}
static unsigned __shfl_down_sync(unsigned full, unsigned value, unsigned span) {
  return __shfl_sync(full, value, threadIdx.x % 32 + span);
}
static unsigned atomicInc(unsigned* at, unsigned top) {
  const unsigned before = *at;
  *at = before >= top ? 0 : before + 1;
  return before;
}
"""

LANES = """
#define RK78_WARPS 2
#define RK78_BATCH 3
#include "lanes.cu"
extern "C" void run(int persistent, unsigned grid, i64 n, const double* from, double* end, int* accepted,
                    int* rejected, u32* queue) {
  if (persistent) {
    start(rk78_persistent, grid, 64, (u32)n, from, end, accepted, rejected, queue);
  } else {
    start(rk78_per_thread, grid, 32, n, from, end, accepted, rejected);
  }
}
"""

GRAPHS = """
#define RK78_THREADS 32
#include "loop.cu"
extern "C" int run(int kind, double theta, i64 n, const double* from, double* planes, int* counts, u32* orbits,
                   u32* maps, double* end, int* accepted, int* rejected, int* moved) {
  Progress progress, *p = &progress;
  const unsigned grid = 2;
  unsigned again = 1;
  const unsigned long long handle = reinterpret_cast<unsigned long long>(&again);
  int bodies = 0;
  if (kind == 0) start(rk78_begin, grid, 32, n, from, planes, counts, p);
  if (kind == 1) start(rk78_begin_map, grid, 32, n, from, planes, counts, maps, p);
  if (kind == 2) start(rk78_begin_reorder, grid, 32, n, from, planes, counts, orbits, maps, p);
  for (; again && bodies < 4000; ++bodies) {
    if (kind == 0) start(rk78_attempt_while, grid, 32, n, planes, counts, p, handle);
    for (int k = 0; k < 16 && kind == 1; ++k) start(rk78_attempt_map, grid, 32, n, planes, counts, maps, p);
    for (int k = 0; k < 16 && kind == 2; ++k)
      start(rk78_attempt_reorder, grid, 32, n, planes, counts, orbits, maps, end, accepted, rejected, p);
    if (kind != 0) start(rk78_compact_while, grid, 256, n, planes, maps, p, theta, handle);
    if (p->move) *moved += p->live;
    if (kind == 2) start(rk78_move, grid, 256, n, planes, counts, orbits, maps, p);
  }
  return bodies;
}
"""


def emulated(text: str, name: str, build: Path) -> Any:
    """Kernels compiled for the host. Their step is the host's: what is tried is how orbits are dealt and kept."""
    source = cpp(build, name, ON_HOST + text)
    flags = [*FLAGS, f"-I{DATA}", f"-I{FOLDER}"]
    try:
        return load(source, build, flags)
    except Cannot as reason:
        skip_or_fail(reason)


def address(array: Any) -> Any:
    return ctypes.c_void_p(array.ctypes.data)


def spread(n: int) -> Any:
    """Nearly round orbits, which make some 328 attempts, and here and there one that makes 341 or 363."""
    return orbits(*(0.3 if i % 50 == 7 else 0.25 if i % 5 == 0 else 0.06 * i / n for i in range(n)))


@needs_compiler
@pytest.mark.parametrize(("persistent", "n", "grid"), [(0, 70, 3), (1, 1, 1), (1, 150, 1), (1, 150, 2)])
def test_lanes_deal_out_every_orbit(persistent: int, n: int, grid: int, context: Context) -> None:
    run = emulated(LANES, "lanes", context.build).run
    problem, out, queue = workload.draw(n), workload.outputs(n), np.zeros(2, dtype=np.uint32)
    reference = workload.reference(problem, context)
    for _ in range(2):  # the queue is left as it was found
        for plane in out:
            plane[:] = 0
        planes = (problem.start, *out, queue)
        run(persistent, grid, ctypes.c_int64(n), *map(address, planes))
        facts = workload.verify(problem, reference, out)
        assert (facts["max_difference"], facts["different_path"]) == (0.0, 0)
        assert not queue.any()


@needs_compiler
@pytest.mark.parametrize(("kind", "theta"), [(0, 0.0), (1, 0.0), (2, 0.9)])
def test_graphs_bring_every_orbit_to_its_end(kind: int, theta: float, context: Context) -> None:
    n = 300 if kind else 70
    run = emulated(GRAPHS, "graphs", context.build).run
    problem, out = spread(n), workload.outputs(n)
    reference = workload.reference(problem, context)
    attempts = reference.result.accepted + reference.result.rejected
    planes, counts = np.zeros((16, n)), np.zeros((4, n), dtype=np.int32)
    numbers, maps, moved = (np.zeros(2 * n, dtype=np.uint32) for _ in range(3))
    rest = (problem.start, planes, counts, numbers, maps, *out, moved)
    bodies = run(kind, ctypes.c_double(theta), ctypes.c_int64(n), *map(address, rest))
    result = out if kind == 2 else workload.Result(planes[:7], counts[0], counts[1])
    facts = workload.verify(problem, reference, result)
    assert (facts["max_difference"], facts["different_path"]) == (0.0, 0)
    live = graphs.live_at(attempts)
    assert bodies == (len(live) if kind else attempts.max())
    assert moved[0] == graphs.moved(live, theta)
    assert kind != 2 or moved[0] > 0
