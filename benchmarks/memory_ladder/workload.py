"""The memory_ladder workload: a ladder of reads on a GPU, and BabelStream's kernels on GPUs and over host threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from perfdocs.measure.arm import Context, Kind, Point, Task
from perfdocs.measure.machine import allowed_threads

from .ladder import MOST_BYTE_AT_ALL_WARPS, WARPS, Ladder, at_point
from .streams import Streams

KNOBS: Mapping[str, Sequence[int]] = {
    "width": (4, 8, 16),
    "stride": (1, 2, 4, 8, 16, 32, 64, 128, 256),
    "warps": (1, 2, 4, 8, 16, 32, 48, 64),  # 48 are all that some devices hold
    "loads": (1, 2, 4, 8),
}
TABLES = {"widths": "width", "strides": "stride", "warps": "warps", "loads": "loads"}
"""The ladders, and the knob that each varies."""
DEVICE_STREAMS = Streams(n=2**28, passes=4)
HOST_ELEMENTS = 2**27


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """The ladders, the streams, then the curve of all widths, loads and warps; on a CPU the streams over threads."""
    if kind == "cpu":
        return [Task("threads", {"threads": threads}) for threads in thread_rungs(allowed_threads(), quick)]
    ladders = ["warps"] if quick else list(TABLES)
    found = [
        Task(table, {TABLES[table]: rung}, curve=table)
        for table in ladders
        for rung in (KNOBS[TABLES[table]] if not quick else (1, 4, 16, 32, 64))
    ]
    return found + [Task("streams", {})] + ([] if quick else occupancy())


def thread_rungs(most: int, quick: bool) -> list[int]:
    """Powers of two to all threads that may be used; only all of them where it is to be quick."""
    return [most] if quick else sorted({most, *(2**power for power in range(most.bit_length()) if 2**power <= most)})


def occupancy() -> list[Task]:
    """Every way to bytes in flight at stride 1, each width and number of loads one curve over the warps."""
    return [
        Task("occupancy", {"width": width, "loads": loads, "warps": warps}, curve=f"{width} x {loads}")
        for width in reversed(KNOBS["width"])
        for loads in KNOBS["loads"]
        for warps in KNOBS["warps"]
        if width * loads <= MOST_BYTE_AT_ALL_WARPS or warps <= WARPS
    ]


def problem(at: Point) -> Ladder | Streams:
    """What is to be read, or read and written, at a point."""
    if "threads" in at:
        return Streams(HOST_ELEMENTS, threads=int(at["threads"]))
    return at_point(at) if at else DEVICE_STREAMS


def reference(problem: Ladder | Streams, context: Context) -> Any:  # noqa: ARG001 - the host computes it by formula
    """What must come out, by formula from one period of the contents."""
    return problem.reference()


def verify(problem: Ladder | Streams, reference: Any, result: Any) -> Mapping[str, float]:
    """Raises :class:`VerificationError` where the result is not the reference's."""
    return problem.verify(reference, result)


def counts(problem: Ladder | Streams) -> Mapping[str, float]:
    """Of the ladder its bytes; those of a stream differ from arm to arm."""
    return problem.counts() if isinstance(problem, Ladder) else {}


def work(at: Point) -> float:
    """Foreseen time of a run, in a unit of each table's own."""
    found = problem(at)
    return found.work if isinstance(found, Ladder) else found.n * found.passes / found.threads
