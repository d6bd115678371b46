"""Public facts of the machine: what a reader needs to judge a number, nothing that names a machine or a person."""

from __future__ import annotations

import os
import platform
import re
from contextlib import suppress
from functools import cache
from pathlib import Path

from perfdocs.card import Device, Host

from .edges import Files, Gpu, Nvml, NvmlError, SystemFiles

__all__ = [
    "allowed_threads",
    "cpu_clock",
    "cpu_device",
    "cpu_name",
    "forget_peak",
    "gpu_device",
    "host",
    "mig_slice",
    "peak_resident_bytes",
    "resident_bytes",
    "slug",
]

CPU_FREQUENCY = "/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq"


@cache
def cpu_name() -> str | None:
    """The processor's model name as the machine gives it."""
    return _cpu_name(SystemFiles())


def _field(text: str, *names: str) -> str | None:
    for name in names:
        match = re.search(rf"^{name}\s*:\s*(.+)$", text, re.MULTILINE)
        if match:
            return match[1].strip()
    return None


def _cpu_name(files: Files) -> str | None:
    name = _field(files.read("/proc/cpuinfo") or "", "model name", "Model", "cpu model") or platform.processor()
    return re.sub(r"\s+", " ", re.sub(r"\((?:R|TM|tm|r)\)", "", name)).strip()[:120] or None


