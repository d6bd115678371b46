"""Words of prose that turn a sentence round, and what a false sentence says in their place.

This list is not the checker's own: what the checker knows no word for is to show as a survivor.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "BOUNDS",
    "COMPARATIVES",
    "FEWER",
    "LIMITS",
    "MULTIPLES",
    "NEGATIONS",
    "PLACES",
    "QUANTIFIERS",
    "UNITS",
    "WEAKENED",
    "spelt",
]

_PAIRS = (
    ("faster", "slower"),
    ("quicker", "slower"),
    ("fastest", "slowest"),
    ("quickest", "slowest"),
    ("ahead", "behind"),
    ("leads", "trails"),
    ("lead", "trail"),
    ("wins", "loses"),
    ("beats", "loses to"),
    ("rises", "falls"),
    ("rise", "fall"),
    ("climbs", "drops"),
    ("grows", "shrinks"),
    ("increases", "decreases"),
    ("more than", "less than"),
    ("fewer than", "more than"),
    ("more", "less"),
    ("most", "least"),
    ("larger", "smaller"),
    ("higher", "lower"),
    ("above", "below"),
    ("over", "under"),
    ("better", "worse"),
    ("best", "worst"),
    ("longer", "shorter"),
    ("at most", "at least"),
)
_ONE_WAY = {"within": "beyond", "level": "faster", "tie": "differ", "exactly": "about"}
COMPARATIVES: Mapping[str, str] = {b: a for a, b in reversed(_PAIRS)} | dict(_PAIRS) | _ONE_WAY
"""Each comparative with its opposite."""

QUANTIFIERS: Mapping[str, str] = {
    "in every": "in some",
    "on every": "on some",
    "every": "some",
    "each": "some",
    "all": "some",
    "both": "one of",
    "always": "sometimes",
    "everywhere": "somewhere",
    "throughout": "in places",
    "never": "always",
    "nowhere": "everywhere",
    "none": "all",
    "no": "every",
    "some": "every",
    "somewhere": "everywhere",
    "sometimes": "always",
    "only": "also",
    "up to": "from",
}
"""Each quantifier with a weaker, stronger or opposite one. "Each" and "every" mean the same and are not exchanged."""

WEAKENED: Mapping[str, str] = {
    "every": "hardly any",
    "each": "hardly any",
    "both": "neither of",
    "everywhere": "nowhere",
    "always": "hardly ever",
}
"""The same once more, with what is close to none."""

FEWER: Mapping[str, str] = {
    "every": "nearly every",
    "each": "nearly each",
    "all": "most of",
    "everywhere": "almost everywhere",
    "always": "mostly",
    "never": "seldom",
    "throughout": "for the most part",
}
"""And with nearly all."""

MULTIPLES: Mapping[str, str] = {
    "twice": "half",
    "half": "twice",
    "doubles": "halves",
    "halves": "doubles",
    "double": "half",
    "a third": "three times",
    "three times": "a third",
    "a quarter": "four times",
    "four times": "a quarter",
    "tenfold": "a tenth",
}
"""Multiples in words, and their inverse."""

LIMITS: tuple[str, ...] = (
    *(
        "at most",
        "at least",
        "more than",
        "less than",
        "fewer than",
        "no more than",
        "up to",
        "over",
        "under",
        "above",
        "below",
    ),
    *("about", "around", "roughly", "nearly", "almost", "some"),
)
"""Words that make the number behind them a bound, or a rough one."""

NEGATIONS: Mapping[str, str] = {
    **{w: f"far from {w}" for w in ("ahead", "level", "faster", "fastest", "slower", "slowest", "behind")},
    "is": "is not",
    "are": "are not",
    "takes": "does not take",
    "take": "do not take",
    "reaches": "does not reach",
    "reach": "do not reach",
}
"""Words with a negation before them."""

PLACES: Mapping[str, str] = {
    "fastest": "second fastest",
    "slowest": "second slowest",
    "leads": "comes last and leads",
    "lead": "come last and lead",
}
"""Ranks of another place."""

BOUNDS: Mapping[str, tuple[str, ...]] = {
    "takes": ("takes over", "takes under", "takes at least"),
    "take": ("take over", "take under", "take at most"),
    "reaches": ("reaches over", "reaches at most"),
    "reach": ("reach over", "reach at most"),
    "at n =": ("up to N =", "below N ="),
}
"""What makes the number or value behind it a bound."""

UNITS: Mapping[str, tuple[str, ...]] = {
    "ns": ("µs",),
    "µs": ("ms", "ns"),
    "ms": ("µs", "s"),
    "s": ("ms", "min"),
    "min": ("s",),
    "B": ("KiB",),
    "KiB": ("MiB", "kB"),
    "MiB": ("KiB", "MB"),
    "GiB": ("MiB", "GB"),
    "kB": ("MB", "KiB"),
    "MB": ("kB", "MiB"),
    "GB": ("MB", "GiB"),
    "MB/s": ("GB/s",),
    "GB/s": ("TB/s", "MB/s"),
    "TB/s": ("GB/s", "TiB/s"),
    "Mflop/s": ("Gflop/s",),
    "Gflop/s": ("Tflop/s", "GB/s"),
    "Tflop/s": ("Gflop/s", "TB/s"),
    "Gop/s": ("Top/s",),
    "Top/s": ("Gop/s",),
    "MHz": ("GHz",),
    "GHz": ("MHz",),
    "W": ("kW",),
    "J": ("kJ",),
    "%": ("×",),
    "×": ("\u00a0%",),
    "times": ("%",),
    "cycles": ("ns",),
}
"""Units as printed behind a number, and others to print there."""

_TIMES = {1.0: "a", 2.0: "two", 3.0: "three", 4.0: "four", 5.0: "five", 10.0: "ten", 20.0: "twenty", 100.0: "a hundred"}


def spelt(number: float) -> str:
    """A round number of a thousand or more in words, "ten thousand"; empty where it is none."""
    for size, name in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if number >= size:
            times = _TIMES.get(number / size, "")
            return f"{times} {name}" if times else ""
    return ""
