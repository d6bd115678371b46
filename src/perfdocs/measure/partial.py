"""The file of an interrupted run: finished blocks, kept beside the final card and never mistaken for one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from perfdocs.card import PARTIAL_SCHEMA, Card
from perfdocs.cardfile import decode_card, encode_card
from perfdocs.errors import PerfdocsError
from perfdocs.files import digest, read_bytes, write_atomic

__all__ = ["Partial", "fingerprint", "partial_path", "read_partial", "write_partial"]

CHANGING = (
    "quick",
    "gate_budget",
    "idle_temperature",
    "timer_resolution",
    "inner_target",
    "clocks",
    "clocks_reason",
    "repeats",
    "repeat_budget",
)
"""Parts of the method that may differ between two runs whose blocks belong on one card."""


@dataclass(frozen=True, slots=True)
class Partial:
    """What an interrupted run left, by cell.

    ``tries`` counts runs of the process that ended in the middle of a cell; ``hangs`` says why one is not tried again.
    """

    fingerprint: str
    card: Card
    tries: Mapping[str, int] = field(default_factory=dict)
    hangs: Mapping[str, str] = field(default_factory=dict)


def partial_path(card: Path, selection: str = "") -> Path:
    """Where the partial file of ``card`` lies; a run narrowed to some arms or points has one of its own."""
    mark = f".only-{digest(selection.encode())[:8]}" if selection else ""
    return card.with_name(f"{card.stem}{mark}.partial.json")


def fingerprint(card: Card) -> str:
    """Hash of everything two runs must share for their blocks to stand on one card."""
    method = msgspec.to_builtins(card.method)
    kept = {key: value for key, value in method.items() if key not in CHANGING}
    parts = [card.benchmark, card.version, card.device.id, dict(card.source.files), dict(card.software), kept]
    return digest(json.dumps(parts, sort_keys=True).encode())


def write_partial(path: Path, partial: Partial) -> None:
    """Replace the partial file atomically."""
    head = {
        "schema": PARTIAL_SCHEMA,
        "fingerprint": partial.fingerprint,
        "tries": dict(partial.tries),
        "hangs": dict(partial.hangs),
    }
    body = json.dumps(head, ensure_ascii=False)[:-1] + ', "card": ' + encode_card(partial.card).decode() + "}\n"
    write_atomic(path, body.encode())


def read_partial(path: Path) -> Partial | str | None:
    """The partial file, ``None`` where there is none, or why it cannot be used."""
    if not path.exists():
        return None
    try:
        tree = json.loads(read_bytes(path, path.parent))
        if not isinstance(tree, dict) or tree.get("schema") != PARTIAL_SCHEMA:
            return "it is of another schema"
        tries = {str(k): int(v) for k, v in dict(tree.get("tries", {})).items()}
        hangs = {str(k): str(v) for k, v in dict(tree.get("hangs", {})).items()}
        card = decode_card(json.dumps(tree["card"]).encode(), path)
        return Partial(str(tree["fingerprint"]), card, tries, hangs)
    except (PerfdocsError, ValueError, TypeError, KeyError, RecursionError):
        return "it is damaged"
