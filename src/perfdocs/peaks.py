"""Peaks of a device, computed from its recorded facts: rates per second at the rated (maximum) clock.

Lanes of an SM per compute capability: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
A peak that the facts do not allow is absent, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass

from .card import Device

__all__ = ["PEAKS", "Peak", "peak"]

PEAKS = ("dram", "fp32", "fp64")

# (FP32, FP64) fused multiply-adds a cycle and SM
_LANES = {
    (6, 0): (64, 32),
    (6, 1): (128, 4),
    (6, 2): (128, 4),
    (7, 0): (64, 32),
    (7, 2): (64, 32),
    (7, 5): (64, 2),
    (8, 0): (64, 32),
    (8, 6): (128, 2),
    (8, 7): (128, 2),
    (8, 9): (128, 2),
    (9, 0): (128, 64),
    (10, 0): (128, 64),
    (10, 3): (128, 2),
    (11, 0): (128, 2),
    (12, 0): (128, 2),
    (12, 1): (128, 2),
}
# 64-bit lanes of a vector register; two fused multiply-add units a core are assumed and said so
_SIMD = {"avx512": 8, "avx2": 4, "avx": 4, "neon": 2, "sse2": 2}


@dataclass(frozen=True, slots=True)
class Peak:
    """A rate in SI units (flop/s or byte/s) and the formula it was computed by."""

    rate: float
    formula: str


def peak(device: Device, key: str) -> Peak | None:
    """The peak called ``key`` (``fp64``, ``fp32`` in flop/s, ``dram`` in byte/s), or ``None`` where facts lack."""
    if key == "dram":
        if device.max_memory_clock and device.memory_bus_width:
            return Peak(2 * device.max_memory_clock * device.memory_bus_width / 8, "2 × memory clock × bus width / 8")
        return None
    if key not in ("fp32", "fp64") or device.max_clock is None:
        return None
    if device.kind == "gpu":
        lanes = _LANES.get(device.compute_capability or (0, 0))
        if lanes is None or device.sm_count is None:
            return None
        width = lanes[0] if key == "fp32" else lanes[1]
        return Peak(2.0 * width * device.sm_count * device.max_clock, f"2 flop × {width} lanes × SM count × SM clock")
    width = _SIMD.get(device.simd or "", 0) * (2 if key == "fp32" else 1)
    if not width or device.cores is None:
        return None
    return Peak(
        2.0 * 2 * width * device.cores * device.max_clock, f"2 flop × 2 units (assumed) × {width} lanes × cores × clock"
    )
