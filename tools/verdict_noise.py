"""How often the verdict calls one of two equal arms faster: the figures of `docs/method.md` and decision 0019.

``python tools/verdict_noise.py`` draws synthetic runs and prints the table of the method page (half a minute).
``python tools/verdict_noise.py CARD [REPEAT]`` counts instead on measured runs of the same code: within the card, an
arm that a policy picked beside the arm itself; with a second complete run of the card, every cell in both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from perfdocs.card import Card, Measurement
from perfdocs.cardfile import read_card
from perfdocs.flags import pattern
from perfdocs.shares import interval
from perfdocs.verdict import DEFAULT_TOLERANCE, Order, Value, compare, summarise

__all__ = ["NOISES", "Counts", "Noise", "by_chance", "counted", "picked_pairs", "row", "table", "twice"]

Floats = NDArray[np.float64]
Draw = Callable[[RandomState, int, int], Floats]
"""Blocks × runs: each run over what it usually takes."""
Pair = tuple[Value, Value]

PAIRS = 20_000
RUNS = (3, 5, 7, 10)
USUAL = 5  # runs a measurement
DIFFERENCES = (0.02, 0.05, 0.10)
SEED = 19


@dataclass(frozen=True, slots=True)
class Noise:
    """A law that the runs of both arms follow, and its words."""

    about: str
    draw: Draw


def _around(source: RandomState, shape: tuple[int, int], spread: float) -> Floats:
    return 1 + spread * source.standard_normal(shape)


def _outliers(source: RandomState, blocks: int, runs: int) -> Floats:
    shape = (blocks, runs)
    return 1 + 0.01 * source.gamma(2.0, size=shape) + 0.3 * (source.uniform(size=shape) < 0.05)


def _modes(share: float, *, of_block: bool) -> Draw:
    """A second mode 6 % above the first, for one run or for all of its block."""

    def draw(source: RandomState, blocks: int, runs: int) -> Floats:
        above = source.uniform(size=(blocks, 1 if of_block else runs)) < share
        return _around(source, (blocks, runs), 0.003) + 0.06 * above

    return draw


def _drift(source: RandomState, blocks: int, runs: int) -> Floats:
    slope = source.uniform(-0.05, 0.05, size=(blocks, 1))
    return _around(source, (blocks, runs), 0.003) + slope * np.linspace(0, 1, runs)


def _shifted(source: RandomState, blocks: int, runs: int) -> Floats:
    return _around(source, (blocks, runs), 0.003) + 0.02 * source.standard_normal((blocks, 1))


def _remembering(source: RandomState, blocks: int, runs: int) -> Floats:
    """Each run keeps nine tenths of its forerunner's deviation; the first is drawn from the law of all."""
    steps, keep = source.standard_normal((blocks, runs)), 0.9
    for i in range(1, runs):
        steps[:, i] = keep * steps[:, i - 1] + (1 - keep**2) ** 0.5 * steps[:, i]
    return 1 + 0.01 * steps


