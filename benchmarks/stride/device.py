"""The arm on a GPU: all arrays in one launch, a column of blocks each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy

from .workload import DEVICE_BYTE, LANES, Problem, Result

HERE = Path(__file__).parent
THREADS = 256
LOADS, IN_FLIGHT = 8, 64  # that a thread has in flight at most, and their byte


@cache
def kernel(name: str, *defines: str) -> Any:
    """A kernel of ``stride.cu``, compiled for this device."""
    options = ("--std=c++17", *(f"-D{define}" for define in defines))
    return (
        import_cupy().RawModule(code=inlined(HERE / "stride.cu"), options=options, backend="nvrtc").get_function(name)
    )


@lru_cache(maxsize=1)
def filled(size: int, sm_count: int) -> Any:
    """``size`` byte of random words on the device, kept for the next point."""
    buffer = import_cupy().empty(size, dtype=np.uint8)
    fill = kernel("stride_fill", "STRIDE_INTS=4", "STRIDE_LOADS=1")
    fill((8 * sm_count,), (THREADS,), (buffer, np.uint64(size // 16)))
    return buffer


class Walk(Prepared):
    """Arrays of 8 GiB together, one after the other in memory, each read once."""

    def __init__(
        self,
        problem: Problem,
        context: Context,
        *,
        most: int = LOADS,
        in_flight: int = IN_FLIGHT,
        total: int = DEVICE_BYTE,
    ) -> None:
        cupy, sm_count = import_cupy(), context.sm_count or 1
        self._stream = cupy.cuda.get_current_stream()
        self._read = total
        arrays = total // (4 * problem.words)
        loads = max(1, min(most, in_flight // (4 * problem.ints)))
        self._kernel = kernel("stride_read", f"STRIDE_INTS={problem.ints}", f"STRIDE_LOADS={loads}")
        self._grid = (problem.threads // THREADS, arrays)
        self._sums = cupy.empty(arrays * problem.threads // LANES, dtype=np.uint32)
        self._arguments = (filled(total, sm_count), np.int32(problem.shift), self._sums)

    def run(self) -> None:
        """Launch and wait."""
        self._kernel(self._grid, (THREADS,), self._arguments)
        self._stream.synchronize()

    def result(self) -> Result:
        """The sums of the warps."""
        return Result(self._sums.get())

    def counts(self) -> Mapping[str, float]:
        """Every array is read once."""
        return {"useful_byte": self._read, "footprint_byte": self._read}

    def device_memory(self) -> int | None:
        """What CuPy's pool holds."""
        return int(import_cupy().get_default_memory_pool().total_bytes())
