"""CUDA through CuPy and NVML through nvidia-ml-py, each loaded only when opened."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .edges import Gpu, GpuFacts, Nvml, NvmlError, NvmlFacts
from .machine import mig_slice
from .sampler import REASONS

__all__ = ["bus_id", "open_gpu", "open_nvml", "visible"]

T = TypeVar("T")


class CupyGpu:
    """The current CUDA device through CuPy."""

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy

    def facts(self) -> GpuFacts:
        """From the device's properties."""
        runtime = self._cupy.cuda.runtime
        p = runtime.getDeviceProperties(runtime.getDevice())
        name = p["name"]
        return GpuFacts(
            name=name.decode() if isinstance(name, bytes) else str(name),
            sm_count=int(p["multiProcessorCount"]),
            compute_capability=(int(p["major"]), int(p["minor"])),
            memory=int(p["totalGlobalMem"]),
            l2_cache=int(p.get("l2CacheSize", 0)) or None,
            memory_bus_width=int(p.get("memoryBusWidth", 0)) or None,
            runtime=_version(runtime.runtimeGetVersion()),
            driver=_version(runtime.driverGetVersion()),
        )

    def release(self) -> None:
        """Empty CuPy's pools, and PyTorch's where it is loaded."""
        import gc
        import sys

        gc.collect()
        self._cupy.get_default_memory_pool().free_all_blocks()
        self._cupy.get_default_pinned_memory_pool().free_all_blocks()
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()

    def free_memory(self) -> int:
        """``cudaMemGetInfo``."""
        return int(self._cupy.cuda.runtime.memGetInfo()[0])

    def healthy(self) -> bool:
        """Synchronise and launch something."""
        try:
            self._cupy.cuda.runtime.deviceSynchronize()
            return bool((self._cupy.zeros(1) == 0).all())
        except Exception:  # noqa: BLE001, RUF100 - any failure means no
            return False


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def open_gpu() -> Gpu | str:
    """The first CUDA device, or why there is none."""
    try:
        import cupy
    except ImportError:
        return "CuPy is not installed"
    try:
        if cupy.cuda.runtime.getDeviceCount() < 1:
            return "there is no CUDA device"
        cupy.cuda.Device(0).use()
        cupy.zeros(1)
    except Exception as error:  # noqa: BLE001, RUF100 - a missing driver shows in many ways
        return f"CUDA does not start ({type(error).__name__})"
    return CupyGpu(cupy)


