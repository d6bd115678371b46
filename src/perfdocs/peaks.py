"""Peaks of a device, computed from its recorded facts: rates per second at the rated (maximum) clock.

A peak that the facts do not allow is absent, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass

from .card import Device

__all__ = ["PEAKS", "Peak", "peak"]

PEAKS = {
    "dram": "byte/s",
    "fp16": "flop/s",
    "fp32": "flop/s",
    "fp64": "flop/s",
    "int32": "op/s",
    "tensor_fp16": "flop/s",
    "tensor_bf16": "flop/s",
    "tensor_tf32": "flop/s",
    "tensor_fp64": "flop/s",
}
"""The unit of each peak. ``fp16`` is of packed pairs, ``int32`` of multiply-adds, ``tensor_…`` of dense matrices."""

# Multiply-adds a cycle and SM, a lane each: CUDA C++ Best Practices Guide, "Throughput of Native Arithmetic
# Instructions"; None where it says "multiple instructions" or sources differ. A lane of FP16 takes a pair: the guide
# counts results in its older editions, two a lane. FP16 at 8.0 to 9.0 and 12.0 agrees with the rates published outside
# of the matrix units: A100 78, RTX 3080 29.8, RTX 4090 82.6, H100 133.8 Tflop/s, RTX 5090 that of FP32.
_LANES: dict[tuple[int, int], dict[str, int | None]] = {
    (6, 0): {"fp16": 64, "fp32": 64, "fp64": 32, "int32": None},
    (6, 1): {"fp16": 1, "fp32": 128, "fp64": 4, "int32": None},
    (6, 2): {"fp16": 128, "fp32": 128, "fp64": 4, "int32": None},
    (7, 0): {"fp16": 64, "fp32": 64, "fp64": 32, "int32": 64},
    (7, 2): {"fp16": 64, "fp32": 64, "fp64": 32, "int32": 64},
    (7, 5): {"fp16": 64, "fp32": 64, "fp64": 2, "int32": 64},
    (8, 0): {"fp16": 128, "fp32": 64, "fp64": 32, "int32": 64},
    (8, 6): {"fp16": 64, "fp32": 128, "fp64": 2, "int32": 64},
    (8, 7): {"fp16": None, "fp32": 128, "fp64": 2, "int32": 64},
    (8, 9): {"fp16": 64, "fp32": 128, "fp64": 2, "int32": 64},
    (9, 0): {"fp16": 128, "fp32": 128, "fp64": 64, "int32": 64},
    (10, 0): {"fp16": None, "fp32": 128, "fp64": 64, "int32": 64},
    (10, 3): {"fp16": None, "fp32": 128, "fp64": 2, "int32": None},
    (11, 0): {"fp16": None, "fp32": 128, "fp64": 2, "int32": None},
    (12, 0): {"fp16": 64, "fp32": 128, "fp64": 2, "int32": 64},
    (12, 1): {"fp16": 64, "fp32": 128, "fp64": 2, "int32": 64},
}
_WORK = {"fp16": (4, "flop"), "fp32": (2, "flop"), "fp64": (2, "flop"), "int32": (2, "op")}
# Operations of dense matrices a cycle and SM, from the published rate over SMs and the boost clock that it is told for:
# V100 SXM2 125 Tflop/s FP16 (80 SMs, 1530 MHz); A100 312 FP16 and BF16, 156 TF32, 19.5 FP64 (108 SMs, 1410 MHz); H100
# SXM 989.4 FP16 and BF16, 494.7 TF32 (132 SMs, 1830 MHz), 66.9 FP64 (1980 MHz). The rated clock of an H100 or H200 is
# 1980 MHz, so that the peaks here are 8 % above the published ones but for FP64. Devices of 7.5, 8.6, 8.9 and 12.x are
# left out: sums in FP32 have the full rate on some of them and half of it on others of the same compute capability.
_MATRIX = {
    (7, 0): {"tensor_fp16": 1024},
    (8, 0): {"tensor_fp16": 2048, "tensor_bf16": 2048, "tensor_tf32": 1024, "tensor_fp64": 128},
    (9, 0): {"tensor_fp16": 4096, "tensor_bf16": 4096, "tensor_tf32": 2048, "tensor_fp64": 256},
}
# 64-bit lanes of a vector register; two fused multiply-add units a core are assumed and said so
_SIMD = {"avx512": 8, "avx2": 4, "avx": 4, "neon": 2, "sse2": 2}


@dataclass(frozen=True, slots=True)
class Peak:
    """A rate in SI units (that of :data:`PEAKS`) and the formula it was computed by."""

    rate: float
    formula: str


def peak(device: Device, key: str) -> Peak | None:
    """The peak called ``key``, one of :data:`PEAKS`, or ``None`` where facts lack."""
    if key == "dram":
        if device.max_memory_clock and device.memory_bus_width:
            return Peak(2 * device.max_memory_clock * device.memory_bus_width / 8, "2 × memory clock × bus width / 8")
        return None
    if device.max_clock is None:
        return None
    return _gpu(device, device.max_clock, key) if device.kind == "gpu" else _cpu(device, device.max_clock, key)


def _gpu(device: Device, clock: float, key: str) -> Peak | None:
    capability = device.compute_capability or (0, 0)
    if device.sm_count is None:
        return None
    if operations := _MATRIX.get(capability, {}).get(key):
        return Peak(float(operations) * device.sm_count * clock, f"{operations} flop × SM count × SM clock")
    if lanes := _LANES.get(capability, {}).get(key):
        work, unit = _WORK[key]
        return Peak(
            float(work) * lanes * device.sm_count * clock, f"{work} {unit} × {lanes} lanes × SM count × SM clock"
        )
    return None


def _cpu(device: Device, clock: float, key: str) -> Peak | None:
    width = _SIMD.get(device.simd or "", 0) * {"fp32": 2, "fp64": 1}.get(key, 0)
    if not width or device.cores is None:
        return None
    return Peak(2.0 * 2 * width * device.cores * clock, f"2 flop × 2 units (assumed) × {width} lanes × cores × clock")
