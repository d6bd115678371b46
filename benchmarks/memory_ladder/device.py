"""The arms on a GPU: the ladder's reads and the five streams, over one buffer that is kept from point to point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Point, Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy
from perfdocs.measure.words import PERIOD

from .ladder import MOST_BYTE_AT_ALL_WARPS, REACH, Ladder
from .streams import KERNELS, SCALAR, Result, Streams

HERE = Path(__file__).parent
BLOCK_WARPS = 32  # the largest block: an SM with so many warps or fewer has one block, with more it has two
FILL_BLOCKS_AN_SM, FILL_THREADS = 8, 256
# Of the streams: threads of a block, and pairs of doubles that a thread loads before it computes, over all arrays read.
SHAPES = {"copy": (128, 2), "scale": (128, 2), "add": (256, 2), "triad": (512, 2), "dot": (1024, 8)}
DOT_BLOCKS_AN_SM = 2
EVICT = 1


@cache
def kernel(file: str, name: str, *options: str) -> Any:
    """A kernel of ``file``, compiled for this device."""
    options = ("--std=c++17", *options)
    return import_cupy().RawModule(code=inlined(HERE / file), options=options, backend="nvrtc").get_function(name)


@lru_cache(maxsize=1)
def space(size: int) -> Any:
    """``size`` byte on the device, kept for the next point: taking GiB from the driver lasts longer than a run."""
    return import_cupy().empty(size, dtype=np.uint8)


def warps_limit(at: Point) -> str | None:
    """Why the device cannot hold so many warps on an SM, if it cannot."""
    most = import_cupy().cuda.Device().attributes.get("MaxThreadsPerMultiProcessor", 2048) // 32
    return f"an SM of this device holds {most} warps" if int(at.get("warps", 1)) > most else None


class DeviceArm(Prepared):
    """Kernels on the current stream, which :meth:`run` waits for."""

    def __init__(self, context: Context) -> None:
        self.cupy, self.sm_count = import_cupy(), context.sm_count or 1
        self._stream = self.cupy.cuda.get_current_stream()

    def launch(self) -> None:
        """Put a run on the stream."""
        raise NotImplementedError

    def run(self) -> None:
        """Launch and wait."""
        self.launch()
        self._stream.synchronize()

    def device_memory(self) -> int | None:
        """What CuPy's pool holds."""
        return int(self.cupy.get_default_memory_pool().total_bytes())


class Read(DeviceArm):
    """The ladder's kernel with as many blocks as make the wanted warps resident, all at once."""

    def __init__(self, problem: Ladder, context: Context) -> None:
        super().__init__(context)
        self._problem = problem
        self._kernel = kernel(
            "ladder.cu",
            "ladder_read",
            f"-DLADDER_WIDTH={problem.width}",
            f"-DLADDER_LOADS={problem.loads}",
            f"-DLADDER_STRIDE={problem.stride}",
            f"-DLADDER_BLOCKS={2 if problem.width * problem.loads <= MOST_BYTE_AT_ALL_WARPS else 1}",
        )
        blocks_an_sm = -(-problem.warps // BLOCK_WARPS)
        self._grid = (self.sm_count * blocks_an_sm,)
        self._block = (32 * problem.warps // blocks_an_sm,)
        self._sums = self.cupy.empty(self.sm_count * 32 * problem.warps, dtype=np.uint32)
        buffer = space(REACH)
        fill = kernel(
            "ladder.cu",
            "ladder_fill",
            "-DLADDER_WIDTH=16",
            "-DLADDER_LOADS=1",
            "-DLADDER_STRIDE=1",
            "-DLADDER_BLOCKS=1",
        )
        fill((2 * self.sm_count,), (1024,), (buffer, np.uint64(problem.region // 16)))
        end = problem.readings * problem.accesses * problem.apart
        shift = problem.region.bit_length() - 1
        self._arguments = (buffer, np.uint64(end), np.int32(shift), np.uint64(problem.passes - 1), self._sums)

    def launch(self) -> None:
        """One wave."""
        self._kernel(self._grid, self._block, self._arguments)

    def result(self) -> int:
        """The sum of the words that all threads read, modulo 2³²."""
        return int(self._sums.get().sum(dtype=np.uint64)) % 2**32

    def counts(self) -> Mapping[str, float]:
        """Bytes in flight on the whole device: threads × loads × width."""
        return {"in_flight_byte": self.sm_count * self._problem.in_flight}


class Stream(DeviceArm):
    """One of BabelStream's kernels, launched for every pass back to back."""

    def __init__(
        self,
        name: str,
        problem: Streams,
        context: Context,
        *,
        threads: int | None = None,
        loads: int | None = None,
        evict: int = EVICT,
        dot_blocks: int = DOT_BLOCKS_AN_SM,
    ) -> None:
        super().__init__(context)
        self._name, self._problem = name, problem
        threads, loads = threads or SHAPES[name][0], loads or SHAPES[name][1]
        vectors = loads // KERNELS[name].read
        options = (f"-DSTREAM_THREADS={threads}", f"-DSTREAM_VECTORS={vectors}", f"-DSTREAM_EVICT={evict}")
        self._kernel = kernel("streams.cu", f"stream_{name}", *options)
        n, pairs = problem.n, problem.n // 2
        arrays = space(REACH)[: 24 * n].view(np.float64)
        self._x, self._y, self._z = arrays[:n], arrays[n : 2 * n], arrays[2 * n :]
        kernel("streams.cu", "stream_fill", *options)(
            (self.sm_count * FILL_BLOCKS_AN_SM,), (threads,), (self._x, self._y, np.uint64(pairs))
        )
        self._z.fill(0.0)
        self._block = (threads,)
        self._grid = (self.sm_count * dot_blocks if name == "dot" else pairs // (threads * vectors),)
        self._parts = self.cupy.empty(self._grid if name == "dot" else 1, dtype=np.float64)
        out = (self._parts, np.uint64(pairs)) if name == "dot" else (self._z, np.float64(SCALAR))
        self._arguments = (self._x, self._y, *out)
        self._total = 0.0

    def launch(self) -> None:
        """Every pass; the host adds up the parts of a dot product, as it does in BabelStream."""
        for _ in range(self._problem.passes):
            self._kernel(self._grid, self._block, self._arguments)
        if self._name == "dot":
            self._total = float(self._parts.get().sum())

    def result(self) -> Result:
        """The sum over z, by CuPy, and its last period."""
        if self._name == "dot":
            return Result(self._name, self._total, None)
        return Result(self._name, float(self._z.sum()), self._z[-PERIOD:].get())

    def counts(self) -> Mapping[str, float]:
        """Bytes of a run."""
        return self._problem.counts(self._name)

    def close(self) -> None:
        """Drop the arrays; the buffer they are parts of is kept."""
        none: Any = None
        self._x = self._y = self._z = self._arguments = none
