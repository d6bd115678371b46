"""An A/B of this machine: the sides opened, the edges put together. The one place where the real ones are chosen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path

from perfdocs.card import AxisValue
from perfdocs.definitionfile import read_definition
from perfdocs.errors import PerfdocsError, Problem
from perfdocs.measure.again import foreign_limit
from perfdocs.measure.arm import Context, Kind
from perfdocs.measure.cuda import bus_id
from perfdocs.measure.edges import Edges, Gpu
from perfdocs.measure.head import open_timer
from perfdocs.measure.machine import allowed_threads
from perfdocs.measure.monitor import Monitor
from perfdocs.measure.plan import show
from perfdocs.measure.progress import Progress
from perfdocs.measure.watchdog import Watchdog

from . import NOT_RUN
from .clocks import ClockControl, open_control
from .kernels import Traced, kernel_times
from .lock import Locker
from .machine import Machine
from .observer import MonitorObserver
from .session import Asked, Session
from .sides import ArmSide, ArmWords, CommandSide, CommandWords, folder_of, open_arm

__all__ = ["Wanted", "opened"]

OpenControl = Callable[[str | None], ClockControl | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The two sides as words, and what concerns them alone. ``limit`` is the most a run of one may take, seconds."""

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
        bus = bus_id()
        gpu = control(bus)
        on_gpu = not isinstance(gpu, str)
        a, b = (
            CommandSide(name, side.words, wanted.limit, gpu=on_gpu) for name, side in (("A", wanted.a), ("B", wanted.b))
        )
        untraced = "the kernels of a command are not traced here"
        limit = foreign_limit(allowed_threads(), on_device=False)  # nobody knows what a command does on the host
        with _session((a, b), edges, progress, asked, Machine(gpu, edges.files), bus, limit, lambda: untraced) as found:
            yield found
        return
    assert isinstance(wanted.a, ArmWords)
    assert isinstance(wanted.b, ArmWords)
    context = _context(wanted, (wanted.a, wanted.b), edges)
    timer = open_timer(edges)
    timer = changed(timer, target=max(timer.target, asked.shortest))
    folders = [folder_of(wanted.benchmarks(), side) for side in (wanted.a, wanted.b)]
    arms: list[ArmSide] = []
    watchdog: Watchdog[str] = Watchdog(
        wanted.limit, edges.clock.monotonic, lambda label: _hangs(label, wanted.limit), code=NOT_RUN
    )
    try:
        with watchdog:
            for folder, side in zip(folders, (wanted.a, wanted.b), strict=True):
                with watchdog.at(f"{side.benchmark}:{side.arm}"):
                    arms.append(open_arm(folder, side, context, wanted.at, timer))
            _same_work(wanted, arms)
            traced: list[Traced] = [
                (folder, side.arm, arm.at)
                for folder, side, arm in zip(folders, (wanted.a, wanted.b), arms, strict=True)
            ]
            on_gpu = context.kind == "gpu"
            bus = bus_id() if on_gpu else None
            with _session(
                (arms[0], arms[1]),
                edges,
                progress,
                asked,
                Machine(control(bus), edges.files, context=True) if on_gpu else None,
                bus,
                foreign_limit(context.threads, on_device=not any(arm.on_host for arm in arms)),
                lambda: kernel_times(edges.ask, (traced[0], traced[1]), context),
                watchdog,
            ) as session:
                yield session
    finally:
        for arm in arms:
            arm.close()


def _same_work(wanted: Wanted, arms: list[ArmSide]) -> None:
    """Refuse two arms that do different work: their ratio would say nothing."""
    assert isinstance(wanted.a, ArmWords)
    assert isinstance(wanted.b, ArmWords)
    first, second = (f"{arm.label} at {show(arm.at) or 'its one point'}" for arm in arms)
    if wanted.a.benchmark != wanted.b.benchmark:
        do = "name two arms of one benchmark"
        raise PerfdocsError("ab-work", "A and B", f"{first}, and {second}", "the same work on both sides", do)
    if arms[0].at != arms[1].at:
        do = "name a point that both have: --at AXIS=VALUE"
        raise PerfdocsError("ab-work", "A and B", f"{first}, and {second}", "one point for both sides", do)


def _hangs(label: str, limit: float) -> None:
    problem = Problem("ab-hang", label, f"no end within {limit:g} s", "a run that ends", "choose another, or --limit")
    sys.stderr.write(f"\nperfdocs: {problem}\n")
    sys.stderr.flush()


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


@contextmanager
def _session(
    sides: tuple[ArmSide, ArmSide] | tuple[CommandSide, CommandSide],
    edges: Edges,
    progress: Progress,
    asked: Asked,
    machine: Machine | None,
    bus: str | None,
    limit: float,
    kernels: Callable[[], tuple[tuple[float, ...], tuple[float, ...]] | str],
    watchdog: Watchdog[str] | None = None,
) -> Iterator[Session]:
    """A session over the sides; ``machine`` is the GPU that they may use, ``None`` where the host does all the work."""
    blind = None if machine is None or not isinstance(machine.control, str) else f"no clocks: {machine.control}"
    monitor = Monitor(edges.open_sampler(machine is not None and blind is None), edges.clock)
    try:
        yield Session(
            sides=sides,
            facts=(sides[0].facts, sides[1].facts),
            observer=MonitorObserver(
                monitor, limit if asked.foreign_load is None else asked.foreign_load, blind, watchdog
            ),
            clock=edges.clock,
            progress=progress,
            may_lock=machine.may_lock if machine else lambda: "a processor's clocks are not locked here",
            lock=lambda: Locker(asked.lock or "base", bus).open(),
            kernels=kernels,
            changed=lambda: (sides[0].changed(), sides[1].changed()),
        )
    finally:
        monitor.close()
