"""The peaks workload: the points of each table, and the problem at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from perfdocs.measure.arm import Context, Kind, Point, Task
from perfdocs.measure.chains import MOST_STEPS

from .problems import ARRAYS, Arithmetic, Atomics, Latency, Matrix, Memory, Problem, Transfer, counts

__all__ = ["counts", "problem", "reference", "tasks", "verify", "work"]

LANES = (1, 2, 4, 8, 16)
HALVES = tuple(2 * lanes for lanes in LANES)  # of pairs
MEMORIES = ("pinned", "pageable", "mapped")
DIRECTIONS = ("up", "down", "both")
WAYS = {
    "gpu": {"pipelined": 2000, "synchronised": 200, "graph_node": 4000, "while_iteration": 1000},
    "cpu": {"region": 1000, "barrier": 4000},
}
REPEATS = {**WAYS["gpu"], **WAYS["cpu"]}
ADDRESSES = (1, 32, 1024, 2**20)
SIDES = {
    "tensor_fp64": (4096, 8192),
    **dict.fromkeys(("tensor_tf32", "tensor_fp16", "tensor_bf16"), (4096, 8192, 12288, 16384)),
}
QUICK_SIDES = {"tensor_fp16": (8192,)}
WORDS = 2**29  # of each of three arrays: far more than caches hold
TRANSFERRED = 2**27  # words


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """Every table is one curve, so that a GPU is brought to its clocks once for each.

    Launches come first: in a process that has put work on several streams, as transfers do, a node of a
    graph takes longer.
    """
    points: list[tuple[str, Point]] = [("latency", {"way": way}) for way in WAYS[kind]]
    points += [
        ("memory", {"pattern": pattern, "lanes": lanes}) for pattern in ARRAYS for lanes in ((4,) if quick else LANES)
    ]
    types = ("fp32", "fp64", "int32", "fp16") if kind == "gpu" else ("fp32", "fp64", "int32")
    points += [
        ("arithmetic", {"type": key, "lanes": lanes})
        for key in types
        for lanes in ((8,) if quick else HALVES if key == "fp16" else LANES)
    ]
    if kind == "gpu":
        sides = QUICK_SIDES if quick else SIDES
        points += [("matrix", {"type": key, "side": side}) for key, of in sides.items() for side in of]
        memories, ways = (MEMORIES[:1], DIRECTIONS[:2]) if quick else (MEMORIES, DIRECTIONS)
        points += [("transfer", {"memory": memory, "direction": way}) for memory in memories for way in ways]
    points += [("atomics", {"addresses": addresses}) for addresses in (ADDRESSES[::3] if quick else ADDRESSES)]
    return [Task(table, at, curve=table) for table, at in points]


def problem(at: Point) -> Problem:
    """The problem at a point, told by its axes."""
    given: Mapping[str, Any] = at
    if "pattern" in given:
        return Memory(given["pattern"], given["lanes"], WORDS)
    if "lanes" in given:
        return Arithmetic(given["type"], given["lanes"], MOST_STEPS)
    if "side" in given:
        return Matrix(given["type"], given["side"], repeats=2)
    if "memory" in given:
        return Transfer(given["memory"], given["direction"], TRANSFERRED)
    if "way" in given:
        return Latency(given["way"], REPEATS[given["way"]])
    return Atomics(given["addresses"])


def reference(problem: Problem, context: Context) -> None:
    """Nothing: every problem knows its answer."""


def verify(problem: Problem, reference: None, result: Any) -> Mapping[str, float]:  # noqa: ARG001
    """Held against what is known beforehand. Raises :class:`VerificationError`."""
    problem.verify(result)
    return {}


def work(at: Point) -> float:  # noqa: ARG001
    """Points of a table take about as long as one another."""
    return 1.0
