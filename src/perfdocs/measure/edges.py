"""The edges of measuring, as small protocols that tests can fake: the clock, files of the machine, NVML, CUDA."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Protocol

from .fresh import Ask, ask
from .sampler import Sample

__all__ = [
    "Clock",
    "Edges",
    "Files",
    "Gpu",
    "GpuFacts",
    "Nvml",
    "NvmlError",
    "NvmlFacts",
    "Sampler",
    "SamplerError",
    "SystemClock",
    "SystemFiles",
    "Watched",
    "real_edges",
]


class Clock(Protocol):
    """Time: ``counter`` times runs, ``monotonic`` counts budgets (both seconds), ``now`` dates the card."""

    def counter(self) -> float:
        """Seconds of the finest timer."""

    def resolution(self) -> float:
        """Smallest difference ``counter`` can show, seconds."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""

    def sleep(self, seconds: float) -> None:
        """Wait."""

    def now(self) -> datetime:
        """The date, UTC."""


class Files(Protocol):
    """What the machine tells about itself in files."""

    def read(self, path: str) -> str | None:
        """The text of a file of the system, ``None`` where it is not there or not readable."""


class NvmlError(Exception):
    """NVML did not answer; the message is fit for a card."""


@dataclass(frozen=True, slots=True)
class NvmlFacts:
    """Public facts NVML tells: byte, hertz, watt, bit; ``None`` where it does not."""

    name: str
    driver: str | None = None
    memory: int | None = None
    memory_bus_width: int | None = None
    max_clock: float | None = None
    max_memory_clock: float | None = None
    power_limit: float | None = None
    ecc: bool | None = None
    mig: str | None = None


class Nvml(Protocol):
    """Readings of one GPU. Every method may raise :class:`NvmlError`."""

    def facts(self) -> NvmlFacts:
        """What does not change."""

    def temperature(self) -> float:
        """Of the chip, °C."""

    def utilisation(self) -> float:
        """Share of the last sampling period in which a kernel ran, 0 to 1."""

    def sm_clock(self) -> float:
        """Hertz."""

    def memory_clock(self) -> float:
        """Hertz."""

    def throttle(self) -> tuple[str, ...]:
        """Keys of the reasons that hold the clock down now; idleness is none."""


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """Public facts CUDA tells: byte, bit, hertz."""

    name: str
    sm_count: int
    compute_capability: tuple[int, int]
    memory: int | None = None
    l2_cache: int | None = None
    memory_bus_width: int | None = None
    runtime: str | None = None
    driver: str | None = None


class Gpu(Protocol):
    """The first CUDA device."""

    def facts(self) -> GpuFacts:
        """What does not change."""

    def release(self) -> None:
        """Give cached device memory back to the driver."""

    def free_memory(self) -> int:
        """Bytes the driver has free."""

    def healthy(self) -> bool:
        """Whether the device still takes work; an illegal access ends that for the process."""


Watched = Literal["nothing", "host", "device"]
"""What a sampler reads; ``device`` is the host as well."""


class SamplerError(Exception):
    """The sampler does not answer; the message is fit for a card."""


class Sampler(Protocol):
    """Reads the state of device and host beside the measurement, again and again."""

    def watch(self, what: Watched) -> tuple[Sample, ...]:
        """Read this from now on; return the samples taken since the last call. Raises :class:`SamplerError`.

        When it returns, no reading of what is no longer watched is on its way.
        """

    def close(self) -> None:
        """End it."""


def _no_sampler(_gpu: bool) -> Sampler | str:
    return "no sampler here"


class SystemClock:
    """The machine's clocks."""

    def counter(self) -> float:
        """``time.perf_counter``."""
        return time.perf_counter()

    def resolution(self) -> float:
        """The smallest step seen between consecutive readings; what the system declares is often finer."""
        steps = []
        for _ in range(50):
            start = end = time.perf_counter()
            while end == start:
                end = time.perf_counter()
            steps.append(end - start)
        return min(steps)

    def monotonic(self) -> float:
        """``time.monotonic``."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """``time.sleep``."""
        time.sleep(seconds)

    def now(self) -> datetime:
        """The date, UTC."""
        return datetime.now(UTC)


class SystemFiles:
    """Files below /proc and /sys."""

    def read(self, path: str) -> str | None:
        """Text, or ``None``."""
        try:
            return Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None


@dataclass(frozen=True, slots=True)
class Edges:
    """Everything outside, passed in. The openers return a reason where there is nothing to open."""

    clock: Clock
    files: Files
    open_gpu: Callable[[], Gpu | str]
    open_nvml: Callable[[], Nvml | str]
    ask: Ask = ask
    open_sampler: Callable[[bool], Sampler | str] = _no_sampler
    """For a GPU, or for the host alone."""


def real_edges() -> Edges:
    """The edges of this machine; CUDA and NVML are loaded only when opened."""
    from .cuda import open_gpu, open_nvml
    from .sampled import open_sampler

    return Edges(SystemClock(), SystemFiles(), open_gpu, open_nvml, open_sampler=open_sampler)
