"""NVIDIA Warp: one launch; each thread runs its orbit to the end, its state in registers.

The launch is recorded once and replayed, Warp's own way to spare the packing of arguments; for a single kernel a
captured graph would spare nothing more.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from perfdocs.measure.arm import Cannot, Context, Prepared

from ..lines import lines_of_code
from ..workload import USEFUL_BYTE, Problem, Result

PACKAGES = ("warp",)
THREADS = 64  # a block: small, so that a small batch spreads over many SMs


@cache
def open_warp(kind: str, build: str) -> tuple[Any, Any]:
    """Warp and the device to use. Raises :class:`Cannot` where there is no Warp or no such device."""
    os.environ.setdefault("WARP_CACHE_PATH", build)
    try:
        import warp
    except ImportError:
        raise Cannot("not_installed", "Warp is not installed (warp-lang)") from None
    warp.config.log_level = warp.LOG_WARNING  # a greeting on standard output would stand between the progress lines
    warp.init()
    if kind == "gpu" and not warp.is_cuda_available():
        raise Cannot("unsupported", "Warp sees no GPU")
    return warp, warp.get_device("cuda:0" if kind == "gpu" else "cpu")


class Arm(Prepared):
    """The recorded launch over one problem."""

    def __init__(self, problem: Problem, context: Context, *, threads: int = THREADS) -> None:
        self._warp, self._device = warp, device = open_warp(context.kind, str(context.build / "warp"))
        from ..warp_step import rk78_warp

        self.problem = problem
        self._before = self._in_use()
        self._start = warp.array(problem.start, dtype=warp.float64, device=device)
        self._end = warp.empty((7, problem.n), dtype=warp.float64, device=device)
        self._counts = [warp.empty(problem.n, dtype=warp.int32, device=device) for _ in range(2)]
        self._launch = warp.launch(
            rk78_warp,
            dim=problem.n,
            inputs=[self._start],
            outputs=[self._end, *self._counts],
            device=device,
            block_dim=threads,
            record_cmd=True,
        )

    def _in_use(self) -> int | None:
        device = self._device
        if not (device.is_cuda and device.is_mempool_supported and device.is_mempool_enabled):
            return None
        return int(self._warp.get_mempool_used_mem_current(device))

    def run(self) -> None:
        """Launch and wait."""
        self._launch.launch()
        self._warp.synchronize_device(self._device)

    def end_to_end(self) -> None:
        """Upload from an ordinary host array, launch, download into new ones."""
        self._start.assign(self.problem.start)
        self._launch.launch()
        self.result()

    def result(self) -> Result:
        """The outputs in host memory."""
        return Result(*(np.array(plane.numpy()) for plane in (self._end, *self._counts)))

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once."""
        return {
            "issued_byte": USEFUL_BYTE * self.problem.n,
            "code_lines": lines_of_code("arms/warp_kernel.py", "warp_step.py", "tableau.py"),
        }

    def device_memory(self) -> int | None:
        """What Warp's memory pool gave out since the arm was prepared."""
        now = self._in_use()
        return None if now is None or self._before is None else max(0, now - self._before)

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self._launch = self._start = self._end = none
        self._counts = []


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
