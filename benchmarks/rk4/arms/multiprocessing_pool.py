"""Python's multiprocessing: a pool over shared planes; NumPy on chunks that fit a cache, the finished dropped."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Cannot, Context, Point, Prepared
from perfdocs.measure.loader import load_arm

from ..numpy_step import BYTE_A_STEP, MaskedStep
from ..workload import Problem, Result

MOST = 10**5
STARTED_WITHIN = 60  # s
EVERY = 16  # steps between two looks at which samples can be dropped
LEAST_CHUNK, MOST_CHUNK = 256, 4096  # samples; below, calls cost more than arithmetic; above, the caches overflow

Array = npt.NDArray[Any]


def limits(at: Point) -> str | None:
    """Larger batches take minutes and say nothing new."""
    return f"the pool runs up to {MOST} samples" if float(at["n"]) > MOST else None


def integrate(inputs: list[Array], out: Result) -> int:
    """One chunk to its end: omega, zeta, x0, v0, nstop to ``out``. Returns sample-steps issued."""
    omega, zeta, x0, v0, stop = inputs
    where = np.arange(len(stop))
    planes: list[Array] = [-2.0 * zeta * omega, -omega * omega, x0.copy(), v0.copy(), stop, np.zeros_like(stop)]
    masked_step = MaskedStep(len(stop))
    issued = 0
    while where.size:
        c, k, x, v, nstop, steps = planes
        running = np.empty(where.size, dtype=bool)
        for _ in range(EVERY):
            np.less(steps, nstop, out=running)
            masked_step(c, k, x, v, running)
            np.add(steps, running, out=steps)
        issued += EVERY * where.size
        live = steps < nstop
        if not live.all():
            ended = ~live
            at = where[ended]
            out.x[at], out.v[at], out.steps[at] = x[ended], v[ended], steps[ended]
            where, planes = where[live], [plane[live] for plane in planes]
    return issued


# What a worker of the pool knows: the planes of its arm.
_planes: list[Array] = []


def begin(shared: list[Any], dtypes: list[str], ready: Any) -> None:
    """Take over the planes and say so, once a worker."""
    _planes[:] = [np.frombuffer(plane, dtype=dtype) for plane, dtype in zip(shared, dtypes, strict=True)]
    ready.release()


def work(chunk: tuple[int, int]) -> int:
    """Integrate samples [first, last). Returns sample-steps issued."""
    planes = [plane[slice(*chunk)] for plane in _planes]
    return integrate(planes[:5], Result(*planes[5:]))


class _Begin:
    """:func:`begin`, for a process that has yet to load this module by its path."""

    def __call__(self, *_: Any) -> None:
        raise AssertionError("only ever called where it was unpickled, as begin itself")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return getattr, (_Module(), "begin")


class _Module:
    """The module, pickled as the call that loads it."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        here = Path(__file__)
        return load_arm, (here.parent.parent, here.stem)


@contextmanager
def deaf() -> Iterator[None]:
    """Processes started meanwhile ignore interrupts for good: those are for the parent, which then ends the pool."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Arm(Prepared):
    """The pool over one problem."""

    on_host = True

    def __init__(self, problem: Problem, context: Context) -> None:
        self._problem, self._issued = problem, 0
        processes = context.threads
        size = max(LEAST_CHUNK, min(MOST_CHUNK, -(-problem.n // processes)))
        self._chunks = [(first, min(first + size, problem.n)) for first in range(0, problem.n, size)]
        start = multiprocessing.get_context("spawn")  # a fork would copy locks that other arms' threads may hold
        inputs = problem.planes
        dtypes = [plane.dtype.str for plane in (*inputs, *inputs[2:])]
        shared = [start.RawArray("b", max(1, 8 * problem.n)) for _ in dtypes]
        planes = [
            np.frombuffer(plane, dtype=dtype, count=problem.n) for plane, dtype in zip(shared, dtypes, strict=True)
        ]
        for plane, given in zip(planes, inputs, strict=False):
            plane[:] = given
        self._out = Result(*planes[len(inputs) :])
        ready = start.Semaphore(0)
        with deaf():
            self._pool = start.Pool(processes, initializer=_Begin(), initargs=(shared, dtypes, ready))
        for _ in range(processes):
            if not ready.acquire(timeout=STARTED_WITHIN):
                self.close()
                raise Cannot("unsupported", f"a process of the pool did not start within {STARTED_WITHIN} s")

    def run(self) -> None:
        """Integrate every sample."""
        self._issued = sum(self._pool.map(work, self._chunks, chunksize=1))

    def result(self) -> Result:
        """The shared planes of the last run."""
        return self._out

    def counts(self) -> dict[str, float]:
        """The passes over what is left of each chunk, and every plane once."""
        byte = BYTE_A_STEP * self._issued + self._problem.useful_byte
        return {"issued_byte": byte, "issued_steps": self._issued}

    def close(self) -> None:
        """End the processes."""
        self._pool.terminate()
        self._pool.join()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Share the planes and start the processes."""
    return Arm(problem, context)
