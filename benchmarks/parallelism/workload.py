"""The parallelism workload: points, problems, verification and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Context, Kind, Point, Task, VerificationError
from perfdocs.measure.chains import ELEMENTS, MOST_STEPS, Element

TYPES = ("fp32", "fp64")
CHAINS = (1, 2, 4, 8)
THREADS = (*range(32, 257, 32), *range(320, 513, 64), *range(640, 1025, 128), *range(1280, 2049, 256))
"""Threads an SM: every warp at first, then steps of a quarter at most."""
QUICK = tuple(2**power for power in range(5, 12))
VECTORS = (1, 2, 3, 4, 6, 8, 10, 12)
"""Vector registers that a thread of a host carries on."""
LANES = 128  # of an SM, about: only for how many steps make a run long enough


@dataclass(frozen=True, slots=True)
class Problem:
    """``steps`` multiply-adds of each of so many chains a thread; ``threads`` an SM, 0 where the point is a host's."""

    type: str
    chains: int
    threads: int
    steps: int

    @property
    def element(self) -> Element:
        """The type."""
        return ELEMENTS[self.type]

    def counts(self, numbers: float) -> dict[str, float]:
        """Operations where so many numbers make their steps."""
        done = 2.0 * numbers * self.steps
        return {"operations": done, f"{self.type}_flop": done}


@dataclass(frozen=True, slots=True)
class Ends:
    """Of every thread the sum of words at the ends of its ``elements``."""

    values: npt.NDArray[np.uint32]
    elements: int


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """A curve for every number of chains."""
    if kind == "cpu":
        return [Task("host", {"type": key, "vectors": vectors}) for key in TYPES for vectors in VECTORS]
    return [
        Task("main", {"type": key, "chains": chains, "threads": threads}, curve=f"{key} {chains}")
        for key in (TYPES[:1] if quick else TYPES)
        for chains in (CHAINS[::2] if quick else CHAINS)
        for threads in (QUICK if quick else THREADS)
    ]


def problem(at: Point) -> Problem:
    """The problem at a point."""
    given: Mapping[str, Any] = at
    if "vectors" in given:
        return Problem(given["type"], given["vectors"], 0, MOST_STEPS)
    chains, threads = given["chains"], given["threads"]
    return Problem(given["type"], chains, threads, long_enough(chains * threads))


def long_enough(an_sm: int) -> int:
    """Steps of so many chains an SM that take some four million cycles; an even number."""
    return min(MOST_STEPS, 4 * MOST_STEPS * LANES // an_sm) // 2 * 2


def reference(problem: Problem, context: Context) -> None:
    """Nothing: the ends are known."""


def verify(problem: Problem, reference: None, result: Ends) -> Mapping[str, float]:  # noqa: ARG001
    """The sum of every thread. Raises :class:`VerificationError`."""
    a_thread = result.elements * problem.element.size // 4
    words = problem.element.words(np.arange(len(result.values) * a_thread))
    wanted = problem.element.end(words, problem.steps).reshape(-1, a_thread).sum(axis=1, dtype=np.uint32)
    if (wrong := np.flatnonzero(result.values != wanted)).size:
        i = int(wrong[0])
        raise VerificationError(
            f"the sums of {wrong.size} of {len(wanted)} threads are wrong; that of thread {i} is {result.values[i]}, "
            f"expected {wanted[i]}"
        )
    return {}


def counts(problem: Problem) -> Mapping[str, float]:  # noqa: ARG001
    """What is counted depends on the device: each arm says it."""
    return {}


def work(at: Point) -> float:  # noqa: ARG001
    """Points take about as long as one another."""
    return 1.0
