"""What a percentage or a ratio is of: "56 % less" is one minus the ratio, "2× as fast as" the inverse of times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..definition import Definition
from ..expression import Binary, Number
from .findings import Finding
from .nodes import Bounded, Claim, Plain, named
from .phrases import phrase, word_finding
from .wording import Prose

__all__ = ["OF_TIME", "of_speed", "shares_otherwise"]

_OF_SPEED = re.compile(
    r"(?:\btimes|×|\dx|fold|\btwice|\bthrice)\s+"
    r"(?:the\s+(?:speed|throughput)\s+of|as\s+(?:fast|quick)\s+as|better\s+than|improvement\s+over)\b"
    r"|\b(?:gains?|(?:speed-?up|gain|improvement)\s+of)\s+[\d.]+\s?×?\s+over\b",
    re.IGNORECASE,
)
"""Of times "a is two times as fast as b" is said of `b / a`."""
OF_TIME = re.compile(r"(?:×|%|\btimes|\btwice|\bhalf)\s+(?:of\s+)?the\s+time\s+of\b", re.IGNORECASE)
"""And "a takes two times the time of b" of `a / b`."""
_OFF = re.compile(r"\s*(?:less|fewer|lower|shorter|smaller|cheaper)\b", re.IGNORECASE)
_CUTS = re.compile(
    r"\b(?:saves?|(?:cuts?|reduces?|lowers?|shortens?|shrinks?)\b(?:\s+(?:[\w-]+|\ue000+)){0,5}?\s+by)\s+$",
    re.IGNORECASE,
)
_TAKES = re.compile(
    r"\b(?:takes?|took|takes|needs?|needed|lasts?|requires?)\s+(?:(?:about|only|just|some|over|under|up\s+to)\s+)*[`*]*$",
    re.IGNORECASE,
)
_OF_WHAT = re.compile(
    r"[`*]*\s*(?:of\b|as\b|more\b|less\b|fewer\b|longer\b|shorter\b|higher\b|lower\b|the\s+time\b|what\b|better\b|worse\b|and\b|,|to\b"
    r"|faster\b|slower\b|–)",
    re.IGNORECASE,
)
"""What a percentage has behind it that says of what it is; in a list the last has it."""
_POINTS = re.compile(r"\s*-?points?\b", re.IGNORECASE)
_PEAK = re.compile(r"\s+of\s+(?:the\s+|its\s+)?(?:\w+\s+)?peak\b", re.IGNORECASE)


def of_speed(claim: Claim, prose: Prose, d: Definition, metric: str) -> bool:
    """Whether "a has twice the speed of b" is said of times, `b / a`: the text then names them the other way round."""
    item, *others = claim.items
    if others or not isinstance(item, (Plain, Bounded)) or len(item.values) != 1 or not _OF_SPEED.search(prose.plain):
        return False
    (tree,) = item.values
    if not isinstance(tree, Binary) or tree.operator != "/":
        return False
    keys = {name for name in named(tree) if name in d.metrics or name in d.derived} or {metric}
    return all(d.quantity(key).better == "lower" for key in keys)


def shares_otherwise(claim: Claim, d: Definition | None, prose: Prose) -> Iterator[Finding]:
    """Percentages that are of another thing than the claim's."""
    taken_off = any(isinstance(part, Binary) and part.operator == "-" for part in claim.parts)
    for number in (number for number in prose.numbers if number.style == "percent"):
        before, said = prose.plain[max(number.start - 60, 0) : number.start], number.text.strip()
        if (m := _TAKES.search(before)) and not _OF_WHAT.match(prose.plain, number.end):
            yield word_finding(
                f"{m[0].strip()} {said}", "what it is a share of", 'write "of the time of b", or "longer"'
            )
        if m := _POINTS.match(prose.plain, number.end):
            yield word_finding(f"{said}{m[0]}", "a difference of two percentages", "write the ratio, without points")
        elif not taken_off and (m := _OFF.match(prose.plain, number.end) or _CUTS.search(before)):
            yield word_finding(f"{said} {m[0].strip()}", "a part that is taken off", f"write `{_off(claim)}`")
        if (m := _PEAK.match(prose.plain, number.end)) and not _of_peak(claim, d):
            yield word_finding(f"{said}{m[0]}", "a share of the peak, as `rate(a) / peak`", "correct one of them")


def _off(claim: Claim) -> str:
    """How the claim would say what is taken off."""
    ratios = [part for part in claim.parts if isinstance(part, Binary) and part.operator == "/"]
    return f"1 - {phrase(ratios[0])}" if ratios and not isinstance(ratios[0].left, Number) else "1 - a / b"


def _of_peak(claim: Claim, d: Definition | None) -> bool:
    said = claim.names
    return any("peak" in name or (d and name in d.derived and "peak" in d.derived[name].is_) for name in said)
