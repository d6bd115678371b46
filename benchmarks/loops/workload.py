"""The loops workload: find i < j up to a limit with a given product by trying every pair, row by row of i."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from perfdocs.measure.arm import Context, Kind, Point, Task, VerificationError

TARGETS = {1500: 876_337, 15_000: 87_654_321}
"""The product to find by the largest factor tried: the published problem, and one of a hundredth of its pairs."""
PROGRAMS = {"node": (("node", "--version"), ("nodejs", "--version")), "fpc": (("fpc", "-iV"),)}
"""What tells the version of each, by the names it may be called by."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The product of one pair at most, and the largest factor tried: at most 46 000, so that a product fits 31 bits."""

    target: int
    limit: int

    @property
    def pairs(self) -> int:
        """Pairs i < j up to the limit."""
        return self.limit * (self.limit - 1) // 2


class Result(NamedTuple):
    """The pair that each search of a run found, (0, 0) where none; the pairs that the last search tried."""

    found: Sequence[tuple[int, int]]
    tried: int


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:  # noqa: ARG001 - the shape of every workload
    """The small problem first: it tells how long the other will take."""
    return [Task("main", {"limit": limit}) for limit in TARGETS if limit == min(TARGETS) or not quick]


def problem(at: Point) -> Problem:
    """The problem at a point."""
    limit = int(at["limit"])
    return Problem(TARGETS[limit], limit)


def reference(problem: Problem, context: Context) -> tuple[int, int]:  # noqa: ARG001 - the shape of every workload
    """The pair, by division: the first divisor whose partner is larger and within the limit; (0, 0) where none is."""
    for i in range(1, problem.limit + 1):
        j, rest = divmod(problem.target, i)
        if rest == 0 and i < j <= problem.limit:
            return i, j
    return 0, 0


def verify(problem: Problem, reference: tuple[int, int], result: Result) -> Mapping[str, float]:
    """Every search found the pair, and tried every other, save some of those behind it in its row."""
    if not result.found:
        raise VerificationError("no search was made")
    for found in result.found:
        if tuple(found) != reference:
            raise VerificationError(f"found {found[0]} × {found[1]}, not {reference[0]} × {reference[1]}")
    behind = problem.limit - reference[1] if reference != (0, 0) else 0
    if not problem.pairs - behind <= result.tried <= problem.pairs:
        raise VerificationError(f"{result.tried} pairs tried of {problem.pairs}, of which {behind} may be left out")
    return {"tried": result.tried}


def counts(problem: Problem) -> Mapping[str, float]:  # noqa: ARG001 - the shape of every workload
    """Nothing is the same for every arm."""
    return {}


def work(at: Point) -> float:
    """The pairs."""
    return float(problem(at).pairs)


def versions() -> Mapping[str, str]:
    """Of the programs that arms run, as far as they are installed."""
    found = {}
    for name, commands in PROGRAMS.items():
        for command in commands:
            if path := shutil.which(command[0]):
                done = subprocess.run([path, *command[1:]], capture_output=True, text=True, timeout=20, check=False)  # noqa: S603 - the user's own interpreters
                if done.returncode == 0 and done.stdout.strip():
                    found[name] = done.stdout.strip().splitlines()[0]
                    break
    return found
