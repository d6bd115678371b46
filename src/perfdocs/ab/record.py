"""The record of one A/B, ``perfdocs.ab/1``: everything that was seen, each reading by itself.

The types are the schema. Times are seconds, clocks hertz, ratios those of B over A.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, to_builtins

from perfdocs.card import Spread, State
from perfdocs.files import write_atomic

from .statistics import Verdict

__all__ = [
    "Comparison",
    "FileFacts",
    "Method",
    "Order",
    "Reading",
    "ReadingKey",
    "Record",
    "Repeat",
    "Role",
    "Round",
    "Seen",
    "SideFacts",
    "Turn",
    "encode",
    "write",
]

ReadingKey = Literal["default_clocks", "locked_clocks", "profiler"]
Order = Literal["AB", "BA"]
Seconds = Annotated[float, Meta(gt=0, description="s")]
Span = tuple[float, float]
Role = Literal["program", "interpreter", "argument"]
"""``program`` is what the first word runs, found by the path; ``interpreter`` what its first line says it is run by."""


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every part of a record: frozen, no unknown keys, defaults not written."""


class Turn(_Part, frozen=True, kw_only=True):
    """One side's part of a round: seconds by region, and what the machine did meanwhile, absent where nobody looked.

    The state is that of cards. An arm's timed run is sampled itself where it is long enough (``timed``); else, on a
    GPU, the same work runs untimed after the turn to be sampled (``window``), and a host is sampled over the whole turn
    (``rotation``). A command is sampled throughout (``timed``): what is told of the GPU comes from samples in which it
    was busy, the energy is that of the whole command.
    """

    regions: dict[str, Seconds]
    state: State | None = None


class Round(_Part, frozen=True, kw_only=True):
    """Both sides, in this order."""

    order: Order = "AB"
    a: Turn
    b: Turn


class Repeat(_Part, frozen=True, kw_only=True):
    """A round that was measured again, by its place from 1 on, and why. ``turns`` are those that ran, in order."""

    round: int
    order: Order = "AB"
    why: str
    turns: tuple[Turn, ...]


class Comparison(_Part, frozen=True, kw_only=True):
    """One region of one reading: medians, their ratio B / A and its interval; a verdict where it is gated.

    ``cycles`` is the ratio in SM cycles, where the clocks of the sides were too far apart to compare seconds. ``flags``
    are those of cards, and ``not_watched``, each with what it is about here.
    """

    a: Seconds
    b: Seconds
    ratio: float
    low: float
    high: float
    rounds: int
    cycles: float | None = None
    verdict: Verdict | None = None
    why: str | None = None
    flags: dict[str, str] = {}


class Seen(_Part, frozen=True, kw_only=True):
    """What was seen of a side in the rounds that count; ``rounds`` are those in which anybody looked.

    Clocks are the lowest, the median of the rounds' middles and the highest. ``throttle`` counts rounds by reason,
    ``unobserved`` by what the machine did not tell.
    """

    rounds: int
    sm_clock: Spread | None = None
    memory_clock: Spread | None = None
    cpu_clock: Spread | None = None
    p_states: tuple[int, ...] = ()
    throttle: dict[str, int] = {}
    unobserved: dict[str, int] = {}


class Reading(_Part, frozen=True, kw_only=True):
    """One way to read both sides, never merged with another. ``absent`` says why there is none of it.

    ``ended`` says why it has fewer rounds than were asked for. ``clocks`` are SM and memory clock as they were locked,
    ``how`` what locked or profiled, ``restored`` whether the clocks were reset afterwards.
    """

    absent: str | None = None
    ended: str | None = None
    how: str | None = None
    clocks: Span | None = None
    restored: bool | None = None
    rounds: tuple[Round, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    seen: dict[Literal["a", "b"], Seen] = {}
    kernels: dict[str, tuple[Seconds, ...]] = {}
    regions: dict[str, Comparison] = {}


class FileFacts(_Part, frozen=True, kw_only=True):
    """A file that a command names, or that runs it: its name without a path, bytes and sha256, or ``why`` not."""

    role: Role
    name: str
    size: int | None = None
    sha256: str | None = None
    why: str | None = None


class SideFacts(_Part, frozen=True, kw_only=True):
    """What a side is: an arm at a point, or a command as its list of words, paths left out.

    ``inner`` runs of an arm are timed together, and the times are those of one. ``sources`` are sha256 by file
    of an arm. ``files`` are those of a command when the comparison began, ``changed`` the names of those that were
    others at its end.
    """

    label: str
    kind: Literal["arm", "command"]
    at: dict[str, str | float] = {}
    words: tuple[str, ...] = ()
    inner: int = 1
    sources: dict[str, str] = {}
    files: tuple[FileFacts, ...] = ()
    changed: tuple[str, ...] = ()


class Method(_Part, frozen=True, kw_only=True):
    """How the interval was made and what was asked for. ``order_seed`` drew the orders of the rounds.

    More than ``foreign_load`` processors of others' work repeats a round. The machine is sampled every
    ``sample_period``; ``sampler_reason`` says why it, or its GPU, was not, or no longer.
    """

    rounds: int
    gate: float
    shortest: float
    most_repeats: int
    foreign_load: float
    level: float
    resamples: int
    seed: int
    order_seed: int | None = None
    lock: Literal["base", "boost"] | None = None
    sample_period: Seconds | None = None
    sampler_reason: str | None = None


class Record(_Part, frozen=True, kw_only=True):
    """One A/B. ``gated`` names the reading that the verdict is about, ``stopped`` what ended all before its time.

    ``flags`` are those of the regions that the verdict is about.
    """

    schema: Literal["perfdocs.ab/1"] = "perfdocs.ab/1"
    recorded: str
    a: SideFacts
    b: SideFacts
    method: Method
    readings: dict[ReadingKey, Reading]
    gated: ReadingKey
    verdict: Verdict
    why: str
    flags: tuple[str, ...] = ()
    stopped: str | None = None


def encode(record: Record) -> bytes:
    """The bytes of the record's file, a round a line."""
    tree = {"schema": record.schema, **to_builtins(record)}
    return (_text(tree, 0) + "\n").encode()


def _text(value: object, depth: int) -> str:
    """JSON that opens objects down to the readings and lists of rounds, and keeps the rest on one line."""
    pad = " " * (depth + 1)
    if isinstance(value, dict) and value and depth < 3:
        parts = [
            f"{pad}{json.dumps(str(key), ensure_ascii=False)}: {_text(part, depth + 1)}" for key, part in value.items()
        ]
        return "{\n" + ",\n".join(parts) + "\n" + " " * depth + "}"
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        return (
            "[\n"
            + ",\n".join(f"{pad}{json.dumps(part, ensure_ascii=False, allow_nan=False)}" for part in value)
            + "\n"
            + " " * depth
            + "]"
        )
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write(record: Record, path: Path) -> None:
    """Write the record, the whole of it or nothing."""
    write_atomic(path, encode(record))
