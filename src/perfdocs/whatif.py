"""What the site would be with other cards: claims, winners and pages of two libraries held against each other.

Pure functions of two libraries and the texts of documents. Nothing is written, and what cannot differ is not computed
twice: a claim is checked anew only where one of the cards it asked for is another, a page is rendered only where a card
of its benchmark is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from .card import AxisValue
from .claims.check import check_all, extracted
from .claims.model import Bound, Outcome, Status, Tally, Use
from .errors import Problem
from .library import Benchmark, Library
from .loading import LoadedCard
from .render.fastest import Statement, statements
from .render.generated import render_all

__all__ = [
    "ClaimChange",
    "Difference",
    "Effect",
    "PageChange",
    "WinnerChange",
    "claim_changes",
    "difference",
    "page_changes",
    "winner_changes",
]


class Effect(StrEnum):
    """What becomes of a claim. The first three are of claims that hold today, and spoil the site."""

    BREAKS = "breaks"
    UNDECIDED = "undecided"
    UNCHECKED = "unchecked"
    """Its ``given`` breaks, so that it says nothing any more."""
    TRUE = "true"
    """It holds, and did not."""
    OTHERWISE = "otherwise"
    """It does not hold, as before, and the message is another."""
    MEASURED = "measured"
    """It holds, as before, of other measurements; a printed value is another."""


SPOILED = frozenset({Effect.BREAKS, Effect.UNDECIDED, Effect.UNCHECKED})


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """A claim of which something changes. An outcome is ``None`` under a ``given`` that is broken."""

    effect: Effect
    bound: Bound
    before: Outcome | None
    after: Outcome | None


@dataclass(frozen=True, slots=True)
class WinnerChange:
    """A point of a card's table at which others lead. A statement is ``None`` where nothing is measured.

    ``scope`` says of which arms: empty of all, or "without" those of a tag.
    """

    benchmark: str
    device: str
    table: str
    at: Mapping[str, AxisValue]
    scope: str
    before: Statement | None
    after: Statement | None


@dataclass(frozen=True, slots=True)
class PageChange:
    """A page of ``_generated/`` that is new, changed or gone, and how many lines come and go."""

    name: str
    change: str
    more: int
    fewer: int


@dataclass(frozen=True, slots=True)
class Difference:
    """All that changes, and how much there is: claims checked, points with a statement, pages rendered.

    ``problems`` are those of reading that the other cards bring, ``mended`` those that they end.
    """

    claims: tuple[ClaimChange, ...]
    winners: tuple[WinnerChange, ...]
    pages: tuple[PageChange, ...]
    problems: tuple[Problem, ...]
    mended: tuple[Problem, ...]
    checked: Tally
    points: int
    rendered: int

    @property
    def spoils(self) -> bool:
        """Whether a sentence that may stand today may not any more, or something can't be read."""
        return bool(self.problems) or any(c.effect in SPOILED for c in self.claims)


def difference(texts: Mapping[str, str], before: Library, after: Library, root: Path | None = None) -> Difference:
    """What changes from one library to another; ``texts`` are the sources of documents by the names of their files.

    With ``root``, the folder of the project, what they include is looked at as well.
    """
    checked, claims = claim_changes(texts, before, after, root)
    points, winners = winner_changes(before, after)
    rendered, pages = page_changes(before, after)
    return Difference(
        claims=claims,
        winners=winners,
        pages=pages,
        problems=tuple(p for p in after.problems if p not in before.problems),
        mended=tuple(p for p in before.problems if p not in after.problems),
        checked=checked,
        points=points,
        rendered=rendered,
    )


# --- claims --------------------------------------------------------------------------------------------------------


def claim_changes(
    texts: Mapping[str, str], before: Library, after: Library, root: Path | None = None
) -> tuple[Tally, tuple[ClaimChange, ...]]:
    """How much is bound, and the claims that change, in the order of the documents."""
    touched = _Touched.of(before, after)
    count, changes = Tally(), []
    for file, text in texts.items():
        bounds = extracted(text, file, root)
        count += Tally.of(bound.form for bound in bounds)
        was = {o.bound: o for o in check_all(bounds, before)}
        spared = {bound: outcome for bound, outcome in was.items() if not touched.by(outcome)}
        now = {o.bound: o for o in check_all(bounds, after, spared)}
        for bound in bounds:
            effect = _effect(was.get(bound), now.get(bound))
            if effect is not None:
                changes.append(ClaimChange(effect, bound, was.get(bound), now.get(bound)))
    return count, tuple(changes)


def _effect(before: Outcome | None, after: Outcome | None) -> Effect | None:
    if _told(before) == _told(after):
        return None
    held, holds = (outcome is not None and outcome.passes for outcome in (before, after))
    if not held:
        return Effect.TRUE if holds else Effect.OTHERWISE
    if holds:
        return Effect.MEASURED
    if after is None:
        return Effect.UNCHECKED
    return Effect.UNDECIDED if after.status is Status.UNDECIDED else Effect.BREAKS


