"""Kernels compiled without a GPU: what arms ask for, what the compiler makes of it, and the file it is held against."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.lacking import skip_or_fail
from tests.limits_kit import asked_kernels

from perfdocs.errors import PerfdocsError
from perfdocs.measure import compiled, nvrtc
from perfdocs.measure.arm import Cannot
from perfdocs.measure.asked import asked, without_kernels
from perfdocs.measure.compiled import Row, Table
from perfdocs.measure.loader import load_workload
from perfdocs.measure.nvrtc import Built, Compiler, Used

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
WITH_KERNELS = sorted(folder.name for folder in BENCHMARKS.iterdir() if list(folder.glob("*.cu")))


@pytest.fixture(scope="module")
def compiler(request: pytest.FixtureRequest) -> Compiler:
    """NVRTC, with the answers of earlier runs: it answers the same to the same text, options and architecture."""
    try:
        return Compiler(Path(request.config.cache.mkdir("kernels")))
    except Cannot as reason:
        skip_or_fail(reason)


@pytest.mark.parametrize("benchmark", WITH_KERNELS)
def test_the_kernels_are_those_recorded(benchmark: str) -> None:
    """Nothing is compiled: a text that was is recorded with what came of it."""
    folder = BENCHMARKS / benchmark
    recorded = compiled.read_table(folder / compiled.FILE)
    lines = compiled.differences(recorded, compiled.unbuilt(folder, recorded, asked_kernels(folder)))
    assert not lines, "\n".join(["nox -s registers, and look at each", *lines])
    assert (folder / compiled.FILE).read_text(encoding="utf-8") == compiled.table_text(recorded)


@pytest.mark.parametrize("benchmark", WITH_KERNELS)
def test_what_is_recorded_is_what_the_compiler_makes(benchmark: str, compiler: Compiler) -> None:
    """Of the shortest text, for every architecture; `nox -s registers -- --check` compiles them all."""
    folder = BENCHMARKS / benchmark
    recorded, kernels = compiled.read_table(folder / compiled.FILE), asked_kernels(folder)
    short = min(kernels, key=lambda entry: ("#include <" in entry.code, len(entry.code)))  # headers take long
    chosen = [entry for entry in kernels if entry.text == short.text]
    found = compiled.table_of(folder, compiler, chosen)
    keys = {row.key for row in found.rows}
    recorded = replace(recorded, rows=tuple(row for row in recorded.rows if row.key in keys))
    assert {80, 90, 120} <= set(compiler.architectures)
    assert not (lines := compiled.beyond_limits(recorded, found)), "\n".join(lines)
    if recorded.compiler != found.compiler:
        pytest.skip(
            f"limits hold; numbers were recorded with NVRTC {recorded.compiler} and {found.compiler} is installed"
        )
    assert [row.used for row in found.rows] == [row.used for row in recorded.rows]


@pytest.mark.parametrize("benchmark", WITH_KERNELS)
def test_no_recorded_kernel_spills(benchmark: str) -> None:
    table = compiled.read_table(BENCHMARKS / benchmark / compiled.FILE)
    assert table.rows
    assert not table.unasked
    assert all(used.spill == used.local == 0 for row in table.rows for used in row.used.values())


# Forty sums that all live to the end: more than 32 registers.
CROWDED = """
extern "C" __global__ void BOUNDS crowd(const double* in, double* out) {
    double s[40];
    #pragma unroll
    for (int i = 0; i < 40; ++i) s[i] = in[i + 40 * threadIdx.x];
    for (int j = 0; j < 100; ++j)
        #pragma unroll
        for (int i = 0; i < 40; ++i) s[i] = fma(s[i], s[(i + 1) % 40], s[(i + 7) % 40]);
    #pragma unroll
    for (int i = 0; i < 40; ++i) out[i + 40 * threadIdx.x] = s[i];
}
"""


def crowd(compiler: Compiler, launch_bounds: str) -> Table:
    """A table of that kernel alone."""
    built = compiler.build(CROWDED, (f"-DBOUNDS={launch_bounds}",), 90)
    row = Row("crowd", (), ("arm",), 32, 0, "", {"sm_90": built.used["crowd"]})
    return Table(compiler.version, (row,), (), (), {row.key: {"sm_90": built.bounds["crowd"]}})


def test_a_spill_shows(compiler: Compiler) -> None:
    good, bad = crowd(compiler, ""), crowd(compiler, "__launch_bounds__(1024,2)")
    used = good.rows[0].used["sm_90"]
    assert used.registers > 80
    assert used.spill == used.local == 0
    assert not compiled.beyond_limits(good, good)
    assert not compiled.differences(good, good)
    (limit,) = compiled.beyond_limits(good, bad)
    assert "B spilled" in limit
    assert "0 and 0 B expected" in limit
    (line,) = compiled.differences(good, bad)
    assert line.startswith(f"crowd [], sm_90: {used.registers} registers, 0 B spilled")
    assert "32 registers" in line


def test_a_kernel_that_does_not_compile_is_said_in_one_line(compiler: Compiler) -> None:
    for code in ("nonsense", 'extern "C" __global__ void k(int* p) { int unused; p[0] = 1; }'):
        with pytest.raises(PerfdocsError, match="NVRTC for sm_90, -DA=1: found") as caught:
            compiler.build(code, ("-DA=1",), 90)
        assert "\n" not in str(caught.value)


def test_answers_are_kept_by_all_they_depend_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        first = Compiler(tmp_path)
    except Cannot as reason:
        skip_or_fail(reason)
    code = 'extern "C" __global__ void k(int* p) { p[0] = N; }'
    built = first.build(code, ("-DN=1",), 90)
    second = Compiler(tmp_path)
    monkeypatch.setattr(second, "_run", lambda *_: pytest.fail("compiled again"))
    assert second.build(code, ("-DN=1",), 90) == built
    for other in ((code + " ", ("-DN=1",), 90), (code, ("-DN=2",), 90), (code, ("-DN=1",), 80)):
        with pytest.raises(pytest.fail.Exception):
            second.build(*other)


LOG = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_80'
ptxas info    : Function properties for first
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for called
    48 bytes stack frame, 0 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 5120 bytes smem, 424 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_80'
ptxas info    : Function properties for second
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 28 registers
"""


