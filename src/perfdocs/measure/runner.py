"""Measure a benchmark on this machine's devices and write one card each.

Memory is read in this process: device memory as what the arm's own allocator holds where it tells, else the
driver's free memory before the arm was prepared less after its warm-up; host memory as the growth of the resident set over the
same span. Pages that the process held already are therefore not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from perfdocs.card import Card, Gate, Method, Origin
from perfdocs.definition import Definition, read_definition
from perfdocs.errors import PerfdocsError, place

from .arm import Cannot, Context, Kind, Prepared, Task, Workload
from .edges import Edges, Gpu, Nvml, NvmlError, real_edges
from .failure import reason_of
from .gate import GateKeeper
from .loader import arm_path, load_arm, load_workload
from .machine import allowed_threads, cpu_clock, cpu_device, gpu_device, host, resident_bytes
from .options import Options
from .partial import partial_path
from .plan import Cell, Foresight, cells_of, chosen_arms, chosen_tasks, show
from .progress import Progress, open_progress
from .protocol import Timed, Timer, measure_block, measure_rotate, warm_up
from .provenance import software, source
from .sensors import Sensors
from .session import Session, measurement_of

__all__ = ["Stopped", "listing", "run"]

PINNING = ("OpenMP thread i on the i-th processor the process is allowed; other arms anywhere among those, as the "
           "system schedules")
MIN_TARGET = 1e-5  # s
TARGET_RESOLUTIONS = 200


class Stopped(Exception):  # noqa: N818 - a stop is not always an error
    """The run ended before its card was whole; the message is one line for the user, ``exit_code`` the process's."""

    def __init__(self, message: str, exit_code: int) -> None:
        self.exit_code = exit_code
        super().__init__(message)


def run(folder: Path, options: Options, edges: Edges | None = None, progress: Progress | None = None) -> list[Path]:
    """Measure the benchmark in ``folder``; return the cards written.

    Raises :class:`PerfdocsError` for a mistake in the benchmark or the options, :class:`Stopped` where the run ended
    early (interrupt: 130, deadline: 3, a device that no longer works: 4); what was measured is then in the partial file.
    """
    edges = edges or real_edges()
    progress = progress or open_progress()
    start = edges.clock.monotonic()
    definition, workload = read_definition(folder / "benchmark.toml"), load_workload(folder)
    cards = []
    for kind, gpu in _devices(options, edges):
        cards.append(_Device(folder, definition, workload, kind, gpu, options, edges, progress, start).measure())
    return cards


def listing(folder: Path, options: Options, edges: Edges | None = None) -> list[tuple[Kind, str, Task]]:
    """What :func:`run` would measure: kind of device, arm, point."""
    edges = edges or real_edges()
    definition, workload = read_definition(folder / "benchmark.toml"), load_workload(folder)
    return [(kind, cell.arm, cell.task) for kind, _ in _devices(options, edges)
            for cell in _cells(definition, workload, kind, options)]


def _cells(definition: Definition, workload: Workload, kind: Kind, options: Options) -> list[Cell]:
    arms = chosen_arms(definition, kind, options.arms)
    return cells_of(definition, arms, chosen_tasks(definition, workload, kind, options))


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
            raise PerfdocsError("no-gpu", "--device gpu", gpu, "a CUDA device that CuPy can use",
                                "install the extra cuda13 or cuda12 that fits the driver, or measure the CPU")
    return found


@dataclass(slots=True)
class _Started:
    """An arm that passed its warm-up, and what surrounds it."""

    cell: Cell
    timed: Timed
    counts: dict[str, float]


