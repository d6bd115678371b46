"""The WHILE graph with a map; every plane is moved together where fewer than half of what it spans is on its way."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import FP64_AN_ATTEMPT
from ..graphs import BEGIN_BYTE, EVERY, THETA, THREADS, GraphArm, live_at, map_bytes, moved
from ..lines import lines_of_code
from ..workload import Problem

END_BYTE = 132  # of an orbit that ends: seven planes and two counts read and written, its number read
MOVE_BYTE = 160  # of an orbit that moves: eight planes, two counts and its number read and written, the map too


class Arm(GraphArm):
    """The graph over one problem; ``every`` so many attempts it looks who has ended, ``theta`` says when it moves."""

    def __init__(self, problem: Problem, context: Context, *, every: int = EVERY, theta: float = THETA) -> None:
        super().__init__(problem, context, sets=2)
        self._every, self._theta = every, theta
        self.maps = self.cupy.zeros(2 * self.n, dtype=np.uint32)
        self.orbits = self.cupy.zeros(2 * self.n, dtype=np.uint32)
        state = (self.size, self.planes, self.numbers, self.orbits, self.maps)

        def begin(first: Any, *_: Any) -> None:
            arguments = (self.size, self.start, *state[1:], self.progress)
            first((self.grid,), (THREADS,), arguments)

        def body(_: Any, attempt: Any, compact: Any, move: Any, handle: Any) -> None:
            for _once in range(every):
                attempt((self.grid,), (THREADS,), (*state, *self.outputs, self.progress))
            arguments = (self.size, self.planes, self.maps, self.progress, np.float64(theta), handle)
            compact((self.compact_grid,), (256,), arguments)
            move((self.compact_grid,), (256,), (*state, self.progress))

        entries = ("rk78_begin_reorder", "rk78_attempt_reorder", "rk78_compact_while", "rk78_move")
        self.build(begin, body, *entries)

    def counts(self) -> dict[str, float]:
        """As with the map alone; besides what moves, and the end of every orbit written to its place."""
        attempts = self.attempts()
        live = live_at(attempts, self._every)
        own = (BEGIN_BYTE + 8 + END_BYTE) * self.n + MOVE_BYTE * moved(live, self._theta)
        return {
            "issued_byte": own + map_bytes(live, self._every) + self.attempt_bytes(),
            "fp64_instructions": FP64_AN_ATTEMPT * int(attempts.sum()),
            "code_lines": lines_of_code("arms/graph_reorder.py", "graphs.py", "loop.cu#map#reorder", "step.cuh"),
        }

    def least_kernels(self) -> int | None:
        """Of every body its attempts, the look at the map and the move, and one that begins."""
        return len(live_at(self.attempts(), self._every)) * (self._every + 2) + 1


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile, build the graph."""
    return Arm(problem, context)
