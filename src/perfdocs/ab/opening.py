"""An A/B of this machine: the sides opened, the edges put together. The one place where the real ones are chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path

from perfdocs.card import AxisValue
from perfdocs.definition import read_definition
from perfdocs.errors import PerfdocsError
from perfdocs.measure.arm import Context, Kind
from perfdocs.measure.edges import Edges, Gpu
from perfdocs.measure.head import open_timer
from perfdocs.measure.machine import allowed_threads
from perfdocs.measure.progress import Progress

from .clocks import ClockControl, open_control
from .kernels import Traced, kernel_times
from .lock import Locker
from .machine import Machine, bus_of_gpu
from .session import Asked, Session
from .sides import ArmSide, ArmWords, CommandSide, CommandWords, folder_of, open_arm
from .watch import EdgeWatch

__all__ = ["PERIOD", "Wanted", "opened"]

PERIOD = 0.05
"""Seconds between two samples beside a command."""
ON_HOST = "the work is done by the host"
OpenControl = Callable[[str | None], ClockControl | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The two sides as words, and what concerns them alone. ``limit`` is the most a command may take, seconds."""

    a: ArmWords | CommandWords
    b: ArmWords | CommandWords
    benchmarks: Callable[[], Path]
    build: Path
    at: Mapping[str, tuple[AxisValue, ...]]
    device: Kind | None
    limit: float


@contextmanager
def opened(
    wanted: Wanted, asked: Asked, edges: Edges, progress: Progress, control: OpenControl = open_control
) -> Iterator[Session]:
    """Everything an A/B needs, closed afterwards. Raises :class:`PerfdocsError` where a side cannot be opened.

    ``control`` opens the GPU at a place on the bus, where ``edges`` have one; without it nothing is locked.
    """
    if isinstance(wanted.a, CommandWords) != isinstance(wanted.b, CommandWords):
        raise PerfdocsError(
            "ab-side", "A and B", "an arm and a command", "two arms or two commands", "compare like with like"
        )
    if isinstance(wanted.a, CommandWords) and isinstance(wanted.b, CommandWords):
        a, b = (CommandSide(name, side.words, wanted.limit) for name, side in (("A", wanted.a), ("B", wanted.b)))
        bus = bus_of_gpu() if asked.lock else None
        sides, untraced = (a, b), "the kernels of a command are not traced here"
        yield _session(sides, edges, progress, asked, control(bus), bus, PERIOD, lambda: untraced)
        return
    assert isinstance(wanted.a, ArmWords)
    assert isinstance(wanted.b, ArmWords)
    context = _context(wanted, (wanted.a, wanted.b), edges)
    timer = open_timer(edges)
    timer = changed(timer, target=max(timer.target, asked.shortest))
    folders = [folder_of(wanted.benchmarks(), side) for side in (wanted.a, wanted.b)]
    arms: list[ArmSide] = []
    try:
        for folder, side in zip(folders, (wanted.a, wanted.b), strict=True):
            arms.append(open_arm(folder, side, context, wanted.at, timer))
        traced: list[Traced] = [
            (folder, side.arm, arm.at) for folder, side, arm in zip(folders, (wanted.a, wanted.b), arms, strict=True)
        ]
        on_gpu = context.kind == "gpu"
        bus = bus_of_gpu() if on_gpu else None
        yield _session(
            (arms[0], arms[1]),
            edges,
            progress,
            asked,
            control(bus) if on_gpu else ON_HOST,
            bus,
            None,
            lambda: kernel_times(edges.ask, (traced[0], traced[1]), context),
            on_gpu=on_gpu,
        )
    finally:
        for arm in arms:
            arm.close()


def _context(wanted: Wanted, sides: tuple[ArmWords, ArmWords], edges: Edges) -> Context:
    """The GPU where both arms run on one and there is one, else the CPU."""
    definitions = [read_definition(folder_of(wanted.benchmarks(), side) / "benchmark.toml") for side in sides]
    known = [d.arms[side.arm].on if side.arm in d.arms else () for d, side in zip(definitions, sides, strict=True)]
    gpu: Gpu | str = "the CPU was asked for"
    if wanted.device != "cpu" and (wanted.device == "gpu" or all("gpu" in on for on in known)):
        gpu = edges.open_gpu()
    if isinstance(gpu, str):
        if wanted.device == "gpu":
            raise PerfdocsError("no-gpu", "--device gpu", gpu, "a CUDA device that CuPy can use", "measure the CPU")
        return Context("cpu", wanted.build, allowed_threads())
    return Context("gpu", wanted.build, allowed_threads(), gpu.facts().sm_count)


def _session(
    sides: tuple[ArmSide, ArmSide] | tuple[CommandSide, CommandSide],
    edges: Edges,
    progress: Progress,
    asked: Asked,
    control: ClockControl | str,
    bus: str | None,
    period: float | None,
    kernels: Callable[[], tuple[tuple[float, ...], tuple[float, ...]] | str],
    *,
    on_gpu: bool = True,
) -> Session:
    machine = Machine(control, edges.files, context=period is None)
    nvml = edges.open_nvml() if on_gpu else ON_HOST
    return Session(
        sides=sides,
        facts=(sides[0].facts, sides[1].facts),
        watch=EdgeWatch(edges.clock, edges.files, nvml, machine.foreign, period),
        clock=edges.clock,
        progress=progress,
        may_lock=machine.may_lock if on_gpu else lambda: "a processor's clocks are not locked here",
        lock=lambda: Locker(asked.lock or "base", bus).open(),
        kernels=kernels,
    )
