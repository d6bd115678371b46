"""Every claim on every device, as tables: how many hold where, each sentence beside each device, and what is lacking.

A verdict is a word and a sign, so that no colour is needed to tell one from another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..claims.matrix import Fare, Matrix, Page, Row, Sentence, Stand, Verdict
from ..library import Library
from ..quantity import NBSP, parse_printed
from .devices import by_interest
from .model import Cell, Group, Line, LineGroup, TableModel, flags_in, words
from .points import ordered_flags

__all__ = ["SIGNS", "device_order", "legend", "page_table", "parts_of", "reasons_table", "summary", "totals", "unasked"]

SIGNS: Mapping[Verdict, str] = {
    Verdict.HOLDS: "✓",
    Verdict.FAILS: "✗",
    Verdict.UNDECIDED: "?",
    Verdict.NOT_MEASURED: "—",
    Verdict.NOT_ASKED: "·",
}
OTHER_NUMBER = "≠"
"""The sign of a claim that fails in a printed number alone."""
LABEL = 100
"""Characters of a sentence that are shown; its end, where a claim's number stands, is what is kept."""
MEASURED = 60
DETAIL = 400
_ABOUT: Mapping[str, str] = {
    f"{SIGNS[Verdict.HOLDS]} {Verdict.HOLDS}": "the cards of the device say what the sentence says",
    f"{SIGNS[Verdict.FAILS]} {Verdict.FAILS}": "a comparison, an order, a crossover or a bound is not so there",
    f"{OTHER_NUMBER} {Verdict.FAILS}": "a printed number reads otherwise there; all else that the sentence says is so",
    f"{SIGNS[Verdict.UNDECIDED]} {Verdict.UNDECIDED}": "the measurements do not decide it there",
    f"{SIGNS[Verdict.NOT_MEASURED]} {Verdict.NOT_MEASURED}": "the device has no measurement of something it asks for",
    f"{SIGNS[Verdict.NOT_ASKED]} {Verdict.NOT_ASKED}": "it makes no sense to ask it of the device",
    str(Stand.HOME): "in bold: the device that the sentence names; elsewhere it is asked as if it named the other",
    str(Stand.JOINT): "in bold: one statement about all devices that are so marked, with one verdict",
}
_VERDICTS = frozenset({Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED})


def device_order(library: Library, ids: Iterable[str]) -> tuple[str, ...]:
    """These devices as other tables order them: measured here before imported, GPUs before CPUs."""
    ranks = {device: min(by_interest(card) for _, card in library.cards_of(device) if card.published) for device in ids}
    return tuple(sorted(ranks, key=lambda device: ranks[device]))


def parts_of(made: Matrix, benchmarks: Sequence[str]) -> tuple[tuple[Page, tuple[Row, ...]], ...]:
    """Pages and their claims that ask one of these benchmarks (none means any); a page without any is left out."""
    wanted = frozenset(benchmarks)
    parts = ((page, tuple(r for r in rows if not wanted or wanted & r.benchmarks)) for page, rows in made.parts)
    return tuple((page, rows) for page, rows in parts if rows)


def summary(rows: Sequence[Row], pages: int) -> str:
    """How many claims there are, and how they stand where they speak."""
    home = [fare for row in rows for fare in [_at_home(row)] if fare is not None]
    count = Counter(fare.verdict for fare in home)
    others = ", ".join(f"{n} {v}" for v, n in count.items() if v is not Verdict.HOLDS)
    holding = f"{count[Verdict.HOLDS]} of them hold on the devices they name"
    return f"{_counted(len(rows), 'claim')} on {_counted(pages, 'page')}; {holding}{f' ({others})' if others else ''}."


def _at_home(row: Row) -> Fare | None:
    return next((f for f in row.fares.values() if f.stand is not Stand.ELSEWHERE), None)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")


def legend() -> tuple[LineGroup, ...]:
    """What the signs and words mean."""
    return (LineGroup("", tuple(Line(lead, about) for lead, about in _ABOUT.items())),)


def totals(rows: Sequence[Row], devices: Sequence[str], names: Mapping[str, str], library: Library) -> TableModel:
    """One line for each device: the claims about it, and how all others fare there."""
    head = (
        "device",
        "claims about it",
        f"{SIGNS[Verdict.HOLDS]} hold",
        f"claims about others: {SIGNS[Verdict.HOLDS]} hold",
        f"{SIGNS[Verdict.FAILS]} fail",
        f"{OTHER_NUMBER} fail",
        *(f"{SIGNS[v]} {v}" for v in (Verdict.UNDECIDED, Verdict.NOT_MEASURED, Verdict.NOT_ASKED)),
    )
    body = tuple(_total(rows, device, names[device], library) for device in devices)
    group = (Group(head, body),)
    return TableModel("claims-totals", "Claims by device", group, "", ordered_flags(flags_in(group)))