NOISES: tuple[Noise, ...] = (
    Noise("normal, 1 %", lambda s, b, r: _around(s, (b, r), 0.01)),
    Noise("lognormal, 5 %", lambda s, b, r: np.exp(0.05 * s.standard_normal((b, r)))),
    Noise("lognormal, 25 %", lambda s, b, r: np.exp(0.25 * s.standard_normal((b, r)))),
    Noise("gamma, 1 run in 20 is 30 % longer", _outliers),
    Noise("two modes, 1 run in 2 is 6 % longer", _modes(0.5, of_block=False)),
    Noise("two modes, 1 run in 5 is 6 % longer", _modes(0.2, of_block=False)),
    Noise("a block drifts by up to 5 %", _drift),
    Noise("a run keeps 0.9 of the last one's deviation, 1 %", _remembering),
    Noise("blocks differ by 2 %", _shifted),
    Noise("1 block in 2 is 6 % longer", _modes(0.5, of_block=True)),
    Noise("1 block in 5 is 6 % longer", _modes(0.2, of_block=True)),
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Of so many pairs: in how many one is called faster."""

    pairs: int
    faster: int


def counted(pairs: Iterable[Pair], tolerance: float = DEFAULT_TOLERANCE) -> Counts:
    """Count the verdicts of pairs of equal arms; every winner is a false one."""
    n = faster = 0
    for a, b in pairs:
        n += 1
        faster += compare(a, b, tolerance=tolerance) in (Order.FASTER, Order.SLOWER)
    return Counts(n, faster)


def by_chance(runs: int) -> float:
    """How likely two sets of so many runs of one law do not overlap, whatever that law is, with no two runs equal."""
    return 2 / comb(2 * runs, runs)


def _values(runs: Floats) -> list[Value]:
    return [summarise(block, "block") for block in runs.tolist()]


def _paired(noise: Noise, runs: int, pairs: int, difference: float = 0.0) -> Iterator[Pair]:
    """Pairs of blocks of one law; the second takes longer by ``difference``. The same draws for each difference."""
    blocks = noise.draw(RandomState(SEED), 2 * pairs, runs)
    return zip(_values(blocks[:pairs]), _values((1 + difference) * blocks[pairs:]), strict=True)


def _held(noise: Noise, pairs: int) -> float:
    """The share of ranges that hold the median of the law."""
    median = float(np.median(noise.draw(RandomState(SEED + 1), 200_000, USUAL)))
    blocks = noise.draw(RandomState(SEED), pairs, USUAL)
    return float(np.mean((blocks.min(axis=1) <= median) & (median <= blocks.max(axis=1))))


def _flagged(noise: Noise, pairs: int) -> float:
    """The share of blocks that are flagged as drifting or bimodal."""
    blocks = noise.draw(RandomState(SEED), pairs, USUAL).tolist()
    return sum(bool(pattern(block)) for block in blocks) / pairs


def _percent(share: float) -> str:
    """Two digits below 10 %, whole percents from there on."""
    return f"{100 * share:.0f}" if share >= 0.1 or not share else f"{100 * share:.2g}"


def _with_interval(hits: int, of: int) -> str:
    low, high = interval(hits, of)
    return f"{_percent(hits / of)} ({_percent(low)}–{_percent(high)})"


def row(noise: Noise, pairs: int = PAIRS) -> tuple[str, ...]:
    """One law: its words, false winners by number of runs, winners found, median held, flagged."""
    false = {runs: counted(_paired(noise, runs, pairs)) for runs in RUNS}
    found = [
        sum(compare(a, b) is Order.FASTER for a, b in _paired(noise, USUAL, pairs, difference)) / pairs
        for difference in DIFFERENCES
    ]
    return (
        noise.about,
        *(_with_interval(f.faster, pairs) if n == USUAL else _percent(f.faster / pairs) for n, f in false.items()),
        *map(_percent, found),
        _percent(_held(noise, pairs)),
        _percent(_flagged(noise, pairs)),
    )


def table(rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, all numbers in percent."""
    head = (
        "runs of both arms",
        *(f"false winners, {runs} runs" for runs in RUNS),
        *(f"winners found at {difference:.0%}".replace("%", " %") for difference in DIFFERENCES),
        "ranges with the median",
        "drift or bimodal",
    )
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _place(m: Measurement) -> tuple[object, ...]:
    return (m.table, m.arm, *sorted(m.at.items()))


def _cells(card: Card, metric: str) -> dict[tuple[object, ...], Value]:
    """Values of a metric by table, arm and point."""
    found = ((_place(m), m.values.get(metric)) for m in card.measurements)
    return {place: summarise(runs, card.method.protocol) for place, runs in found if isinstance(runs, tuple)}


def picked_pairs(card: Card, metric: str, picker: str = "auto") -> Iterator[Pair]:
    """The arm ``picker`` and the one that it picked, point by point: the same calls, in blocks of their own."""
    cells = _cells(card, metric)
    for m in card.measurements:
        other = (m.table, m.values.get("picked"), *sorted(m.at.items()))
        if m.arm == picker and other in cells and _place(m) in cells:
            yield cells[_place(m)], cells[other]


def twice(first: Card, second: Card, metric: str) -> Iterator[Pair]:
    """Every cell that two complete runs both have."""
    ours, theirs = _cells(first, metric), _cells(second, metric)
    return ((ours[place], theirs[place]) for place in ours if place in theirs)


def _measured(cards: Sequence[Card]) -> Iterator[str]:
    """A line for each metric of each card, and for both cards together where there are two; shares in percent."""
    for metric in ("wall", "end_to_end"):
        named = [(f"picked beside itself, {card.recorded}", picked_pairs(card, metric)) for card in cards]
        if len(cards) == 2:
            named.append(("each cell in both runs", twice(cards[0], cards[1], metric)))
        for name, pairs in named:
            c = counted(pairs)
            if c.pairs:
                share = _with_interval(c.faster, c.pairs)
                yield f"{metric}, {name}: {c.pairs} pairs; called faster: {c.faster}, {share} %"


def main(paths: Sequence[str]) -> None:
    """Print the table, or the counts of measured cards."""
    if paths:
        print(*_measured([read_card(Path(path)) for path in paths]), sep="\n")
    else:
        print(table(map(row, NOISES)))


if __name__ == "__main__":
    main(sys.argv[1:])
