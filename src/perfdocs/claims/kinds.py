"""A device that is called by its kind, "on the GPU", or by where the reader is, "here"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..row import Row
from .context import Context
from .findings import Finding, Ternary
from .scope import Data
from .wording import Prose

__all__ = ["kinds_otherwise"]

_KIND = re.compile(
    r"\bon\s+(?:(?:the|a|an|this|that|our|its)\s+)?(?:(?P<gpu>GPUs?|graphics\s+cards?)|(?P<cpu>CPUs?|processors?))(?!\s*[\w-])"
    r"|\bon\s+(?:the|a|an|this|that|our|its)\s+(?:(?P<gpu2>GPU)|(?P<cpu2>CPU|processor))\b(?!-|\s+(?:side|arms?|clock)\b)",
    re.IGNORECASE,
)
_HERE = re.compile(r"(?<!from\s)\bhere\b(?!\s+and\s+there)", re.IGNORECASE)


def _kinds(row: Row) -> frozenset[str]:
    """The kinds of device that a measurement may be said to be of: an arm of threads on a GPU's card runs beside it."""
    arm = row.definition.arms.get(row.arm)
    return frozenset({row.card.device.kind, *(("cpu",) if arm is not None and "cpu" in arm.on else ())})


def kinds_otherwise(data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    """A kind of device of which the claim looked at none, and "here" of another device than the one that is given."""
    if not data.seen:
        return
    for m in _KIND.finditer(prose.plain):
        said = "gpu" if m["gpu"] or m["gpu2"] else "cpu"
        if not any(said in _kinds(row) for row in data.seen):
            yield _finding(" ".join(m[0].split()), data)
    away = context.device is not None and context.device not in data.devices
    if away and _HERE.search(prose.plain) and not any(name.kind == "device" for name in prose.names):
        yield _finding("here", data)


def _finding(said: str, data: Data) -> Finding:
    seen = ", ".join(sorted({f"{row.card.device.id}, a {row.card.device.kind.upper()}" for row in data.seen}))
    return Finding(Ternary.FALSE, "claim-text", f'"{said}"', f"what the claim speaks of: {seen}", "name the device")
