from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perfdocs.card import Card
from perfdocs.cardfile import read_card
from perfdocs.measure.fresh import ask
from perfdocs.measure.loader import load_workload
from perfdocs.measure.options import Options
from perfdocs.measure.runner import run

from .fakes import FakeClock, FakeGpu, FakeNvml, Quiet, fake_edges

TOY = Path(__file__).parent / "data" / "toy"


@pytest.fixture
def toy(tmp_path: Path) -> SimpleNamespace:
    """The toy benchmark in a folder of its own, on a fake clock; ``measure(...)`` runs it and reads the card."""
    folder = tmp_path / "toy"
    shutil.copytree(TOY, folder)
    workload: Any = load_workload(folder)
    clock = FakeClock()
    workload.turn[0] = clock.turn
    bench = SimpleNamespace(
        folder=folder,
        out=tmp_path / "cards",
        clock=clock,
        workload=workload,
        quiet=Quiet(),
        gpu=FakeGpu(),
        nvml=FakeNvml(clock, hot=30.0),
        ask=ask,
        sampler="no sampler here",
    )

    def measure(*arms: str, device: str = "cpu", **choices: Any) -> Card:
        choices.setdefault("ramp", 0.5)
        options = Options(devices=device, arms=arms, out=bench.out, build=tmp_path / "build", **choices)  # type: ignore[arg-type] # a test's literal
        edges = fake_edges(bench.clock, bench.gpu, bench.nvml, asked=bench.ask, sampler=bench.sampler)
        (path,) = run(folder, options, edges, bench.quiet)
        return read_card(path)

    bench.measure = measure
    return bench


@pytest.fixture
def partial(toy: SimpleNamespace) -> Callable[[], Path]:
    """The one partial file of the toy's output folder."""

    def find() -> Path:
        (path,) = toy.out.rglob("*.partial.json")
        return Path(path)

    return find
