"""Flags: caveats on a measurement, one word each, shown wherever the value appears.

Most are derived here from what the card recorded; a card itself stores only what cannot be derived.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .card import Card, Measurement
from .conditions import CLOCK_SPREAD, clock_moved, clock_of_runs, contamination, throttle_reasons, unwatched
from .verdict import Value

__all__ = [
    "FLAGS",
    "Flag",
    "flags_by_measurement",
    "flags_of",
    "footprint_flags",
    "noise",
    "of_peak_flags",
    "pattern",
    "sm_clock",
]

NOISY_SPREAD = 0.05
LEAST_PATTERN = 0.02
"""A drift or a gap between two modes of less of the centre is too small to warn of."""
LEAST_RUNS = 5
"""Fewer runs are in order, or in two groups, by chance too often for either to mean anything."""
GAP = 8
"""Two groups of runs are two modes where so many times the wider one fits between them."""


@dataclass(frozen=True, slots=True)
class Flag:
    """``mark`` stands behind a value; ``about`` is the legend."""

    mark: str
    about: str


FLAGS: dict[str, Flag] = {
    "throttled": Flag("T", "the device reported a clock-throttle reason while the work ran"),
    "clock_spread": Flag("k", f"the SM clock spread over more than {CLOCK_SPREAD:.0%} while the work ran"),
    "clocks_apart": Flag(
        "K",
        f"the SM clocks of what is compared are more than {CLOCK_SPREAD:.0%} apart; the ratio in cycles stands beside",
    ),
    "noisy": Flag("~", f"the runs spread over more than {NOISY_SPREAD:.0%} of their centre"),
    "drift": Flag("d", f"the runs rose, or fell, one after the other, by more than {LEAST_PATTERN:.0%} in all"),
    "bimodal": Flag("b", f"the runs fall into two groups more than {LEAST_PATTERN:.0%} apart"),
    "gate_timeout": Flag(
        "G", "the cool-down gate timed out, and clock or throttle reasons differ from those behind gates that did not"
    ),
    "contaminated": Flag("C", "other work ran on the device or its processors, in the last try as well"),
    "not_watched": Flag("w", "nobody looked for other work in the runs, or in their last try: no sampler or no sample"),
    "few_samples": Flag("f", "fewer than five timed runs"),
    "served_from_cache": Flag("$", "counted bytes exceed the DRAM peak, and the data fit the last-level cache"),
    "cache_sized": Flag("c", "the data fit the last-level cache: not a rate of the memory, of which no peak is known"),
    "impossible": Flag("!", "above the device's peak: a wrong count, clock or peak"),
    "not_observed": Flag("o", "no clock was seen while the work ran, where it was for others of the table"),
    "imported": Flag("i", "typed in from a published source, not measured here"),
    "synthetic": Flag("s", "synthetic: no measurement"),
}


def flags_by_measurement(card: Card) -> tuple[frozenset[str], ...]:
    """Flags of each measurement (see :func:`flags_of`)."""
    return tuple(map(flags_of(card), card.measurements))


def flags_of(card: Card) -> Callable[[Measurement], frozenset[str]]:
    """What tells the flags of a card's measurement, those of its samples excepted (:func:`noise`, :func:`pattern`)."""
    origin: frozenset[str] = frozenset() if card.origin.kind == "measured" else frozenset({card.origin.kind})
    passed = [m for m in card.measurements if _gate_timed_out(m) is False]
    peers: dict[tuple[object, ...], list[Measurement]] = {}
    if any(map(_gate_timed_out, card.measurements)):  # of no use otherwise
        for m in passed:
            peers.setdefault(_point(m), []).append(m)
    sampling = card.method.sample_period is not None or card.method.sampler_reason is not None
    return lambda m: origin.union(m.flags, _block_flags(m, peers.get(_point(m), passed) if peers else passed, sampling))


def _gate_timed_out(m: Measurement) -> bool | None:
    """``None``: there was no gate."""
    return m.block.gate.timed_out if m.block is not None and m.block.gate is not None else None


def _point(m: Measurement) -> tuple[object, ...]:
    return (m.table, *sorted(m.at.items()))


