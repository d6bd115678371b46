"""A stand-in for nvidia-ml-py in processes of their own: a GPU in the folder $FAKE_GPU, synthetic.

The file ``faults`` holds words for what goes wrong, ``log`` every call that changes clocks, ``locked`` is there while
the clocks are locked. A fault that ends in ``-once`` happens once.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0
NVML_ERROR_NOT_SUPPORTED, NVML_ERROR_NO_PERMISSION, NVML_ERROR_GPU_IS_LOST = 3, 4, 15
MESSAGES = {3: "Not Supported", 4: "Insufficient Permissions", 9: "Driver Not Loaded", 15: "GPU is lost"}
GPU = Path(os.environ["FAKE_GPU"])


class NVMLError(Exception):
    def __init__(self, value: int) -> None:
        self.value = value
        super().__init__(MESSAGES[value])


def fault(name: str) -> bool:
    path = GPU / "faults"
    words = path.read_text().split() if path.exists() else []
    if f"{name}-once" in words:
        words.remove(f"{name}-once")
        path.write_text(" ".join(words))
        return True
    return name in words


def _log(line: str) -> None:
    with (GPU / "log").open("a") as file:
        file.write(line + "\n")


def nvmlInit() -> None:
    if fault("no-driver"):
        raise NVMLError(9)
    if fault("no-permission-to-start"):
        raise NVMLError(NVML_ERROR_NO_PERMISSION)


def nvmlDeviceGetHandleByIndex(index: int) -> str:
    return f"gpu {index}"


def nvmlDeviceGetCount() -> int:
    return 2 if fault("two") or fault("two-kinds") else 1


def nvmlDeviceGetName(handle: str) -> str:
    return f"GPU {handle}" if fault("two-kinds") else "GPU"


def nvmlDeviceGetUUID(handle: str) -> str:
    return f"GPU-{int(handle[-1]) + 1}{handle[-1]}"


def nvmlDeviceGetPciInfo(handle: str) -> Any:
    return SimpleNamespace(busId=f"00000000:0{handle[-1]}:00.0")


def nvmlDeviceGetHandleByPciBusId(bus: bytes) -> str:
    return f"gpu at {bus.decode()}"


def _set(what: str, *numbers: int) -> None:
    if fault("no-permission"):
        raise NVMLError(NVML_ERROR_NO_PERMISSION)
    if fault("not-supported") or fault(f"{what}-not-supported"):
        raise NVMLError(NVML_ERROR_NOT_SUPPORTED)
    if fault(f"{what}-lost"):
        raise NVMLError(NVML_ERROR_GPU_IS_LOST)
    if fault(f"{what}-hangs"):
        (GPU / "hung").write_text(str(os.getpid()))
        time.sleep(600)
    _log(" ".join([what, *map(str, numbers)]))


def nvmlDeviceSetGpuLockedClocks(handle: str, low: int, high: int) -> None:
    _set("lock-sm", low, high)
    (GPU / "locked").write_text(f"{low}")


def nvmlDeviceSetMemoryLockedClocks(handle: str, low: int, high: int) -> None:
    _set("lock-memory", low, high)


def nvmlDeviceResetGpuLockedClocks(handle: str) -> None:
    _set("reset-sm")
    (GPU / "locked").unlink(missing_ok=True)


def nvmlDeviceResetMemoryLockedClocks(handle: str) -> None:
    _set("reset-memory")


def nvmlDeviceGetDefaultApplicationsClock(handle: str, kind: int) -> int:
    return {NVML_CLOCK_SM: 1500, NVML_CLOCK_MEM: 2619}[kind]


def nvmlDeviceGetMaxClockInfo(handle: str, kind: int) -> int:
    return {NVML_CLOCK_SM: 1980, NVML_CLOCK_MEM: 3201}[kind]


def nvmlDeviceGetClockInfo(handle: str, kind: int) -> int:
    if kind == NVML_CLOCK_MEM:
        return 2619
    locked = GPU / "locked"
    return int(locked.read_text()) if locked.exists() and not fault("not-held") else 1755


def nvmlDeviceGetComputeRunningProcesses(handle: str) -> list[Any]:
    return [SimpleNamespace(pid=1)] if fault("shared") else []


def nvmlDeviceGetGraphicsRunningProcesses(handle: str) -> list[Any]:
    with (GPU / "reads").open("a") as file:
        file.write("x")  # the last that a sample asks for
    return []


def nvmlDeviceGetPerformanceState(handle: str) -> int:
    return 2


def nvmlDeviceGetPowerUsage(handle: str) -> int:
    return 90_000


def nvmlDeviceGetMigMode(handle: str) -> list[int]:
    if fault("slices"):
        return [1, 1]
    raise NVMLError(NVML_ERROR_NOT_SUPPORTED)


def nvmlDeviceGetTemperature(handle: str, kind: int) -> int:
    return 40


def nvmlDeviceGetUtilizationRates(handle: str) -> Any:
    return SimpleNamespace(gpu=90)


def nvmlDeviceGetCurrentClocksEventReasons(handle: str) -> int:
    return 0x20 if fault("thermal") else 0
