"""The sampler: a process of its own that reads the state of device and host while a measurement runs.

It is started by its path and imports nothing but the standard library and pynvml: it starts at once, and it never holds
the interpreter of the process that measures. A line on standard input says what to watch from now on, ``nothing``,
``host`` or ``device`` (which is both); the answer is a line of JSON, the samples taken since the line before. So
nothing is written or read while a run is timed, and once ``host`` is answered no reading of the device is on its way.
The process ends when its input is closed or its parent is gone.

``python -P src/perfdocs/measure/sampler.py --cost`` says what a sample costs on this machine.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

__all__ = [
    "PERIOD",
    "REASONS",
    "DeviceProbe",
    "HostProbe",
    "Sample",
    "busy_seconds",
    "decoded",
    "encoded",
    "main",
    "tree",
]

PERIOD = 0.04  # s between two samples
MOST_CLOCKS = 8  # reading the clock of a processor may interrupt it
PATIENCE = 1.0  # s between two looks after the parent while nothing is watched

REASONS = {
    0x2: "application_clocks",
    0x4: "power_cap",
    0x8: "hardware_slowdown",
    0x10: "sync_boost",
    0x20: "thermal",
    0x40: "hardware_thermal",
    0x80: "power_brake",
    0x100: "display_clocks",
}
"""Bits of nvmlClocksEventReasons; bit 0 is idleness."""

Read = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading from ``time`` to ``end`` (s, ``time.monotonic``); ``None`` is what the machine does not tell.

    Host: seconds that the processors allowed were ``busy`` and that our processes ran (``own``), processes that ran or
    waited (``run_queue``, the sampler left out), hertz, joules. Device: whether it was read (``device``), hertz, share,
    watts, joules, °C, number of the P-state, keys of throttle reasons, processes that are not ours.
    """

    time: float
    end: float | None = None
    busy: float | None = None
    own: float | None = None
    run_queue: float | None = None
    cpu_clock: float | None = None
    cpu_energy: float | None = None
    device: bool = False
    sm_clock: float | None = None
    memory_clock: float | None = None
    utilisation: float | None = None
    power: float | None = None
    energy: float | None = None
    temperature: float | None = None
    p_state: int | None = None
    throttle: tuple[str, ...] | None = None
    foreign_processes: int | None = None


def encoded(samples: Iterable[Sample]) -> bytes:
    """The samples as one line of JSON; what is ``None`` is left out."""
    keys = [field.name for field in fields(Sample)]
    rows = [{key: value for key in keys if (value := getattr(s, key)) is not None} for s in samples]
    return json.dumps(rows, separators=(",", ":")).encode() + b"\n"


def decoded(line: bytes) -> tuple[Sample, ...]:
    """The samples of a line. Raises :class:`ValueError` or :class:`TypeError` where it is none."""
    rows = json.loads(line)
    return tuple(Sample(**row | ({"throttle": tuple(row["throttle"])} if "throttle" in row else {})) for row in rows)


def _read(path: str) -> str | None:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - a Path costs more than the reading
            return file.readall().decode("ascii", "replace")
    except OSError:
        return None


def busy_seconds(stat: str, allowed: Collection[int], tick: float) -> float | None:
    """Seconds that the ``allowed`` processors were not idle, from ``/proc/stat``; time that a hypervisor took counts.

    ``None`` where one of them has no line, or all are said never to have run: then it is hidden, not zero.
    """
    total, missing = 0, set(allowed)
    for line in stat.splitlines():
        name, *fields = line.split()
        if not name.startswith("cpu"):
            break
        if name[3:].isdigit() and int(name[3:]) in missing and len(fields) >= 8:
            missing.discard(int(name[3:]))
            user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
            total += user + nice + system + irq + softirq + steal
    return total * tick if total and not missing else None


