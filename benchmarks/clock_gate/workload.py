"""The clock_gate workload: work after a pause, after a load, beside others; an arm against itself; two arms of rk4.

A chain is x ← x · 1 664 525 + 1 013 904 223 modulo 2³², again and again from the number of its thread: every step waits
for the one before, so its time is a number of cycles and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from perfdocs.measure.arm import Context, Kind, Point, Task, VerificationError, Workload
from perfdocs.measure.loader import load_workload

from .others import Where

RK4 = Path(__file__).resolve().parent.parent / "rk4"
SAMPLED_STEPS = {"short": 2**13, "long": 2**24}  # some microseconds, some ten milliseconds
STEPS = 2**21  # some milliseconds on a GPU as on a host: longer than a run that would be repeated
LONG_STEPS = 96 * STEPS  # longer than a window of the sampler: it is to see what runs beside
FACTOR, SUMMAND = 1_664_525, 1_013_904_223
PAUSE, LOAD = 2.0, 1.0  # s; clocks fall within a second of the last work, and rise within half a second of load
GATES = {False: 300, True: 30}
SHORT = {"config": "spread-100", "n": 1000}
LONG = {"gpu": {"config": "spread-1000", "n": 10**6}, "cpu": SHORT}


@dataclass(frozen=True, slots=True)
class Chain:
    """Steps of a chain, and what surrounds each timed run: seconds of pause, then of the same work, others beside."""

    steps: int
    pause: float = 0.0
    load: float = 0.0
    beside: Where | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """The points of rk4 that two arms are held against each other at, by kind of device.

    ``gates`` short gates, or one whose rounds are told where that is ``None``.
    """

    at: Mapping[str, Mapping[str, Any]]
    gates: int | None = None


class Ends(NamedTuple):
    """Where the chains of the first threads ended."""

    ends: Any


class Both(NamedTuple):
    """The results of both sides, as rk4 verifies them, and the problem they are of."""

    problem: Any
    results: tuple[Any, Any]


@cache
def rk4() -> Workload:
    """The workload that the sides are arms of."""
    return load_workload(RK4)


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """Both states, what may be beside, the pair, the gates, then what the sampler costs, and probes."""
    beside = [where for where in get_args(Where) if where in ("cpu", kind)]
    return [
        *(Task("after", {"state": state}) for state in ("idle", "load")),
        *(Task("beside", {"beside": where}) for where in ("nothing", *beside)),
        Task("pair", {}),
        Task("itself", {"gates": GATES[quick]}),
        *(Task("sampler", {"length": length}) for length in SAMPLED_STEPS),
        *(Task("probes", {"length": length}) for length in (SAMPLED_STEPS if kind == "gpu" else ())),
    ]


def problem(at: Point) -> Chain | Pair:
    """A chain at a state, beside others, while it is sampled or between probes, else a pair."""
    if "length" in at:
        return Chain(SAMPLED_STEPS[str(at["length"])])
    if "state" in at:
        idle = at["state"] == "idle"
        return Chain(STEPS, PAUSE if idle else 0.0, 0.0 if idle else LOAD)
    if "beside" in at:
        return Chain(LONG_STEPS, beside=next((where for where in get_args(Where) if where == at["beside"]), None))
    return Pair({"gpu": SHORT, "cpu": SHORT}, int(at["gates"])) if "gates" in at else Pair(LONG)


def chain_end(start: int, steps: int) -> int:
    """Where a chain ends, by squaring the map instead of walking it."""
    scale, shift = 1, 0
    for bit in f"{steps:b}":
        scale, shift = scale * scale % 2**32, (scale * shift + shift) % 2**32
        if bit == "1":
            scale, shift = FACTOR * scale % 2**32, (FACTOR * shift + SUMMAND) % 2**32
    return (scale * start + shift) % 2**32


def reference(problem: Chain | Pair, context: Context) -> Any:
    """The ends of chains, or what rk4 has for a reference."""
    if isinstance(problem, Chain):
        return np.array([chain_end(thread, problem.steps) for thread in range(1024)], dtype=np.uint32)
    return rk4().reference(rk4().problem(problem.at[context.kind]), context)


def verify(problem: Chain | Pair, reference: Any, result: Ends | Both) -> Mapping[str, float]:
    """Every chain told ended where it had to; both sides are what rk4 wants. Raises :class:`VerificationError`."""
    if isinstance(problem, Chain):
        ends = np.asarray(result[0])
        wrong = np.flatnonzero(ends != reference[: ends.size])
        if not ends.size or wrong.size:
            raise VerificationError(f"{wrong.size} of {ends.size} chains ended elsewhere")
        return {}
    assert isinstance(result, Both)
    found = [rk4().verify(result.problem, reference, side)["max_difference"] for side in result.results]
    return {"max_difference": max(found)}


def counts(problem: Chain | Pair) -> Mapping[str, float]:
    """Steps of a chain."""
    return {"steps": problem.steps} if isinstance(problem, Chain) else {}


def work(at: Point) -> float:
    """Gates, of which one takes about as long as a chain."""
    return float(at.get("gates", 1))
