"""A synthetic workload on a clock that tests turn by hand: nothing here is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from perfdocs.measure.arm import Context, Kind, Point, Prepared, Task, VerificationError

turn: list[Callable[[float], None]] = [lambda _: None]
"""The one entry turns the test's clock by so many seconds."""
calls: list[tuple[str, str]] = []
"""Every call of an arm: its name and what was called."""
before_run: list[Callable[[str, int], None]] = [lambda _arm, _run: None]
"""The one entry is called before each run of an arm with its name and the run's number."""


@dataclass(frozen=True)
class Problem:
    n: int
    seconds: float = field(default=1e-3)


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    return [Task("main", {"n": n}) for n in ((10, 100) if quick else (10, 100, 1000))]


def problem(at: Point) -> Problem:
    return Problem(int(at["n"]), 1e-4 * int(at["n"]))


def reference(problem: Problem, context: Context) -> list[int]:
    return [i * i for i in range(problem.n)]


def verify(problem: Problem, reference: list[int], result: list[int]) -> Mapping[str, float]:
    worst = max(abs(a - b) for a, b in zip(reference, result, strict=True))
    if worst:
        raise VerificationError(f"a square differs from the reference by {worst}")
    return {"max_difference": worst}


def counts(problem: Problem) -> Mapping[str, float]:
    return {"elements": problem.n}


def work(at: Point) -> float:
    return float(at["n"])


class Arm(Prepared):
    """Squares; each run turns the clock."""

    def __init__(self, name: str, problem: Problem, slow: float = 1.0) -> None:
        self.name, self.problem, self.slow, self.runs = name, problem, slow, 0
        self.out: list[int] = []
        calls.append((name, "prepare"))

    def run(self) -> None:
        self.runs += 1
        before_run[0](self.name, self.runs)
        calls.append((self.name, "run"))
        turn[0](self.problem.seconds * self.slow)
        self.out = [i * i for i in range(self.problem.n)]

    def result(self) -> list[int]:
        return self.out

    def close(self) -> None:
        calls.append((self.name, "close"))
