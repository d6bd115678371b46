"""Work is shared among processes, and pages are checked side by side with the same outcomes in the same order."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.claims.toy import write_toy

from perfdocs import beside
from perfdocs.claims.check import check_all, check_pages, check_text, extracted
from perfdocs.library import load_library


def test_parts_come_back_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "processors", lambda: 3)
    assert [n for part in beside.in_processes(list, range(100), 5) for n in part] == list(range(100))


SHARED = """
import os, time
from perfdocs import beside

def slow(part):
    time.sleep(0.05)
    return [(n, os.getpid()) for n in part]

beside.processors = lambda: 3
found = [pair for part in beside.in_processes(slow, range(96), 1) for pair in part]
assert [n for n, _ in found] == list(range(96))
print(len({pid for _, pid in found}), found[-1][1] == os.getpid())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere one process does all")
def test_this_process_and_others_share_the_parts() -> None:
    # in a process of its own: that of the tests may have threads, beside which there are no copies
    done = subprocess.run([sys.executable, "-c", SHARED], capture_output=True, text=True, check=True)
    several, last = done.stdout.split()
    assert int(several) > 1
    assert last == "True"


def test_few_items_stay_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "processors", lambda: 3)
    seen: list[Sequence[int]] = []
    list(beside.in_processes(seen.append, [1, 2, 3], 2))
    assert seen == [[1, 2, 3]]


def test_an_error_of_a_part_is_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "processors", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        list(beside.in_processes(lambda part: [1 / (n - 4) for n in part], list(range(8)), 1))


AHEAD = """
import os
from perfdocs import beside

def fails():
    if os.getpid() != mine:
        os._exit(3)
    return "here"

mine = os.getpid()
beside.processors = lambda: 2
first, second = beside.ahead(os.getpid), beside.ahead(fails)
print(first() != mine, second())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there are no copies")
def test_work_ahead_is_done_in_a_copy_and_here_where_the_copy_fails() -> None:
    done = subprocess.run([sys.executable, "-c", AHEAD], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "here"]


def test_work_ahead_that_fails_does_so_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for count in (1, 2):
        monkeypatch.setattr(beside, "processors", lambda count=count: count)
        result = beside.ahead(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            result()


def test_what_fails_is_that_of_one_page_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "processors", lambda: 2)
    write_toy(tmp_path / "benchmarks")
    library = load_library(tmp_path / "benchmarks")
    page = "<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->\n\n{} µs<!-- claim: stealing -->\n"
    texts = {f"page{i}.md": page.format(510 + i % 3) for i in range(40)}
    expected = tuple(o for file, text in texts.items() for o in check_text(text, file, library) if not o.passes)
    assert check_pages([extracted(text, file) for file, text in texts.items()], library) == expected
    assert 20 < len(expected) < len(texts)


def test_in_brief_the_verdict_is_the_same_and_what_holds_is_not_described(tmp_path: Path) -> None:
    write_toy(tmp_path / "benchmarks")
    library = load_library(tmp_path / "benchmarks")
    page = "<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->\n\n{} µs<!-- claim: stealing -->\n"
    text = page.format(510) + page.format(520)
    _, holds, _, fails = check_text(text, "page.md", library)
    assert (holds.passes, fails.passes) == (True, False)
    assert holds.measured
    assert holds.marks
    brief = check_all(extracted(text, "page.md"), library, brief=True)
    assert brief[1] == replace(holds, measured="", marks=())
    assert brief[3] == fails
