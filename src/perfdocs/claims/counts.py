"""``? of ? cell``: in how many places along an axis a claim holds."""

from __future__ import annotations

from collections.abc import Sequence

from ..verdict import Value
from .context import Reading
from .findings import Finding, Later, Ternary, Text, all_of
from .nodes import Amount, Counted
from .phrases import verdict
from .reader import Reader
from .values import Quantity

__all__ = ["judge_counts", "read_counts"]


def _places(axis: str) -> str:
    return f"{axis}s" if axis in ("cell", "device", "arm") else f"values of {axis}"


def read_counts(scope: Counted, reader: Reader) -> float:
    """Take the two counts from the text where it prints them; in how many places the claim is said to hold."""
    said = []
    for amount in (scope.count, scope.of):
        if amount.value is None:
            said.append(reader.next(f"a count of {_places(scope.axis)}").value)
        else:
            reader.accept(amount, as_ratio=False)
            said.append(amount.value)
    return said[0]


def judge_counts(
    scope: Counted,
    claimed: float,
    findings: Sequence[Finding],
    at: Text,
    reader: Reader,
    read: Sequence[Sequence[Reading]],
) -> Finding:
    """True in exactly so many of so many places; what is undecided may be one of them or not.

    ``findings`` are those of the places and ``read`` what was read there, ``reader`` stands where the counts begin.
    """
    places = _places(scope.axis)
    holding = sum(f.truth is Ternary.TRUE for f in findings)
    undecided = [f for f in findings if f.truth is Ternary.UNKNOWN]
    there = [one for f, part in zip(findings, read, strict=True) if f.truth is Ternary.TRUE for one in part]
    every = [one for part in read for one in part]
    counted = _judge(scope.count, holding, f"the {places} where it holds", at, reader, there)
    if undecided and holding <= claimed <= holding + len(undecided):
        counted = undecided[0]
    return all_of([counted, _judge(scope.of, len(findings), f"all {places}", at, reader, every)])


def _judge(amount: Amount, number: int, what: str, at: Text, reader: Reader, read: Sequence[Reading]) -> Finding:
    counted = Quantity(Value.exact(number), data=tuple(read))
    if amount.value is None:
        return reader.number(counted, what, at)
    reader.accept(amount, as_ratio=False, of=counted, what=what)
    said = f"{what} = {amount.value:g}"
    return verdict(amount.value == number, "claim-number", Later(lambda: f"{said}{at}"), f"{number}")
