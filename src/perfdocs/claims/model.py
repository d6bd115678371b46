"""What a claim is and what came of checking it: records only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field
from enum import StrEnum
from typing import Literal

from ..card import AxisValue
from ..errors import Problem, clean
from .findings import Fix

__all__ = ["CODES", "Bound", "Datum", "Form", "Given", "Line", "Mark", "Outcome", "Status", "Tally", "Use", "breakable"]

CODES: Mapping[str, str] = {
    "claim-number": "a printed number does not read as measured",
    "claim-order": "a comparison, rank, crossover or trend is not as measured",
    "claim-undecided": "the measurements do not decide the sentence",
    "claim-empty": "the claim selects nothing that was measured",
    "claim-ambiguous": "the claim selects several measurements: an axis, arm or device is not named",
    "claim-flagged": "a claim that asks for clean data, over data with a flag",
    "claim-unit": "the printed unit does not fit the quantity",
    "claim-name": "an unknown name",
    "claim-text": "a number, name or axis value in the text that the claim does not speak of, or the reverse",
    "claim-word": "a comparative word in the text that the claim does not state",
    "claim-syntax": "an expression that does not parse",
    "claim-size": "an expression or text too large to be meant",
    "claim-fault": "a fault in perfdocs, which could not judge the claim",
    "claim-given": "a given that does not fit",
    "claim-broken": "a claim that is written so that it would be lost",
    "claim-uncovered": "a number or a comparative word of a strict page that nothing is bound to",
}
"""Every code an outcome may carry, with its meaning: the subtypes of the warnings."""

Form = Literal["claim", "given", "exempt", "value", "broken", "prose"]
Use = tuple[str, str | None]
"""A benchmark and a device whose card was asked; ``None`` for the set of the benchmark's devices."""


def breakable(text: str) -> str:
    """With plain spaces: a terminal does not print the no-break ones."""
    return re.sub(r"[\u00a0\u202f\u2009]", " ", text)


@dataclass(frozen=True, slots=True)
class Given:
    """What the claims after it speak of: the text of selectors, and the line it stands on."""

    line: int
    expression: str


@dataclass(frozen=True, slots=True)
class Bound:
    """An expression bound to the words it answers for.

    ``text`` is the prose the claim speaks for, without markup except backticks around code; ``sentence`` is quoted in
    messages. ``given`` runs from the outermost to the innermost. ``form`` is how it was written.

    Of a strict page each block is one too, in the form ``prose``: ``sentence`` is the whole block, ``text`` the same
    with what is bound blanked, and ``line`` the first one; ``hint`` is the unit that the head of a cell's column says.
    """

    file: str
    line: int
    sentence: str
    text: str
    expression: str
    given: tuple[Given, ...] = ()
    form: Form = "claim"
    hint: str = ""
    """What to do about a broken one, whose ``expression`` says what is wrong; of a cell the unit of its column."""
    after: str = ""
    """What follows in the sentence, as far as nothing is bound to it; of an exemption the next words."""
    around: tuple[str, ...] = ()
    """What stands over it, the nearest first: the head of its column, what leads its list in, headings."""

    @property
    def where(self) -> str:
        """``file:line``, as messages begin."""
        return f"{self.file}:{self.line}"


class Status(StrEnum):
    """What came of a claim. Only ``HOLDS`` and an exemption with its reason pass."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    ERROR = "error"
    EXEMPT = "exempt"


@dataclass(frozen=True, slots=True)
class Tally:
    """How much is bound: claims, printed values, exemptions, and blocks of strict pages, each counted apart."""

    claims: int = 0
    values: int = 0
    exemptions: int = 0
    blocks: int = 0

    @classmethod
    def of(cls, forms: Iterable[Form]) -> Tally:
        """Count; a ``given`` and what is broken are none of these."""
        found = Counter(forms)
        return cls(found["claim"], found["value"], found["exempt"], found["prose"])

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def to_dict(self) -> dict[str, int]:
        """Plain values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        words = (
            ("claim", "claims"),
            ("printed value", "printed values"),
            ("exemption", "exemptions"),
            ("block of strict pages", "blocks of strict pages"),
        )
        told = [(n, pair) for n, pair in zip(astuple(self), words, strict=True) if n or pair[0] == "claim"]
        return ", ".join(f"{n} {pair[n != 1]}" for n, pair in told)


@dataclass(frozen=True, slots=True)
class Datum:
    """Where a value was read: a quantity ``key`` of a row of a card, or without a table a fact of the device."""

    benchmark: str
    device: str
    key: str
    table: str = ""
    arm: str = ""
    at: tuple[AxisValue, ...] = ()
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Where a number comes from: the expression, its value unrounded in SI with its interval, and the data it read.

    ``chosen`` are those that it is the value of: of a least or a most the one that is it, otherwise all. ``less`` was
    taken off before it was printed: 1 of a ratio that is printed as percent. Without a ``unit`` and a value it is no
    number: words that compare, and what they compare.
    """

    formula: str
    data: tuple[Datum, ...] = ()
    chosen: tuple[Datum, ...] = ()
    value: float | None = None
    low: float = 0.0
    high: float = 0.0
    runs: int = 0
    unit: str = ""
    less: float = 0.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch ``start``–``end`` of the bound text that the data answer for, and what a reader can ask of it.

    ``about`` says what was measured; ``flags`` travel with the number; ``line`` tells where it comes from.
    """

    start: int
    end: int
    about: str
    flags: tuple[str, ...] = ()
    line: Line | None = None

    @property
    def datum(self) -> Datum | None:
        """The first datum with a row of its own that the number is the value of."""
        found = (*self.line.chosen, *self.line.data) if self.line else ()
        return next((datum for datum in found if datum.anchor), None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one bound expression. ``measured`` is for people; ``uses`` is what it depends on.

    Of a ``value`` that has one, ``measured`` is the text to print, and its one mark is about the whole of it.
    """

    bound: Bound
    status: Status
    problem: Problem | None = None
    measured: str = ""
    marks: tuple[Mark, ...] = ()
    uses: frozenset[Use] = field(default=frozenset())
    fixes: tuple[Fix, ...] = ()
    """Where printed numbers alone are wrong: what to write in their places of the bound text."""

    @property
    def passes(self) -> bool:
        """Whether the sentence may stand as it is."""
        return self.status in (Status.HOLDS, Status.EXEMPT)

    @property
    def message(self) -> str:
        """The problem without its place, and the sentence it is about; empty where the claim passes."""
        if self.problem is None:
            return ""
        p = self.problem
        quoted = f' in "{clean(breakable(self.bound.sentence[:161]), 160)}"' if self.bound.sentence else ""
        return f"found {clean(breakable(p.found))}{quoted}, expected {breakable(p.expected)}; {breakable(p.do)}"

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        b, p = self.bound, self.problem
        return {
            "file": b.file,
            "line": b.line,
            "status": str(self.status),
            "code": p.code if p else None,
            "sentence": b.sentence,
            "text": b.text,
            "claim": b.expression,
            "found": p.found if p else None,
            "expected": p.expected if p else None,
            "do": p.do if p else None,
            "measured": self.measured or None,
        }

    def __str__(self) -> str:
        code = f" [{self.problem.code}]" if self.problem else ""
        return f"{self.bound.where}: {self.message or self.status}{code}"
