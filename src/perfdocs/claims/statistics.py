"""Words for a statistic, "the median is", "peaks at", of a value that the claim takes from no several ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet

from ..definition import Definition
from .findings import Finding
from .nodes import Bounded, Claim, Compared
from .normed import OF_RUNS, told
from .phrases import word_finding
from .wording import Prose

__all__ = ["statistics_otherwise"]

_SAID = re.compile(
    r"\b(?:(?P<median>medians?)|(?P<min>minim(?:um|al)|bottom(?:s|ed)\s+out\s+at)"
    r"|(?P<max>maxim(?:um|al)|peak(?:s|ed)\s+at|top(?:s|ped)\s+out\s+at)"
    r"|(?P<geomean>geomean|(?:(?:the|its|their|an?|arithmetic|geometric)\s+)mean|(?:the|its|their|an)\s+average(?!\s+of\b)))\b",
    re.IGNORECASE,
)
_RUN = re.compile(r"\s+(?:time\s+)?runs?\b")


def statistics_otherwise(
    claim: Claim,
    d: Definition | None,
    used: Collection[str],
    functions: AbstractSet[str],
    series: AbstractSet[str],
    prose: Prose,
) -> Iterator[Finding]:
    """Such a word; of runs every value is one. ``functions`` are the claim's, ``series`` what a derived one is."""
    if not prose.numbers or not (m := _SAID.search(prose.plain)):
        return
    kind = m.lastgroup or ""
    taken = {kind} & functions or (kind == "geomean" and "median" in functions and "average" in m[0].lower())
    if taken or OF_RUNS.match(prose.plain, m.end()) or _RUN.match(prose.plain, m.end()):
        return
    if series or any(isinstance(item, (Bounded, Compared)) and item.how in ("over", "under") for item in claim.items):
        return
    own = " ".join(d.derived[key].is_ for key in used if key in d.derived) if d else ""
    if f"{kind}(" not in own and not told(d, used) & {*m[0].lower().split(), kind}:
        yield word_finding(m[0], f"that of several values, as `{kind}(… over n)`")
