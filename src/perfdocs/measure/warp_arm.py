"""What arms written in NVIDIA Warp share: one recorded launch over planes on the device.

The launch is recorded once and replayed, Warp's own way to spare the packing of arguments; for a single kernel a
captured graph would spare nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .arm import Context, Prepared
from .packages import open_warp

__all__ = ["WarpArm"]

THREADS = 64  # a block: small, so that a small batch spreads over many SMs


class WarpArm(Prepared):
    """A kernel over ``dim`` threads, inputs before outputs.

    ``kernel`` makes it once Warp is open; ``inputs`` are host arrays, ``outputs`` pairs of a shape and the name of a
    type.
    """

    def __init__(
        self,
        context: Context,
        kernel: Callable[[], Any],
        dim: int,
        inputs: Sequence[npt.NDArray[Any]],
        outputs: Sequence[tuple[tuple[int, ...], str]],
        threads: int = THREADS,
    ) -> None:
        self._warp, self._device = warp, device = open_warp(context.kind, context.build)
        self._hosts, self._before = tuple(inputs), self._in_use()
        self._inputs = [warp.array(host, dtype=getattr(warp, host.dtype.name), device=device) for host in inputs]
        self._outputs = [warp.empty(shape, dtype=getattr(warp, name), device=device) for shape, name in outputs]
        self._launch = warp.launch(
            kernel(),
            dim=dim,
            inputs=self._inputs,
            outputs=self._outputs,
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
        """Upload from ordinary host arrays, launch, download into new ones."""
        for plane, host in zip(self._inputs, self._hosts, strict=True):
            plane.assign(host)
        self._launch.launch()
        self.planes()

    def planes(self) -> list[npt.NDArray[Any]]:
        """The outputs in host memory."""
        return [np.array(plane.numpy()) for plane in self._outputs]

    def device_memory(self) -> int | None:
        """What Warp's memory pool gave out since the arm was prepared."""
        now = self._in_use()
        return None if now is None or self._before is None else max(0, now - self._before)

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self._launch = none
        self._inputs, self._outputs = [], []