def _threads(pid: int) -> set[str]:
    """The threads of a process, each with a list of the children that it started."""
    found = {str(pid)}
    with contextlib.suppress(OSError):
        found.update(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208 - a Path costs more than the listing
    return found


def tree(
    read: Read, owner: int, tick: float, threads: Callable[[int], Iterable[str]] = _threads
) -> tuple[set[int], float | None]:
    """A process and its descendants, and the seconds they and those that have ended ran."""
    pids: set[int] = set()
    ticks, waiting = 0, [owner]
    while waiting:
        if (pid := waiting.pop()) in pids:  # it moved from one list to another while they were read
            continue
        fields = (read(f"/proc/{pid}/stat") or "").rpartition(")")[2].split()
        if len(fields) < 15:
            if pid == owner:
                return {owner}, None
            continue
        pids.add(pid)
        ticks += sum(map(int, fields[11:15]))
        for thread in threads(pid):
            waiting += [int(word) for word in (read(f"/proc/{pid}/task/{thread}/children") or "").split()]
    return pids, ticks * tick


def _rapl(read: Read) -> Callable[[], float | None]:
    """A reader of the joules of all packages since the first reading; the counters run over."""
    zones = [
        str(path)
        for path in sorted(Path("/sys/class/powercap").glob("intel-rapl:*"))
        if path.name.count(":") == 1 and (read(f"{path}/name") or "").startswith("package")  # psys holds them again
    ]
    last: dict[str, int] = {}
    total = [0]

    def joules() -> float | None:
        for zone in zones:
            text, span = read(f"{zone}/energy_uj"), read(f"{zone}/max_energy_range_uj")
            if not text or not span:
                return None
            now = int(text)
            total[0] += (now - last.get(zone, now)) % (int(span) + 1)
            last[zone] = now
        return total[0] / 1e6 if zones else None

    return joules


class HostProbe:
    """Reads the host for the process ``owner``."""

    def __init__(self, owner: int, read: Read = _read, allowed: Collection[int] | None = None) -> None:
        self._owner, self._read = owner, read
        self._tick = 1 / os.sysconf("SC_CLK_TCK")
        self._allowed = frozenset(os.sched_getaffinity(owner) if allowed is None else allowed)
        step = -(-len(self._allowed) // MOST_CLOCKS)
        self._clocks = [
            f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq" for cpu in sorted(self._allowed)[::step]
        ]
        self._joules = _rapl(read)

    def read(self) -> tuple[set[int], dict[str, Any]]:
        """Our processes, and the parts of a :class:`Sample`."""
        stat = self._read("/proc/stat") or ""
        pids, own = tree(self._read, self._owner, self._tick)
        running = [line.split()[1] for line in stat.splitlines() if line.startswith("procs_running ")]
        clocks = [float(text) * 1e3 for path in self._clocks if (text := self._read(path)) and text.strip().isdigit()]
        return pids, {
            "busy": busy_seconds(stat, self._allowed, self._tick),
            "own": own,
            "run_queue": max(0, int(running[0]) - 1) if running else None,
            "cpu_clock": sum(clocks) / len(clocks) if clocks else None,
            "cpu_energy": self._joules(),
        }


class DeviceProbe:
    """Reads one GPU through nvidia-ml-py, each quantity alone: many devices refuse some."""

    def __init__(self, pynvml: Any, handle: Any) -> None:
        self._n, self._handle = pynvml, handle

    def _maybe(self, name: str, *arguments: Any) -> Any:
        call = getattr(self._n, name, None)
        with contextlib.suppress(self._n.NVMLError):
            return call(self._handle, *arguments) if call else None
        return None

    def _power(self) -> float | None:
        """Watts now, where the device tells; else what NVML calls its power, which newer ones average over a second."""
        field = getattr(self._n, "NVML_FI_DEV_POWER_INSTANT", None)
        found = self._maybe("nvmlDeviceGetFieldValues", [field]) if field is not None else None
        if found and found[0].nvmlReturn == 0 and found[0].value.uiVal:
            return float(found[0].value.uiVal) / 1e3
        milliwatts = self._maybe("nvmlDeviceGetPowerUsage")
        return None if milliwatts is None else float(milliwatts) / 1e3

    def _foreign(self, own: Collection[int]) -> int | None:
        """Processes on the device that are not ours; ``None`` where the list leaves us out, as in a container."""
        lists = [self._maybe(f"nvmlDeviceGet{kind}RunningProcesses") for kind in ("Compute", "Graphics")]
        pids = {int(process.pid) for found in lists for process in found or ()}
        return len(pids.difference(own)) if pids.intersection(own) else None

    def read(self, own: Collection[int]) -> dict[str, Any]:
        """The parts of a :class:`Sample`; ``own`` are our processes."""
        n = self._n
        sm = self._maybe("nvmlDeviceGetClockInfo", n.NVML_CLOCK_SM)
        memory = self._maybe("nvmlDeviceGetClockInfo", n.NVML_CLOCK_MEM)
        busy = self._maybe("nvmlDeviceGetUtilizationRates")
        millijoules = self._maybe("nvmlDeviceGetTotalEnergyConsumption")
        state = self._maybe("nvmlDeviceGetPerformanceState")
        bits = self._maybe("nvmlDeviceGetCurrentClocksEventReasons")
        if bits is None:
            bits = self._maybe("nvmlDeviceGetCurrentClocksThrottleReasons")
        return {
            "device": True,
            "sm_clock": sm * 1e6 if sm else None,
            "memory_clock": memory * 1e6 if memory else None,
            "utilisation": busy.gpu / 100 if busy else None,
            "power": self._power(),
            "energy": None if millijoules is None else millijoules / 1e3,
            "temperature": self._maybe("nvmlDeviceGetTemperature", n.NVML_TEMPERATURE_GPU),
            "p_state": state if state is not None and 0 <= state <= 15 else None,
            "throttle": None if bits is None else tuple(key for bit, key in REASONS.items() if bits & bit),
            "foreign_processes": self._foreign(own),
        }


def _open_device(bus: str | None) -> DeviceProbe | None:
    """The GPU at a place on the PCI bus, or the first; ``None`` where NVML does not start: samples then lack it."""
    try:
        import pynvml

        pynvml.nvmlInit()
        by_bus, by_index = pynvml.nvmlDeviceGetHandleByPciBusId, pynvml.nvmlDeviceGetHandleByIndex
        return DeviceProbe(pynvml, by_bus(bus.encode()) if bus else by_index(0))
    except Exception:  # noqa: BLE001, RUF100 - a missing driver shows in many ways
        return None


def _sample(host: HostProbe, device: DeviceProbe | None) -> Sample:
    now = time.monotonic()
    own, found = host.read()
    found |= device.read(own) if device else {}
    return Sample(now, time.monotonic(), **found)


def _serve(host: HostProbe, device: DeviceProbe | None, owner: int) -> None:
    source, sink = sys.stdin.fileno(), sys.stdout.buffer
    what, rest, due = b"nothing", b"", 0.0
    taken: list[Sample] = []
    while os.getppid() == owner:
        pause = PATIENCE if what == b"nothing" else max(0.0, due - time.monotonic())
        if select.select([source], [], [], pause)[0]:
            data = os.read(source, 4096)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                what = line
                sink.write(encoded(taken))
                sink.flush()
                taken.clear()
                due = time.monotonic()
        elif what != b"nothing":
            taken.append(_sample(host, device if what == b"device" else None))
            due = max(due + PERIOD, time.monotonic())


def _cost(host: HostProbe, device: DeviceProbe | None, samples: int = 200) -> None:
    """Say what one sample takes: of a processor, and by the clock."""
    for name, probe in (("host", None), ("host and device", device)):
        if name != "host" and device is None:
            print("device: NVML does not start")
            continue
        wall, used = time.monotonic(), time.process_time()
        for _ in range(samples):
            _sample(host, probe)
        wall, used = (time.monotonic() - wall) / samples, (time.process_time() - used) / samples
        print(
            f"{name}: {wall * 1e6:.0f} µs a sample, {used / PERIOD:.2%} of one processor at a sample each {PERIOD:g} s"
        )


def main(argv: list[str] | None = None) -> int:
    """Serve the process ``--owner``, or say what that costs."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--owner", type=int, default=os.getpid(), help="The process that measures, this one's parent.")
    p.add_argument("--device", action="store_true", help="Watch a GPU: the first, or the one at --bus.")
    p.add_argument("--bus", help="Place of the GPU on the PCI bus.")
    p.add_argument("--cost", action="store_true", help="Say what a sample costs on this machine.")
    a = p.parse_args(argv)
    host = HostProbe(a.owner)
    if a.cost:
        _cost(host, _open_device(a.bus))
        return 0
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the parent, whose end is this one's
    with contextlib.suppress(BrokenPipeError):
        _serve(host, _open_device(a.bus) if a.device else None, a.owner)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
