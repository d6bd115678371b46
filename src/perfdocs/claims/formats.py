"""Formats of numbers as prose says them: "in double precision" is a value of an axis that has `fp64`."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition

__all__ = ["spoken_formats"]

_SPOKEN = {
    "fp64": ("double precision", "in double", "doubles"),
    "fp32": ("single precision", "in single", "singles"),
    "fp16": ("half precision", "in half", "halves"),
}
"""Each format by the end of its key. "Floats" are also the opposite of integers."""


def spoken_formats(d: Definition) -> Iterator[tuple[str, str, str, frozenset[str]]]:
    """A phrase, the axis, a value of it, and all values that are called so, for each axis of formats.

    A format that the axis lacks is one as well: nothing that is measured there is meant.
    """
    for axis, entry in d.axes.items():
        words = [value for value in entry.values if isinstance(value, str)]
        if sum(word.endswith(tuple(_SPOKEN)) for word in words) < 2:
            continue
        for key, phrases in _SPOKEN.items():
            values = frozenset(word for word in words if word.endswith(key)) or frozenset({key})
            yield from ((phrase, axis, key if key in values else min(values), values) for phrase in phrases)
