"""Write printed numbers as the data have them: in place, with as many digits, and never a word.

Where a number of a claim stands in the source is guessed and then proved: the changed page is taken apart once more,
and every claim's words must be the same but for the numbers that were to change. What cannot be proved stays as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product
from pathlib import Path

from ..library import Library
from .check import check_all, extracted
from .findings import Fix
from .model import Bound, Outcome, Status

__all__ = ["Fixed", "fix_text"]

ROUNDS = 4  # a number that is mended may show that another of its claim is wrong
TRIES = 12  # places that a claim's numbers are tried at
_BREAK = re.compile(r"\n[ \t]*\r?\n")

Edit = tuple[int, int, str]
"""A stretch of the source and what to put there."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A page after its numbers were written anew: how many, and how many could not be placed; what came of its claims.

    ``before`` are the outcomes of the page as it was.
    """

    text: str
    numbers: int
    unplaced: int
    before: tuple[Outcome, ...]
    outcomes: tuple[Outcome, ...]


def fix_text(
    text: str, file: str, library: Library, root: Path | None = None, never: frozenset[int] = frozenset()
) -> Fixed:
    """Rewrite the numbers of claims that only numbers keep from holding; the rest stays as it is.

    With ``root`` the claims of files that it includes are checked; their numbers stay as they are.
    So do those of the claims ``never``: no wording holds at all their points, and each round would undo another.
    """
    origin, had = text, dict[int, set[str]]()
    bounds = extracted(text, file, root)
    before = outcomes = check_all(bounds, library)
    numbers, unplaced = 0, 0
    for _ in range(ROUNDS):
        found = {id(outcome.bound): outcome for outcome in outcomes}  # none of those under a broken ``given``
        wanted = {
            i: outcome.fixes
            for i, bound in enumerate(bounds)
            if i not in never
            and bound.file == file
            and (outcome := found.get(id(bound)))
            and outcome.status is Status.FAILS
            and outcome.fixes
        }
        again = {i for i, fixes in wanted.items() if _reworded(bounds[i], fixes) in had.get(i, ())}
        if again:
            return fix_text(origin, file, library, root, never | again)
        for i in wanted:
            had.setdefault(i, set()).add(bounds[i].text)
        edits = _proved(text, file, bounds, wanted, root)
        unplaced = sum(len(fixes) for i, fixes in wanted.items() if i not in edits)
        if not edits:
            break
        text = _edited(text, [edit for of in edits.values() for edit in of])
        numbers += sum(map(len, edits.values()))
        bounds = extracted(text, file, root)
        outcomes = check_all(bounds, library)
    return Fixed(text, numbers, unplaced, before, outcomes)


def _edited(text: str, edits: Sequence[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _reworded(bound: Bound, fixes: Sequence[Fix]) -> str:
    """The bound text as it is to read."""
    return _edited(bound.text, [(fix.start, fix.end, fix.text) for fix in fixes])


def _proved(
    text: str, file: str, bounds: Sequence[Bound], wanted: Mapping[int, tuple[Fix, ...]], root: Path | None
) -> dict[int, tuple[Edit, ...]]:
    """The edits that change the words of the wanted claims as they are to read, and no word of another.

    All first guesses are proved together; where one is wrong, each of its claim's other places is tried alone.
    """
    source = _Source(text, bounds)
    guesses = {i: source.places(i, fixes) for i, fixes in wanted.items()}
    first = {i: guess for i, of in guesses.items() if (guess := next(of, None)) is not None}
    good = _good(text, file, bounds, wanted, first, root)
    proved = {i: first[i] for i in good}
    for i in [i for i in first if i not in good]:
        for guess in islice(guesses[i], TRIES):
            if _good(text, file, bounds, wanted, {i: guess}, root):
                proved[i] = guess
                break
    return (
        proved
        if len(proved) == len(good) or len(_good(text, file, bounds, wanted, proved, root)) == len(proved)
        else {}
    )


def _good(
    text: str,
    file: str,
    bounds: Sequence[Bound],
    wanted: Mapping[int, tuple[Fix, ...]],
    edits: Mapping[int, tuple[Edit, ...]],
    root: Path | None,
) -> set[int]:
    """Of these edits, those of claims that read as they are to; none where they change anything else."""
    if not edits:
        return set()
    after = extracted(_edited(text, [edit for of in edits.values() for edit in of]), file, root)
    if len(after) != len(bounds):
        return set()
    good = set()
    for i, (old, new) in enumerate(zip(bounds, after, strict=True)):
        if (old.line, old.expression, old.form) != (new.line, new.expression, new.form):
            return set()
        if i in edits and new.text == _reworded(old, wanted[i]):
            good.add(i)
        elif new.text != old.text and i not in edits:
            return set()
    return good


class _Source:
    """Where the words of claims may stand in a page."""

    def __init__(self, text: str, bounds: Sequence[Bound]) -> None:
        self._text, self._bounds = text, bounds
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]
        self._breaks = [0, *(m.end() for m in _BREAK.finditer(text))]

    def places(self, i: int, fixes: Sequence[Fix]) -> Iterator[tuple[Edit, ...]]:
        """Places for the fixes of a claim, the likeliest first; they stand in its block, in their order."""
        bound = self._bounds[i]
        for sign in self._signs(bound):
            block = self._breaks[bisect_right(self._breaks, sign) - 1]
            found = [self._spans(bound.text[fix.start : fix.end], block, sign) for fix in fixes]
            for spans in islice(product(*found), TRIES**2):
                if all(a[1] <= b[0] for a, b in pairwise(spans)):
                    yield tuple((*span, fix.text) for span, fix in zip(spans, fixes, strict=True))

    def _signs(self, bound: Bound) -> list[int]:
        """Where on the claim's line its expression begins, as a comment or behind a role's words."""
        if bound.line > len(self._lines):
            return []
        start = self._lines[bound.line - 1]
        end = self._lines[bound.line] if bound.line < len(self._lines) else len(self._text)
        expression = re.escape(bound.expression)
        signs = re.compile(rf"<!--\s*claim:\s*{expression}\s*-->|<\s*{expression}\s*>\s*`")
        return [m.start() for m in signs.finditer(self._text, start) if m.start() < end]

    def _spans(self, number: str, block: int, sign: int) -> list[tuple[int, int]]:
        """The number's places before a sign, the nearest first."""
        words = number.split()
        if not words:
            return []
        pattern = re.compile(r"(?<![\w.])" + r"\s+".join(map(re.escape, words)) + r"(?![\d.]*\d)")
        return [m.span() for m in pattern.finditer(self._text, block, sign)][::-1]
