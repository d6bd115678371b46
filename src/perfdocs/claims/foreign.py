"""Arms of other benchmarks in a text: its claim says nothing of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..definition import Definition
from ..library import Library
from .findings import Finding, Ternary
from .phrasebook import Entry, Phrasebook
from .wording import Prose, proper_names

__all__ = ["foreign_arms"]

_CODE = re.compile(r"`([^`\s]{1,80})`")


def foreign_arms(benchmark: str, library: Library, prose: Prose) -> Iterator[Finding]:
    """Each arm of another benchmark that a text names: by a label of several words, a proper name, or a key in code."""
    book, keys = _others(library, benchmark)
    said = [(arm, prose.plain[start:end]) for arm, start, end in book.find(prose.plain)]
    said += [(keys[m[1]], m[1]) for m in _CODE.finditer(prose.text) if m[1] in keys]
    for owner, text in said:
        yield Finding(
            Ternary.FALSE,
            "claim-text",
            f'"{" ".join(text.split())}", an arm of {owner}',
            f"arms of {benchmark}, of which the claim speaks",
            "name one of these, or begin the text behind it",
        )


@lru_cache(maxsize=64)
def _others(library: Library, benchmark: str) -> tuple[Phrasebook[str], dict[str, str]]:
    """What arms of other benchmarks are called, and their keys, each with a benchmark: none that this one speaks of."""
    own = library.benchmarks[benchmark].definition
    told, keys = _told(own), {*own.arms, *own.metrics, *own.derived, *own.axes, *own.groups, *own.tables}
    keys |= {value for entry in own.axes.values() for value in entry.values if isinstance(value, str)}
    entries: dict[str, Entry[str]] = {}
    coded: dict[str, str] = {}
    for other, known in library.benchmarks.items():
        if other == benchmark:
            continue
        for key, arm in known.definition.arms.items():
            if key not in keys:
                coded.setdefault(key, other)
            if len(arm.label.split()) > 1 and arm.label.lower() not in told:
                entries.setdefault(arm.label.lower(), Entry(arm.label, False, other))
        for name in proper_names(known.definition):
            if name.lower() not in told:
                entries.setdefault(name.lower(), Entry(name, True, other))
    return Phrasebook(entries.values()), coded


def _told(d: Definition) -> str:
    """All that a definition says, in small letters: what it speaks of itself is not foreign to it."""
    said = [d.title, d.summary or "", *(axis.label for axis in d.axes.values())]
    said += [f"{arm.label} {arm.loop} {arm.note}" for arm in d.arms.values()]
    said += [label for axis in d.axes.values() for label in axis.labels.values()]
    said += [f"{q.label} {q.about}" for q in map(d.quantity, (*d.metrics, *d.derived))]
    said += [f"{table.title} {table.about}" for table in d.tables.values()]
    return " ".join(" ".join(said).lower().split())
