"""Measure a benchmark on this machine's devices and write one card each."""

from __future__ import annotations

from pathlib import Path

from perfdocs.definitionfile import read_definition
from perfdocs.errors import PerfdocsError

from .arm import Kind, Task
from .device import DeviceRun
from .edges import Edges, Gpu, real_edges
from .folders import sweep
from .fresh import fresh_folder
from .loader import load_workload
from .options import Options
from .plan import chosen_arms, wanted_cells
from .progress import Progress, open_progress

__all__ = ["listing", "run"]


def run(folder: Path, options: Options, edges: Edges | None = None, progress: Progress | None = None) -> list[Path]:
    """Measure the benchmark in ``folder``; return the cards written: none for a device that no chosen arm runs on.

    Raises :class:`PerfdocsError` for a mistake in the benchmark or the options, :class:`Stopped` where the run ended
    early (a full disk: 1, deadline: 3, a device that no longer works: 4, interrupt: 130); what was measured is then in
    the partial file, and the same call goes on from there. An arm that does not come back ends the process (6).
    """
    edges = edges or real_edges()
    progress = progress or open_progress()
    start = edges.clock.monotonic()
    sweep(fresh_folder(options.build))
    definition, workload = read_definition(folder / "benchmark.toml"), load_workload(folder)
    found = _devices(options, edges)
    arms = [(kind, gpu) for kind, gpu in found if chosen_arms(definition, kind, options.arms)]
    if not arms:
        progress.note(f"{definition.id}: none of its arms runs on {' or '.join(kind for kind, _ in found)}; no card")
    meant = [
        (kind, gpu) for kind, gpu in arms if wanted_cells(definition, workload, kind, options) or not options.tables
    ]
    for kind in [kind for kind, gpu in arms if (kind, gpu) not in meant]:
        progress.note(f"{definition.id}: none of the tables asked for is measured on {kind}; no card")
    return [
        DeviceRun(folder, definition, workload, kind, gpu, options, edges, progress, start).measure()
        for kind, gpu in meant
    ]


def listing(folder: Path, options: Options, edges: Edges | None = None) -> list[tuple[Kind, str, Task]]:
    """What :func:`run` would measure: kind of device, arm, point."""
    edges = edges or real_edges()
    definition, workload = read_definition(folder / "benchmark.toml"), load_workload(folder)
    return [
        (kind, cell.arm, cell.task)
        for kind, _ in _devices(options, edges)
        for cell in wanted_cells(definition, workload, kind, options)
    ]


def _devices(options: Options, edges: Edges) -> list[tuple[Kind, Gpu | None]]:
    """The devices to measure: the CPU always under ``auto``, the GPU where there is one."""
    found: list[tuple[Kind, Gpu | None]] = []
    if options.devices in ("cpu", "auto"):
        found.append(("cpu", None))
    if options.devices in ("gpu", "auto"):
        gpu = edges.open_gpu()
        if not isinstance(gpu, str):
            found.append(("gpu", gpu))
        elif options.devices == "gpu":
            raise PerfdocsError(
                "no-gpu",
                "--device gpu",
                gpu,
                "a CUDA device that CuPy can use",
                "install the extra cuda13 or cuda12 that fits the driver, or measure the CPU",
            )
    return found