def test_the_log_of_the_compiler_is_read() -> None:
    assert nvrtc.usage(LOG) == {"first": Used(40, 24, 48, 5120), "second": Used(28, 0, 0, 0)}
    with pytest.raises(PerfdocsError, match="registers and spills of a kernel"):
        nvrtc.usage("Compiling entry function 'k' for 'sm_80'\nin other words")


def test_launch_bounds_are_read() -> None:
    ptx = """
    .visible .entry free(.param .u64 p) { ret; }
    .visible .entry few(
        .param .u64 p)
    .maxntid 384, 1, 1
    .minnctapersm 2
    { ret; }
    .visible .entry flat(.param .u64 p) .maxntid 1024 { ret; }
    """
    assert nvrtc.bounds(ptx) == {"free": 255, "few": 80, "flat": 64}


def table(**other: Any) -> Table:
    used = {"sm_80": Used(30, 0, 0, 0), "sm_90": Used(40, 0, 0, 64)}
    row = Row("k", ("A=1",), ("one", "two"), 256, 0, "", used)
    row = replace(row, **{key: value for key, value in other.items() if hasattr(row, key)})
    kept = {key: value for key, value in other.items() if not hasattr(row, key)}
    return replace(Table("13.5.37", (row,), ("three",), ("dead",), {row.key: {"sm_80": 255, "sm_90": 64}}), **kept)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"used": {"sm_80": Used(30, 0, 0, 0), "sm_90": Used(41, 0, 0, 64)}}, "sm_90: 40 registers, .* 41 registers"),
        ({"used": {"sm_80": Used(30, 0, 0, 0), "sm_90": Used(40, 0, 0, 0)}}, "64 B shared recorded, .* 0 B shared"),
        ({"used": {"sm_90": Used(40, 0, 0, 64)}}, "sm_80: 30 registers, .* recorded, nothing found"),
        ({"arms": ("one",)}, "arms recorded as one, two, found one"),
        ({"threads": 128}, "threads recorded as 256, found 128"),
        ({"dynamic": 9}, "dynamic recorded as 0, found 9"),
        ({"rows": ()}, "no arm asks for it any more"),
        ({"without": ("three", "two")}, "arms without kernels: three recorded, three, two found"),
        ({"unasked": ()}, "kernels that no arm asks for: dead recorded, none found"),
    ],
)
def test_a_difference_is_one_line(change: dict[str, Any], line: str) -> None:
    (found,) = compiled.differences(table(), table(**change))
    assert re.search(line, found)