def slug(text: str) -> str:
    """Lower case, digits and single hyphens: the form of a device id."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:48].strip("-")


def allowed_threads() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _cores(files: Files) -> int | None:
    """Physical cores, from the pairs of package and core in ``/proc/cpuinfo``."""
    text = files.read("/proc/cpuinfo") or ""
    packages = re.findall(r"^physical id\s*:\s*(\d+)$", text, re.MULTILINE)
    cores = re.findall(r"^core id\s*:\s*(\d+)$", text, re.MULTILINE)
    pairs = set(zip(packages, cores, strict=False))
    return len(pairs) or None


def _simd(files: Files) -> str | None:
    text = files.read("/proc/cpuinfo") or ""
    flags = set((_field(text, "flags", "Features") or "").split())
    return next(
        (
            name
            for flag, name in (
                ("avx512f", "avx512"),
                ("avx2", "avx2"),
                ("avx", "avx"),
                ("sse2", "sse2"),
                ("sve", "sve"),
                ("asimd", "neon"),
            )
            if flag in flags
        ),
        None,
    )


def _size(text: str | None) -> int | None:
    """``32768K`` as bytes."""
    match = re.fullmatch(r"(\d+)([KMG]?)", (text or "").strip())
    return int(match[1]) * {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}[match[2]] if match else None


def _memory(files: Files) -> int | None:
    match = re.search(r"^MemTotal:\s*(\d+) kB", files.read("/proc/meminfo") or "", re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def cpu_device(files: Files, suffix: str | None = None) -> Device:
    """The processor as a device. Its id is the model's name, with the core count where the name is generic."""
    name = _cpu_name(files) or "CPU of unknown model"
    short = re.sub(r"\b(?:cpu|processor|\d+-core)\b|@.*$", " ", name, flags=re.IGNORECASE)
    cores, threads = _cores(files), allowed_threads()
    key = slug(short) or "cpu"
    if not re.search(r"\d", key):
        key = f"{key}-{cores or threads}c"
    top = files.read("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
    governor = (files.read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "").strip()
    return Device(
        id=_suffixed(key, suffix),
        kind="cpu",
        name=name,
        vendor=_vendor(name),
        memory=_memory(files),
        max_clock=float(top) * 1e3 if top and top.strip().isdigit() else None,
        cores=cores,
        threads=threads,
        simd=_simd(files),
        l3_cache=_size(files.read("/sys/devices/system/cpu/cpu0/cache/index3/size")),
        governor=governor[:80] or None,
    )


def gpu_device(gpu: Gpu, nvml: Nvml | None, suffix: str | None = None) -> Device:
    """The GPU as a device, from CUDA's facts and what NVML adds."""
    facts = gpu.facts()
    more = None
    if nvml is not None:
        try:
            more = nvml.facts()
        except NvmlError:
            more = None
    key, mig = slug(facts.name), mig_slice(facts.name) or (more.mig if more else None)
    if mig and slug(mig) not in key:
        key = f"{key}-mig-{slug(mig)}"
    return Device(
        id=_suffixed(key or "gpu", suffix),
        kind="gpu",
        name=facts.name,
        vendor=_vendor(facts.name) or "NVIDIA",
        memory=more.memory if more and more.memory else facts.memory,
        memory_bus_width=facts.memory_bus_width or (more.memory_bus_width if more else None),
        max_clock=more.max_clock if more else None,
        max_memory_clock=more.max_memory_clock if more else None,
        sm_count=facts.sm_count,
        compute_capability=facts.compute_capability,
        l2_cache=facts.l2_cache,
        power_limit=more.power_limit if more else None,
        ecc=more.ecc if more else None,
        mig=mig,
    )


def mig_slice(name: str) -> str | None:
    """The slice's name, ``1g.18gb``, out of the device's, ``… MIG 1g.18gb``."""
    return name.partition("MIG ")[2].strip() or None


def _suffixed(key: str, suffix: str | None) -> str:
    return f"{key}-{slug(suffix)}"[:64].strip("-") if suffix else key


def _vendor(name: str) -> str | None:
    known = {"amd": "AMD", "intel": "Intel", "nvidia": "NVIDIA", "apple": "Apple", "arm": "Arm", "ampere": "Ampere"}
    return next((vendor for word, vendor in known.items() if re.search(rf"\b{word}\b", name, re.IGNORECASE)), None)


def host(files: Files, driver: str | None = None) -> Host:
    """The machine around the device; the name of the system, never of the machine."""
    try:
        load = os.getloadavg()[0]
    except (OSError, AttributeError):
        load = None
    return Host(
        os=_system(files),
        cpu=_cpu_name(files),
        threads=allowed_threads(),
        memory=_memory(files),
        container=_container(files),
        driver=driver,
        load=load,
    )


def _system(files: Files) -> str | None:
    name = _field((files.read("/etc/os-release") or "").replace("=", ": "), "PRETTY_NAME")
    system = platform.system()
    return (f"{system}, " + name.strip("\"'"))[:120] if name else system or None


def _container(files: Files) -> bool | None:
    """``True`` where something says so; ``None`` otherwise, since a container may hide that it is one."""
    if files.read("/.dockerenv") is not None or files.read("/run/.containerenv") is not None:
        return True
    groups = files.read("/proc/1/cgroup") or ""
    return True if re.search(r"docker|kubepods|containerd|lxc|podman", groups) else None


def cpu_clock(files: Files) -> float | None:
    """Mean clock of the processors in use, hertz; ``None`` where the machine does not tell (most virtual ones)."""
    allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    readings = [files.read(CPU_FREQUENCY.format(cpu)) for cpu in allowed]
    clocks = [float(text) * 1e3 for text in readings if text and text.strip().isdigit()]
    return sum(clocks) / len(clocks) if clocks else None


def resident_bytes(files: Files) -> int | None:
    """Bytes of this process in memory."""
    fields = (files.read("/proc/self/statm") or "").split()
    if len(fields) > 1 and fields[1].isdigit():
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
    try:
        import psutil
    except ImportError:
        return None
    return int(psutil.Process().memory_info().rss)


def peak_resident_bytes(files: Files) -> int | None:
    """Most bytes this process had in memory, since it began or since :func:`forget_peak`."""
    match = re.search(r"^VmHWM:\s*(\d+) kB", files.read("/proc/self/status") or "", re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def forget_peak() -> None:
    """Begin the peak anew at what is in memory now, where the system lets a process do that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
