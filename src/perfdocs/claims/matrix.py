"""Every claim on every device: the same sentence asked of the device it names and, as if it spoke of it, of each other.

A claim that names one device has that for its home; elsewhere the name stands for the other device. A claim that looks
at several devices, since it names them or goes through all of them, is one statement of all of them: it has one
verdict, and nothing is asked of the others. What fails elsewhere is told, and is no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from ..flags import FLAGS
from ..library import Library
from .evaluate import HERE, Look, look
from .model import Bound, Status

__all__ = ["Fare", "Matrix", "Page", "Row", "Sentence", "Stand", "Verdict", "matrix", "row_of"]

_ANY_FLAG = re.compile(rf"(?:, (?:{'|'.join(FLAGS)}))+(?![\w-])")
_RANGE = re.compile(r" \([^()]*–[^()]*\)")
_WORDING = frozenset({"claim-text", "claim-word"})
_OTHERS = "the sentence is about several devices together, and this is none of them"
_DISAGREES = "the sentence does not say what its claim says"
_FEWER = "measured there at other points than those the sentence goes through"


class Verdict(StrEnum):
    """What comes of a claim on a device."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_MEASURED = "not measured"
    """Something that it asks for is not measured there."""
    NOT_ASKED = "not asked"
    """It makes no sense to ask it of this device."""


class Stand(StrEnum):
    """How a claim stands to a device."""

    HOME = "home"
    """The one it names."""
    JOINT = "together"
    """One of several that it is about at once."""
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A claim and the anchor it has on its page."""

    bound: Bound
    anchor: str


@dataclass(frozen=True, slots=True)
class Page:
    """A document and the claims on it, in its order."""

    document: str
    title: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Fare:
    """How one claim fares on one device.

    ``measured`` is short, ``reason`` says all that a message would. ``number``: it fails in printed numbers alone, all
    else that it says is so. ``flags`` are those of the values read; ``device`` and ``anchor`` name the first row.
    """

    verdict: Verdict
    stand: Stand
    measured: str = ""
    reason: str = ""
    number: bool = False
    flags: frozenset[str] = frozenset()
    device: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One claim: the benchmarks it asks, the devices it is about, and how it fares on every device, by id."""

    sentence: Sentence
    benchmarks: frozenset[str]
    devices: tuple[str, ...]
    fares: Mapping[str, Fare]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every device with a published card, sorted, and the rows of each page."""

    devices: tuple[str, ...]
    parts: tuple[tuple[Page, tuple[Row, ...]], ...]

    def rows(self) -> Iterator[Row]:
        """All rows, page by page."""
        return (row for _, rows in self.parts for row in rows)


@lru_cache(maxsize=2)
def matrix(pages: tuple[Page, ...], library: Library) -> Matrix:
    """Every claim of these pages on every device with a published card."""
    cards = [card for benchmark in library.benchmarks.values() for card in benchmark.cards]
    devices = tuple(sorted({card.device_id for card in cards if card.published}))
    parts = tuple((page, tuple(row_of(s, library, devices) for s in page.sentences)) for page in pages)
    return Matrix(devices, parts)


def row_of(sentence: Sentence, library: Library, devices: tuple[str, ...]) -> Row:
    """One claim on each of these devices."""
    home = look(sentence.bound, library)
    benchmarks = frozenset(benchmark for benchmark, _ in home.outcome.uses)
    asked = _asked_elsewhere(home)
    fares: dict[str, Fare] = {}
    for device in devices:
        if device in home.devices:
            stand = Stand.JOINT if home.joint or len(home.devices) > 1 else Stand.HOME
            fares[device] = _fare(sentence.bound, library, home, stand, HERE)
        elif asked:
            fares[device] = Fare(Verdict.NOT_ASKED, Stand.ELSEWHERE, reason=asked)
        else:
            fares[device] = _elsewhere(sentence.bound, library, home, device)
    return Row(sentence, benchmarks, home.devices, fares)


def _asked_elsewhere(home: Look) -> str:
    """Why a claim can't be asked of a device that it does not look at; empty where it can."""
    problem = home.outcome.problem
    if problem is not None and problem.code in _WORDING:
        return _DISAGREES
    if home.joint or len(home.devices) > 1:
        return _OTHERS
    if len(home.devices) == 1 and (home.outcome.status is not Status.ERROR or _lacking(home)):
        return ""
    return problem.found if problem is not None else "the sentence names no device"


def _lacking(seen: Look) -> bool:
    return seen.outcome.problem is not None and seen.outcome.problem.code == "claim-empty"


def _elsewhere(bound: Bound, library: Library, home: Look, device: str) -> Fare:
    instead = {home.devices[0]: device}
    there = look(bound, library, instead, prose=home.prose)
    problem = there.outcome.problem
    several = problem is not None and problem.code == "claim-text"  # more points than the sentence has numbers
    if several or (there.outcome.status is not Status.ERROR and home.each and there.each != home.each):
        return Fare(Verdict.NOT_MEASURED, Stand.ELSEWHERE, reason=_FEWER)
    return _fare(bound, library, there, Stand.ELSEWHERE, instead)


def _fare(bound: Bound, library: Library, seen: Look, stand: Stand, instead: Mapping[str, str]) -> Fare:
    outcome, problem = seen.outcome, seen.outcome.problem
    if outcome.status is Status.ERROR:
        assert problem is not None
        nothing = _lacking(seen) or stand is Stand.ELSEWHERE
        return Fare(Verdict.NOT_MEASURED if nothing else Verdict.NOT_ASKED, stand, reason=problem.found)
    verdicts = {Status.HOLDS: Verdict.HOLDS, Status.FAILS: Verdict.FAILS}
    number = problem is not None and problem.code == "claim-number"
    return Fare(
        verdicts.get(outcome.status, Verdict.UNDECIDED),
        stand,
        _short(outcome.measured),
        f"found {problem.found}, expected {problem.expected}" if problem else outcome.measured,
        number and look(bound, library, instead, any_number=True, prose=seen.prose).outcome.status is Status.HOLDS,
        seen.flags,
        seen.device,
        seen.anchor,
    )


def _short(measured: str) -> str:
    """What was measured without the intervals of runs and the flags, which stand elsewhere."""
    return _ANY_FLAG.sub("", _RANGE.sub("", measured))
