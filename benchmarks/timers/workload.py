"""The timers workload: the kernels that every clock times, and what each must answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Context, Kind, Point, Task, VerificationError
from perfdocs.measure.chains import ELEMENTS
from perfdocs.measure.words import PERIOD, word_sum

Words = npt.NDArray[np.uint32]

FLOAT = ELEMENTS["fp32"]


@dataclass(frozen=True, slots=True)
class Empty:
    """A kernel that does nothing. What is checked is ``launches`` of one that counts, launched in the same way."""

    launches: int = 100
    seconds: float = 5e-6

    def verify(self, counted: int) -> None:
        """Every launch was there."""
        if counted != self.launches:
            raise VerificationError(f"{counted} launches were counted, expected {self.launches}")


@dataclass(frozen=True, slots=True)
class Chain:
    """``steps`` multiply-adds of each of ``chains`` chains a thread."""

    steps: int
    seconds: float
    chains: int = 4

    def verify(self, sums: Words) -> None:
        """Of every thread the sum of words at the ends of its chains."""
        words = FLOAT.words(np.arange(len(sums) * self.chains))
        wanted = FLOAT.end(words, self.steps).reshape(-1, self.chains).sum(axis=1, dtype=np.uint32)
        if (wrong := np.flatnonzero(sums != wanted)).size:
            i = int(wrong[0])
            raise VerificationError(
                f"the sums of {wrong.size} of {len(sums)} threads are wrong; that of thread {i} is {sums[i]}, "
                f"expected {wanted[i]}"
            )


@dataclass(frozen=True, slots=True)
class Read:
    """One pass over ``words`` words of 4 byte, whole periods of them."""

    words: int
    seconds: float = 1e-3

    def verify(self, sums: Words) -> None:
        """The sum over all threads."""
        found, wanted = int(sums.sum(dtype=np.uint64)) % 2**32, word_sum(self.words // PERIOD)
        if found != wanted:
            raise VerificationError(f"the sum of all words is {found}, expected {wanted}")


Problem = Empty | Chain | Read
"""``seconds`` is about what a launch takes on a large GPU: only for how often it is launched."""

PROBLEMS: Mapping[str, Problem] = {
    "empty": Empty(),
    "chain_short": Chain(1_250, seconds=2e-5),
    "chain_middle": Chain(12_500, seconds=2e-4),
    "chain_long": Chain(125_000, seconds=2e-3),
    "read": Read(2**29),
}
"""By the values of the axis."""


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:  # noqa: ARG001 - there are few
    """Every kernel, on a GPU: one curve, so that each clock times one after the other."""
    return [Task("main", {"kernel": key}, curve="main") for key in PROBLEMS] if kind == "gpu" else []


def problem(at: Point) -> Problem:
    """The kernel at a point."""
    return PROBLEMS[str(at["kernel"])]


def reference(problem: Problem, context: Context) -> None:
    """Nothing: every problem knows its answer."""


def verify(problem: Problem, reference: None, result: Any) -> Mapping[str, float]:  # noqa: ARG001
    """Held against what is known beforehand. Raises :class:`VerificationError`."""
    problem.verify(result)
    return {}


def counts(problem: Problem) -> Mapping[str, float]:  # noqa: ARG001 - the shape of every workload
    """Nothing is the same for every arm."""
    return {}


def work(at: Point) -> float:
    """About the seconds of a launch."""
    return problem(at).seconds
