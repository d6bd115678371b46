"""What was not run, where and why, in few words: points of one reason are said together, and so are arms."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..card import AxisValue, NotRun
from ..definition import Definition
from ..frame import absences, rows
from ..library import Benchmark
from ..loading import LoadedCard
from ..quantity import NBSP, number_text
from .model import Group, Line, TableModel, words
from .points import axis_value_text, labels_of, point_text, selection_text

__all__ = ["absence_notes", "not_run", "reason_text"]

KINDS = {
    "not_installed": "not installed",
    "unsupported": "not supported",
    "out_of_time": "out of time",
    "out_of_memory": "out of memory",
    "failed_verification": "failed verification, so not timed",
    "error": "error",
    "not_requested": "not asked for",
}
UNSAID = "not measured; the card gives no reason"
FEW = 4
"""Arms that are lacking for one arm that is not, from which on those that are not are named instead."""

Place = tuple[tuple[str, AxisValue], ...]
"""Values of some axes or of all; of none: everywhere."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, for a reader. ``foreign``: the text comes from a card."""

    text: str
    foreign: bool = True


@dataclass(frozen=True, slots=True)
class Absence:
    """Arms, in words, that lack the same points for one reason; ``where`` is empty where they lack all."""

    arms: str
    where: str
    reason: Reason


def not_run(benchmark: Benchmark, loaded: LoadedCard) -> TableModel | None:
    """What was not run, where, and why: one part for each table; ``None`` where everything was."""
    definition, card = benchmark.definition, loaded.card
    groups = []
    for table in (None, *definition.tables):
        listed = sorted((n for n in card.not_run if n.table == table), key=lambda n: _order(definition, n))
        lacking = [
            (n.arm, Reason(f"{KINDS[n.kind]}: {reason_text(definition, n.reason)}"), tuple(n.at.items()))
            for n in listed
        ]
        every = {place for _, _, place in lacking if table and len(place) == len(definition.tables[table].axes)}
        if table is not None:
            every |= {tuple(m.at.items()) for m in card.measurements if m.table == table}
        arms = _possible(definition, loaded, table)
        body = tuple(
            (words(a.arms), words(a.where or "everywhere"), words(a.reason.text, foreign=True))
            for a in _gathered(definition, lacking, every, arms)
        )
        if body:
            title = definition.tables[table].title if table else "Every table"
            groups.append(Group(("arm", "where", "reason"), body, title))
    if not groups:
        return None
    return TableModel(f"not-run-{definition.id}-{loaded.device_id}", "Not run", tuple(groups))


def absence_notes(benchmark: Benchmark, loaded: LoadedCard, table: str) -> tuple[Line, ...]:
    """Why arms that belong to this device's kind are missing at points where another was measured."""
    definition, card = benchmark.definition, loaded.card
    if definition.tables[table].of is not None:
        return ()
    found = rows(benchmark, loaded, table)
    measured = {(r.arm, tuple(r.at.items())) for r in found}
    places = list(dict.fromkeys(tuple(r.at.items()) for r in found))
    arms = _possible(definition, loaded, table)
    lacking = []
    for arm in arms:
        for place in places:
            if (arm, place) not in measured:
                hits = absences(card, table, arm, dict(place))
                reason = Reason(reason_text(definition, hits[0].reason)) if hits else Reason(UNSAID, foreign=False)
                lacking.append((arm, reason, place))
    return tuple(
        Line(", ".join(filter(None, [a.arms, a.where])), a.reason.text, (), a.reason.foreign)
        for a in _gathered(definition, lacking, set(places), arms)
    )


def reason_text(definition: Definition, reason: str) -> str:
    """A card's reason with points and large numbers as a reader writes them.

    ``about 4.7e+03 s, foreseen from config=wide, n=1000`` becomes ``about 4700 s, foreseen from wide, N = 10³``.
    """

    def value(match: re.Match[str]) -> str:
        axis, text = match[1], match[2]
        if axis not in definition.axes:
            return match[0]
        known = {str(v): v for v in definition.axes[axis].values}
        try:
            return selection_text(definition, axis, known[text] if text in known else float(text))
        except ValueError:
            return selection_text(definition, axis, text)

    said = re.sub(r"\b(\w+)=([^\s,;:]+)", value, reason)
    return re.sub(r"\b\d(?:\.\d+)?e\+0?[1-8]\b", lambda m: number_text(float(m[0])), said)


def _order(definition: Definition, absent: NotRun) -> tuple[int, list[tuple[float, str]]]:
    """Arms, then values of axes, as the definition has them."""
    ranks = [_rank(definition.axes[axis].values, value) for axis, value in absent.at.items()]
    return tuple(definition.arms).index(absent.arm), ranks


def _rank(known: Sequence[AxisValue], value: AxisValue) -> tuple[float, str]:
    if value in known:
        return known.index(value), ""
    return (0.0, value) if isinstance(value, str) else (float(value), "")


def _possible(definition: Definition, loaded: LoadedCard, table: str | None) -> list[str]:
    """Arms of a table, or of all, that run on this kind of device; of an imported card those that it tells of."""
    arms = definition.arms_of(table) if table else tuple(definition.arms)
    if loaded.card.origin.kind == "imported":  # its source has what it has
        card = loaded.card
        said = {m.arm for m in card.measurements if table in (None, m.table)}
        said |= {n.arm for n in card.not_run if table is None or n.table in (None, table)}
        return [a for a in arms if a in said]
    return [a for a in arms if loaded.card.device.kind in definition.arms[a].on]


def _gathered(
    definition: Definition,
    lacking: Iterable[tuple[str, Reason, Place]],
    every: Collection[Place],
    possible: Sequence[str],
) -> list[Absence]:
    """Absences of arms at places in the order they come. ``every``: the places there are; ``possible``: the arms."""
    places: dict[tuple[str, Reason], list[Place]] = {}
    for arm, reason, place in lacking:
        places.setdefault((arm, reason), []).append(place)
    arms: dict[tuple[str, Reason], list[str]] = {}
    for (arm, reason), lacked in places.items():
        whole = bool(every) and set(every) <= set(lacked)
        arms.setdefault(("" if whole else _places_text(definition, lacked), reason), []).append(arm)
    return [Absence(_arms_text(definition, group, possible), where, reason) for (where, reason), group in arms.items()]


def _arms_text(definition: Definition, arms: Sequence[str], possible: Sequence[str]) -> str:
    """Labels, which may hold commas; of nearly all arms, those that are not meant."""
    if len(arms) == 1:
        return labels_of(definition, arms)[0]
    others = [a for a in possible if a not in arms]
    if not others:
        return "every arm"
    if len(others) * FEW <= len(arms):
        return f"every arm but {'; '.join(labels_of(definition, others))}"
    return "; ".join(labels_of(definition, arms))


def _places_text(definition: Definition, places: Sequence[Place]) -> str:
    """Places in words, those that differ in the last axis only said together: ``spread-100, N = 10⁵, 10⁶``."""
    texts = []
    for head, members in groupby(filter(None, places), key=lambda place: (place[:-1], place[-1][0])):
        texts.append(_series_text(definition, dict(head[0]), head[1], [place[-1][1] for place in members]))
    return "; ".join(texts)


def _series_text(definition: Definition, head: Mapping[str, AxisValue], axis: str, values: Sequence[AxisValue]) -> str:
    entry = definition.axes[axis]
    said = ", ".join(axis_value_text(definition, axis, v) for v in values)
    tail = said if entry.scale == "category" else f"{entry.label}{NBSP}={NBSP}{said}"
    return ", ".join(filter(None, [point_text(definition, head), tail]))
