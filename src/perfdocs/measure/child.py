"""``python -m perfdocs.measure.child ANSWERS``: the fresh process; see :mod:`perfdocs.measure.fresh`.

It is ready once the arm's module and packages are imported and the device's context exists. Only then does what it
measures begin: the arm's ``prepare`` and its first run.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .arm import ArmModule, Cannot, Context, Point, Prepared, Workload
from .edges import Clock, Files, Gpu, SystemClock, SystemFiles
from .failure import reason_of
from .fresh import Answer, Found, Request
from .loader import load_arm, load_workload
from .machine import forget_peak, peak_resident_bytes, resident_bytes
from .processes import adopt, end_children
from .start import close
from .trace import Profiler, Trace, open_profiler, trace_of

__all__ = ["Desk", "main", "serve"]

TRACES = 3
LONG_TRACE = 5.0  # s; a run that takes longer under the profiler is traced once
MOST_LAUNCHES = 400_000  # a trace holds a few hundred bytes of each, several times over


@dataclass(frozen=True, slots=True)
class Desk:
    """What a fresh process measures with; ``reference`` is the context of the host reference."""

    workload: Workload
    arm: ArmModule
    context: Context
    reference: Context
    clock: Clock
    files: Files
    gpu: Gpu | None = None
    profiler: Callable[[], Profiler | str] = open_profiler

    def verify(self, problem: Any, prepared: Prepared) -> Mapping[str, float]:
        """Check the last run against the reference. Raises what the workload's ``verify`` raises."""
        return self.workload.verify(problem, self.workload.reference(problem, self.reference), prepared.result())


def start_up(desk: Desk, at: Point) -> Answer:
    """Seconds from nothing to the first result: ``prepare`` and the first run, to the device synchronised."""
    problem = desk.workload.problem(at)
    begun = desk.clock.counter()
    prepared = desk.arm.prepare(problem, desk.context)
    try:
        prepared.run()
        seconds = desk.clock.counter() - begun
        desk.verify(problem, prepared)
        return Answer({**prepared.choices(), "ready": seconds})
    finally:
        close(prepared)


def memory(desk: Desk, at: Point) -> Answer:
    """Bytes that ``prepare`` and one run take, on the device and at most on the host, beyond what was there before."""
    problem, gpu = desk.workload.problem(at), desk.gpu
    values: dict[str, Found] = dict(desk.workload.counts(problem))
    if gpu is not None:
        gpu.release()
    free = gpu.free_memory() if gpu is not None else 0
    forget_peak()
    resident, peak = resident_bytes(desk.files), peak_resident_bytes(desk.files)
    prepared = desk.arm.prepare(problem, desk.context)
    try:
        prepared.run()
        now, highest = resident_bytes(desk.files), peak_resident_bytes(desk.files)
        if resident is not None and now is not None:
            # a peak from before `prepare` says nothing of the arm
            told = highest if highest is not None and (peak is None or highest > peak) else now
            values["host_memory"] = float(max(0, max(told, now) - resident))
        if gpu is not None and not prepared.on_host:
            own = prepared.device_memory()
            values["device_memory"] = float(own if own is not None else max(0, free - gpu.free_memory()))
        desk.verify(problem, prepared)  # what it tells stands beside the times of the same point
        return Answer({**prepared.choices(), **values})
    finally:
        close(prepared)


def traced(desk: Desk, at: Point) -> Answer:
    """Kernels, their time and launches of one run, from a profiler; the run before it is warm-up and verified."""
    if desk.gpu is None:
        raise Cannot("unsupported", "a processor runs no kernels to trace")
    profiler = desk.profiler()
    if isinstance(profiler, str):
        raise Cannot("not_installed", profiler)
    problem = desk.workload.problem(at)
    prepared = desk.arm.prepare(problem, desk.context)
    try:
        if prepared.on_host:
            raise Cannot("unsupported", "the arm runs on the host: it puts no kernels on the device")
        prepared.run()
        desk.verify(problem, prepared)
        told = prepared.counts().get("launches", 0)  # some count what the last run did
        if told > MOST_LAUNCHES:
            raise Cannot("unsupported", f"{told:.2g} launches: more than the {MOST_LAUNCHES:.0e} that are traced")
        prepared.run()
        traces: list[Trace] = []
        begun = desk.clock.monotonic()
        while len(traces) < TRACES and (not traces or desk.clock.monotonic() - begun < LONG_TRACE):
            traces.append(trace_of(profiler.trace(prepared.run)))
        known: dict[str, Found] = {**prepared.choices(), **desk.workload.counts(problem)}
        return _of_traces(traces, prepared.least_kernels(), known, profiler.name)
    finally:
        close(prepared)


