"""So many threads on every SM and no more, each with so many independent chains."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Point, Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy

from ..workload import Ends, Problem

HERE = Path(__file__).parent.parent
BODY = 256  # multiply-adds in the loop's body
BLOCK = 1024  # threads that a block can have
LATENCY_STEPS = 2**14


@lru_cache(maxsize=64)
def module(*defines: str) -> Any:
    """``chains.cu``, compiled for this device with the given ``NAME=VALUE`` definitions."""
    options = ("--std=c++17", *(f"-DPARALLELISM_{define}" for define in defines))
    return import_cupy().RawModule(code=inlined(HERE / "chains.cu"), options=options, backend="nvrtc")


def attribute(name: str, otherwise: int) -> int:
    """A number of the device."""
    return int(import_cupy().cuda.Device().attributes.get(name, otherwise))


class Arm(Prepared):
    """One launch of one wave. Shared memory that is not used keeps every SM from taking more than its blocks."""

    def __init__(self, problem: Problem, context: Context, *, body: int = BODY) -> None:
        cupy = import_cupy()
        self._problem, self._stream = problem, cupy.cuda.Stream()
        an_sm = -(-problem.threads // BLOCK)
        self._grid, self._block = (context.sm_count or 1) * an_sm, problem.threads // an_sm
        self._sums = cupy.zeros(self._grid * self._block, np.uint32)
        element = problem.element
        defines = (f"TYPE={element.name}", f"CHAINS={problem.chains}", f"BODY={body}")
        self._kernel = module(*defines).get_function("parallelism_chains")
        self._shared = held(an_sm)
        self._kernel.max_dynamic_shared_size_bytes = self._shared
        self._arguments = (np.uint32(problem.steps), *element.bits, *element.constants, self._sums)
        self._latency = self._measured_latency(cupy)

    def _measured_latency(self, cupy: Any) -> float:
        """Cycles of a step that waits for the one before."""
        element, sums, cycles = self._problem.element, cupy.zeros(32, np.uint32), cupy.zeros(1, np.int64)
        function = module(f"TYPE={element.name}").get_function("parallelism_latency")
        for _ in range(2):  # the first loads the code
            function((1,), (32,), (np.uint32(LATENCY_STEPS), *element.bits, *element.constants, sums, cycles))
        return float(cycles.get()[0]) / LATENCY_STEPS

    def run(self) -> None:
        """Launch and wait."""
        with self._stream:
            self._kernel((self._grid,), (self._block,), self._arguments, shared_mem=self._shared)
            self._stream.synchronize()

    def result(self) -> Ends:
        """The sum of every thread."""
        return Ends(self._sums.get(), self._problem.chains)

    def counts(self) -> dict[str, float]:
        """Operations, and the latency that one warp has."""
        numbers = float(self._grid * self._block * self._problem.chains)
        return {**self._problem.counts(numbers), "latency_cycle": self._latency}


def held(blocks: int) -> int:
    """Bytes of shared memory a block of which an SM has room for so many and not for one more."""
    an_sm = attribute("MaxSharedMemoryPerMultiprocessor", 0)
    most = attribute("MaxSharedMemoryPerBlockOptin", 0)
    return min(most, an_sm // (blocks + 1) // 128 * 128 + 128)


def limits(at: Point) -> str | None:
    """An SM of some devices holds fewer threads."""
    most = attribute("MaxThreadsPerMultiProcessor", 2048)
    return f"an SM of this device holds {most} threads" if int(at["threads"]) > most else None


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile, measure the latency."""
    return Arm(problem, context)
