"""What came of all false edits: shares by kind, survivors, margins; as lines and as plain values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .data import FEW, Change
from .data import KINDS as DATA_KINDS
from .judging import EQUIVALENT, Judged
from .margins import Margin
from .prose import KINDS as PROSE_KINDS

__all__ = ["Strength", "Tally", "Tried", "around", "data_by_kind", "lines", "listing", "middle", "tally"]

SHOWN = 8
"""So many of the weakest and of the strongest claims are shown as text."""
_AROUND = 50


@dataclass(frozen=True, slots=True)
class Tally:
    """How many edits of one kind were noticed, and how many were not."""

    kind: str
    noticed: int = 0
    survived: int = 0
    equivalent: int = 0

    @property
    def tried(self) -> int:
        """Those that count: the equivalent ones do not."""
        return self.noticed + self.survived

    @property
    def share(self) -> float:
        """The noticed ones of those that count, 1 where there are none."""
        return self.noticed / self.tried if self.tried else 1.0


@dataclass(frozen=True, slots=True)
class Tried:
    """A change of the data, whether it was noticed, and the least number of data that a claim that reads it has."""

    change: Change
    noticed: bool
    fewest: int


@dataclass(frozen=True, slots=True)
class Strength:
    """Everything that was tried. ``few``: data of claims over more than so many are told apart."""

    claims: int
    prose: Sequence[Judged] = field(default=())
    data: Sequence[Tried] = field(default=())
    margins: Sequence[Margin] = field(default=())
    few: int = FEW

    @property
    def of_claims(self) -> list[Judged]:
        """The edits of what claims are about."""
        return [j for j in self.prose if not j.mutation.beside]

    @property
    def beside(self) -> list[Judged]:
        """The edits of words that their claim is not about."""
        return [j for j in self.prose if j.mutation.beside]

    @property
    def share(self) -> float:
        """Of the edits of what claims say, the share that is noticed."""
        return tally("", self.of_claims).share


def tally(kind: str, judged: Iterable[Judged]) -> Tally:
    """The count of some edits."""
    fates = Counter(j.fate for j in judged)
    return Tally(kind, fates["noticed"], fates["survived"], fates["equivalent"])


def by_kind(judged: Sequence[Judged]) -> list[Tally]:
    """The count of each kind that was tried."""
    return [tally(k, of) for k in PROSE_KINDS if (of := [j for j in judged if j.mutation.kind == k])]


def data_by_kind(tried: Sequence[Tried]) -> list[Tally]:
    """The same of changes of the data."""
    return [
        Tally(k, sum(t.noticed for t in of), sum(not t.noticed for t in of))
        for k in DATA_KINDS
        if (of := [t for t in tried if t.change.kind == k])
    ]


# --- lines ------------------------------------------------------------------------------------------------------


def lines(strength: Strength) -> Iterator[str]:
    """The report for people."""
    if strength.prose:
        yield from _prose(strength)
    if strength.data:
        yield from _data(strength)
    if strength.margins:
        yield from _margins(strength.margins)


def _prose(strength: Strength) -> Iterator[str]:
    whole = tally("", strength.of_claims)
    yield f"Sentences: {_of(whole)} false edits are noticed; claims that hold: {strength.claims}"
    yield from _table(by_kind(strength.of_claims), PROSE_KINDS)
    if equivalent := Counter(j.rule for j in strength.of_claims if j.fate == "equivalent"):
        yield "  Not counted, for they leave the sentence true:"
        yield from (f"    {number} {EQUIVALENT[rule]}" for rule, number in equivalent.items())
    beside = tally("", strength.beside)
    if beside.tried:
        yield f"  Not counted, of words that their claim is not about: {_of(beside)} noticed"
        yield f"  Those included: {_of(tally('', strength.prose))} are noticed"
    for title, judged in (("Not noticed:", strength.of_claims), ("Not noticed, beside the claims:", strength.beside)):
        if left := [j for j in judged if j.fate == "survived"]:
            yield ""
            yield title
            yield from map(_survivor, left)


def _survivor(judged: Judged) -> str:
    m = judged.mutation
    return f"  {m.bound.where}: {m.kind}: {around(judged, changed=False)} → {around(judged, changed=True)}"


def around(judged: Judged, *, changed: bool) -> str:
    """The words around an edit, before or after it, between quotes."""
    m = judged.mutation
    text = m.text if changed else m.bound.text
    start, end = m.edits[0][0], m.edits[-1][1] + (len(m.text) - len(m.bound.text) if changed else 0)
    left, right = max(start - _AROUND, 0), min(end + _AROUND, len(text))
    words = " ".join(text[left:right].split())
    return f'"{"…" if left else ""}{words}{"…" if right < len(text) else ""}"'


def _data(strength: Strength) -> Iterator[str]:
    few = [t for t in strength.data if t.fewest <= strength.few]
    many = [t for t in strength.data if t.fewest > strength.few]
    for title, tried in (
        (f"Data of claims that read {strength.few} data or fewer", few),
        ("Data of claims over a series or a table", many),
    ):
        if tried:
            whole = Tally("", sum(t.noticed for t in tried), sum(not t.noticed for t in tried))
            yield ""
            yield f"{title}: {_of(whole)} changes are noticed"
            yield from _table(data_by_kind(tried), DATA_KINDS)
    if groups := grouped(few):
        yield ""
        yield "Not noticed, of the first:"
        yield from (f"  {place}: {', '.join(f'{n} {k}' for k, n in kinds.items())}" for place, kinds in groups.items())


def grouped(tried: Iterable[Tried]) -> dict[str, dict[str, int]]:
    """How many changes of each kind nobody notices, by benchmark, table and metric."""
    found: dict[str, Counter[str]] = {}
    for one in tried:
        if not one.noticed:
            first = one.change.data[0]
            place = ", ".join(filter(None, (first.benchmark, first.device, first.table, first.metric)))
            found.setdefault(place, Counter())[one.change.kind] += 1
    return {place: dict(kinds) for place, kinds in sorted(found.items())}


def middle(margins: Sequence[Margin]) -> float | None:
    """How far a datum must move for the middle claim to fail, of those that one alone makes fail."""
    sizes = sorted(m.size for m in margins if m.datum is not None)
    return sizes[len(sizes) // 2] if sizes else None


def _margins(margins: Sequence[Margin]) -> Iterator[str]:
    ranked = sorted(margins, key=lambda m: m.size)
    finite = [m for m in ranked if m.datum is not None]
    yield ""
    yield f"Margins: how far one datum must move before the claim fails, of {len(margins)} claims"
    if (size := middle(margins)) is not None:
        yield f"  the middle one {size:.2%}; {len(margins) - len(finite)} that no datum alone makes fail"
    shown = [*finite[:SHOWN], *finite[-SHOWN:]] if len(finite) > 2 * SHOWN else finite
    for number, one in enumerate(shown):
        if number == SHOWN and shown is not finite:
            yield "  …"
        yield f"  {one.share or 0:+.2%}  {one.bound.where}: {one.bound.expression}: {one.datum}"


def _of(tally: Tally) -> str:
    return f"{tally.noticed} of {tally.tried} ({tally.share:.1%})"


def _table(tallies: Sequence[Tally], about: Mapping[str, str]) -> Iterator[str]:
    width = max((len(t.kind) for t in tallies), default=0)
    counts = [f"{t.noticed} of {t.tried}" for t in tallies]
    wide = max(map(len, counts), default=0)
    for one, count in zip(tallies, counts, strict=True):
        yield f"  {one.kind:{width}}  {count:>{wide}}  {one.share:7.1%}  {about[one.kind]}"


# --- plain values -----------------------------------------------------------------------------------------------


def listing(strength: Strength) -> dict[str, Any]:
    """The report for a tool."""
    return {
        "claims": strength.claims,
        "sentences": {
            **_figures(tally("", strength.of_claims)),
            "all": _figures(tally("", strength.prose)),
            "kinds": {t.kind: _figures(t) for t in by_kind(strength.of_claims)},
            "true": [_edit(j) | {"rule": j.rule} for j in strength.of_claims if j.fate == "equivalent"],
            "survivors": [_edit(j) for j in strength.of_claims if j.fate == "survived"],
            "beside": _figures(tally("", strength.beside))
            | {"survivors": [_edit(j) for j in strength.beside if j.fate == "survived"]},
        },
        "data": {
            name: {
                "kinds": {t.kind: _figures(t) for t in data_by_kind(tried)},
                "survivors": grouped(tried),
            }
            for name, tried in (
                ("few", [t for t in strength.data if t.fewest <= strength.few]),
                ("many", [t for t in strength.data if t.fewest > strength.few]),
            )
        },
        "margins": [
            {
                "file": m.bound.file,
                "line": m.bound.line,
                "claim": m.bound.expression,
                "share": m.share,
                "datum": str(m.datum) if m.datum else None,
            }
            for m in sorted(strength.margins, key=lambda m: (math.isinf(m.size), m.size))
        ],
    }


def _figures(tally: Tally) -> dict[str, Any]:
    return {"noticed": tally.noticed, "tried": tally.tried, "equivalent": tally.equivalent, "share": tally.share}


def _edit(judged: Judged) -> dict[str, Any]:
    m = judged.mutation
    sentence = " ".join(m.bound.text.split())
    return {
        "file": m.bound.file,
        "line": m.bound.line,
        "kind": m.kind,
        "before": sentence,
        "after": " ".join(m.text.split()),
        "words": [m.before, m.after],
        "claim": m.bound.expression,
    }
