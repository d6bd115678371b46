"""Three truth values and what was found: how parts of a claim become one verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from msgspec import Struct
from msgspec.structs import replace

__all__ = ["Finding", "Fix", "Later", "Ternary", "Text", "all_of", "any_of", "negate", "of_points"]


class Later:
    """A text that is put together when it is asked for: of most points of most claims nobody reads what was found."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    def __str__(self) -> str:
        return self._make()


Text = str | Later


class Ternary(IntEnum):
    """False, undecided, true; ``min`` is "and", ``max`` is "or"."""

    FALSE = 0
    UNKNOWN = 1
    TRUE = 2


@dataclass(frozen=True, slots=True)
class Fix:
    """What to write for the number at ``start``–``end`` of the bound text, so that it reads as measured."""

    start: int
    end: int
    text: str


class Finding(Struct, frozen=True):
    """The verdict on one part of a claim, and where it is not true the pieces of its message.

    ``fixes`` are there where printed numbers alone are wrong. What is true has ``measured`` and nothing else.
    """

    truth: Ternary
    code: str = ""
    found: Text = ""
    expected: Text = ""
    do: Text = ""
    measured: Text = ""
    fixes: tuple[Fix, ...] = ()


def all_of(findings: Sequence[Finding]) -> Finding:
    """The first false one, else the first undecided one, else true with all that was measured."""
    if len(findings) == 1:
        return findings[0]
    worst = min((f.truth for f in findings), default=Ternary.TRUE)
    if worst is Ternary.TRUE:
        return Finding(Ternary.TRUE, measured=Later(lambda: _joined(findings)))
    finding = next(f for f in findings if f.truth is worst)
    more = sum(f.truth is not Ternary.TRUE for f in findings) - 1
    extra = f" (and {more} more of this claim)" if more else ""
    return replace(finding, expected=Later(lambda: f"{finding.expected}{extra}"), fixes=_agreed(findings))


def of_points(points: Sequence[Finding], others: Sequence[Finding] = ()) -> Finding:
    """:func:`all_of` where the points of one claim are told first: no wording is proposed that one of them refutes."""
    finding = all_of([*points, *others])
    if finding.truth is Ternary.TRUE:
        return finding
    if finding.code == "claim-number":
        numbers = all(f.code == "claim-number" for f in points if f.truth is not Ternary.TRUE)
        return finding if numbers else replace(finding, do="say where it holds", fixes=())
    proposed = isinstance(finding.do, str) and finding.do.startswith("write ")
    apart = proposed and any(f.do != finding.do for f in points)
    return replace(finding, do="say where it holds") if apart else finding


def _joined(findings: Sequence[Finding]) -> str:
    return "; ".join(dict.fromkeys(text for f in findings if (text := str(f.measured))))


def _agreed(findings: Sequence[Finding]) -> tuple[Fix, ...]:
    """Every fix, but for numbers that two findings share and would write differently."""
    wanted: dict[int, set[Fix]] = {}
    for fix in (fix for finding in findings for fix in finding.fixes):
        wanted.setdefault(fix.start, set()).add(fix)
    return tuple(next(iter(found)) for _, found in sorted(wanted.items()) if len(found) == 1)


def any_of(findings: Sequence[Finding], what: str) -> Finding:
    """True where one is; ``what`` names the quantifier for the message."""
    for finding in findings:
        if finding.truth is Ternary.TRUE:
            return finding
    worst = next((f for f in findings if f.truth is Ternary.UNKNOWN), findings[0])
    if worst.truth is Ternary.UNKNOWN:
        return worst
    found = Later(lambda: f"{what}, where none does; for one, {worst.found}")
    return replace(worst, code="claim-order", found=found)


def negate(finding: Finding, found: Text, do: str) -> Finding:
    """True where the finding is false. ``found`` and ``do`` make the message where it is true."""
    if finding.truth is Ternary.TRUE:
        expected = Later(lambda: f"that it fails there: {finding.measured}")
        return Finding(Ternary.FALSE, "claim-order", found, expected, do)
    if finding.truth is Ternary.FALSE:
        return Finding(Ternary.TRUE, measured=finding.expected)
    return finding
