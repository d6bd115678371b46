"""What `perfdocs try` says of a difference: lines for people, an object for tools. All of it is cleaned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..claims.model import Outcome, Status, breakable
from ..errors import Problem, clean, place
from ..extent import extent
from ..library import Library
from ..render.fastest import Statement, statement_text
from ..render.points import point_text
from ..whatif import ClaimChange, Difference, Effect, PageChange, WinnerChange
from .project import counted

if TYPE_CHECKING:
    from .trying import Candidate

__all__ = ["LIMIT", "lines", "listing"]

LIMIT = 10
"""How many of a list are shown."""
LENGTH = 1500
"""Characters of a line, as of any other message."""

WORDS: Mapping[Effect, tuple[str, str]] = {
    Effect.BREAKS: ("breaks", "break"),
    Effect.UNDECIDED: ("becomes undecided", "become undecided"),
    Effect.UNCHECKED: ("is lost under a broken given", "are lost under a broken given"),
    Effect.TRUE: ("becomes true", "become true"),
    Effect.OTHERWISE: ("still fails, with another message", "still fail, with another message"),
    Effect.MEASURED: ("holds of other measurements", "hold of other measurements"),
}
TOLD = (Effect.BREAKS, Effect.UNDECIDED, Effect.UNCHECKED, Effect.TRUE, Effect.OTHERWISE)
"""Claims that are listed one by one; the others are counted by page."""


def lines(
    candidates: Sequence[Candidate], found: Difference, after: Library, generated: Path, *, whole: bool
) -> Iterator[str]:
    """For people: the counts of each part first, then its lists."""
    for line in _lines(candidates, found, after, generated, None if whole else LIMIT):
        yield _shown(line)


def _shown(text: str) -> str:
    return clean(breakable(text), LENGTH)


def _lines(
    candidates: Sequence[Candidate], found: Difference, after: Library, generated: Path, limit: int | None
) -> Iterator[str]:
    for one in candidates:
        yield f"{one.benchmark.definition.id} on {one.card.device.id}: {_about(one)}"
    if found.problems or found.mended:
        yield ""
        yield f"problems: {len(found.problems)} new, {len(found.mended)} mended"
        yield from _some([(f"  {p}",) for p in found.problems], limit)
    yield ""
    yield from _claims(found, limit)
    yield ""
    yield from _winners(found, after, limit)
    yield ""
    yield from _pages(found, generated, limit)


def _about(one: Candidate) -> str:
    ours, other = extent(one.card), one.other
    size = counted(len(one.card.measurements), "measurement")
    if other is None:
        return f"a new card, {ours}, {size}; it would be {place(one.target)}"
    if one.is_there:
        return f"the card that is there, {place(one.target)}"
    was = f"{extent(other.card)}, {counted(len(other.card.measurements), 'measurement')}"
    return f"{ours}, {size}, in the place of {place(one.target)}, {was}"


def _claims(found: Difference, limit: int | None) -> Iterator[str]:
    by = {effect: [c for c in found.claims if c.effect is effect] for effect in Effect}
    said = [f"{len(some)} {WORDS[effect][len(some) > 1]}" for effect, some in by.items() if some]
    yield f"claims: {', '.join(said) or 'none changes'}; {found.checked} in all"
    for effect in TOLD:
        if by[effect]:
            yield f"  {WORDS[effect][len(by[effect]) > 1]}"
            yield from _some([(f"    {_claim(change)}",) for change in by[effect]], limit)


def _claim(change: ClaimChange) -> str:
    """As `perfdocs check` says it; of a claim that is not checked or holds, where it is and its words."""
    if change.after is not None and change.after.problem is not None:
        return str(change.after)
    return f'{change.bound.where}: "{clean(breakable(change.bound.sentence), 160)}"'


def _winners(found: Difference, after: Library, limit: int | None) -> Iterator[str]:
    parts = {
        "with other leaders": [w for w in found.winners if w.before is not None and w.after is not None],
        "new": [w for w in found.winners if w.before is None],
        "gone": [w for w in found.winners if w.after is None],
    }
    said = [f"{len(some)} {word}" for word, some in parts.items() if some]
    yield f"fastest: {', '.join(said) or 'none changes'}; {counted(found.points, 'point')} in all"
    several = len({(w.benchmark, w.device) for w in found.winners}) > 1
    for word, some in parts.items():
        if some:
            yield f"  {word}"
            yield from _some([_winner(w, after, several=several) for w in some], limit)


def _winner(change: WinnerChange, after: Library, *, several: bool) -> tuple[str, ...]:
    """The point, and who leads there: before and after on lines of their own where both are known."""
    definition = after.benchmarks[change.benchmark].definition
    parts = [f"{change.benchmark} on {change.device}"] if several else []
    where = ", ".join(filter(None, [*parts, change.table, point_text(definition, change.at), change.scope]))
    before, now = (_statement(change, said, after) for said in (change.before, change.after))
    if before and now:
        return f"    {where}", f"      before: {before}", f"      after:  {now}"
    return (f"    {where}: {before or now}",)


def _statement(change: WinnerChange, said: Statement | None, after: Library) -> str:
    """A statement in words, empty where there is none."""
    if said is None:
        return ""
    return statement_text(after.benchmarks[change.benchmark].definition, said, change.table)


def _pages(found: Difference, generated: Path, limit: int | None) -> Iterator[str]:
    documents = _documents(found)
    said = f"{len(found.pages)} of {found.rendered} in {place(generated)}/" if found.pages else "none generated"
    yield f"pages: {said}, {counted(len(documents), 'document')} with claims"
    yield from _some([(f"  {_page(page, generated)}",) for page in found.pages], limit)
    yield from _some([(f"  {file}: {_effects(effects)}",) for file, effects in documents.items()], limit)


def _documents(found: Difference) -> dict[str, Counter[Effect]]:
    """How many claims of each document change, and how."""
    files: dict[str, Counter[Effect]] = {}
    for change in found.claims:
        files.setdefault(change.bound.file, Counter())[change.effect] += 1
    return files


def _effects(effects: Counter[Effect]) -> str:
    return ", ".join(f"{effects[e]} {WORDS[e][effects[e] > 1]}" for e in Effect if effects[e])


def _page(page: PageChange, generated: Path) -> str:
    told = page.change if page.change != "changed" else f"+{page.more} -{page.fewer} lines"
    return f"{place(generated / page.name)}: {told}"


def _some(found: Sequence[tuple[str, ...]], limit: int | None) -> Iterator[str]:
    """The first of a list, each in lines of its own, and how many more there are."""
    for entry in found[:limit]:
        yield from entry
    if limit is not None and len(found) > limit:
        indent = " " * (len(found[0][0]) - len(found[0][0].lstrip()))
        yield f"{indent}and {len(found) - limit} more (--all)"


def listing(candidates: Sequence[Candidate], found: Difference, after: Library, generated: Path) -> Any:
    """For tools: the same content in full."""
    return _cleaned(
        {
            "cards": [_card(one) for one in candidates],
            "spoils": found.spoils,
            "counts": {**found.checked.to_dict(), "points": found.points, "generated": found.rendered},
            "claims": [_claim_listed(change) for change in found.claims],
            "fastest": [_winner_listed(change, after) for change in found.winners],
            "generated": [
                {"path": place(generated / p.name), "change": p.change, "more": p.more, "fewer": p.fewer}
                for p in found.pages
            ],
            "documents": [{"path": file, **effects} for file, effects in _documents(found).items()],
            "problems": [_problem(p) for p in found.problems],
            "mended": [_problem(p) for p in found.mended],
        }
    )


def _cleaned(value: Any) -> Any:
    """The same with every text fit for a terminal."""
    if isinstance(value, str):
        return _shown(value)
    if isinstance(value, dict):
        return {key: _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list) else value


def _card(one: Candidate) -> dict[str, Any]:
    return {
        "benchmark": one.benchmark.definition.id,
        "device": one.card.device.id,
        "path": place(one.path),
        "target": place(one.target),
        "new": one.other is None,
        "same": one.is_there,
        "extent": extent(one.card),
        "measurements": len(one.card.measurements),
    }


def _claim_listed(change: ClaimChange) -> dict[str, Any]:
    """The outcome as `perfdocs check` lists it, and what it was; ``status`` is null where a claim is not checked."""
    before, after = change.before, change.after
    listed = (after or Outcome(change.bound, Status.ERROR)).to_dict()
    return listed | {
        "effect": str(change.effect),
        "text": " ".join(change.bound.text.split()),
        "before": str(before.status) if before is not None else None,
        "status": str(after.status) if after is not None else None,
        "measured_before": (before.measured if before is not None else "") or None,
    }


def _winner_listed(change: WinnerChange, after: Library) -> dict[str, Any]:
    def told(said: Statement | None) -> dict[str, Any] | None:
        if said is None:
            return None
        facts = {"kind": said.kind, "arms": list(said.arms), "then": said.then, "lead": said.lead}
        return facts | {"text": _statement(change, said, after)}

    return {
        "benchmark": change.benchmark,
        "device": change.device,
        "table": change.table,
        "at": dict(change.at),
        "scope": change.scope,
        "before": told(change.before),
        "after": told(change.after),
    }


def _problem(problem: Problem) -> dict[str, str]:
    return {key: getattr(problem, key) for key in ("code", "where", "found", "expected", "do")}
