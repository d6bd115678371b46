"""Words around a claim that no claim speaks for, and that say another place than the one it is asked of.

"It takes 510 µs" is bound, "on the other device" behind the mark is not, nor is the heading above, and a reader takes
them together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

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


def elsewhere_said(
    after: str, around: Collection[str], data: Data, context: Context, prose: Prose
) -> Iterator[Finding]:
    """Names of devices and values of axes right behind the mark, or over it, that the claim was not asked of.

    A text that names a device, or a value of that axis, itself is held by its own words; and of what stands over it
    the nearest that names one decides.
    """
    told = _spoken(prose)
    if (m := _PLACE.match(after)) is not None:
        end = _CLAUSE.search(after, m.end())
        words = after[: end.start() if end else len(after)]
        yield from _apart(words, "right behind it", told, data, context)
    for words in around:
        yield from _apart(words, "over it", told, data, context)


def _spoken(prose: Prose) -> set[str]:
    """The axes that a text names values of, and whether it names a device."""
    return {name.axis or name.kind for name in prose.names} | {mention.axis for mention in prose.axis_values}


def _apart(words: str, where: str, told: set[str], data: Data, context: Context) -> Iterator[Finding]:
    """Of each axis that is not told of the names of which none fits; what they are of is ``told`` then."""
    definition = data.definition(context) if context.benchmark else None
    said = read_prose(words, definition, data.named_devices(context.benchmark))
    if not said.names and not said.axis_values:
        return
    for axis in sorted(_spoken(said) - told - {"arm", "value"}):
        there = data.devices if axis == "device" else {v for key, v in data.points if key == axis}
        names = [name for name in said.names if (name.axis or name.kind) == axis]
        fits = any(_part_of(key, str(value)) for name in names for key in name.keys for value in there)
        numbers = [mention for mention in said.axis_values if mention.axis == axis]
        for mention in numbers:
            fits = fits or mention.sign != "="
            fits = fits or any(mention.printed.reads(v) for v in there if not isinstance(v, str))
        if there and not fits:
            first = names[0].key if names else f"{axis} = {numbers[0].printed.text.strip()}"
            asked = ", ".join(sorted(v if isinstance(v, str) else f"{v:g}" for v in there))
            found, expected = f'"{first}" {where}', f"where it was asked: {asked}"
            yield Finding(Ternary.FALSE, "claim-text", found, expected, "correct one of them")
        told.add(axis)


def _part_of(key: str, value: str) -> bool:
    """Whether a name is a value, or the last words of it: the matrix units of `tensor_fp64` are of FP64."""
    return key == value or {*re.split(r"[_-]", key)} < {*re.split(r"[_-]", value)}