def _block_flags(m: Measurement, peers: Sequence[Measurement], sampling: bool) -> Iterable[str]:
    """``peers``: those behind a gate that did not time out, at the same point or, without such, of the whole card."""
    if m.block is None:
        return
    if throttle_reasons(m.block):
        yield "throttled"
    if contamination(m.block.state):
        yield "contaminated"
    if unwatched(m.block, sampling):
        yield "not_watched"
    if clock_moved(m):
        yield "clock_spread"
    if _gate_timed_out(m):
        clock, clocks = sm_clock(m), [c for p in peers if (c := sm_clock(p)) is not None]
        slower = clock is not None and bool(clocks) and abs(clock / statistics.median(clocks) - 1) > CLOCK_SPREAD
        usual = {r for p in peers if p.block for r in p.block.throttle}
        if slower or not peers or not set(m.block.throttle) <= usual:
            yield "gate_timeout"


def sm_clock(m: Measurement) -> float | None:
    """The SM clock of the runs, Hz; where nothing sampled the work, the median of those read after the timed runs."""
    if (seen := clock_of_runs(m)) is not None:
        return seen.centre
    read = m.values.get("sm_clock")
    return _middle(sorted(read)) if isinstance(read, tuple) else read if isinstance(read, float) else None


def noise(value: Value) -> frozenset[str]:
    """``noisy`` where the range of all runs exceeds the stated share of the centre."""
    return (
        frozenset({"noisy"})
        if value.samples and value.hi - value.lo > NOISY_SPREAD * abs(value.centre)
        else frozenset()
    )


def pattern(runs: Sequence[float]) -> frozenset[str]:
    """``drift`` and ``bimodal`` of runs in the order in which they were made.

    Each comes up for less than 1 in 100 sets of independent runs of one law with one mode, whatever its width
    (decision 0019).
    """
    if len(runs) < LEAST_RUNS:
        return frozenset()
    ordered = sorted(runs)
    least = LEAST_PATTERN * abs(_middle(ordered))
    if ordered[-1] - ordered[0] <= least:  # as of most rows: neither a way nor a gap is larger
        return frozenset()
    found = {"drift": _drifts(runs, least), "bimodal": _bimodal(ordered, least)}
    return frozenset(flag for flag, is_so in found.items() if is_so)


def _middle(ordered: Sequence[float]) -> float:
    """The median of what is in order: the library would put it in order again."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _drifts(runs: Sequence[float], least: float) -> bool:
    """Whether all runs rise, or all fall, by more than ``least``, and no step is more than half of the way."""
    way = abs(runs[-1] - runs[0])
    if way <= least:
        return False
    steps = [b - a for a, b in pairwise(runs)]
    return (min(steps) > 0 or max(steps) < 0) and 2 * max(map(abs, steps)) <= way


def _bimodal(ordered: Sequence[float], least: float) -> bool:
    """Whether two groups of two runs or more are over ``least`` and :data:`GAP` times the wider one apart."""
    first, last = ordered[0], ordered[-1]
    for below, above in pairwise(ordered[1:-1]):
        gap = above - below
        if gap > least and gap > GAP * (below - first) and gap > GAP * (last - above):
            return True
    return False


def of_peak_flags(share: float, issued: float | None, cache: float | None, *, bandwidth: bool) -> frozenset[str]:
    """Flags of a fraction of peak: above 1 by more than rounding it is served from cache or impossible.

    ``issued`` and ``cache``: bytes the data occupy and bytes of the last-level cache, where known.
    """
    if share <= 1.005:
        return frozenset()
    if bandwidth and issued is not None and cache is not None and issued <= cache:
        return frozenset({"served_from_cache"})
    return frozenset({"impossible"})


def footprint_flags(footprint: float | None, cache: float | None) -> frozenset[str]:
    """``cache_sized`` where the bytes the data occupy fit the last-level cache, where both are known.

    It is for devices without a DRAM peak: where there is one, :func:`of_peak_flags` tells what is above it.
    """
    fits = footprint is not None and cache is not None and 0 < footprint <= cache
    return frozenset({"cache_sized"}) if fits else frozenset()