def test_what_is_new_is_a_difference_and_may_not_spill() -> None:
    empty = table(rows=())
    assert compiled.differences(empty, table()) == ["k [A=1]: not recorded, one, two asks for it"]
    assert not compiled.beyond_limits(empty, table())
    spilling = table(used={"sm_70": Used(30, 4, 0, 0)}, bounds={("k", ("A=1",)): {"sm_70": 255}})
    (line,) = compiled.beyond_limits(empty, spilling)
    assert "4 B spilled" in line


def test_registers_that_the_launch_does_not_leave_are_beyond_a_limit() -> None:
    (line,) = compiled.beyond_limits(table(), table(used={"sm_80": Used(30, 0, 0, 0), "sm_90": Used(65, 0, 0, 0)}))
    assert line == "k [A=1], sm_90: 65 registers, its launch leaves 64"
    (line,) = compiled.beyond_limits(table(), table(threads=1024, used={"sm_80": Used(80, 0, 0, 0)}))
    assert line == "k [A=1], sm_80: 80 registers, its launch leaves 64"


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / compiled.FILE
    for found in (table(), table(dynamic=70_000, used={"sm_75": Used(1, 2, 3, 4), "sm_120": Used(5, 6, 7, 8)})):
        path.write_text(compiled.table_text(found), encoding="utf-8")
        assert compiled.read_table(path) == replace(found, bounds={})
    assert "sm_75 = { registers = 1, spill = 2, local = 3, shared = 4, fits = false }" in path.read_text()
    assert "shared = 8 }" in path.read_text()


