"""The masked loop in array expressions of NumPy, and of CuPy, which has the same ones.

Places and speeds of the batch are one array (6, n), the slopes of all stages, times the step, another (13, 6, n): what
a stage takes of the slopes before it is then one matrix product. Buffers are made once.
"""

from __future__ import annotations

from typing import Any

from .tableau import ERROR, ROWS, WEIGHTS
from .workload import END, FIRST_STEP, MOST_ATTEMPTS, TOLERANCE

# Slopes are kept in this order, so that what a stage takes of them is one run of rows: most leave out 1 and 2.
SLOT = [2, 1, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
STAGES = len(ROWS)


def run_of(coefficients: dict[int, float]) -> tuple[int, int, list[float]]:
    """First and last row of the slopes that a sum takes, the last excluded, and the coefficients between."""
    slots = {SLOT[j]: a for j, a in coefficients.items()}
    first, last = min(slots), max(slots) + 1
    return first, last, [slots.get(i, 0.0) for i in range(first, last)]


def _sum_planes(coefficients: dict[int, float]) -> int:
    """Planes that a matrix product and the addition of the state read and write."""
    first, last, _ = run_of(coefficients)
    return 6 * (last - first) + 6 + 18


# What the array expressions of one attempt read and write a sample: planes of 8 byte, then masks and counts.
BYTE_AN_ATTEMPT = 8 * (34 * STAGES + sum(_sum_planes(row) for row in (*ROWS[1:], WEIGHTS)) + 194) + 30
KERNELS_AN_ATTEMPT = 8 * STAGES + 2 * STAGES + 30


class Loop:
    """The batch from its start (6, n) to the end: :attr:`end` (7, n), :attr:`accepted` and :attr:`rejected` (n,)."""

    def __init__(self, xp: Any, start: Any) -> None:
        self._xp = xp
        self.start = start
        n = self._n = start.shape[1]
        self.end = xp.empty((7, n))
        self.accepted, self.rejected = xp.empty(n, dtype=xp.int32), xp.empty(n, dtype=xp.int32)
        self.loops = 0
        self._state, self._time = self.end[:6], self.end[6]
        self._slopes = xp.zeros((STAGES, 6, n))
        self._stage, self._spare, self._size = xp.empty((6, n)), xp.empty((6, n)), xp.empty((6, n))
        self._step, self._a, self._b = xp.empty(n), xp.empty(n), xp.empty(n)
        self._running, self._taken = xp.empty(n, dtype=bool), xp.empty(n, dtype=bool)
        self._sums = [self._sum(row) for row in ROWS]
        self._weights = self._sum(WEIGHTS)

    def _sum(self, coefficients: dict[int, float]) -> tuple[Any, Any] | None:
        if not coefficients:
            return None
        first, last, values = run_of(coefficients)
        return self._xp.array(values), self._slopes[first:last].reshape(last - first, -1)

    def run(self) -> None:
        """Attempt over the whole batch until no orbit is on its way."""
        self._state[:] = self.start
        self._time[:] = 0.0
        self._step[:] = FIRST_STEP
        self.accepted[:] = 0
        self.rejected[:] = 0
        self.loops = 0
        while self.loops < MOST_ATTEMPTS and bool(self._xp.greater(self._step, 0.0, out=self._running).any()):
            self._attempt()
            self.loops += 1

    def _add(self, sum_of: tuple[Any, Any] | None, out: Any) -> Any:
        """The state and what a stage takes of the slopes."""
        if sum_of is None:
            return self._state
        self._xp.dot(*sum_of, out=out.reshape(-1))
        self._xp.add(out, self._state, out=out)
        return out

    def _evaluate(self, i: int) -> None:
        """The slope of stage ``i``, times the step."""
        xp, a, b = self._xp, self._a, self._b
        state, slope, squares = self._add(self._sums[i], self._stage), self._slopes[SLOT[i]], self._spare[:3]
        xp.multiply(self._step, state[3:], out=slope[:3])
        xp.multiply(state[:3], state[:3], out=squares)
        xp.sum(squares, axis=0, out=a)
        xp.sqrt(a, out=b)
        xp.multiply(a, b, out=a)
        xp.divide(self._step, a, out=a)
        xp.negative(a, out=a)
        xp.multiply(a, state[:3], out=slope[3:])

    def _attempt(self) -> None:
        xp, k, step, ratio, spare, size = self._xp, self._slopes, self._step, self._a, self._spare, self._size
        for i in range(STAGES):
            self._evaluate(i)
        new = self._add(self._weights, self._stage)
        # |error| / (atol + rtol max(|new|, |old|))
        xp.absolute(new, out=size)
        xp.absolute(self._state, out=spare)
        xp.maximum(size, spare, out=size)
        xp.multiply(size, TOLERANCE / ERROR, out=size)
        xp.add(size, TOLERANCE / ERROR, out=size)
        xp.add(k[SLOT[0]], k[10], out=spare)
        xp.subtract(spare, k[11], out=spare)
        xp.subtract(spare, k[12], out=spare)
        xp.absolute(spare, out=spare)
        xp.divide(spare, size, out=spare)
        xp.amax(spare, axis=0, out=ratio)
        xp.less(ratio, 1.0, out=self._taken)
        xp.logical_and(self._taken, self._running, out=self._taken)
        # What orbits took or refused; those that have ended have a step of zero and stay as they are.
        xp.copyto(self._state, new, where=self._taken)
        xp.add(self._time, step, out=self._b)
        xp.copyto(self._time, self._b, where=self._taken)
        xp.add(self.accepted, self._taken, out=self.accepted)
        xp.add(self.rejected, xp.logical_xor(self._running, self._taken), out=self.rejected)
        # The next step: beyond 1e-10 the limit of five holds anyway.
        xp.maximum(ratio, 1e-10, out=ratio)
        xp.power(ratio, xp.where(self._taken, -1 / 9, -1 / 8), out=ratio)
        xp.multiply(ratio, 0.9, out=ratio)
        xp.clip(ratio, 0.2, 5.0, out=ratio)
        xp.multiply(step, ratio, out=step)
        xp.subtract(END, self._time, out=ratio)
        xp.minimum(step, ratio, out=step)
