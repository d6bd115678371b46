"""From rounds to verdicts: pure functions of what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from .record import Comparison, Reading, ReadingKey, Round
from .statistics import LEAST_ROUNDS, Verdict, judged, ratio_of

__all__ = ["compare_kernels", "compare_rounds", "flags_of", "overall"]


def compare_rounds(
    rounds: Sequence[Round], gate: float | None, shortest: float, inner: tuple[int, int] = (1, 1)
) -> dict[str, Comparison]:
    """Every region of a reading; with a ``gate`` each that is long enough has a verdict.

    A region is too short to be gated where both sides of it are: ``shortest`` seconds are the least, of ``inner`` runs
    of a side together. Where one is short and the other is not, that is the finding.
    """
    if not rounds:
        return {}
    found = {}
    for region in rounds[0].a.regions:
        first, second = [r.a.regions[region] for r in rounds], [r.b.regions[region] for r in rounds]
        a, b = median(first), median(second)
        ratio = ratio_of(first, second)
        why: str | None = None
        verdict: Verdict | None = None
        if gate is not None and max(a * inner[0], b * inner[1]) < shortest:
            why = f"shorter than {shortest:g} s: not gated"
        elif gate is not None and len(rounds) < LEAST_ROUNDS:
            verdict, why = "undecided", f"{len(rounds)} of at least {LEAST_ROUNDS} rounds"
        elif gate is not None:
            verdict = judged(ratio, gate)
        found[region] = Comparison(
            a=a, b=b, ratio=ratio.centre, low=ratio.low, high=ratio.high, rounds=len(rounds), verdict=verdict, why=why
        )
    return found


def compare_kernels(a: Sequence[float], b: Sequence[float]) -> Comparison:
    """Kernel times of as many traced runs of each side; never gated."""
    ratio = ratio_of(a, b)
    return Comparison(
        a=median(a), b=median(b), ratio=ratio.centre, low=ratio.low, high=ratio.high, rounds=len(a), why="not gated"
    )


def overall(readings: Mapping[ReadingKey, Reading], gated: ReadingKey, gate: float) -> tuple[Verdict, str]:
    """The verdict on both sides, and a line that says why: the worst of the gated regions of the one reading."""
    reading = readings[gated]
    name = gated.replace("_", " ")
    if reading.absent is not None:
        return "undecided", f"{name}: {reading.absent}"
    if reading.ended is not None:
        return "undecided", f"{name}: {reading.ended}"
    regions = {key: region for key, region in reading.regions.items() if region.verdict is not None}
    if not regions:
        return "undecided", f"{name}: no region is long enough to be gated"
    for verdict in ("fail", "undecided"):
        for key, found in regions.items():
            if found.verdict == verdict:
                return found.verdict, _line(name, key, found, gate)
    worst = max(regions, key=lambda key: regions[key].high)
    return "pass", _line(name, worst, regions[worst], gate)


def flags_of(reading: Reading) -> tuple[str, ...]:
    """Flags of the regions that a verdict is about."""
    return tuple(dict.fromkeys(flag for found in reading.regions.values() if found.verdict for flag in found.flags))


def _line(name: str, region: str, found: Comparison, gate: float) -> str:
    words = {"pass": "not above", "fail": "above", "undecided": "around"}[found.verdict or "undecided"]
    why = f" ({found.why})" if found.why else ""
    return (
        f"{name}, {region}: B takes {found.ratio:.4f} times as long as A, {found.low:.4f} to {found.high:.4f}, "
        f"{words} {gate:g}{why}"
    )
