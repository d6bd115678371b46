"""Peaks from recorded facts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perfdocs.card import Device
from perfdocs.peaks import PEAKS, peak

H200 = Device(
    id="h200",
    kind="gpu",
    name="H200",
    sm_count=132,
    compute_capability=(9, 0),
    max_clock=1.98e9,
    memory_bus_width=6016,
    max_memory_clock=3.201e9,
)
CPU = Device(id="cpu", kind="cpu", name="CPU", cores=8, simd="avx512", max_clock=3e9)


def rate(device: Device, key: str, **changes: Any) -> float | None:
    """The peak's rate, or None."""
    found = peak(replace(device, **changes), key)
    return found.rate if found else None


def test_an_h200() -> None:
    assert rate(H200, "fp64") == pytest.approx(132 * 64 * 2 * 1.98e9)
    assert rate(H200, "fp64") == pytest.approx(33.5e12, rel=2e-3)
    assert rate(H200, "fp32") == pytest.approx(66.9e12, rel=2e-3)
    assert rate(H200, "dram") == pytest.approx(6016 * 2 * 3.201e9 / 8)
    assert rate(H200, "dram") == pytest.approx(4.81e12, rel=2e-3)


@pytest.mark.parametrize(
    ("capability", "fp32", "fp64"),
    [((6, 1), 128, 4), ((7, 0), 64, 32), ((8, 0), 64, 32), ((8, 9), 128, 2), ((12, 0), 128, 2)],
)
def test_lanes_by_compute_capability(capability: tuple[int, int], fp32: int, fp64: int) -> None:
    found = [rate(H200, key, compute_capability=capability, sm_count=1, max_clock=1.0) for key in ("fp32", "fp64")]
    assert found == [2 * fp32, 2 * fp64]


def test_a_cpu_by_its_vector_width() -> None:
    assert rate(CPU, "fp64") == pytest.approx(2 * 2 * 8 * 8 * 3e9)
    assert rate(CPU, "fp32") == pytest.approx(2 * 2 * 16 * 8 * 3e9)
    assert rate(CPU, "fp64", simd="neon") == pytest.approx(2 * 2 * 2 * 8 * 3e9)
    found = peak(CPU, "fp64")
    assert found is not None
    assert "assumed" in found.formula


@pytest.mark.parametrize(
    ("device", "key", "changes"),
    [
        (H200, "fp64", {"compute_capability": (99, 0)}),
        (H200, "fp64", {"compute_capability": None}),
        (H200, "fp64", {"sm_count": None}),
        (H200, "fp32", {"max_clock": None}),
        (H200, "dram", {"memory_bus_width": None}),
        (H200, "dram", {"memory_bus_width": 0}),
        (H200, "dram", {"max_memory_clock": None}),
        (CPU, "fp64", {"simd": "rvv"}),
        (CPU, "fp64", {"simd": None}),
        (CPU, "fp64", {"cores": None}),
        (CPU, "fp64", {"max_clock": None}),
        (CPU, "dram", {}),
        (H200, "fp4", {}),
    ],
)
def test_facts_that_lack_give_no_peak(device: Device, key: str, changes: dict[str, Any]) -> None:
    assert rate(device, key, **changes) is None


def test_every_peak_has_its_formula() -> None:
    for key in PEAKS:
        found = peak(H200, key)
        assert found is not None
        assert "clock" in found.formula
