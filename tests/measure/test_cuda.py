"""CUDA and NVML behind the edges, on stand-ins for CuPy and pynvml."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from perfdocs.measure.cuda import open_gpu, open_nvml
from perfdocs.measure.edges import NvmlError


class NVMLError(Exception):
    def __init__(self, value: int) -> None:
        self.value = value
        super().__init__(f"error {value}")


def stand_in(**changes: Any) -> Any:
    """A pynvml of one device; a value that is an exception is raised."""
    answers: dict[str, Any] = {
        "nvmlInit": None,
        "nvmlSystemGetDriverVersion": b"580.1",
        "nvmlDeviceGetHandleByIndex": "handle",
        "nvmlDeviceGetName": b"NVIDIA Made Up",
        "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=2**34),
        "nvmlDeviceGetMemoryBusWidth": 6016,
        "nvmlDeviceGetMaxClockInfo": 1980,
        "nvmlDeviceGetClockInfo": 1755,
        "nvmlDeviceGetEnforcedPowerLimit": 700_000,
        "nvmlDeviceGetEccMode": [1, 1],
        "nvmlDeviceGetMigMode": NVMLError(3),
        "nvmlDeviceGetTemperature": 31,
        "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=50),
        "nvmlDeviceGetCurrentClocksEventReasons": 0x1 | 0x4 | 0x40,
    } | changes
    module: Any = ModuleType("pynvml")
    module.NVMLError = NVMLError
    module.NVML_ERROR_NOT_SUPPORTED = 3
    module.NVML_CLOCK_SM, module.NVML_CLOCK_MEM, module.NVML_TEMPERATURE_GPU = 1, 2, 0

    def answer(value: Any) -> Any:
        def call(*_: Any) -> Any:
            if isinstance(value, Exception):
                raise value
            return value

        return call

    for name, value in answers.items():
        setattr(module, name, answer(value))
    return module


def opened(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Any:
    monkeypatch.setitem(sys.modules, "pynvml", stand_in(**changes))
    return open_nvml()


def test_readings_are_in_si_units(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = opened(monkeypatch)
    assert (nvml.sm_clock(), nvml.memory_clock(), nvml.temperature(), nvml.utilisation()) == (1.755e9, 1.755e9, 31, 0.5)
    facts = nvml.facts()
    assert (facts.max_clock, facts.power_limit, facts.driver) == (1.98e9, 700.0, "580.1")
    assert (facts.ecc, facts.mig) == (True, None)
    assert (facts.memory, facts.memory_bus_width) == (2**34, 6016)


def test_idleness_is_no_throttling(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(monkeypatch).throttle() == ("power_cap", "hardware_thermal")
    assert opened(monkeypatch, nvmlDeviceGetCurrentClocksEventReasons=1).throttle() == ()


def test_a_fact_that_is_refused_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = opened(monkeypatch, nvmlDeviceGetEccMode=NVMLError(3), nvmlDeviceGetEnforcedPowerLimit=NVMLError(3)).facts()
    assert (facts.ecc, facts.power_limit) == (None, None)


def test_utilisation_that_is_not_told_counts_as_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(monkeypatch, nvmlDeviceGetUtilizationRates=NVMLError(3)).utilisation() == 0.0
    with pytest.raises(NvmlError, match="stopped answering"):
        opened(monkeypatch, nvmlDeviceGetUtilizationRates=NVMLError(15)).utilisation()


@pytest.mark.parametrize("missing", ["nvmlInit", "nvmlDeviceGetClockInfo", "nvmlDeviceGetTemperature"])
def test_an_nvml_that_does_not_start_is_a_reason(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    assert opened(monkeypatch, **{missing: NVMLError(9)}).startswith("NVML does not start")


def test_what_is_not_installed_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert open_nvml() == "nvidia-ml-py is not installed"
    assert open_gpu() == "CuPy is not installed"
