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


@pytest.mark.parametrize(
    ("capability", "fp16", "int32"),
    [
        ((6, 0), 64, None),
        ((6, 1), 1, None),
        ((7, 5), 64, 64),
        ((8, 0), 128, 64),
        ((8, 6), 64, 64),
        ((8, 7), None, 64),
        ((9, 0), 128, 64),
        ((12, 0), 64, 64),
    ],
)
def test_pairs_of_halves_and_integers(capability: tuple[int, int], fp16: int | None, int32: int | None) -> None:
    found = [rate(H200, key, compute_capability=capability, sm_count=1, max_clock=1.0) for key in ("fp16", "int32")]
    assert found == [fp16 and 4 * fp16, int32 and 2 * int32]


PUBLISHED = [
    ((7, 0), 80, 1.53e9, {"tensor_fp16": 125e12}),
    ((8, 0), 108, 1.41e9, {"fp16": 78e12, "tensor_fp16": 312e12, "tensor_bf16": 312e12}),
    ((8, 0), 108, 1.41e9, {"tensor_tf32": 156e12, "tensor_fp64": 19.5e12}),
    ((9, 0), 132, 1.83e9, {"tensor_fp16": 989.4e12, "tensor_bf16": 989.4e12, "tensor_tf32": 494.7e12}),
    ((9, 0), 132, 1.98e9, {"tensor_fp64": 66.9e12, "fp16": 133.8e12, "int32": 33.5e12}),
    ((8, 6), 68, 1.71e9, {"fp16": 29.8e12}),
    ((8, 9), 128, 2.52e9, {"fp16": 82.6e12}),
]


@pytest.mark.parametrize(("capability", "sms", "clock", "published"), PUBLISHED)
def test_rates_are_the_published_ones_at_the_clock_they_are_told_for(
    capability: tuple[int, int], sms: int, clock: float, published: dict[str, float]
) -> None:
    for key, number in published.items():
        found = rate(H200, key, compute_capability=capability, sm_count=sms, max_clock=clock)
        assert found == pytest.approx(number, rel=3e-3)


@pytest.mark.parametrize("capability", [(7, 5), (8, 6), (8, 9), (12, 0)])
def test_matrix_peaks_that_differ_within_a_compute_capability_are_absent(capability: tuple[int, int]) -> None:
    assert rate(H200, "tensor_fp16", compute_capability=capability) is None


def test_formulas_say_what_is_counted() -> None:
    found = [peak(H200, key) for key in ("fp16", "int32", "tensor_tf32")]
    assert [one.formula if one else "" for one in found] == [
        "4 flop × 128 lanes × SM count × SM clock",
        "2 op × 64 lanes × SM count × SM clock",
        "2048 flop × SM count × SM clock",
    ]


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
        (H200, "tensor_fp16", {"compute_capability": (99, 0)}),
        (H200, "int32", {"compute_capability": (10, 3)}),
        (CPU, "int32", {}),
        (CPU, "fp16", {}),
        (CPU, "tensor_fp64", {}),
    ],
)
def test_facts_that_lack_give_no_peak(device: Device, key: str, changes: dict[str, Any]) -> None:
    assert rate(device, key, **changes) is None


def test_every_peak_has_its_formula() -> None:
    for key in PEAKS:
        found = peak(H200, key)
        assert found is not None
        assert "clock" in found.formula
