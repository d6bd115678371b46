"""The WHILE graph over a map of the orbits on their way, made anew every 16 attempts if an orbit ended since."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import FP64_AN_ATTEMPT
from ..graphs import BEGIN_BYTE, EVERY, THREADS, GraphArm, live_at, map_bytes
from ..lines import lines_of_code
from ..workload import Problem


class Arm(GraphArm):
    """The graph over one problem; ``every`` so many attempts it looks who has ended."""

    def __init__(self, problem: Problem, context: Context, *, every: int = EVERY) -> None:
        super().__init__(problem, context)
        self._every = every
        self.maps = self.cupy.zeros(2 * self.n, dtype=np.uint32)
        state = (self.size, self.planes, self.numbers, self.maps, self.progress)

        def begin(first: Any, *_: Any) -> None:
            arguments = (self.size, self.start, self.planes, self.numbers, self.maps, self.progress)
            first((self.grid,), (THREADS,), arguments)

        def body(_: Any, attempt: Any, compact: Any, handle: Any) -> None:
            for _once in range(every):
                attempt((self.grid,), (THREADS,), state)
            arguments = (self.size, self.planes, self.maps, self.progress, np.float64(0.0), handle)
            compact((self.compact_grid,), (256,), arguments)

        self.build(begin, body, "rk78_begin_map", "rk78_attempt_map", "rk78_compact_while")

    def counts(self) -> dict[str, float]:
        """Launches look at the map and at the steps it names; the map is read and written where it is made."""
        attempts = self.attempts()
        looks = map_bytes(live_at(attempts, self._every), self._every)
        return {
            "issued_byte": (BEGIN_BYTE + 4) * self.n + looks + self.attempt_bytes(),
            "fp64_instructions": FP64_AN_ATTEMPT * int(attempts.sum()),
            "code_lines": lines_of_code("arms/graph_compact.py", "graphs.py", "loop.cu#map", "step.cuh"),
        }

    def least_kernels(self) -> int | None:
        """Of every body its attempts and the look at the map, and one that begins."""
        return len(live_at(self.attempts(), self._every)) * (self._every + 1) + 1


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return Arm(problem, context)
