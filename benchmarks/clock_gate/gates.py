"""Arms that are gates themselves: two arms of rk4 in rounds, at the clocks the machine chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from perfdocs.ab.order import orders
from perfdocs.ab.statistics import LEAST_ROUNDS, judged, ratio_of
from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.edges import SystemClock
from perfdocs.measure.loader import load_arm
from perfdocs.measure.protocol import Timer
from perfdocs.verdict import DEFAULT_TOLERANCE, apart

from .workload import RK4, Both, Pair, rk4

GATE = 1.05
REGION, SHORT_REGION = 1e-2, 2e-4
"""Seconds of a region, made of as many runs as it takes: of the pair, and of a short gate."""

SHARES = 5  # timed runs, before each of which gates are run
Rounds = tuple[list[float], list[float]]


class Gates(Prepared):
    """Two sides over one problem. A run is A once, B once; before each timed one comes its share of the gates.

    They are run there, and not where they are counted, because the machine is watched there.

    The first run, which is never timed, opens them: their kernels are those of rk4 and recorded there, none is this
    benchmark's own.
    """

    def __init__(self, pair: Pair, sides: tuple[str, str], context: Context, *, on_host: bool) -> None:
        self._pair, self._names, self._context, self.on_host = pair, sides, context, on_host
        self._problem: Any = rk4().problem(pair.at[context.kind])
        self._sides: list[Prepared] = []
        self._timer = Timer(SystemClock(), 0.0, REGION if pair.gates is None else SHORT_REGION)
        self._inner: list[int] = []
        self._found: list[Rounds] = []

    def run(self) -> None:
        """A round."""
        while len(self._sides) < len(self._names):
            arm = load_arm(RK4, self._names[len(self._sides)])
            self._sides.append(arm.prepare(self._problem, self._context))
        for side in self._sides:
            side.run()

    def result(self) -> Both:
        """Both sides'."""
        first, second = self._sides
        return Both(self._problem, (first.result(), second.result()))

    def before(self) -> None:
        """A share of the gates; all anew where all were run, since the block is then measured again."""
        gates = self._pair.gates or 1
        if len(self._found) >= gates:
            self._found.clear()
        for _ in range(min(-(-gates // SHARES), gates - len(self._found))):
            self._gate()

    def counts(self) -> Mapping[str, float]:
        """What the gates found, once some were run: the rest is run then."""
        if not self._found:
            return {}
        while len(self._found) < (self._pair.gates or 1):
            self._gate()
        return told(*self._found[0]) if self._pair.gates is None else tallied(self._found)

    def _gate(self) -> None:
        """Seconds of a run of A and of B, round by round, in the orders of `perfdocs ab`."""
        timer = self._timer
        found: Rounds = ([], [])
        if not self._inner:
            self._inner = [timer.inner(min(timer.time(side.run) for _ in range(3))) for side in self._sides]
        for order in orders(LEAST_ROUNDS):
            for place in map("AB".index, order):
                found[place].append(timer.time(self._sides[place].run, self._inner[place]))
        self._found.append(found)

    def close(self) -> None:
        """Both sides."""
        for side in self._sides:
            side.close()


def told(a: Sequence[float], b: Sequence[float]) -> dict[str, float]:
    """One gate: medians and the ratio."""
    ratio = ratio_of(a, b)
    found = {"a_time": median(a), "b_time": median(b), "rounds": float(len(a))}
    return {**found, "ratio": ratio.centre, "ratio_low": ratio.low, "ratio_high": ratio.high}


def tallied(gates: Sequence[Rounds]) -> dict[str, float]:
    """Many gates: how often either side won, how often by more than the tolerance, and each verdict but undecided."""
    ratios = [ratio_of(a, b, resamples=2000) for a, b in gates]
    verdicts = [judged(ratio, GATE) for ratio in ratios]
    return {
        "a_wins": float(sum(ratio.low > 1 for ratio in ratios)),
        "b_wins": float(sum(ratio.high < 1 for ratio in ratios)),
        "called": float(sum(not r.low <= 1 <= r.high and apart(r.centre, 1.0) > DEFAULT_TOLERANCE for r in ratios)),
        "passed": float(verdicts.count("pass")),
        "failed": float(verdicts.count("fail")),
        "rounds": float(len(gates[0][0])) if gates else 0.0,
    }
