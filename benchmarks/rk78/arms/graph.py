"""One graph launch; a WHILE node on the device repeats one attempt of every orbit until none is on its way."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import FP64_AN_ATTEMPT
from ..graphs import BEGIN_BYTE, THREADS, GraphArm
from ..lines import lines_of_code
from ..workload import Problem


class Arm(GraphArm):
    """The graph over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)

        def begin(first: Any, _: Any) -> None:
            first((self.grid,), (THREADS,), (self.size, self.start, self.planes, self.numbers, self.progress))

        def body(_: Any, attempt: Any, handle: Any) -> None:
            attempt((self.grid,), (THREADS,), (self.size, self.planes, self.numbers, self.progress, handle))

        self.build(begin, body, "rk78_begin", "rk78_attempt_while")

    def counts(self) -> dict[str, float]:
        """Every launch looks at the step of every orbit."""
        attempts = self.attempts()
        looks = 8 * self.n * int(attempts.max(initial=0))
        return {
            "issued_byte": BEGIN_BYTE * self.n + looks + self.attempt_bytes(),
            "fp64_instructions": FP64_AN_ATTEMPT * int(attempts.sum()),
            "code_lines": lines_of_code("arms/graph.py", "graphs.py", "loop.cu#graph", "step.cuh"),
        }

    def least_kernels(self) -> int | None:
        """One an attempt of the orbit with the most, and one that begins."""
        return int(np.max(self.attempts(), initial=0)) + 1


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return Arm(problem, context)
