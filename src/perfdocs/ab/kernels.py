"""A profiler's reading of kernels alone, in fresh processes, alternating; the clocks are left as they are."""

from __future__ import annotations

from pathlib import Path

from perfdocs.measure.arm import Context, Point
from perfdocs.measure.fresh import Ask, Request

__all__ = ["PAIRS", "Traced", "kernel_times"]

PAIRS = 3
"""Processes of each side: each starts the profiler anew, which takes seconds."""
LIMIT = 180.0  # s
Traced = tuple[Path, str, Point]
"""An arm to trace: the folder of its benchmark, its key and the point."""


def _times(ask: Ask, side: Traced, context: Context) -> tuple[float, ...] | str:
    folder, arm, at = side
    request = Request(
        how="traced",
        folder=folder,
        arm=arm,
        points=(at,),
        kind=context.kind,
        build=context.build,
        shared=context.build,
        threads=context.threads,
        sm_count=context.sm_count,
    )
    answers = ask(request, LIMIT, None).answers
    if not answers:
        return f"{arm}: the profiled process did not answer"
    if answers[0].refused is not None:
        return f"{arm}: {answers[0].refused[1]}"
    times = answers[0].values.get("kernel_time")
    return times if isinstance(times, tuple) and times else f"{arm}: {answers[0].absent or 'no kernels are seen'}"


def kernel_times(
    ask: Ask, sides: tuple[Traced, Traced], context: Context
) -> tuple[tuple[float, ...], tuple[float, ...]] | str:
    """Kernel seconds of one run, as many of A as of B, in the order they were read; or why there are none."""
    if context.kind != "gpu":
        return "a processor runs no kernels"
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(PAIRS):
        for times, side in zip(found, sides, strict=True):
            told = _times(ask, side, context)
            if isinstance(told, str):
                return told
            times.extend(told)
    count = min(map(len, found))
    return tuple(found[0][:count]), tuple(found[1][:count])
