"""The printed numbers of a text, given out one by one to the `?` of a claim, and how each is judged."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..errors import PerfdocsError
from ..quantity import Printed
from .deciding import for_printed
from .findings import Finding, Fix, Later, Ternary, Text
from .model import Mark
from .nodes import Amount
from .rewording import reword
from .scope import Data
from .spelt import plain_counts
from .values import Quantity, dimension, line_of, show
from .wording import AxisMention, Prose, borrow_unit

__all__ = ["ABOUT", "Reader"]

ABOUT = 0.05
"""``about ?`` holds within this share of the printed number."""


@dataclass(frozen=True, slots=True)
class _Noted:
    """What stands behind a printed number, as it is known while the claim is judged."""

    printed: Printed
    about: Text
    quantity: Quantity | None
    what: Text
    less: float

    def mark(self) -> Mark:
        q, about = self.quantity, str(self.about)
        flags = tuple(sorted(q.value.flags)) if q else ()
        line = line_of(q, str(self.what) or about, self.less) if q else None
        return Mark(self.printed.start, self.printed.end, about, flags, line)


class _Span(NamedTuple):
    """Between what a printed number is to read, over all points that share it."""

    printed: Printed
    least: float
    most: float

    def wordings(self) -> tuple[str, str]:
        """Both ends as the number is written."""
        return reword(self.printed, self.least), reword(self.printed, self.most)


@dataclass(slots=True)
class Reader:
    """Hands out the text's numbers in order. ``position`` may be set back, so that `every` shares numbers."""

    prose: Prose
    data: Data
    any_number: bool = False
    """Whether any measured number will do for a printed one: what is left of the claim is what it compares."""
    position: int = 0
    furthest: int = 0
    axis_positions: dict[str, int] = field(default_factory=dict)
    consumed: list[AxisMention] = field(default_factory=list)
    noted: dict[int, _Noted] = field(default_factory=dict)
    """By their place the printed numbers that were answered for."""
    widest: dict[Printed, float] = field(default_factory=dict)
    """The widest distance seen within each printed bound of ``within ?``, which must be tight."""
    widest_stated: dict[Amount, float] = field(default_factory=dict)
    """The same of each bound that the claim states itself."""
    spans: dict[int, _Span] = field(default_factory=dict)
    """By the place of a printed number what it is to read as: what is true of one point may be false of another."""

    def next(self, what: Text) -> Printed:
        """The next number. Raises ``claim-text`` where the text has no more."""
        if not self.prose.numbers and (spelt := tuple(plain_counts(self.prose.plain))):
            self.prose = replace(self.prose, numbers=spelt)
        if self.position >= len(self.prose.numbers):
            count = len(self.prose.numbers)
            raise self.data.error(
                "claim-text",
                f"{count or 'no'} number{'s' if count != 1 else ''} in the text",
                f"one more, for {what}",
                "print it, or take the `?` out of the claim",
            )
        printed = self.prose.numbers[self.position]
        self.position += 1
        self.furthest = max(self.furthest, self.position)
        return printed

    def accept(self, amount: Amount, *, as_ratio: bool, of: Quantity | None = None, what: Text = "") -> Printed | None:
        """Take the next number where it is the literal that the claim states: the text may print it or not.

        ``of`` is what the literal is held against.
        """
        if amount.value is None or self.position >= len(self.prose.numbers):
            return None
        printed = self.prose.numbers[self.position]
        read = printed.value + 1 if as_ratio and printed.style == "percent" else printed.value
        wanted = amount.value + 1 if as_ratio and amount.percent else amount.value
        if not math.isclose(read, wanted, rel_tol=1e-9):
            return None
        self.position += 1
        self.furthest = max(self.furthest, self.position)
        about = "a bound that the claim states"
        self.mark(printed, Later(lambda: f"{about} of {what}: {show(of)}") if of else about, of, what)
        return printed

    def states(self, amount: Amount, value: float, *, as_ratio: bool, of: Quantity, what: Text) -> bool:
        """Whether a value reads as a literal of the claim: to the digits of the text where that prints it."""
        printed = self.accept(amount, as_ratio=as_ratio, of=of, what=what)
        if printed is not None:
            return printed.reads(value - (1 if as_ratio and printed.style == "percent" else 0))
        literal = (amount.value or 0) + (1 if as_ratio and amount.percent else 0)
        return abs(value - literal) <= amount.quantum / 2 * (1 + 1e-9)

    def axis_value(self, axis: str, label: str) -> AxisMention:
        """The next "N = …" of an axis."""
        mentions = [m for m in self.prose.axis_values if m.axis == axis]
        position = self.axis_positions.get(axis, 0)
        if position >= len(mentions):
            raise self.data.error(
                "claim-text",
                f"no further value of {label} in the text",
                f'"{label} = …"',
                "print it, or name the value",
            )
        self.axis_positions[axis] = position + 1
        self.consumed.append(mentions[position])
        return mentions[position]

    def leftover(self) -> tuple[Printed, ...]:
        """Numbers of the text that no part of the claim answered for."""
        return self.prose.numbers[self.furthest :]

    def mark(
        self, printed: Printed, about: Text, quantity: Quantity | None, what: Text = "", less: float = 0.0
    ) -> None:
        """Note what stands behind a printed number; ``what`` is the expression that it is the value of."""
        known = self.noted.get(printed.start)
        if known is None or known.quantity is None:
            self.noted[printed.start] = _Noted(printed, about, quantity, what, less)

    def marks(self) -> tuple[Mark, ...]:
        """What stands behind the numbers that were answered for, in the order of the text."""
        return tuple(noted.mark() for _, noted in sorted(self.noted.items(), key=lambda known: known[0]))

    # --- judging -----------------------------------------------------------------------------------------------

    def number(
        self, quantity: Quantity, what: Text, at: Text, *, comparison: bool = False, about: bool = False
    ) -> Finding:
        """Judge the next number against a quantity; a comparison's quantity is the ratio, and % means ratio − 1."""
        standing = self.next(what)
        printed = self.fitting(standing, quantity, what, comparison=comparison)
        shift = 1.0 if comparison and printed.style == "percent" else 0.0
        value = quantity.value.centre - shift
        measured = Later(lambda: show(quantity, printed.style, shift))
        self.mark(printed, Later(lambda: f"{what}{at}: {measured}"), quantity, what, shift)
        self._widen(standing.start, printed, value)
        holds = printed.reads(value)
        if not holds and about and printed.value:
            holds = abs(value / printed.value - 1) <= ABOUT
        if holds or self.any_number:
            return Finding(Ternary.TRUE, measured=measured)
        text = printed.text.strip()
        better = reword(printed, value)
        do = Later(lambda: self._proposal(standing.start, better))
        if self._only_rounding(printed, quantity, shift):
            half = printed.quantum / 2
            more = for_printed(quantity.value, printed.value + shift - half, printed.value + shift + half)
            return Finding(
                Ternary.UNKNOWN,
                "claim-undecided",
                f'"{text}" for {what}{at}',
                f"{measured}, as far as the few digits of its source tell",
                Later(lambda: f"{do}, or round it{f'; {more}' if more else ''}"),
                measured,
            )
        found, expected = f'"{text}" for {what}{at}', f"{measured}, as measured"
        suffix = printed.text.removeprefix(standing.text)  # a borrowed unit stands elsewhere
        fixes = (Fix(standing.start, standing.end, better.removesuffix(suffix)),) if better.endswith(suffix) else ()
        return Finding(Ternary.FALSE, "claim-number", found, expected, do, measured, fixes)

    def _widen(self, start: int, printed: Printed, value: float) -> None:
        known = self.spans.get(start)
        if known is None:
            self.spans[start] = _Span(printed, value, value)
        elif not known.least <= value <= known.most:
            self.spans[start] = _Span(printed, min(known.least, value), max(known.most, value))

    def _proposal(self, start: int, better: str) -> str:
        """What to write for a number, asked once all points were looked at."""
        low, high = self.spans[start].wordings() if start in self.spans else (better, better)
        return f'write "{better}"' if low == high else f'say the range, "{low}" to "{high}", or each by itself'

    def agreed(self, fixes: Iterable[Fix]) -> tuple[Fix, ...]:
        """Those of numbers that all points would write alike."""
        found = ((fix, self.spans.get(fix.start)) for fix in fixes)
        return tuple(fix for fix, span in found if span is None or len({*span.wordings()}) == 1)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is read meanwhile says nothing of how a number is to be written: it has to be false there."""
        kept = dict(self.spans)
        yield
        self.spans = kept

    @staticmethod
    def _only_rounding(printed: Printed, quantity: Quantity, shift: float) -> bool:
        """Whether only the few digits of an imported source allow the number."""
        v = quantity.value
        half = printed.quantum / 2
        overlaps = v.lo - shift <= printed.value + half and v.hi - shift >= printed.value - half
        return v.samples == 0 and "imported" in v.flags and overlaps

    def fitting(self, printed: Printed, quantity: Quantity, what: Text, *, comparison: bool) -> Printed:
        """The number with its unit made sure of. Raises ``claim-unit``."""
        if comparison and printed.style == "plain" and self._times(printed):
            return printed
        if quantity.powers or comparison:
            printed = borrow_unit(printed, self.prose)
        if comparison:
            if printed.style in ("percent", "ratio"):
                return printed
            raise self._unit(printed, what, "a number with × or %")
        if printed.style == "value":
            if dimension(printed.unit) == quantity.powers:
                return printed
        elif not quantity.powers:
            return printed
        if not quantity.powers:
            raise self._unit(printed, what, "a number without a unit")
        raise self._unit(printed, what, f"a number in {quantity.unit}, with its unit")

    def _unit(self, printed: Printed, what: Text, expected: str) -> PerfdocsError:
        spelt = not any(c.isdigit() for c in printed.text)
        do = "correct the unit, or exempt it by itself" if spelt else "correct the unit"
        return self.data.error("claim-unit", f'"{printed.text.strip()}" for {what}', expected, do)

    def _times(self, printed: Printed) -> bool:
        after = self.prose.text[printed.end : printed.end + 8]
        before = self.prose.text[max(0, printed.start - 12) : printed.start]
        return bool(re.match(r"\s*(?:times|-?fold)\b", after) or re.search(r"factor (?:of )?$", before))