def _of_traces(traces: list[Trace], least: int | None, known: Mapping[str, Found], profiler: str) -> Answer:
    """One answer of several traced runs, with what is known anyway: times of each, counts of the middle one."""
    values = dict(known)
    kernels = sorted(trace.kernels for trace in traces)
    launches = sorted(trace.launches for trace in traces)
    middle, absent = len(traces) // 2, []
    if not kernels[middle] and not launches[middle]:
        raise Cannot("unsupported", f"{profiler} sees neither kernels nor launches of it")
    if launches[middle]:
        values["launches"] = float(launches[middle])
    else:
        absent.append(f"launches: {profiler} sees none")
    if not kernels[0]:
        absent.append(f"kernels and their time: {profiler} sees none")
    elif least is not None and kernels[0] < least:
        absent.append(f"kernels and their time: {profiler} sees {kernels[0]} of {least} or more")
    else:
        values |= {"kernels": float(kernels[middle]), "kernel_time": tuple(trace.kernel_time for trace in traces)}
    return Answer(values, "; ".join(absent) or None)


MEASURE: Mapping[str, Callable[[Desk, Point], Answer]] = {"compile": start_up, "memory": memory, "traced": traced}


def _torch(torch: ModuleType, kind: str) -> None:
    torch.zeros(1, device="cuda" if kind == "gpu" else "cpu").add_(1).cpu()


def _jax(jax: ModuleType, kind: str) -> None:
    (jax.device_put(0.0, jax.devices(kind)[0]) + 1).block_until_ready()


def _warp(warp: ModuleType, kind: str) -> None:
    del kind
    warp.init()


TOUCH: Mapping[str, Callable[[ModuleType, str], None]] = {"torch": _torch, "jax": _jax, "warp": _warp}
"""How a package makes its context on the device."""


def get_ready(arm: ArmModule, kind: str) -> None:
    """Import the packages the arm names and let them make their context; the arm itself says what it lacks."""
    for name in getattr(arm, "PACKAGES", ()):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if name in TOUCH:
            with suppress(Exception):
                TOUCH[name](module, kind)


def serve(request: Request, tell: Callable[[Answer], None], gpu: Gpu | str | None) -> None:
    """Answer a request, point by point. What an arm raises is an answer too."""
    try:
        if isinstance(gpu, str):
            raise Cannot("error", f"in a fresh process {gpu}")
        context = Context(request.kind, request.build, request.threads, request.sm_count)
        shared = Context(request.kind, request.shared, request.threads, request.sm_count)
        workload, arm = load_workload(request.folder), load_arm(request.folder, request.arm)
        get_ready(arm, request.kind)
        desk = Desk(workload, arm, context, shared, SystemClock(), SystemFiles(), gpu)
    except Exception as error:  # noqa: BLE001, RUF100 - a module may fail in any way
        for _ in request.points:
            tell(Answer(refused=reason_of(error)))
        return
    for at in request.points:
        try:
            answer = MEASURE[request.how](desk, at)
        except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
            answer = Answer(refused=reason_of(error))
        tell(answer)


def _read_line() -> str:
    """The request, read without Python's buffers, which a thread may not hold when the process ends."""
    parts = b""
    while not parts.endswith(b"\n"):
        part = os.read(0, 65536)
        if not part:
            break
        parts += part
    return parts.decode()


def _end_with_asker() -> None:
    """Wait until standard input closes, which it does when the asker has ended; end all it started, and its group."""
    with suppress(OSError):
        while os.read(0, 1):
            pass
    end_children()
    if os.name == "posix" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main(path: str) -> None:
    """Serve one request and end at once, whatever threads and libraries would still do."""
    request = Request.of(_read_line())
    adopt()  # what it starts stays below it, also in sessions of their own
    threading.Thread(target=_end_with_asker, daemon=True).start()
    from .cuda import open_gpu

    with Path(path).open("a", encoding="utf-8") as answers:

        def tell(answer: Answer) -> None:
            answers.write(answer.text() + "\n")
            answers.flush()

        serve(request, tell, open_gpu() if request.kind == "gpu" else None)
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
