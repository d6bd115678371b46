"""Whether a second run is what it says: another run of the same benchmark on the same device, measured apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .card import Card, Measurement
from .errors import PerfdocsError, place

if TYPE_CHECKING:  # the library calls this
    from .loading import LoadedCard

__all__ = ["check_twin"]

TIMES = ("wall", "end_to_end", "ready")
"""Samples that the finest clock took, to seven digits: two runs do not have the same ones by chance."""
NAMED = 5


def _samples(card: Card) -> list[object]:
    """What was measured, comparable also where one of two cards comes from the store."""
    return [(m.table, m.arm, m.at, m.values) for m in card.measurements]


def _times(m: Measurement) -> dict[str, tuple[float, ...]]:
    """Samples of times by metric; one sample alone could come again."""
    return {key: found for key in TIMES if isinstance(found := m.values.get(key), tuple) and len(found) > 1}


def _cell(m: Measurement) -> tuple[object, ...]:
    return m.table, m.arm, frozenset(m.at.items())


def _copied(first: Card, second: Card) -> list[str]:
    """Cells of ``second`` in which a time has exactly the samples that it has in ``first``, in words."""
    ours = {_cell(m): _times(m) for m in first.measurements}
    return [
        " ".join([m.table, m.arm, *(f"{axis}={value}" for axis, value in m.at.items())])
        for m in second.measurements
        if any(ours.get(_cell(m), {}).get(metric) == samples for metric, samples in _times(m).items())
    ]


def check_twin(first: LoadedCard, second: LoadedCard) -> None:
    """Whether ``second`` is another run of what ``first`` measured. Raises :class:`PerfdocsError` where it is not.

    Two runs are of one benchmark and one device, of the same origin, of the same extent and by the same protocol, were
    recorded at different times, and have the same samples of a time in no cell. Other differences are shown and not
    refused: they may be why a number moved.
    """

    def same(key: str, a: str, b: str, do: str) -> None:
        if a != b:
            code = f"repeat-{key.rpartition('.')[2]}"
            where, expected = place(second.path, f"$.{key}"), f'"{a}", as in {place(first.path)}'
            raise PerfdocsError(code, where, f'"{b}"', expected, do)

    a, b = first.card, second.card
    same("benchmark", a.benchmark, b.benchmark, "compare two runs of one benchmark")
    same("device", a.device.id, b.device.id, "compare two runs of one device")
    same("origin", a.origin.kind, b.origin.kind, "measure both runs")
    if b.origin.kind == "imported":
        where = place(second.path, "$.origin")
        raise PerfdocsError("repeat-origin", where, '"imported"', "a run that was measured", "remove it")
    same("method.protocol", a.method.protocol, b.method.protocol, "measure both runs in the same way")
    extent = ("quick" if a.method.quick else "full", "quick" if b.method.quick else "full")
    same("method.quick", *extent, "measure both runs in full")
    if a.recorded == b.recorded or _samples(a) == _samples(b):
        raise PerfdocsError(
            "repeat-same",
            place(second.path),
            f"the same run as {place(first.path)}",
            "another run of the device, from its beginning",
            "measure the device again",
        )
    if copied := _copied(a, b):
        more = f" and {len(copied) - NAMED} more" if len(copied) > NAMED else ""
        raise PerfdocsError(
            "repeat-copied",
            place(second.path),
            f"exactly the times of {place(first.path)} in {len(copied)} of {len(b.measurements)} cells: "
            f"{'; '.join(copied[:NAMED])}{more}",
            "a run that is independent of the first in every cell",
            "measure the device again, all of it",
        )
