"""A claim that compares says so in its text: "a and b were measured" is no sentence of `a faster than b`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from .findings import Finding
from .phrases import word_finding
from .wording import Prose

__all__ = ["unsaid"]

_RELATIONS = frozenset(
    {"faster", "slower", "ahead", "behind", "level", "more", "less", "leads", "trails", "overtakes", "rises", "falls"}
)
_STEMS = (
    "than|more|next|less|fewer|most|least|first|last|second|third|best|worst|same|alike|apart|equal|differ|gain|cost|save|saving"
    "|times|top|lead|lag|trail|close|near|slow|fast|quick|swift|speed|ahead|behind|high|low|larg|small|big|long|short|beat"
    "|match|grow|grew|shr[aiu]nk|r[io]s|f[ae]ll|drop|climb|increas|decreas|overt[ao]|pass|cross|surpass|improv|worse|better"
    "|doubl|halv|half|twice|cheap|cut|w[io]n|los[est]|outr[au]n|out[a-z]{3,}|super|infer|exceed|edge|dominat|tie|level|par"
)
_WORD = re.compile(rf"\b(?:{_STEMS})[a-z]*|[×%<>≤≥=]", re.IGNORECASE)
"""Whatever may compare. Which way it does is held elsewhere: here it is enough that something does."""
_GOES_ON = re.compile(r"\s*(?:[,;:–—]|(?:and|then|or|but)\b)", re.IGNORECASE)
"""How a text begins whose word stands in the part of the sentence before it: "a leads; then b"."""


def unsaid(relations: AbstractSet[str], prose: Prose) -> Iterator[Finding]:
    """A relation of the claim of which the text has no word and no number."""
    stated = relations & _RELATIONS
    if not stated or prose.words or prose.numbers or _GOES_ON.match(prose.plain):
        return
    if not _WORD.search(prose.plain):
        relation = min(stated)
        yield word_finding(prose.text, f"a word for `{relation}`", "say which way they compare")
