"""Faithful fakes of the edges: a clock turned by hand, files in a dict, an NVML with a temperature that falls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from perfdocs.measure.edges import Edges, Gpu, GpuFacts, Nvml, NvmlError, NvmlFacts, Sampler, SamplerError, Watched
from perfdocs.measure.fresh import Ask, ask
from perfdocs.measure.sampler import PERIOD, Sample


@dataclass
class FakeClock:
    """Time passes when a test or an arm turns it, and by ``tick`` at every reading of the counter."""

    seconds: float = 1000.0
    tick: float = 1e-7
    jumps: list[float] = field(default_factory=list)
    slept: float = 0.0

    def turn(self, seconds: float) -> None:
        self.seconds += seconds

    def counter(self) -> float:
        """Each pending jump is added once, at a reading: a negative one makes the clock run backwards."""
        self.seconds += self.tick
        return self.seconds + (self.jumps.pop(0) if self.jumps else 0.0)

    def resolution(self) -> float:
        return 1e-7

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.seconds += seconds

    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


CPUINFO = """processor\t: 0
model name\t: Made Up(R) Processor 9 @ 3.00GHz
physical id\t: 0
core id\t\t: 0
flags\t\t: fpu sse2 avx avx2

processor\t: 1
model name\t: Made Up(R) Processor 9 @ 3.00GHz
physical id\t: 0
core id\t\t: 0
flags\t\t: fpu sse2 avx avx2
"""


@dataclass
class FakeFiles:
    """Files of the system by path."""

    texts: dict[str, str] = field(
        default_factory=lambda: {"/proc/cpuinfo": CPUINFO, "/proc/self/statm": "9 5 1 1 0 1 0"}
    )

    def read(self, path: str) -> str | None:
        return self.texts.get(path)


@dataclass
class FakeNvml:
    """A chip that cools by ``cooling`` °C a second of the fake clock; answers ``lives`` questions, then none."""

    clock: FakeClock
    hot: float = 40.0
    cooling: float = 0.0
    busy: float = 0.0
    lives: int = 10**9
    reasons: tuple[str, ...] = ()
    floor: float = 30.0
    begun: float = 1000.0

    note: Callable[[], object] = lambda: None

    def _ask(self) -> None:
        self.note()
        self.lives -= 1
        if self.lives < 0:
            raise NvmlError("NVML stopped answering: GPU is lost")

    def facts(self) -> NvmlFacts:
        self._ask()
        return NvmlFacts("Made Up GPU", driver="1.2", memory=8 * 2**30, max_clock=2e9, max_memory_clock=1e9)

    def temperature(self) -> float:
        self._ask()
        return max(self.floor, self.hot - self.cooling * (self.clock.seconds - self.begun))

    def utilisation(self) -> float:
        self._ask()
        return self.busy

    def sm_clock(self) -> float:
        self._ask()
        return 1.98e9

    def memory_clock(self) -> float:
        self._ask()
        return 1e9

    def throttle(self) -> tuple[str, ...]:
        self._ask()
        return self.reasons


@dataclass
class FakeGpu:
    """A device with memory to spare."""

    free: int = 10**9
    works: bool = True
    released: int = 0

    def facts(self) -> GpuFacts:
        return GpuFacts("Made Up GPU", 10, (9, 0), memory=8 * 2**30, l2_cache=2**20, runtime="13.0", driver="13.0")

    def release(self) -> None:
        self.released += 1

    def free_memory(self) -> int:
        self.free -= 1000
        return self.free

    def healthy(self) -> bool:
        return self.works


@dataclass
class FakeSampler:
    """Samples each period of the fake clock that passed while something was watched; ``lives`` questions, then none.

    ``foreign`` processors do other work while the clock stands between the two moments of ``disturbed``.
    """

    clock: FakeClock
    foreign: float = 0.0
    disturbed: tuple[float, float] = (0.0, float("inf"))
    throttle: tuple[str, ...] = ()
    foreign_processes: int | None = 0
    hidden: frozenset[str] = frozenset()
    lives: int = 10**9
    clock_rate: float = 1.98e9
    watched: list[tuple[float, Watched]] = field(default_factory=list)
    closed: bool = False

    def sample(self, time: float, device: bool) -> Sample:
        start, end = self.disturbed
        own = 0.9 * time
        told: dict[str, Any] = {
            "busy": own + self.foreign * (min(max(time, start), end) - start),
            "own": own,
            "run_queue": 1,
        }
        if device:
            told |= {
                "sm_clock": self.clock_rate,
                "memory_clock": 1e9,
                "power": 300.0,
                "energy": 300.0 * time,
                "p_state": 0,
            }
            told |= {"temperature": 50.0, "utilisation": 1.0, "foreign_processes": self.foreign_processes}
            told |= {"throttle": self.throttle}
        return Sample(time, device=device, **{k: v for k, v in told.items() if k not in self.hidden})

    def watch(self, what: Watched) -> tuple[Sample, ...]:
        self.lives -= 1
        if self.lives < 0:
            raise SamplerError("the sampler does not answer (made up)")
        samples: tuple[Sample, ...] = ()
        if self.watched and self.watched[-1][1] != "nothing":
            begun, before = self.watched[-1]
            count = int((self.clock.seconds - begun) / PERIOD) + 1
            samples = tuple(self.sample(begun + i * PERIOD, before == "device") for i in range(count))
        self.watched.append((self.clock.seconds, what))
        return samples

    def close(self) -> None:
        self.closed = True


class Quiet:
    """Keeps what was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.left: list[float | None] = []

    def begin(self, title: str, total: int) -> None:
        self.lines.append(f"{title}: {total}")

    def at(self, done: int, what: str, left: float | None) -> None:
        self.lines.append(f"{done} {what}")
        self.left.append(left)

    def note(self, line: str) -> None:
        self.lines.append(line)

    def end(self) -> None:
        self.lines.append("end")


def fake_edges(
    clock: FakeClock,
    gpu: Gpu | str = "there is no CUDA device",
    nvml: Nvml | str = "no NVML here",
    files: FakeFiles | None = None,
    asked: Ask = ask,
    sampler: Sampler | str = "no sampler here",
) -> Edges:
    def open_gpu() -> Gpu | str:
        return gpu

    def open_nvml() -> Nvml | str:
        return nvml

    def open_sampler(_gpu: bool) -> Sampler | str:
        return sampler

    opened: tuple[Callable[[], Gpu | str], Callable[[], Nvml | str]] = (open_gpu, open_nvml)
    return Edges(clock, files or FakeFiles(), *opened, asked, open_sampler)
