"""What the arms share: each kernel as one call of the driver, and the way from an idle device to its clocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.launch import Bound
from perfdocs.measure.packages import import_cupy

from .workload import FLOAT, Chain, Empty, Problem, Read

THREADS = 256  # a block, as the kernels have it
BLOCKS = 4  # an SM
TILE = 8 * THREADS * 4  # words that a block reads at once
WARP = 32
RAMP = 0.5  # s of work before a clock is asked, about
MOST_RAMP_LAUNCHES = 10_000
SAMPLES = 200  # launches that are timed one by one


@cache
def module() -> Any:
    """``kernels.cu``, compiled for this device."""
    code = inlined(Path(__file__).parent / "kernels.cu")
    return import_cupy().RawModule(code=code, options=("--std=c++17",), backend="nvrtc")


def bound(name: str, blocks: int, threads: int, *arguments: Any) -> Bound:
    """A kernel with its arguments. Every clock is given its launch and nothing else."""
    return Bound(module().get_function(name), blocks, threads, arguments)


@dataclass(frozen=True, slots=True)
class Work:
    """A problem on the device; ``answer`` gives what ``verify`` wants of the last launch on a stream of CuPy's."""

    problem: Problem
    launch: Bound
    answer: Callable[[Any], Any]

    def ramp(self, stream: Any) -> None:
        """Launch back to back for about :data:`RAMP` seconds and wait, so that the clocks are those under load."""
        for _ in range(min(MOST_RAMP_LAUNCHES, math.ceil(RAMP / self.problem.seconds))):
            self.launch.on(stream.ptr)
        stream.synchronize()


def _empty(problem: Empty, sm_count: int) -> Work:  # noqa: ARG001 - the shape of all three
    count = import_cupy().zeros(1, np.uint32)
    counting = bound("timers_count", 1, WARP, count)

    def answer(stream: Any) -> int:
        count.fill(0)
        for _ in range(problem.launches):
            counting.on(stream.ptr)
        stream.synchronize()
        return int(count.get()[0])

    return Work(problem, bound("timers_empty", 1, WARP), answer)


def _chain(problem: Chain, sm_count: int) -> Work:
    grid = sm_count * BLOCKS
    sums = import_cupy().zeros(grid * THREADS, np.uint32)
    arguments = (np.uint32(problem.steps), *FLOAT.bits, *FLOAT.constants, sums)
    return Work(problem, bound("timers_chain", grid, THREADS, *arguments), lambda _: sums.get())


def _read(problem: Read, sm_count: int) -> Work:
    grid = sm_count * BLOCKS
    sums = import_cupy().zeros(grid * THREADS, np.uint32)
    arguments = (filled(problem.words), np.uint32(problem.words // TILE), sums)
    return Work(problem, bound("timers_read", grid, THREADS, *arguments), lambda _: sums.get())


@lru_cache(maxsize=1)
def filled(words: int) -> Any:
    """So many words on the device; filling gigabytes takes a while, so they are kept."""
    cupy = import_cupy()
    data = cupy.empty(words, np.uint32)
    stream = cupy.cuda.Stream()
    bound("timers_fill", 4096, THREADS, data, np.uint64(words)).on(stream.ptr)
    stream.synchronize()
    return data


KINDS: Mapping[type, Callable[[Any, int], Work]] = {Empty: _empty, Chain: _chain, Read: _read}


def work_of(problem: Problem, context: Context) -> Work:
    """Compile, and fill what is read."""
    return KINDS[type(problem)](problem, context.sm_count or 1)


class TimerArm(Prepared):
    """One launch and one synchronise a run; a subclass asks its clock, once the answer was verified."""

    def __init__(self, problem: Problem, context: Context) -> None:
        self.cupy = import_cupy()
        self.stream = self.cupy.cuda.Stream()
        self.work = work_of(problem, context)

    def run(self) -> None:
        """Launch and wait."""
        self.work.launch.on(self.stream.ptr)
        self.stream.synchronize()

    def result(self) -> Any:
        """What the last run computed."""
        return self.work.answer(self.stream)

    def counts(self) -> Mapping[str, float]:
        """What the clock says of a device at its clocks."""
        self.work.ramp(self.stream)
        return self.times()

    def times(self) -> Mapping[str, float]:
        """Seconds by metric, and how many launches are behind them."""
        raise NotImplementedError
