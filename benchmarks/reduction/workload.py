"""The reduction workload: the sum of 1, 2, ... N as 64-bit integers read from memory, N a power of two.

The numbers lie in a scrambled order, so that memory holds no plain pattern: number i is 1 + (i * FACTOR mod N), which
takes every value once since FACTOR is odd.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfdocs.measure.arm import Context, Kind, Point, Task, VerificationError

FACTOR = 2_654_435_761
ITEM = 8  # bytes


@dataclass(frozen=True, slots=True)
class Problem:
    """How many numbers: a power of two, at least 2 and at most 2^31, so that no product or sum overflows."""

    n: int


Result = Sequence[int]
"""Each sum of a run."""


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:  # noqa: ARG001 - the shape of every workload
    """Few numbers first: they tell how long more will take."""
    powers = (10, 22) if quick else range(10, 29, 2)
    return [Task("main", {"n": 2**power}) for power in powers]


def problem(at: Point) -> Problem:
    """The numbers at a point."""
    return Problem(int(at["n"]))


def reference(problem: Problem, context: Context) -> int:  # noqa: ARG001 - the shape of every workload
    """The closed form."""
    return problem.n * (problem.n + 1) // 2


def verify(problem: Problem, reference: int, result: Result) -> Mapping[str, float]:
    """Every sum is exact."""
    if not len(result):
        raise VerificationError("no sum was made")
    wrong = [total for total in result if total != reference]
    if wrong:
        raise VerificationError(f"the sum of 1 to {problem.n} is {reference}, not {wrong[0]}")
    return {}


def counts(problem: Problem) -> Mapping[str, float]:
    """What has to be read for one sum."""
    return {"minimum_byte": ITEM * problem.n}


def work(at: Point) -> float:
    """The numbers."""
    return float(at["n"])
