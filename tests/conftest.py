from __future__ import annotations

import gc
import json
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lacking import skip_or_fail
from tests.machine_code import MachineCode, file_of, turn

from perfdocs.measure import sass
from perfdocs.measure.arm import Cannot

PROJECT = Path(__file__).resolve().parent.parent
gc.set_threshold(100_000, 50, 100)  # a tenth of the tests' time went into looking for cycles among what stays


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("machine instructions")
    group.addoption("--record", action="store_true", help="write tests/data/sass/ anew, as far as tests are run")
    group.addoption("--anew", action="store_true", help="compile every kernel and compare it with tests/data/sass/")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what took a compiler because no record knows it."""
    reports = [report for kind in ("", "passed", "failed") for report in terminalreporter.getreports(kind)]
    said = sorted({value for report in reports for name, value in report.user_properties if name == "unrecorded"})
    if said and not config.getoption("--record"):
        terminalreporter.section("kernels compiled for want of a record (pytest --record writes it)")
        terminalreporter.write("\n".join((*said, "")))


def pytest_collection_finish() -> None:
    """What is imported and collected by now stays to the end."""
    gc.freeze()


def synthetic_card(
    device: str = "made-up-gpu", *, kind: str = "gpu", factor: float = 1.0, benchmark: str = "rk4"
) -> dict[str, Any]:
    """A small card of the rk4 benchmark that says it is synthetic; walls scale with ``factor``."""
    speed = {"persistent": 1.0, "per_thread": 2.3, "jax_while": 40.0, "cpu_openmp": 150.0}
    if kind == "cpu":
        speed = {"cpu_openmp": 1.0, "cpu_openmp_1": 1.9, "numba_prange": 2.0}
    measurements = []
    for config, scale in (("spread-100", 0.2), ("spread-1000", 1.0), ("uniform-1000", 2.0)):
        for n in (1000, 10_000, 100_000, 1_000_000):
            for arm, slow in speed.items():
                base = 1e-5 * factor * slow * scale * (1 + n / 20_000)
                measurements.append(
                    {
                        "table": "main",
                        "arm": arm,
                        "at": {"config": config, "n": n},
                        "wall": [base * s for s in (1.0, 1.002, 0.998, 1.004, 1.001)],
                        "end_to_end": [base * s + 1e-4 for s in (1.0, 1.002, 0.998, 1.004, 1.001)],
                        "useful_flop": 44.0 * n * 200 * scale,
                        "sample_steps": 200.0 * n * scale,
                        "issued_byte": 64.0 * n,
                        "minimum_byte": 40.0 * n,
                        "device_memory": 48.0 * n,
                        "launches": 1,
                        "max_difference": 1e-14,
                    }
                )
    facts: dict[str, Any] = {"id": device, "kind": kind, "name": device.replace("-", " ").title()}
    if kind == "gpu":
        facts |= {"sm_count": 100, "compute_capability": [9, 0], "max_clock": 1.5e9, "max_memory_clock": 2e9}
        facts |= {"memory_bus_width": 4096, "memory": 80 * 2**30, "l2_cache": 50 * 2**20}
    else:
        facts |= {"cores": 8, "threads": 16, "simd": "avx2"}
    return {
        "schema": "perfdocs.card/1",
        "benchmark": benchmark,
        "version": 1,
        "recorded": "2026-11-30T12:00:00Z",
        "origin": {"kind": "synthetic"},
        "device": facts,
        "host": {"os": "Linux"},
        "software": {"numpy": "2.4"},
        "source": {},
        "method": {"protocol": "block", "warmups": 2, "runs": 5, "ramp": 0.5},
        "measurements": measurements,
        "not_run": [{"arm": "torch_graph", "kind": "not_installed", "reason": "torch is not installed"}],
    }


def write_synthetic(folder: Path, device: str = "made-up-gpu", **options: Any) -> Path:
    """Write a synthetic card where the library finds it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{device}.json"
    path.write_text(json.dumps(synthetic_card(device, **options)))
    return path


@pytest.fixture(scope="session", autouse=True)
def signals() -> Iterator[None]:
    """What a test starts heeds Ctrl-C and a closed terminal, also where the tests run in the background."""
    heeded: dict[str, Any] = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    numbers = {getattr(signal, name): handler for name, handler in heeded.items() if hasattr(signal, name)}
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in numbers.items():
        if before[number] is signal.SIG_IGN:
            signal.signal(number, handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def slow(*cases: Any) -> list[Any]:
    """These cases, left out unless asked for: others of the same test stand for them."""
    return [pytest.param(*(c if isinstance(c, tuple) else (c,)), marks=pytest.mark.slow) for c in cases]


def all_but_first_slow(cases: Iterable[Any]) -> list[Any]:
    """The first stands for the others."""
    first, *rest = cases
    return [first, *slow(*rest)]


def of_all_workers(factory: pytest.TempPathFactory) -> Path:
    """A folder of this test run that the processes which test side by side share."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def host_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all tests of a run compile C++: a library is named for all it is made of, so nothing stale is met."""
    folder = of_all_workers(tmp_path_factory) / "host-build"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def machine_code(request: pytest.FixtureRequest) -> Iterator[MachineCode]:
    """Counts of machine instructions, from the records of this test; skips where the tools are not installed."""
    try:
        sass.versions()
    except Cannot as reason:
        skip_or_fail(reason)
    record, anew = request.config.getoption("--record"), request.config.getoption("--anew")
    file = file_of(request.module.__name__, request.node.name)
    of_turn = frozenset(key for name, key in turn() if name == file.name)
    found = MachineCode(file, anew=anew or of_turn, record=record)
    yield found
    if record:
        found.write()
    request.node.user_properties += [("unrecorded", f"{file.name}: {said}") for said in found.unrecorded]


@pytest.fixture
def benchmarks(tmp_path: Path) -> Path:
    """A folder with the rk4 definition and two synthetic cards."""
    folder = tmp_path / "benchmarks" / "rk4"
    folder.mkdir(parents=True)
    definition = (PROJECT / "benchmarks" / "rk4" / "benchmark.toml").read_text(encoding="utf-8")
    (folder / "benchmark.toml").write_text(definition, encoding="utf-8")
    write_synthetic(folder / "cards", "made-up-gpu")
    write_synthetic(folder / "cards", "made-up-cpu", kind="cpu", factor=20.0)
    return tmp_path / "benchmarks"