def _told(outcome: Outcome | None) -> object:
    """What a reader can see of an outcome, on the page or in a message."""
    return outcome and (outcome.status, outcome.problem, outcome.measured, outcome.marks)


@dataclass(frozen=True, slots=True)
class _Touched:
    """What differs between two libraries, as claims ask for it.

    ``devices`` come or go: a claim that says such a word may mean something else by it, whatever it asked for.
    """

    uses: frozenset[Use]
    devices: frozenset[str]
    everything: bool = False

    @classmethod
    def of(cls, before: Library, after: Library) -> _Touched:
        a, b = before.benchmarks, after.benchmarks
        if {key: x.digest for key, x in a.items()} != {key: x.digest for key, x in b.items()}:
            return cls(frozenset(), frozenset(), everything=True)
        uses: set[Use] = {(key, None) for key in a if _devices(a[key]) != _devices(b[key])}
        uses |= {(key, device) for key in a for device in _other_cards(a[key], b[key])}
        return cls(frozenset(uses), frozenset(before.device_ids()) ^ frozenset(after.device_ids()))

    def by(self, outcome: Outcome) -> bool:
        """Whether the other library may have another outcome."""
        if self.everything or outcome.uses & self.uses:
            return True
        bound = outcome.bound
        said = (bound.expression, *(given.expression for given in bound.given))
        return any(device in text for device in self.devices for text in said)


def _devices(benchmark: Benchmark) -> list[tuple[str, str, str]]:
    """What a claim can know of the devices of a benchmark without asking for a card."""
    return [(c.device_id, c.card.device.kind, c.card.device.name) for c in _published(benchmark)]


def _published(benchmark: Benchmark) -> list[LoadedCard]:
    return [c for c in benchmark.cards if c.published]


def _other_cards(a: Benchmark, b: Benchmark) -> list[str]:
    """Devices whose published card is another, new or gone, sorted."""
    was, now = ({c.device_id: c.digest for c in _published(x)} for x in (a, b))
    return sorted(device for device in was.keys() | now.keys() if was.get(device) != now.get(device))


# --- winners -------------------------------------------------------------------------------------------------------


def winner_changes(before: Library, after: Library) -> tuple[int, tuple[WinnerChange, ...]]:
    """How many points the cards that differ have, of both libraries together, and those at which others lead."""
    count, changes = 0, []
    for key in sorted(before.benchmarks.keys() & after.benchmarks.keys()):
        a, b = before.benchmarks[key], after.benchmarks[key]
        for device in _other_cards(a, b):
            for table in b.definition.tables:
                was, now = _statements(a, device, table), _statements(b, device, table)
                for place in dict.fromkeys((*now, *was)):
                    count += 1
                    one, other = was.get(place), now.get(place)
                    if _leaders(one) != _leaders(other):
                        changes.append(WinnerChange(key, device, table, dict(place.at), place.scope, one, other))
    return count, tuple(changes)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement is made."""

    at: tuple[tuple[str, AxisValue], ...]
    scope: str


def _statements(benchmark: Benchmark, device: str, table: str) -> dict[_Place, Statement]:
    """Statements of a device's card by point and scope."""
    loaded = benchmark.card_of(device)
    if loaded is None or not loaded.published or table not in benchmark.definition.tables:
        return {}
    return {_Place(tuple(said.at.items()), said.scope): said.statement for said in statements(benchmark, loaded, table)}


def _leaders(said: Statement | None) -> object:
    """Who leads and how; the order of arms that do not beat each other says nothing."""
    return said and (said.kind, frozenset(said.arms))


# --- pages ---------------------------------------------------------------------------------------------------------


def page_changes(before: Library, after: Library) -> tuple[int, tuple[PageChange, ...]]:
    """How many generated pages there will be, and those that change, by name."""
    keys = before.benchmarks.keys() | after.benchmarks.keys()
    only = [key for key in keys if _shown(before.benchmarks.get(key)) != _shown(after.benchmarks.get(key))]
    was, now = (render_all(library, only) for library in (before, after)) if only else ({}, {})
    names = sorted(was.keys() | now.keys())
    shown = [b for b in after.benchmarks.values() if _published(b)]
    return sum(1 + len(_published(b)) for b in shown) + bool(shown), tuple(_page_changes(names, was, now))


def _page_changes(names: list[str], was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[PageChange]:
    for name in names:
        a, b = was.get(name), now.get(name)
        if a != b:
            lines, others = Counter((a or "").splitlines()), Counter((b or "").splitlines())
            change = "new" if a is None else "gone" if b is None else "changed"
            yield PageChange(name, change, (others - lines).total(), (lines - others).total())


def _shown(benchmark: Benchmark | None) -> object:
    """What the generated pages of a benchmark are made of."""
    if benchmark is None:
        return None
    return benchmark.digest, *(
        tuple((c.device_id, c.digest, c.card.device.name, c.earlier_sources) for c in cards)
        for cards in (_published(benchmark), benchmark.repeats)
    )
