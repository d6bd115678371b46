"""Files of kernels as one text, and what a library compiled for the host depends on."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

import pytest
from tests.lacking import skip_or_fail

from perfdocs.measure.arm import Cannot
from perfdocs.measure.hostcc import load, texts
from perfdocs.measure.kernels import inlined

PINNED = """
#include <perfdocs/pin.hpp>

extern "C" int where(int threads, const int* cpus, int* found) {
  int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    const perfdocs::Pinned pinned(cpus);
    found[perfdocs::thread_index()] = sched_getcpu();
    wrong += found[perfdocs::thread_index()] != cpus[perfdocs::thread_index()];
  }
  return wrong;
}
"""


def test_what_a_file_includes_is_put_in_its_place_once(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text('#include "b.cuh"  // the step\n#include "c.cuh"\n#include <cmath>\nend\n')
    (tmp_path / "b.cuh").write_text('#pragma once\n#include "c.cuh"\nstep\n')
    (tmp_path / "c.cuh").write_text("#pragma once\nconstants\n")
    lines = [line for line in inlined(tmp_path / "a.cu").splitlines() if line]
    assert lines == ["constants", "step", "#include <cmath>", "end"]


def test_headers_for_every_benchmark_are_put_in_their_place_too(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("#include <perfdocs/chain.hpp>\n#include <perfdocs/words.hpp>\nend\n")
    text = inlined(tmp_path / "a.cu")
    assert "<perfdocs/" not in text
    assert "#pragma once" not in text
    assert text.count("u32 mixed(u32 i)") == 1


def test_a_library_depends_on_everything_it_includes(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "a.cpp").write_text('#include "b.hpp"\n# include "c.hpp"\n#include "absent.hpp"\n')
    (tmp_path / "b.hpp").write_text('#include "c.hpp"\n')
    (tmp_path / "shared" / "c.hpp").write_text("c\n")
    found = list(texts(tmp_path / "a.cpp", [tmp_path / "shared"]))
    assert sorted(found) == sorted(
        [(tmp_path / name).read_bytes() for name in ("a.cpp", "b.hpp")] + [(tmp_path / "shared" / "c.hpp").read_bytes()]
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lets a thread choose its processors")
def test_threads_of_a_team_get_their_own_processors_back(tmp_path: Path) -> None:
    (tmp_path / "where.cpp").write_text(PINNED)
    try:
        library = load(tmp_path / "where.cpp", tmp_path)
    except Cannot as reason:
        skip_or_fail(reason)
    allowed = sorted(os.sched_getaffinity(0))
    chosen = (ctypes.c_int * 2)(allowed[0], allowed[-1])
    assert library.where(2, chosen, (ctypes.c_int * 2)()) == 0
    masks = {os.sched_getaffinity(int(task.name)) == set(allowed) for task in Path("/proc/self/task").iterdir()}
    assert masks == {True}
