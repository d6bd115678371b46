"""What a profiler saw of one run: kernels, their time, launches. Nothing here is loaded by a process that times.

PyTorch's profiler is used where it is installed and sees the device, else cupti-python. Both follow every kernel of the
process, whichever package launched it.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, Protocol

__all__ = ["Event", "Profiler", "Trace", "events_of_chrome", "open_profiler", "profiler_version", "trace_of"]

LAUNCH = re.compile(r"^cu(?:da)?(?:Launch(?!HostFunc)\w*|GraphLaunch\w*)$")
"""cudaLaunchKernel, cudaLaunchKernelExC, cuLaunchKernelEx, cuLaunchCooperativeKernel, cudaGraphLaunch …"""

CATEGORIES: Mapping[str, Literal["kernel", "copy", "call"]] = {
    "kernel": "kernel",
    "gpu_memcpy": "copy",
    "gpu_memset": "copy",
    "cuda_runtime": "call",
    "cuda_driver": "call",
}
"""Categories of a Chrome trace as Kineto writes it."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something with a beginning and a length, seconds: a kernel, a copy or fill on the device, a call of the host."""

    kind: Literal["kernel", "copy", "call"]
    name: str
    start: float
    seconds: float
    thread: object = None


@dataclass(frozen=True, slots=True)
class Trace:
    """One run. ``kernels`` counts copies and fills on the device too; ``kernel_time`` (s) sums kernels alone."""

    kernels: int
    launches: int
    kernel_time: float


def trace_of(events: Iterable[Event]) -> Trace:
    """Count and sum. A launch inside another of the same thread is the same one: the runtime calls the driver."""
    found = list(events)
    kernels = [e for e in found if e.kind == "kernel"]
    copies = sum(e.kind == "copy" for e in found)
    launches = 0
    ends: dict[object, float] = {}
    calls = (e for e in found if e.kind == "call" and LAUNCH.match(e.name))
    for call in sorted(calls, key=lambda e: (e.start, -e.seconds)):
        if call.start < ends.get(call.thread, float("-inf")):
            continue
        ends[call.thread] = call.start + call.seconds
        launches += 1
    return Trace(len(kernels) + copies, launches, sum(e.seconds for e in kernels))


def events_of_chrome(tree: Any) -> Iterator[Event]:
    """The events of a Chrome trace, whose times are in microseconds. Others than those of the device are left out."""
    entries = tree.get("traceEvents", ()) if isinstance(tree, dict) else tree
    for entry in entries:
        kind = CATEGORIES.get(str(entry.get("cat", "")).lower())
        if kind is not None and entry.get("ph") == "X":
            start, length = float(entry["ts"]) * 1e-6, float(entry.get("dur", 0)) * 1e-6
            yield Event(kind, str(entry.get("name", "")), start, length, (entry.get("pid"), entry.get("tid")))


class Profiler(Protocol):
    """Follows the device while something runs."""

    @property
    def name(self) -> str:
        """Its name and version."""

    def trace(self, run: Callable[[], None]) -> Sequence[Event]:
        """What the device did during ``run``."""


class TorchProfiler:
    """PyTorch's profiler."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self.name = f"torch.profiler {torch.__version__}"
        kinds = torch.profiler.ProfilerActivity
        # the host's own operations are not asked for: a masked arm has millions, and nothing here counts them
        self._ways: tuple[list[Any], ...] = ([kinds.CUDA], [kinds.CPU, kinds.CUDA])
        self.trace(lambda: None)  # the first use sets it up

    def trace(self, run: Callable[[], None]) -> Sequence[Event]:
        """Profile, write the trace to a file and read it: its categories are the same in every version."""
        events: Sequence[Event] = ()
        for way in self._ways:
            events = self._profile(run, way)
            if any(e.kind == "call" for e in events):
                self._ways = (way,)
                break
        return events

    def _profile(self, run: Callable[[], None], activities: Sequence[Any]) -> Sequence[Event]:
        torch = self._torch
        with torch.profiler.profile(activities=activities) as profile:
            run()
            torch.cuda.synchronize()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.json"
            profile.export_chrome_trace(str(path))
            return tuple(events_of_chrome(json.loads(path.read_text(encoding="utf-8", errors="replace"))))


class CuptiProfiler:
    """NVIDIA's tracing interface by its Python package; times in nanoseconds."""

    def __init__(self, cupti: Any, synchronise: Callable[[], None]) -> None:
        self._cupti, self._synchronise = cupti, synchronise
        self.name = f"cupti-python {metadata.version('cupti-python')}"
        self._events: list[Event] = []
        cupti.activity_register_callbacks(lambda: (8 * 2**20, 0), self._take)

    def _take(self, records: Iterable[Any]) -> None:
        kinds, domains = self._cupti.ActivityKind, self._cupti.CallbackDomain
        calls = {int(kinds.RUNTIME): domains.RUNTIME_API, int(kinds.DRIVER): domains.DRIVER_API}
        others: dict[int, Literal["kernel", "copy"]] = {
            int(kinds.CONCURRENT_KERNEL): "kernel",
            int(kinds.MEMCPY): "copy",
            int(kinds.MEMSET): "copy",
        }
        for record in records:
            kind, start, length = int(record.kind), record.start * 1e-9, (record.end - record.start) * 1e-9
            if kind in calls:
                name = str(self._cupti.get_callback_name(calls[kind], record.cbid))
                self._events.append(Event("call", name, start, length, record.thread_id))
            elif kind in others:
                self._events.append(Event(others[kind], str(getattr(record, "name", "")), start, length))

    def trace(self, run: Callable[[], None]) -> Sequence[Event]:
        """Collect records while ``run`` runs."""
        names = ("CONCURRENT_KERNEL", "MEMCPY", "MEMSET", "RUNTIME", "DRIVER")
        kinds = [getattr(self._cupti.ActivityKind, name) for name in names]
        self._synchronise()
        self._cupti.activity_flush_all(1)
        self._events = []
        for kind in kinds:
            self._cupti.activity_enable(kind)
        try:
            run()
            self._synchronise()
        finally:
            self._cupti.activity_flush_all(1)
            for kind in kinds:
                self._cupti.activity_disable(kind)
        return tuple(self._events)


def open_profiler() -> Profiler | str:
    """The profiler there is, or why there is none. To be called in a process of its own only."""
    try:
        import torch
        import torch.profiler
    except ImportError:
        pass
    else:
        if torch.cuda.is_available():
            return TorchProfiler(torch)
    try:
        import cupy
        from cupti import cupti
    except ImportError:
        return "neither PyTorch with CUDA nor cupti-python is installed"
    return CuptiProfiler(cupti, cupy.cuda.runtime.deviceSynchronize)


def profiler_version() -> str | None:
    """Name and version of the profiler that :func:`open_profiler` would open, without loading it."""
    for package, name in (("torch", "torch.profiler"), ("cupti-python", "cupti-python")):
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
        if not version.endswith("+cpu"):
            return f"{name} {version}"[:80]
    return None