def _total(rows: Sequence[Row], device: str, name: str, library: Library) -> tuple[Cell, ...]:
    fares = [row.fares[device] for row in rows]
    home = [f for f in fares if f.stand is not Stand.ELSEWHERE]
    there = [f for f in fares if f.stand is Stand.ELSEWHERE]
    count = Counter((f.verdict, f.number) for f in there)
    numbers = (
        len(home),
        sum(f.verdict is Verdict.HOLDS for f in home),
        count[Verdict.HOLDS, False],
        count[Verdict.FAILS, False],
        count[Verdict.FAILS, True],
        *(count[v, False] for v in (Verdict.UNDECIDED, Verdict.NOT_MEASURED, Verdict.NOT_ASKED)),
    )
    kinds = {card.card.origin.kind for _, card in library.cards_of(device) if card.published}
    flags = tuple(sorted(kinds)) if "measured" not in kinds else ()
    return (Cell(name, flags, link=device, number=False, foreign=True), *(Cell(str(n)) for n in numbers))


def unasked(rows: Sequence[Row], devices: Sequence[str]) -> tuple[str, ...]:
    """Devices on which not one of these claims has a verdict."""
    return tuple(d for d in devices if not any(row.fares[d].verdict in _VERDICTS for row in rows))


def page_table(page: Page, rows: Sequence[Row], devices: Sequence[str], names: Mapping[str, str]) -> TableModel:
    """The claims of a page, one a line, with a column for each device that has a verdict on one of them."""
    silent = unasked(rows, devices)
    shown = [d for d in devices if d not in silent]
    body = tuple((_sentence(page, row.sentence), *(_cell(row.fares[d], d) for d in shown)) for row in rows)
    group = (Group(("claim", *(names[d] for d in shown)), body),)
    others = "; ".join(names[d] for d in silent)  # a name may hold a comma
    caption = f"None of them has a verdict on {others}." if others else ""
    return TableModel(f"claims-{page.document}", page.title, group, caption, ordered_flags(flags_in(group)))


def _sentence(page: Page, sentence: Sentence) -> Cell:
    """The words of a claim with as much of their sentence before them as there is room for."""
    bound = sentence.bound
    said, whole = " ".join(bound.text.split()), " ".join(bound.sentence.split())
    end = whole.find(said) + len(said) if said and said in whole else len(whole)
    text = whole[:end].replace("`", "").strip(" ,;:–-") or said or bound.expression
    if len(text) > LABEL:
        text = "…" + text[-LABEL:].partition(" ")[2] if " " in text[-LABEL:] else f"…{text[-LABEL:]}"
    for printed in reversed(parse_printed(text)):  # a number keeps its unit
        text = text[: printed.start] + printed.text.replace(" ", NBSP) + text[printed.end :]
    return Cell(text, link=f"/{page.document}#{sentence.anchor}", number=False, foreign=True)


def _clipped(text: str, limit: int) -> str:
    """The text, or as many whole words of it as the limit leaves room for."""
    if len(text) <= limit:
        return text
    head, space, _ = text[: limit + 1].rpartition(" ")
    return f"{(head if space else text[:limit]).rstrip(' ,;')}…"


def _cell(fare: Fare, device: str) -> Cell:
    """Sign and word and a link to the row, with what was measured in short where the sentence does not print it."""
    sign = OTHER_NUMBER if fare.number else SIGNS[fare.verdict]
    where = "" if fare.stand is Stand.ELSEWHERE else f", {fare.stand}"
    text = f"{sign} {fare.verdict}{where}"
    if fare.verdict not in _VERDICTS:
        if fare.stand is Stand.ELSEWHERE:
            return Cell(text, missing=_clipped(fare.reason, DETAIL), number=False)
        return Cell(text, best=True, detail=_clipped(fare.reason, DETAIL), number=False)
    printed = bool(where) and fare.verdict is Verdict.HOLDS
    measured = f": {_clipped(fare.measured, MEASURED)}" if fare.measured and not printed else ""
    link = f"{fare.device}#{fare.anchor}" if fare.anchor else device
    flags = ordered_flags(fare.flags)
    return Cell(
        text + measured, flags, bool(where), detail=_clipped(fare.reason, DETAIL), link=link, number=False, foreign=True
    )


def reasons_table(rows: Sequence[Row], devices: Sequence[str], names: Mapping[str, str]) -> TableModel:
    """Why claims have no verdict: each reason with the devices and how many claims it concerns."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        for device in devices:
            fare = row.fares[device]
            if fare.verdict not in _VERDICTS:
                reason = fare.reason.replace(f" on {device}", "")  # the same of several devices is one reason
                by_device = found.setdefault(reason, {})
                by_device[device] = by_device.get(device, 0) + 1
    body = tuple(
        (
            words(_clipped(reason, DETAIL), foreign=True),
            words("; ".join(names[d] for d in devices if d in by_device), foreign=True),
            Cell(str(max(by_device.values()))),
        )
        for reason, by_device in sorted(found.items(), key=lambda pair: -max(pair[1].values()))
    )
    groups = (Group(("reason", "devices", "claims"), body),) if body else ()
    return TableModel("claims-reasons", "Why some have no verdict", groups)
