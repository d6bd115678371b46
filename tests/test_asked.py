"""What arms ask of the compiler, found with a stand-in for CuPy, and the command that records what comes of it."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from perfdocs.errors import PerfdocsError
from perfdocs.measure import compiled
from perfdocs.measure.asked import asked, runs, without_kernels
from perfdocs.measure.edges import SystemClock
from perfdocs.measure.loader import load_workload
from perfdocs.measure.nvrtc import Built, Used

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


KEPT = """
from functools import cache
import cupy
from perfdocs.measure.arm import Prepared
plane = cache(cupy.zeros)
class Arm(Prepared):
    def __init__(self, n):
        self.plane, self.kernel = plane(5), cupy.RawKernel("TEXT", "k")
        self.kernel((1,), (32,), (self.plane,))
    def run(self):
        for i in range(2):
            self.kernel((2, 3), (4, 8), (self.plane, i))
    def counts(self):
        return {"wall": 2}
def prepare(problem, context): return Arm(problem)
"""


def test_a_run_tells_its_launches_and_counts_also_on_an_array_that_is_kept(tmp_path: Path) -> None:
    folder = made_up(tmp_path / "made_up", own=KEPT, arrays=ARRAYS.replace("WHAT", "plane + 1"))
    found = runs(folder)
    assert [(run.arm, run.at, run.counts) for run in found] == [("own", {"n": n}, {"wall": 2}) for n in (10, 100)]
    for run in found:
        assert [(one.kernel.name, one.blocks, one.threads) for one in run.before] == [("k", 1, 32)]
        assert [(one.blocks, one.threads, one.arguments[1]) for one in run.launches] == [(6, 32, 0), (6, 32, 1)]


def test_everything_is_as_before_after_arms_were_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made_up(tmp_path / "made_up", own=OWN)
    before: Any = load_workload(folder)
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    modules = dict(sys.modules)
    asked(folder)
    assert load_workload(folder) is before
    assert {name: sys.modules.get(name) for name in modules} == modules


BESIDE = (
    OWN
    + """
import subprocess
import subprocess
import sys
import time
from perfdocs.measure.edges import SystemClock
class Timed(Arm):
    def run(self):
        super().run()
        assert subprocess.run(["true"]).returncode == 0  # of others, such as a compiler's
        clock, runs = SystemClock(), 0
        begun = clock.monotonic()
        clock.sleep(1000)
        while clock.monotonic() - begun < 1000.5:
            self.kernel((1,), (96,), ())
            runs += 1
        self.runs = runs
    def counts(self):
        self.kernel((1,), (self.runs,), ())
        subprocess.Popen([sys.executable, "-c", "open('begun', 'w')"]).wait()
        raise AssertionError("nothing is started")
def prepare(problem, context): return Timed(problem)
"""
)


def test_no_time_passes_and_nothing_is_started_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    begun = time.monotonic()
    (small, _) = asked(made_up(tmp_path / "made_up", own=BESIDE))
    assert time.monotonic() - begun < 100
    assert small.threads == 500  # as often on any machine
    assert not (tmp_path / "begun").exists()
    assert type(SystemClock().now()) is datetime
    assert subprocess.run([sys.executable, "-c", ""], check=True).returncode == 0  # as before


HOST_MEMORY = """
import cupy
import numpy as np
import psutil
from perfdocs.measure.arm import Prepared
def held():
    return psutil.Process().memory_info().rss
class Arm(Prepared):
    def __init__(self, n):
        self.plane = cupy.zeros(n)
        self.kernel = cupy.RawKernel("TEXT", "k")
    def run(self):
        before = held()
        host, pageable = cupy.cuda.alloc_pinned_memory(2**28), np.zeros(2**26, np.uint32)
        self.plane.get(out=pageable)
        np.frombuffer(host, np.uint8)[:2] = 1
        self.kernel((1,), (1 + (held() - before) // 2**26,), ())
def prepare(problem, context): return Arm(problem)
"""


def test_memory_of_the_host_is_not_touched(tmp_path: Path) -> None:
    (found,) = asked(made_up(tmp_path / "made_up", own=HOST_MEMORY))
    assert found.threads == 1


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