@pytest.mark.parametrize("text", [None, "compiler = ", 'compiler = "1"', 'compiler = "1"\nkernels = [{ name = "k" }]'])
def test_a_file_that_is_no_table_is_said_in_one_line(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / compiled.FILE
    if text is not None:
        path.write_text(text)
    with pytest.raises(PerfdocsError, match="write it anew: nox -s registers"):
        compiled.read_table(path)


DEFINITION = """
id = "made_up"
title = "Made up"
summary = "Nothing."
[axes.n]
label = "n"
unit = "sample"
[groups.gpu]
label = "GPU arms"
[metrics.wall]
label = "wall"
kind = "samples"
unit = "s"
better = "lower"
[tables.main]
title = "Wall"
axes = ["n"]
across = "n"
by = "wall"
columns = ["wall"]
"""
ARM = '[arms.{0}]\nlabel = "{0}"\nloop = "{0}"\ngroup = "gpu"\non = ["gpu"]\n'
WORKLOAD = """
from perfdocs.measure.arm import Task
def tasks(kind, quick): return [Task("main", {"n": n}) for n in (10, 100, 10_000_000)]
def problem(at): return at["n"]
def reference(problem, context): return None
def verify(problem, reference, result): return {}
def counts(problem): return {}
def work(at): return at["n"]
"""
OWN = """
import cupy
import numpy as np
from perfdocs.measure.arm import Prepared
class Arm(Prepared):
    def __init__(self, n):
        assert n < 10_000_000  # such draws take long, and nothing is chosen by them
        self.n, self.plane = n, cupy.zeros(n)
        module = cupy.RawModule(code="TEXT", options=("-DBIG=%d" % (n > 50), "--std=c++17"), backend="nvrtc")
        self.kernel = module.get_function("k")
    def run(self):
        stream = cupy.cuda.Stream()
        with stream:
            ended = np.zeros(1, dtype=np.uint32)
            while ended[0] < self.n:
                self.plane.get(stream=stream, out=ended)
            stream.begin_capture()
            self.kernel((1,), (2, 32), (self.plane,), shared_mem=self.n)
            stream.end_capture().launch(stream)
            stream.synchronize()
    def counts(self):
        cupy.RawKernel("OTHER", "count")((1,), (self.n,), ())
        return {}
def prepare(problem, context): return Arm(problem)
"""
ARRAYS = """
import cupy
from perfdocs.measure.arm import Prepared
class Arm(Prepared):
    def run(self):
        plane = cupy.zeros(5)
        WHAT
        raise AssertionError("array code ended before")
def prepare(problem, context):
    cupy.zeros(5)
    return Arm()
"""
ABSENT = """
from perfdocs.measure.arm import Cannot
def prepare(problem, context):
    try:
        import torch
    except ImportError:
        raise Cannot("not_installed", "PyTorch is not installed") from None
    raise AssertionError("other compilers are absent")
"""


def made_up(folder: Path, **arms: str) -> Path:
    """A benchmark with these arms."""
    (folder / "arms").mkdir(parents=True)
    (folder / "arms" / "__init__.py").touch()
    (folder / "__init__.py").touch()
    (folder / "benchmark.toml").write_text(DEFINITION + "".join(ARM.format(arm) for arm in arms))
    (folder / "workload.py").write_text(WORKLOAD)
    for arm, text in arms.items():
        (folder / "arms" / f"{arm}.py").write_text(text)
    return folder


def test_what_arms_ask_for_is_found_without_a_list_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    arrays = {f"arrays_{i}": ARRAYS.replace("WHAT", what) for i, what in enumerate(("plane + 1", "cupy.exp(plane)"))}
    folder = made_up(tmp_path / "made_up", own=OWN, own_too=OWN, absent=ABSENT, **arrays)
    found = asked(folder)
    options = ("-DBIG=0", "--std=c++17"), ("-DBIG=1", "--std=c++17")
    assert [(entry.name, entry.code, entry.options) for entry in found] == [
        ("count", "OTHER", ()),
        *(("k", "TEXT", given) for given in options),
    ]
    assert [(entry.threads, entry.dynamic) for entry in found] == [(10, 0), (64, 10), (64, 100)]
    assert all(entry.arms == {"own", "own_too"} for entry in found)
    assert without_kernels(folder, found) == ["absent", "arrays_0", "arrays_1"]
    assert found[1].defines == ("BIG=0",)


def test_everything_is_as_before_after_arms_were_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made_up(tmp_path / "made_up", own=OWN)
    before: Any = load_workload(folder)
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    modules = dict(sys.modules)
    asked(folder)
    assert load_workload(folder) is before
    assert {name: sys.modules.get(name) for name in modules} == modules


def test_an_arm_that_needs_more_than_the_stand_in_has_is_named(tmp_path: Path) -> None:
    folder = made_up(tmp_path / "made_up", own=OWN.replace("RawModule", "ZebraModule"))
    with pytest.raises(PerfdocsError, match=r"own\.py: found AttributeError: .*ZebraModule"):
        asked(folder)


class Stub:
    """A compiler that answers the same to everything."""

    version = "13.5.37"
    architectures = (90,)
    registers = 40

    def build(self, code: str, options: tuple[str, ...], architecture: int) -> Built:
        used = Used(self.registers, 0, 0, 0)
        return Built(dict.fromkeys(("k", "count", "dead"), used), dict.fromkeys(("k", "count", "dead"), 255))


def test_the_command_writes_and_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made_up(tmp_path / "made_up", own=OWN)
    monkeypatch.setattr(compiled, "Compiler", Stub)
    monkeypatch.chdir(tmp_path)
    assert compiled.main(["--check", "made_up"]) == 1
    assert "made_up/registers.toml: found FileNotFoundError" in capsys.readouterr().err
    assert compiled.main(["made_up"]) == 0
    assert capsys.readouterr().out == "written: made_up/registers.toml\n"
    assert compiled.read_table(folder / compiled.FILE).unasked == ("dead",)
    written = (folder / compiled.FILE).stat().st_mtime_ns
    assert compiled.main(["made_up"]) == 0
    assert (folder / compiled.FILE).stat().st_mtime_ns == written
    assert compiled.main(["--check", "made_up"]) == 0
    assert not any(capsys.readouterr())

    monkeypatch.setattr(Stub, "registers", 41)
    assert compiled.main(["--check", "made_up"]) == 1
    assert capsys.readouterr().err.count("41 registers") == 3
    monkeypatch.setattr(Stub, "version", "12.9.86")
    assert compiled.main(["--check", "made_up"]) == 0
    assert capsys.readouterr().out == "NVRTC 12.9.86 is here, 13.5.37 was recorded: limits are checked, not numbers\n"
    monkeypatch.setattr(Stub, "registers", 256)
    assert compiled.main(["--check", "made_up"]) == 1


def test_a_kernel_that_is_not_there_and_one_of_two_texts_are_said(tmp_path: Path) -> None:
    stub: Any = Stub()
    missing = made_up(tmp_path / "missing", own=OWN.replace('"k"', '"kay"'))
    with pytest.raises(PerfdocsError, match='found the kernel "kay", expected one of count, dead, k'):
        compiled.table_of(missing, stub)
    twice = made_up(tmp_path / "twice", own=OWN, other=OWN.replace("TEXT", "TEXT2"))
    with pytest.raises(PerfdocsError, match=r"k \[BIG=0\] of two texts"):
        compiled.table_of(twice, stub)
