"""What NVBench wrote of every kernel, read from its JSON output."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from perfdocs.measure.arm import Cannot

Answer = Mapping[str, float] | str
"""Seconds and samples by metric, or why there are none."""

TAGS = {
    "gpu_time": "nv/cold/time/gpu/mean",
    "samples": "nv/cold/sample_size",
    "gpu_time_back_to_back": "nv/batch/time/gpu/mean",
}
NEEDED = ("gpu_time", "samples")
LONGEST = 200  # characters of a reason


def answers(text: str, axis: str) -> dict[str, Answer]:
    """The answers by the values of a string axis. Raises :class:`Cannot` where the text is no such output."""
    try:
        states = [state for benchmark in json.loads(text)["benchmarks"] for state in benchmark["states"]]
        return {_value_of(state, axis): _answer(state) for state in states}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        found = f"{type(error).__name__}: {error}"[:LONGEST]
        raise Cannot("error", f"NVBench's output is not as it writes it ({found})") from None


def _value_of(state: Mapping[str, Any], axis: str) -> str:
    (value,) = (str(entry["value"]) for entry in state["axis_values"] if entry["name"] == axis)
    return value


def _answer(state: Mapping[str, Any]) -> Answer:
    if state.get("is_skipped"):
        return f"NVBench left it out: {state.get('skip_reason')}"[:LONGEST]
    summaries = {summary["tag"]: summary["data"] for summary in state["summaries"] or ()}
    found = {key: number for key, tag in TAGS.items() if (number := _number(summaries.get(tag, ()))) is not None}
    lacking = [TAGS[key] for key in NEEDED if key not in found]
    return f"NVBench gives no {' and no '.join(lacking)}" if lacking else found


def _number(data: Any) -> float | None:
    """The number called ``value``, written as a text; none where it is absent or no number above 0."""
    for entry in data:
        if entry["name"] == "value" and entry["value"] is not None:
            number = float(entry["value"])
            return number if math.isfinite(number) and number > 0 else None
    return None