class PynvmlDevice:
    """One device through nvidia-ml-py."""

    def __init__(self, pynvml: Any, handle: Any) -> None:
        self._n, self._handle = pynvml, handle

    def _ask(self, call: Callable[..., T], *arguments: Any) -> T:
        try:
            return call(self._handle, *arguments)
        except self._n.NVMLError as error:
            raise NvmlError(f"NVML stopped answering: {error}") from None

    def _maybe(self, name: str, *arguments: Any) -> Any:
        call = getattr(self._n, name, None)
        with contextlib.suppress(NvmlError):
            return self._ask(call, *arguments) if call else None
        return None

    def facts(self) -> NvmlFacts:
        """Each fact alone: many devices refuse some."""
        n = self._n
        name = self._ask(n.nvmlDeviceGetName)
        memory = self._maybe("nvmlDeviceGetMemoryInfo")
        sm = self._maybe("nvmlDeviceGetMaxClockInfo", n.NVML_CLOCK_SM)
        mem = self._maybe("nvmlDeviceGetMaxClockInfo", n.NVML_CLOCK_MEM)
        power = self._maybe("nvmlDeviceGetEnforcedPowerLimit")
        ecc = self._maybe("nvmlDeviceGetEccMode")
        mig = self._maybe("nvmlDeviceGetMigMode")
        driver: Any = None
        with contextlib.suppress(n.NVMLError):
            driver = n.nvmlSystemGetDriverVersion()
        return NvmlFacts(
            name=_text(name),
            driver=_text(driver) if driver else None,
            memory=int(memory.total) if memory else None,
            memory_bus_width=self._maybe("nvmlDeviceGetMemoryBusWidth"),
            max_clock=sm * 1e6 if sm else None,
            max_memory_clock=mem * 1e6 if mem else None,
            power_limit=power / 1e3 if power else None,
            ecc=bool(ecc[0]) if ecc else None,
            mig=mig_slice(_text(name)) if mig and mig[0] else None,
        )

    def temperature(self) -> float:
        """Of the chip, °C."""
        return float(self._ask(self._n.nvmlDeviceGetTemperature, self._n.NVML_TEMPERATURE_GPU))

    def utilisation(self) -> float:
        """0 to 1. A device that does not tell, as a MIG slice, counts as idle: the gate then asks for cool only."""
        try:
            return float(self._n.nvmlDeviceGetUtilizationRates(self._handle).gpu) / 100
        except self._n.NVMLError as error:
            if getattr(error, "value", None) == self._n.NVML_ERROR_NOT_SUPPORTED:
                return 0.0
            raise NvmlError(f"NVML stopped answering: {error}") from None

    def sm_clock(self) -> float:
        """Hertz."""
        return float(self._ask(self._n.nvmlDeviceGetClockInfo, self._n.NVML_CLOCK_SM)) * 1e6

    def memory_clock(self) -> float:
        """Hertz."""
        return float(self._ask(self._n.nvmlDeviceGetClockInfo, self._n.NVML_CLOCK_MEM)) * 1e6

    def throttle(self) -> tuple[str, ...]:
        """Keys of the set bits, idleness left out."""
        n = self._n
        call = getattr(n, "nvmlDeviceGetCurrentClocksEventReasons", None)
        bits = int(self._ask(call or n.nvmlDeviceGetCurrentClocksThrottleReasons))
        return tuple(key for bit, key in REASONS.items() if bits & bit)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def bus_id() -> str | None:
    """Where the current CUDA device sits on the PCI bus: CUDA may number devices otherwise than NVML.

    Without CuPy the first device that a program here would see.
    """
    with contextlib.suppress(Exception):
        from cupy.cuda import runtime

        return str(runtime.deviceGetPCIBusId(runtime.getDevice()))
    with contextlib.suppress(Exception):
        import pynvml

        pynvml.nvmlInit()
        handle, _ = visible(pynvml, os.environ)
        return _text(pynvml.nvmlDeviceGetPciInfo(handle).busId) if handle is not None else None
    return None


def visible(pynvml: Any, environment: Mapping[str, str]) -> tuple[Any, str]:
    """NVML's handle of the first device that CUDA shows to programs, or ``None``; then why.

    CUDA numbers devices with the fastest first, NVML by the bus: a number tells only where both orders are the same.
    """
    known = environment.get("CUDA_VISIBLE_DEVICES")
    first = "0" if known is None else known.split(",")[0].strip()
    devices = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
    if first.isdecimal():
        alike = len({_text(pynvml.nvmlDeviceGetName(device)) for device in devices}) <= 1
        if not alike and environment.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID":
            return None, "several kinds of GPU are here, and only CUDA_DEVICE_ORDER=PCI_BUS_ID tells which is the first"
        found = devices[int(first) :][:1]
    else:
        found = [
            d for d in devices if first.startswith("GPU-") and _text(pynvml.nvmlDeviceGetUUID(d)).startswith(first)
        ]
    return (found[0], "") if len(found) == 1 else (None, f"CUDA_VISIBLE_DEVICES={first} names no GPU as a whole here")


def open_nvml() -> Nvml | str:
    """NVML's view of the current CUDA device, or why there is none."""
    try:
        import pynvml
    except ImportError:
        return "nvidia-ml-py is not installed"
    try:
        pynvml.nvmlInit()
        handle, bus = None, bus_id()
        with contextlib.suppress(pynvml.NVMLError, AttributeError):
            handle = pynvml.nvmlDeviceGetHandleByPciBusId(bus.encode()) if bus else None
        device = PynvmlDevice(pynvml, handle or pynvml.nvmlDeviceGetHandleByIndex(0))
        device.sm_clock()
        device.throttle()
        device.temperature()
    except (pynvml.NVMLError, NvmlError, AttributeError) as error:
        return f"NVML does not start ({type(error).__name__})"
    return device
