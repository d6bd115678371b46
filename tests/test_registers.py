"""Kernels compiled without a GPU: what arms ask for, what the compiler makes of it, and the file it is held against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lacking import skip_or_fail
from tests.limits_kit import asked_kernels
from tests.machine_code import tree

from perfdocs.errors import PerfdocsError
from perfdocs.measure import compiled, nvrtc
from perfdocs.measure.arm import Cannot
from perfdocs.measure.asked import Asked
from perfdocs.measure.compiled import Row, Table
from perfdocs.measure.nvrtc import Compiler, Used

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


def to_compile(recorded: Table, kernels: Sequence[Asked], version: str, turn: int | None) -> list[Asked]:
    """What this compiler has not recorded, and where another did, or it is its ``turn``, one text."""
    same = recorded.compiler == version
    known = {(row.key, row.text) for row in recorded.rows}
    # all of another compiler's would take long, and limits are all that can be checked
    chosen = [e for e in kernels if same and ((e.name, e.defines), e.text) not in known]
    if turn is not None or not same:
        least = min("#include <" in entry.code for entry in kernels)  # headers take long
        texts = sorted({entry.text for entry in kernels if ("#include <" in entry.code) == least})
        text = texts[(turn or 0) % len(texts)]
        chosen += [entry for entry in kernels if entry.text == text and entry not in chosen]
    return chosen


@pytest.mark.parametrize("benchmark", WITH_KERNELS)
def test_what_is_recorded_is_what_the_compiler_makes(
    benchmark: str, compiler: Compiler, request: pytest.FixtureRequest
) -> None:
    """For every architecture, of what is not recorded, and of one text of one benchmark, in turn; of all if asked."""
    folder = BENCHMARKS / benchmark
    recorded, kernels = compiled.read_table(folder / compiled.FILE), asked_kernels(folder)
    of_benchmarks = len(WITH_KERNELS)
    turn = tree() // of_benchmarks if benchmark == WITH_KERNELS[tree() % of_benchmarks] else None
    anew = request.config.getoption("--anew")
    chosen = kernels if anew else to_compile(recorded, kernels, compiler.version, turn)
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


def test_what_is_compiled_is_what_no_record_tells() -> None:
    kernels = [Asked("j", "#include <text>", ()), Asked("k", "text", ("-DA=1",)), Asked("l", "text", ())]
    rows = [replace(table().rows[0], name=one.name, defines=one.defines, text=one.text) for one in kernels]
    recorded = replace(table(), rows=tuple(rows))
    version = recorded.compiler
    assert to_compile(recorded, kernels, version, None) == []
    turns = [to_compile(recorded, kernels, version, turn) for turn in range(4)]
    assert turns in ([kernels[1:2], kernels[2:]] * 2, [kernels[2:], kernels[1:2]] * 2)
    assert to_compile(recorded, kernels[:1], version, 7) == kernels[:1]
    changed = [replace(kernels[0], code="#include <another>"), *kernels[1:]]
    assert to_compile(recorded, changed, version, None) == changed[:1]
    assert to_compile(recorded, changed, version, 1) == [changed[0], *turns[1]]
    assert to_compile(recorded, changed, "another", None) == turns[0]


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
