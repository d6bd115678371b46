"""How often a gate of `perfdocs ab` errs: the table of `docs/method.md`.

``python -m tools.gate_noise`` draws synthetic rounds and prints it (a minute). The runs of a gate follow one of the
laws of :mod:`tools.verdict_noise`, or of a few that would deceive a gate most, in the order in which they are made:
what a block of runs shares, both sides share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.random import RandomState
from tools.verdict_noise import NOISES, Floats, Noise

from perfdocs.ab.order import orders
from perfdocs.ab.statistics import LEAST_ROUNDS, Ratio, judged, ratio_of
from perfdocs.shares import interval

__all__ = ["GATE_NOISES", "gates", "row", "table"]

GATES = 1000
RESAMPLES = 1000
GATE = 1.05
SLOWER = 1.10
SEED = 20


def _every_four(source: RandomState, blocks: int, runs: int) -> Floats:
    """Two neighbours of every four runs are 8 % longer; where the first four begin is drawn."""
    place = source.randint(0, 4, size=(blocks, 1)) + np.arange(runs)
    return 1 + 0.003 * source.standard_normal((blocks, runs)) + 0.08 * (place % 4 < 2)


GATE_NOISES: tuple[Noise, ...] = (
    *NOISES,
    Noise("2 of every 4 runs are 8 % longer", _every_four),
    Noise("lognormal, 50 %", lambda s, b, r: np.exp(0.5 * s.standard_normal((b, r)))),
    Noise("Pareto, index 2", lambda s, b, r: 1 + s.pareto(2.0, size=(b, r))),
)
"""What shifts with a period of four runs falls on one side alone where all rounds run A B B A."""


def gates(noise: Noise, number: int, slower: float = 1.0) -> Iterator[Ratio]:
    """So many gates of one law; B takes ``slower`` times as long."""
    later = np.array([order == "BA" for order in orders(LEAST_ROUNDS)])  # of each round, whether A runs second
    first = np.arange(LEAST_ROUNDS) * 2 + later
    second = first + 1 - 2 * later
    for runs in noise.draw(RandomState(SEED), number, 2 * LEAST_ROUNDS):
        yield ratio_of(runs[first].tolist(), (slower * runs[second]).tolist(), resamples=RESAMPLES)


def row(noise: Noise, number: int = GATES) -> tuple[str, ...]:
    """One law: its words; intervals without 1, failed and undecided gates of equal sides; failed ones of a slower B."""
    equal = list(gates(noise, number))
    verdicts = [judged(ratio, GATE) for ratio in equal]
    slow = [judged(ratio, GATE) for ratio in gates(noise, number, SLOWER)]
    missed = sum(not ratio.low <= 1 <= ratio.high for ratio in equal)
    failed = verdicts.count("fail")
    low, high = interval(failed, number)
    return (
        noise.about,
        _percent(missed / number),
        f"{_percent(failed / number)} ({_percent(low)}–{_percent(high)})",
        _percent(verdicts.count("undecided") / number),
        _percent(slow.count("fail") / number),
        _percent(slow.count("pass") / number),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.1 or not share else f"{100 * share:.2g}"


def table(rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, all numbers in percent."""
    head = (
        "runs of both sides",
        "intervals without 1",
        f"equal sides that fail at {GATE:g}",
        "undecided",
        f"B {SLOWER - 1:.0%} slower: fails".replace("%", " %"),
        "passes",
    )
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print(table(map(row, GATE_NOISES)))
