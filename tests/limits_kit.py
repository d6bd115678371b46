"""What the tests of the benchmarks of device limits share."""

from __future__ import annotations

import ctypes
import json
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from tests.lacking import skip_or_fail
from tests.shapes.kit import card

from perfdocs.definition import Definition
from perfdocs.files import digest, write_atomic
from perfdocs.frame import rows
from perfdocs.library import load_library
from perfdocs.measure.arm import Cannot, Context, Prepared
from perfdocs.measure.asked import Asked, asked
from perfdocs.measure.hostcc import FLAGS, load
from perfdocs.measure.loader import load_arm
from perfdocs.row import Row

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
DATA = Path(__file__).resolve().parent / "data"

ON_HOST = """
#include "cuda_on_host.hpp"
#include <cmath>
#include <cstring>
#include <perfdocs/chain.hpp>
struct uint4 {
  unsigned x, y, z, w;
};
static unsigned __float_as_uint(float x) { unsigned u; memcpy(&u, &x, 4); return u; }
static float __uint_as_float(unsigned u) { float x; memcpy(&x, &u, 4); return x; }
static long long clock64() { return 0; }
template <typename T>
struct Same {
  using type = T;
};
template <typename... Given>
static void start(void (*kernel)(Given...), unsigned grid, unsigned block, typename Same<Given>::type... values) {
  void* given[] = {&values...};
  host_cuda::launch(kernel, grid, block, given);
}
"""


class Stream:
    """CuPy's, on a device that is made up."""

    ptr = 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def synchronize(self) -> None:
        pass


def cpp(build: Path, name: str, text: str) -> Path:
    """The file of a text: whole at any time and named for it, as another process may read it from the same folder."""
    source = build / f"{name}-{digest(text.encode())[:12]}.cpp"
    if not source.exists():
        write_atomic(source, text.encode())
    return source


def emulated(text: str, build: Path, folder: Path, name: str, *defines: str) -> Any:
    """A text with kernels and a function over them, compiled for the host."""
    source = cpp(build, name, ON_HOST + text)
    return load(source, build, [*FLAGS, f"-I{DATA}", f"-I{folder}", *(f"-D{one}" for one in defines)])


def address(array: Any) -> Any:
    return ctypes.c_void_p(array.ctypes.data)


def prepared(folder: Path, arm: str, problem: Any, context: Context) -> Prepared:
    try:
        ready: Prepared = load_arm(folder, arm).prepare(problem, context)
    except Cannot as reason:
        skip_or_fail(reason)
    return ready


def verified(
    workload: Any, ready: Prepared, problem: Any, definition: Definition, context: Context | None = None
) -> dict[str, float]:
    """Run and verify again and again; the counts. ``context`` is for references that are compiled."""
    for _ in range(2):
        ready.run()
        facts = workload.verify(problem, workload.reference(problem, context), ready.result())
    counts = {**workload.counts(problem), **facts, **ready.counts()}
    assert set(counts) <= set(definition.metrics)
    assert all(np.isfinite(value) and value >= 0 for value in counts.values())
    return counts


def files_are_arms(folder: Path, definition: Definition) -> None:
    assert {p.stem for p in (folder / "arms").glob("*.py")} - {"__init__"} == {
        key for key, arm in definition.arms.items() if arm.on
    }


def every_point_has_a_table_and_a_problem(workload: Any, definition: Definition) -> None:
    for kind in ("gpu", "cpu"):
        for quick in (True, False):
            tasks = workload.tasks(kind, quick)
            assert len({(t.table, tuple(sorted(t.at.items()))) for t in tasks}) == len(tasks)
            for task in tasks:
                assert set(task.at) == set(definition.tables[task.table].axes)
                assert any(kind in definition.arms[a].on for a in definition.arms_of(task.table))
                assert kind == "cpu" or task.curve
                assert workload.work(task.at) > 0
                workload.problem(task.at)


@cache
def asked_kernels(folder: Path) -> tuple[Asked, ...]:
    """What the arms ask of the compiler, found once in a process: some prepare much memory to ask."""
    return tuple(asked(folder))


def series(folder: Path, tmp_path: Path, measurements: list[dict[str, Any]], table: str) -> tuple[Row, ...]:
    """Rows of a table of a synthetic card of a GPU."""
    to = tmp_path / "benchmarks" / folder.name
    (to / "cards").mkdir(parents=True)
    (to / "benchmark.toml").write_bytes((folder / "benchmark.toml").read_bytes())
    (to / "cards" / "made-up-gpu.json").write_text(json.dumps(card(folder.name, measurements)), encoding="utf-8")
    library = load_library(tmp_path / "benchmarks")
    assert [str(problem) for problem in library.problems] == []
    benchmark = library.benchmarks[folder.name]
    loaded = benchmark.card_of("made-up-gpu")
    assert loaded is not None
    return rows(benchmark, loaded, table)


def module_of(workload: Any, name: str) -> ModuleType:
    import importlib

    return importlib.import_module(f"{workload.__package__}.{name}")
