"""``python kills.py FOLDER MOMENTS``: kill a run of the toy benchmark at many moments, and let each be completed.

A moment is a call of a function, or a line where files are written, counted from the run's beginning on a clock that
only the arms turn, so each run is the same. Half of the moments lie where files are written, which is a small part of
all. Each run is a process of its own, which no handler can save: it sends itself SIGKILL. Prints what was seen.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from tests.measure.fakes import FakeClock, Quiet, fake_edges

from perfdocs.cardfile import read_card
from perfdocs.errors import PerfdocsError
from perfdocs.measure.loader import load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.partial import Partial, read_partial
from perfdocs.measure.runner import run

CARD = "toy/made-up-9.json"
WRITING = "write_atomic"


def measure(folder: Path, out: Path) -> None:
    clock = FakeClock()
    workload: Any = load_workload(folder)
    workload.turn[0] = clock.turn
    options = Options(devices="cpu", arms=("good", "double"), out=out, build=folder.parent / "build")
    run(folder, options, fake_edges(clock), Quiet())


def counting(reached: Callable[[int, str], None]) -> Callable[[FrameType, str, object], Any]:
    """A trace function that tells how many moments of the run have passed, and in which function it is."""
    count = 0

    def step(frame: FrameType) -> None:
        nonlocal count
        count += 1
        reached(count, frame.f_code.co_name)

    def line(frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            step(frame)
        return line

    def call(frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_code.co_filename
        if "perfdocs" not in name and f"{os.sep}toy{os.sep}" not in name:
            return None
        step(frame)
        return line if frame.f_code.co_name == WRITING else None  # each line of all others would take minutes

    return call


def in_a_process(work: Callable[[], None]) -> int:
    """How a process that does this ends: 0, or the number of the signal that killed it, below zero."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def traced(folder: Path, out: Path, reached: Callable[[int, str], None]) -> None:
    sys.settrace(counting(reached))
    measure(folder, out)
    sys.settrace(None)


def moments_of(folder: Path, out: Path) -> tuple[range, list[int]]:
    """All moments of a whole run, and those at which a file is written."""
    told = out.parent / "moments"

    def work() -> None:
        names: list[str] = []
        traced(folder, out, lambda moment, name: names.append(name))
        told.write_text(json.dumps(names))

    assert in_a_process(work) == 0
    names = json.loads(told.read_text())
    return range(1, len(names) + 1), [i for i, name in enumerate(names, start=1) if name == WRITING]


def killed(folder: Path, out: Path, moment: int) -> int:
    def reached(now: int, name: str) -> None:
        if now == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    return in_a_process(lambda: traced(folder, out, reached))


def cells(card: Path) -> list[str]:
    """Table, arm and point of each whole measurement, sorted; what was not run, too."""
    found = read_card(card)
    whole = [f"{m.table} {m.arm} {m.at}" for m in found.measurements if len(m.values["wall"]) == 5]  # type: ignore[arg-type] # samples
    return sorted([*whole, *(f"not run: {n}" for n in found.not_run)])


def left(out: Path) -> dict[str, object]:
    """What a killed run leaves: the cells of its card, and whether its partial file is whole and is no card."""
    card = out / CARD
    seen: dict[str, object] = {"card": cells(card) if card.exists() else None, "partial": None}
    for partial in out.rglob("*.partial.json"):
        try:
            read_card(partial)
        except PerfdocsError:
            seen["partial"] = isinstance(read_partial(partial), Partial)
        else:
            seen["partial"] = False
    return seen


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    out = folder.parent / "cards"  # one for all, since what cleans a path takes as long as it has characters
    source = np.random.RandomState(8)
    moments = [int(i) for of in moments_of(folder, out) for i in source.choice(of, size=count // 2, replace=False)]
    expected = cells(out / CARD)
    for moment in moments:
        shutil.rmtree(out)
        seen = {"moment": moment, "end": killed(folder, out, moment), **left(out)}
        again = in_a_process(lambda: measure(folder, out))
        print(json.dumps({**seen, "again": again, "same": cells(out / CARD) == expected, "cells": len(expected)}))


if __name__ == "__main__":
    main()
