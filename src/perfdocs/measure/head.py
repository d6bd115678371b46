"""A card before its measurements: device, host, software, sources and method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from perfdocs.card import Card, Method, Origin
from perfdocs.definition import Definition

from .edges import Edges, Gpu, NvmlError
from .gate import GateKeeper
from .machine import cpu_clock, cpu_device, gpu_device, host
from .options import Options
from .protocol import Timer
from .provenance import software, source
from .sensors import Sensors

__all__ = ["head_of", "open_gate", "open_timer"]

PINNING = (
    "OpenMP thread i on the i-th processor the process is allowed, each core's first hardware thread before any "
    "second; other arms anywhere among those, as the system schedules"
)
MIN_TARGET = 1e-3  # s; what disturbs a host for a few microseconds is then less than a percent
TARGET_RESOLUTIONS = 1000  # a timed run lasts so many steps of the timer


def open_timer(edges: Edges) -> Timer:
    """The timer, its step measured, and how long a timed run must last."""
    resolution = edges.clock.resolution()
    return Timer(edges.clock, resolution, max(MIN_TARGET, TARGET_RESOLUTIONS * resolution))


def open_gate(edges: Edges, sensors: Sensors, options: Options) -> GateKeeper | None:
    """The gate at the temperature of the idle device; ``None`` where NVML does not tell it."""
    if sensors.nvml is None:
        return None
    try:
        idle = sensors.nvml.temperature()
    except NvmlError as error:
        sensors.lost(error)
        return None
    return GateKeeper(edges.clock, idle, options.gate_within, options.gate_wait, options.gate_budget)


def _method(
    gpu: bool, rotate: bool, edges: Edges, sensors: Sensors, gate: GateKeeper | None, timer: Timer, o: Options
) -> Method:
    clocks: Literal["nvml", "cpufreq", "none"]
    if gpu:
        clocks, reason = "nvml" if gate else "none", sensors.reason
    elif cpu_clock(edges.files):
        clocks, reason = "cpufreq", None
    else:
        clocks, reason = "none", "the machine does not tell its processors' clocks"
    return Method(
        protocol="rotate" if rotate else "block",
        warmups=o.warmups,
        runs=o.runs,
        ramp=o.ramp_time if gpu else 0.0,
        settle=o.settle,
        gate_within=gate.within if gate else None,
        gate_wait=gate.most if gate else None,
        gate_budget=gate.budget if gate else None,
        idle_temperature=gate.idle_temperature if gate else None,
        inner_target=float(f"{timer.target:.3g}"),
        timer="perf_counter",
        timer_resolution=float(f"{timer.resolution:.3g}"),
        clocks=clocks,
        clocks_reason=reason,
        pinning=PINNING,
        quick=not o.full,
        narrowed=bool(o.arms or o.tables or o.at),
        repeats=o.repeats,
        repeat_budget=o.repeat_budget,
    )


def head_of(
    folder: Path,
    definition: Definition,
    arms: Sequence[str],
    gpu: Gpu | None,
    edges: Edges,
    sensors: Sensors,
    gate: GateKeeper | None,
    timer: Timer,
    options: Options,
    *,
    rotate: bool,
    traced: bool,
    programs: Callable[[], Mapping[str, str]] = dict,
) -> Card:
    """The card of one device without measurements, measured by rotation or in blocks, with traces or without.

    ``programs`` tells the versions of programs that arms run.
    """
    driver = None
    if gpu is not None and sensors.nvml is not None:
        try:
            driver = sensors.nvml.facts().driver
        except NvmlError as error:
            sensors.lost(error)
    device = gpu_device(gpu, sensors.nvml, options.as_name) if gpu else cpu_device(edges.files, options.as_name)
    return Card(
        schema="perfdocs.card/1",
        benchmark=definition.id,
        version=definition.version,
        recorded=edges.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        origin=Origin(kind="measured"),
        device=device,
        host=host(edges.files, driver),
        software=software(gpu.facts() if gpu else None, traced, programs),
        source=source(folder, arms, options.commit),
        method=_method(gpu is not None, rotate, edges, sensors, gate, timer, options),
        measurements=(),
    )
