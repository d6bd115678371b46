"""Words around a claim that no claim speaks for, and that say another place than the one it is asked of.

"It takes 510 µs" is bound, "on the other device" behind the mark is not, and a reader takes both for one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .context import Context
from .findings import Finding, Ternary
from .scope import Data
from .wording import Prose, read_prose

__all__ = ["elsewhere_said"]

_PLACE = re.compile(r"\s+(?:[a-z]+\s+){0,4}?(?:on|at|for|in|with|when|where)\b", re.IGNORECASE)
"""How words behind a mark begin that go on with what is bound."""
_CLAUSE = re.compile(
    r"[,;:.!?–—()]|\b(?:and|or|but|while|whereas|than|against|as|like|unlike|instead|not|which|that|because|since"
    r"|though|although|if|until|before|after|from|to|of)\b",
    re.IGNORECASE,
)
"""What ends them: behind it another thing may be spoken of."""


def elsewhere_said(after: str, data: Data, context: Context, prose: Prose) -> Iterator[Finding]:
    """Names of devices and values of axes right behind the mark that the claim was not asked of.

    A text that names a device, or a value of that axis, itself is held by its own words.
    """
    m = _PLACE.match(after)
    if m is None:
        return
    end = _CLAUSE.search(after, m.end())
    words = after[: end.start() if end else len(after)]
    definition = data.definition(context) if context.benchmark else None
    said = read_prose(words, definition, data.named_devices(context.benchmark))
    own = {name.axis or name.kind for name in prose.names} | {mention.axis for mention in prose.axis_values}
    for name in said.names:
        there = data.devices if name.kind == "device" else {v for axis, v in data.points if axis == name.axis}
        if name.kind == "arm" or (name.axis or name.kind) in own or not there:
            continue
        if not any(_part_of(key, str(value)) for key in name.keys for value in there):
            yield _finding(name.key, sorted(map(str, there)))
    for mention in said.axis_values:
        values = {v for axis, v in data.points if axis == mention.axis and not isinstance(v, str)}
        near = mention.sign != "=" or any(mention.printed.reads(v) for v in values)
        if values and not near and mention.axis not in own:
            yield _finding(f"{mention.axis} = {mention.printed.text.strip()}", [f"{v:g}" for v in sorted(values)])


def _part_of(key: str, value: str) -> bool:
    """Whether a name is a value, or the last words of it: the matrix units of `tensor_fp64` are of FP64."""
    return key == value or {*re.split(r"[_-]", key)} < {*re.split(r"[_-]", value)}


def _finding(said: str, there: list[str]) -> Finding:
    found = f'"{said}" right behind it'
    return Finding(Ternary.FALSE, "claim-text", found, f"where it was asked: {', '.join(there)}", "correct one of them")
