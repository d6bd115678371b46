"""What the GPU arms share: the compiled kernels, and memory that points use one after the other."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.chains import Element
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy

from .problems import Words

HERE = Path(__file__).parent
THREADS = 256  # a block
BATCH = 16  # words that a thread has on their way


@lru_cache(maxsize=64)
def module(name: str, *defines: str) -> Any:
    """A file of kernels, compiled for this device with the given ``NAME=VALUE`` definitions."""
    options = ("--std=c++17", *(f"-D{define}" for define in defines))
    return import_cupy().RawModule(code=inlined(HERE / name), options=options, backend="nvrtc")


def memory_kernel(pattern: str, lanes: int, batch: int = BATCH, threads: int = THREADS) -> Any:
    """The kernel of a pattern over vectors of so many words."""
    values = {"LANES": lanes, "BATCH": batch, "THREADS": threads}
    defines = [f"PEAKS_{key}={value}" for key, value in values.items()]
    return module("memory.cu", *defines).get_function(f"peaks_{pattern}")


def fill(words: Any, element: Element) -> None:
    """Fill an array of words on the device with those of a type, from the place 0 on."""
    module("small.cu").get_function("peaks_fill")((4096,), (THREADS,), (words, np.uint64(words.size), *element.bits))


@lru_cache(maxsize=1)
def room(words: int) -> Any:
    """An array on the device; allocating gigabytes takes long, so the last one is kept."""
    return import_cupy().empty(words, np.uint32)


@lru_cache(maxsize=2)
def pinned(words: int, which: int) -> Words:  # noqa: ARG001 - two of them are there at a time
    """Words of page-locked host memory, which a kernel can use too."""
    return np.frombuffer(import_cupy().cuda.alloc_pinned_memory(4 * words), np.uint32, words)


@lru_cache(maxsize=1)
def stream() -> Any:
    """The stream of every arm.

    One for all: once a process has put work on a third, each node of a graph takes longer (on an H200 0.69 µs, not
    0.51).
    """
    # It waits for the default stream, where arrays are made, and the default stream for it.
    return import_cupy().cuda.Stream()


class DeviceArm(Prepared):
    """An arm of the GPU; a subclass says how to launch."""

    def __init__(self, context: Context) -> None:
        self.cupy = import_cupy()
        self.sm_count = context.sm_count or 1
        self.stream = stream()

    def launch(self) -> None:
        """Put the work on :attr:`stream`."""
        raise NotImplementedError

    def run(self) -> None:
        """Launch and wait."""
        with self.stream:
            self.launch()
            self.stream.synchronize()
