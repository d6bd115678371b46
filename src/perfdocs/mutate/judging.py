"""Whether a false edit of a sentence is noticed, and by which rule one that is not yields a true sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..claims.evaluate import check_bound, context_of, spoken_of
from ..claims.model import Bound
from ..claims.nodes import Bounded, Compared, Quantified
from ..claims.scope import Data
from ..claims.syntax import parse_claim
from ..errors import PerfdocsError
from ..library import Library
from ..quantity import Printed, parse_printed
from .names import Ring, rings
from .prose import Mutation, mutations

__all__ = ["EQUIVALENT", "Judged", "judge", "prose_mutations"]

EQUIVALENT = {
    "rounded": "the number as it was, rounded: 1001 and 1000, where three digits are printed",
    "bound": "the number of a bound, under, over or about so much, that the data keep as well",
    "alike": "two values of an axis with each its own number exchanged, and the numbers read the same",
}
"""The rules by which an edit that nobody notices makes a sentence no less true."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutation and what came of it; ``rule`` says why one counts as equivalent."""

    mutation: Mutation
    fate: Literal["noticed", "survived", "equivalent"]
    rule: str = ""


def prose_mutations(bounds: Iterable[Bound], library: Library) -> Iterator[Mutation]:
    """Every false edit of the words of these claims."""
    known: dict[str, tuple[Ring, ...]] = {}
    for bound in bounds:
        benchmark = _benchmark(bound, library)
        if benchmark and benchmark not in known:
            known[benchmark] = rings(library, library.benchmarks[benchmark])
        yield from mutations(bound, known.get(benchmark, ()))


def _benchmark(bound: Bound, library: Library) -> str:
    """The benchmark that a claim speaks of, empty where that is not said."""
    data = Data(library, bound.where)
    try:
        claim = parse_claim(bound.expression, bound.where)
        return spoken_of(claim, context_of(bound, data), data).benchmark or ""
    except PerfdocsError:
        return ""


def judge(mutation: Mutation, library: Library) -> Judged:
    """Check the one claim again, with the words changed."""
    if not check_bound(mutation.mutant, library).passes:
        return Judged(mutation, "noticed")
    rule = _rule(mutation)
    return Judged(mutation, "equivalent" if rule else "survived", rule)


def _rule(mutation: Mutation) -> str:
    if mutation.kind in ("number", "unit"):
        if _rounded(mutation):
            return "rounded"
        return "bound" if _bounds(mutation.bound) else ""
    if mutation.kind == "order" and mutation.axis in _each(mutation.bound):
        return "alike"
    return ""


def _rounded(mutation: Mutation) -> bool:
    """Whether the number that stands there reads as the one that stood there."""
    (start, _, _), *_ = mutation.edits
    old, new = (_number_at(text, start) for text in (mutation.bound.text, mutation.text))
    if old is None or new is None or (old.style, old.unit) != (new.style, new.unit):
        return False
    return new.reads(old.value) and (new.quantum > old.quantum or mutation.kind == "unit")


def _number_at(text: str, place: int) -> Printed | None:
    """The number that begins at a place, or the one before it where a unit does."""
    found = [p for p in parse_printed(text) if p.start <= place <= p.end]
    return found[0] if found else None


def _bounds(bound: Bound) -> bool:
    items = parse_claim(bound.expression, bound.where).items
    return all(
        (isinstance(i, Bounded) and i.how != "=") or (isinstance(i, Compared) and i.how in ("under", "over", "about"))
        for i in items
    )


def _each(bound: Bound) -> set[str]:
    scope = parse_claim(bound.expression, bound.where).scope
    return {s.axis for s in scope if isinstance(s, Quantified) and s.quantifier == "each"}
