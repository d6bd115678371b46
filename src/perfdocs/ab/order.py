"""In which order the sides of a round run, the same every time: no rhythm of the machine keeps to one side. Pure."""

from __future__ import annotations

from random import Random

from .record import Order

__all__ = ["ORDER_SEED", "orders"]

ORDER_SEED = 20_261_201


def orders(rounds: int, seed: int = ORDER_SEED) -> tuple[Order, ...]:
    """The order of each round. Every two rounds are A B B A or B A A B, as many of one as of the other, as drawn.

    What the second of a round finds otherwise than the first, and what drifts, falls on both sides alike within two
    rounds; what comes again every four runs does so over all of them. Where the pairs are odd in number, or the rounds,
    the rest is drawn as well.
    """
    random = Random(seed)  # noqa: S311 - a fixed draw; the numbers of random() are the same in every Python
    pairs = -(-rounds // 2)
    ranks = sorted(range(pairs + pairs % 2), key=lambda _: random.random())
    found: list[Order] = []
    for rank in ranks[:pairs]:
        found += ["AB", "BA"] if rank % 2 else ["BA", "AB"]
    return tuple(found[:rounds])