class _Device:
    """One device's card, from the first gate to the final file."""

    def __init__(self, folder: Path, definition: Definition, workload: Workload, kind: Kind, gpu: Gpu | None,
                 options: Options, edges: Edges, progress: Progress, start: float) -> None:
        self._folder, self._definition, self._workload = folder, definition, workload
        self._kind, self._gpu, self._options, self._edges, self._progress = kind, gpu, options, edges, progress
        self._start = start
        nvml: Nvml | str = edges.open_nvml() if gpu else "a CPU has no NVML"
        self._sensors = Sensors(edges.files, nvml)
        resolution = edges.clock.resolution()
        self._timer = Timer(edges.clock, resolution, max(MIN_TARGET, TARGET_RESOLUTIONS * resolution))
        self._gate = self._open_gate()
        self._cells = _cells(definition, workload, kind, options)
        facts = gpu.facts() if gpu else None
        self._context = Context(kind=kind, build=options.build, threads=allowed_threads(),
                                sm_count=facts.sm_count if facts else None)
        self._foresight = Foresight(workload)
        self._session = self._open_session(nvml)
        self._current: list[Cell] = []

    # -- the card's frame ------------------------------------------------------------------------------------------

    def _open_gate(self) -> GateKeeper | None:
        if self._sensors.nvml is None:
            return None
        o = self._options
        try:
            idle = self._sensors.nvml.temperature()
        except NvmlError as error:
            self._sensors.lost(error)
            return None
        return GateKeeper(self._edges.clock, idle, o.gate_within, o.gate_wait, o.gate_budget)

    def _method(self) -> Method:
        o, block = self._options, self._kind == "gpu"
        if block:
            clocks = "nvml" if self._gate else "none"
            reason = self._sensors.reason
        else:
            clocks = "cpufreq" if cpu_clock(self._edges.files) else "none"
            reason = None if clocks == "cpufreq" else "the machine does not tell its processors' clocks"
        gate = self._gate
        return Method(
            protocol="block" if block else "rotate", warmups=o.warmups, runs=o.runs, ramp=o.ramp if block else 0.0,
            gate_within=gate.within if gate else None, gate_wait=gate.most if gate else None,
            gate_budget=gate.budget if gate else None, idle_temperature=gate.idle_temperature if gate else None,
            inner_target=self._timer.target, timer="perf_counter", timer_resolution=self._timer.resolution,
            clocks=clocks, clocks_reason=reason, pinning=PINNING, quick=not o.full,  # type: ignore[arg-type] # narrowed above
        )

    def _open_session(self, nvml: Nvml | str) -> Session:
        o, edges = self._options, self._edges
        facts = self._gpu.facts() if self._gpu else None
        driver = None
        if self._gpu is not None:
            device = gpu_device(self._gpu, self._sensors.nvml, o.as_name)
            if not isinstance(nvml, str):
                try:
                    driver = nvml.facts().driver
                except NvmlError as error:
                    self._sensors.lost(error)
        else:
            device = cpu_device(edges.files, o.as_name)
        arms = chosen_arms(self._definition, self._kind, o.arms)
        for arm in arms:
            path = arm_path(self._folder, arm)
            if not path.is_file():
                raise PerfdocsError("benchmark-arm", place(path), "nothing", f'the code of the arm "{arm}"',
                                    "write it, or remove the arm from benchmark.toml")
        head = Card(
            schema="perfdocs.card/1", benchmark=self._definition.id, version=self._definition.version,
            recorded=edges.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"), origin=Origin(kind="measured"), device=device,
            host=host(edges.files, driver), software=software(facts), source=source(self._folder, arms),
            method=self._method(), measurements=(),
        )
        final = o.out / self._definition.id / f"{device.id}.json"
        narrowed = f"{sorted(o.arms)}{sorted((k, tuple(map(str, v))) for k, v in o.at.items())}" if o.arms or o.at else ""
        session, line = Session.open(head, final, partial_path(final, narrowed), o.fresh)
        if line:
            self._progress.note(line)
        for cell in self._cells:
            if cell.key in session.done:
                wall = session.done[cell.key].values.get("wall")
                if isinstance(wall, tuple):
                    self._foresight.learn(cell, min(wall))
        return session

    # -- the run ---------------------------------------------------------------------------------------------------

    def measure(self) -> Path:
        """Measure everything asked for and write the card."""
        self._progress.begin(f"{self._definition.id} on {self._session.head.device.name}", len(self._cells))
        try:
            tasks = list(dict.fromkeys((c.task.table, show(c.task.at)) for c in self._cells))
            for table, at in tasks:
                cells = [c for c in self._cells if c.task.table == table and show(c.task.at) == at]
                self._task(cells[0].task, self._session.open_cells(cells))
        except KeyboardInterrupt:
            for cell in self._current:
                self._session.settle(cell)
            self._session.save()
            raise Stopped(f"interrupted: {len(self._session.done)} measurements are kept in "
                          f"{place(self._session.partial)}; run the same command again to complete the card", 130) from None
        finally:
            self._progress.end()
        self._session.head = replace(self._session.head, method=self._with_losses())
        return self._session.close()

    def _with_losses(self) -> Method:
        method = self._session.head.method
        return replace(method, clocks_reason=self._sensors.reason) if self._sensors.reason and self._gpu else method

    def _task(self, task: Task, cells: Sequence[Cell]) -> None:
        wanted = [cell for cell in cells if self._worth(cell)]
        if not wanted:
            return
        problem = self._workload.problem(task.at)
        reference = self._workload.reference(problem, self._context)
        groups = [[cell] for cell in wanted] if self._kind == "gpu" else [wanted]
        for group in groups:
            self._group(group, problem, reference)

    def _worth(self, cell: Cell) -> bool:
        """Whether to measure the cell; records why not, and stops the run at the deadline."""
        module_limits = None
        try:
            module = load_arm(self._folder, cell.arm)
            module_limits = getattr(module, "limits", None)
        except PerfdocsError:
            raise
        except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
            kind, reason = reason_of(error)
            self._session.skip(cell, kind, reason, everywhere=True)
            return False
        if cell.arm in self._session.everywhere:
            return False
        if module_limits is not None and (reason := module_limits(cell.task.at)):
            self._session.skip(cell, "unsupported", reason)
            return False
        ramp = self._options.ramp if self._kind == "gpu" else 0.0
        foreseen = self._foresight.cell(cell, self._options, ramp)
        limit = self._options.cell_limit
        if foreseen is not None and foreseen > limit:
            run = self._foresight.run(cell)
            assert run is not None
            self._session.skip(cell, "out_of_time", f"about {run[0]:.2g} s a run, foreseen from {show(run[1].at)}: more "
                                                    f"than {limit:g} s for the measurement")
            return False
        return self._in_time(cell, foreseen or 0.0)

    def _in_time(self, cell: Cell, foreseen: float) -> bool:
        deadline = self._options.deadline
        if deadline is None or self._edges.clock.monotonic() - self._start + foreseen <= deadline:
            return True
        if self._options.close:
            self._session.skip(cell, "out_of_time", f"the run's deadline of {deadline:g} s came first")
            return False
        self._session.save()
        raise Stopped(f"stopped at the deadline: {len(self._session.done)} measurements are kept in "
                      f"{place(self._session.partial)}; run the same command again to go on", 3)

    def _group(self, cells: Sequence[Cell], problem: Any, reference: Any) -> None:
        """One block, or all arms of a point in rotation."""
        self._current = list(cells)
        started: list[_Started] = []
        try:
            for cell in cells:
                if self._in_time(cell, 0.0) and self._session.begin(cell):
                    self._show(cell)
                    if (ready := self._start_arm(cell, problem, reference)) is not None:
                        started.append(ready)
            if not started:
                return
            if self._kind == "gpu":
                self._block(started[0])
            else:
                self._rotate(started)
        finally:
            for one in started:
                one.timed.arm.close()
            self._current = []

    def _show(self, cell: Cell) -> None:
        session = self._session
        finished = len(self._cells) - len(session.open_cells(self._cells))
        open_cells = session.open_cells(self._cells)
        ramp = self._options.ramp if self._kind == "gpu" else 0.0
        known = [min(s, self._options.cell_limit) for c in open_cells
                 if (s := self._foresight.cell(c, self._options, ramp)) is not None]
        left = sum(known) / len(known) * len(open_cells) if known else None
        self._progress.at(finished, f"{cell.arm} {show(cell.task.at)}", left)

    def _start_arm(self, cell: Cell, problem: Any, reference: Any) -> _Started | None:
        """Prepare, warm up and verify; ``None`` where that fails, with the reason recorded."""
        gpu, files = self._gpu, self._edges.files
        arm: Prepared | None = None
        preparing = True
        try:
            if gpu is not None:
                gpu.release()
            resident, free = resident_bytes(files), gpu.free_memory() if gpu else 0
            arm = load_arm(self._folder, cell.arm).prepare(problem, self._context)
            preparing = False
            timed = warm_up(arm, self._timer, self._options.warmups,
                            lambda result: self._workload.verify(problem, reference, result))
            counts = {**self._workload.counts(problem), **timed.facts, **arm.counts()}
            after = resident_bytes(files)
            if resident is not None and after is not None and "host_memory" in self._definition.metrics:
                counts["host_memory"] = max(0, after - resident)
            if gpu is not None and not arm.on_host and "device_memory" in self._definition.metrics:
                own = arm.device_memory()
                counts["device_memory"] = own if own is not None else max(0, free - gpu.free_memory())
            self._too_slow(timed)
        except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
            self._failed(cell, error, everywhere=preparing and isinstance(error, Cannot)
                         and error.kind in ("not_installed", "unsupported"))
            if arm is not None:
                self._close(arm)
            return None
        return _Started(cell, timed, counts)

    def _too_slow(self, timed: Timed) -> None:
        o = self._options
        seconds = min(timed.warmup) * (o.runs + o.end_to_end_runs)
        if seconds > o.cell_limit:
            raise Cannot("out_of_time", f"{min(timed.warmup):.2g} s a run: more than {o.cell_limit:g} s for the measurement")

    @staticmethod
    def _close(arm: Prepared) -> None:
        try:
            arm.close()
        except Exception:  # noqa: BLE001, RUF100, S110 - the reason is recorded already
            pass

    def _failed(self, cell: Cell, error: BaseException, everywhere: bool = False) -> None:
        if isinstance(error, PerfdocsError):
            raise error
        kind, reason = reason_of(error)
        self._session.settle(cell)
        self._session.skip(cell, kind, reason, everywhere)
        self._session.save()
        self._progress.note(f"{cell.arm} {show(cell.task.at)}: {reason}")
        if self._gpu is not None and kind in ("error", "out_of_memory") and not self._gpu.healthy():
            raise Stopped(f"the device takes no more work after {cell.arm} at {show(cell.task.at)} ({reason}); run the "
                          "same command again to go on", 4)

    def _block(self, one: _Started) -> None:
        o, gate = self._options, None
        sensors = Sensors(self._edges.files, "the arm runs on the host") if one.timed.arm.on_host else self._sensors
        try:
            if not one.timed.arm.on_host:
                gate = self._wait()
            measure_block(one.timed, self._timer, sensors, ramp=o.ramp, runs=o.runs, end_to_end=o.end_to_end_runs)
        except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
            self._failed(one.cell, error)
            return
        self._keep(one, gate)

    def _wait(self) -> Gate | None:
        if self._gate is None or self._sensors.nvml is None:
            return None
        try:
            return self._gate.wait(self._sensors.nvml)
        except NvmlError as error:
            self._sensors.lost(error)
            self._progress.note(str(self._sensors.reason))
            return None

    def _rotate(self, started: list[_Started]) -> None:
        o = self._options
        errors = measure_rotate([one.timed for one in started], self._timer, self._sensors, runs=o.runs,
                                end_to_end=o.end_to_end_runs)
        for i, one in enumerate(started):
            if i in errors:
                self._failed(one.cell, errors[i])
            else:
                self._keep(one, None)

    def _keep(self, one: _Started, gate: Gate | None) -> None:
        self._foresight.learn(one.cell, sorted(one.timed.wall)[len(one.timed.wall) // 2])
        path = self._folder / "benchmark.toml"
        self._session.finish(one.cell, measurement_of(one.cell, one.timed, one.counts, gate, self._definition, path))

