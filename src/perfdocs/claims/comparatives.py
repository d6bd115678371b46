"""Comparative words of a text, each with its class, and whether a word before it turns it round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["HELD_WORDS", "KNOWN_WORDS", "NOBODY", "NUMBER_WORDS", "Word", "negated_at", "read_words"]

_WORDS: dict[str, tuple[str, ...]] = {
    "faster": (
        *("faster", "quicker", "ahead", "beats", "beat"),
        *("outruns", "outran", "outpaces", "outperforms", "outperform"),
    ),
    "fastest": ("fastest", "quickest", "leads", "leading", "led", "tops", "wins", "won", "winning", "unbeaten"),
    "slower": ("slower", "behind", "trails", "trail", "trailed", "trailing", "lags", "lag", "lagged", "lagging"),
    "slowest": ("slowest",),
    "level": ("level", "tie", "ties", "tied"),
    "within": ("within",),
    "overtakes": ("overtakes", "overtake", "overtaking"),
    "rises": ("rises", "climbs", "grows", "increases"),
    "falls": ("falls", "drops", "shrinks", "decreases"),
    "better": (
        *("better", "superior", "swifter", "surpasses", "surpass", "outclasses"),
        *("dominates", "dominate", "defeats", "defeat"),
    ),
    "worse": ("worse", "inferior"),
    "shorter": ("cheaper",),
    "equal": ("equals",),
    "every": ("every", "everywhere", "always", "throughout"),
    "never": ("never", "nowhere"),
}
_CLASS_OF = {word: key for key, group in _WORDS.items() for word in group}
_COMPARED = ("faster", "fastest", "slower", "slowest", "overtakes", "rises", "falls")
_ELSEWHERE = frozenset({"leading", "outperforms", "trailing"})
KNOWN_WORDS = (*(word for key in _COMPARED for word in _WORDS[key] if word not in _ELSEWHERE), "tied", "ties")
"""Those that compare wherever they stand: "level" and "leading" are other words as well."""

_OF_SEVERAL = ("better", "worse", "equal", "shorter")
HELD_WORDS = frozenset(
    [
        *(*KNOWN_WORDS, *(word for key in _OF_SEVERAL for word in _WORDS[key])),
        *("longer than", "shorter than", "more time", "less time", "equal to", "on par", "on a par"),
        *("as fast as", "as quick as", "as slow as", "as good", "outperforms", "beaten", "loses"),
        *("leading", "trailing", "lost to", "lost against"),
    ]
)
"""Those that are held against a claim wherever they stand; in front of a number they are of that number."""

NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
}

_SUFFERED = frozenset({"beaten", "outperformed", "outrun", "outpaced", "outdone", "overtaken"})
"""Slower where they are passive, faster behind "has"."""
_LOSES = frozenset({"loses", "lose", "losing", "lost"})
_BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"})
_OF_TEXTS = frozenset({"zero", "zeros", "zeroes", "space", "spaces", "digit", "digits", "comma", "dimension", "axis"})
_OTHERWISE = {
    **dict.fromkeys(("lead", "leads", "leading", "led"), _OF_TEXTS | {"to"}),
    "trailing": _OF_TEXTS,
    "tops": frozenset({"of", "out"}),
}
"""What follows where such a word compares nothing: "led to", "leading zeros"."""
_TAKING = """
take takes took taken need needs needed cost costs reach reaches reached last lasts require requires come comes amount
amounts to use uses used move moves moved read reads load loads make makes ask asks for stand stands at bring brings run
runs longer
"""
_TAKES = frozenset(_TAKING.split())
_MULTIPLES = frozenset({"times", "twice", "thrice", "half", "percent", "fold", "much"})
_MATCHES = frozenset({"match", "matches", "matched", "matching"})
_SPEED_OF = frozenset({"the", "speed", "time", "performance", "rate", "throughput", "of", "that", "those"})
_THE_OTHER = frozenset({"other", "others", "it", "them", "both", "either"})
_BEHIND_EDGE = frozenset({*".;:,()!?–—", "over", "in", "on", "at", "by", "here", "there", "and"})
_HAVING = frozenset(
    {"has", "have", "had", "having", "holds", "hold", "held", "keeps", "keep", "gains", "gives", "gets"}
)
_THE = frozenset({"the", "a", "its", "their", "no", "any", "little"})
NOBODY = frozenset({"nobody", "none", "no", "nothing"})
_SUPERLATIVE = frozenset({"fastest", "quickest", "slowest", "best", "worst"})
_ORDINAL = frozenset({"second", "third", "fourth", "fifth", "sixth", "seventh", "next"})
_COMPARATIVE = _SUPERLATIVE | _SUFFERED | _LOSES | _CLASS_OF.keys() | {"lead"}
_COMPARATIVE |= {"longer", "shorter", "time", "fewer", "equal", "par", "fast", "quick", "slow", "good"}
_COMPARATIVE |= _MATCHES | {"edge", "edges", "hand"}
"""No other word has a class, whatever stands around it."""

_NEGATION = frozenset(
    {"not", "no", "never", "nor", "neither", "hardly", "scarcely", "seldom", "rarely", "cannot", "without", "nobody"}
    | {"none", "nowhere", "unable", "nothing"}
)
_NOT = re.compile(r".*n['’]t|can['’]?t")
_PHRASES = {
    ("far", "from"),
    ("anything", "but"),
    ("fails", "to"),
    ("fail", "to"),
    ("failed", "to"),
    ("failing", "to"),
    ("wrong", "to"),
    ("wrong", "that"),
    ("false", "that"),
    ("untrue", "that"),
    ("used", "to"),
    ("unlikely", "to"),
    ("myth", "that"),
}
_NO_NEGATION = {"not": frozenset({"only", "just", "merely", "simply", "alone", "least"}), "no": frozenset({"doubt"})}
_ALMOST = frozenset({"almost", "nearly", "practically", "virtually"})
_STOPS = frozenset({*".;:,()!?–—", "but", "while", "whereas", "though"})
_NEAR = 2
"""Behind a negation so near, a comparative is turned round whatever stands between."""
_LOOK_BACK = 14
_CARRYING = """
a all an and any anywhere are as at be been being believe bit by call called can case certain claim claims come
comes considered correct could did do does either even ever every far found get gets going got had has have he in is it
least likely look looks may means might more most much must necessarily of once one perform performs possible prove
proves quite ran really right run running runs said say says seem seems shown single so sure than that the there
they think this thought to true very was way well were whit will would yet
"""
_TRANSPARENT = frozenset(_CARRYING.split())
"""Words that a negation reaches through: "not by any means faster". Those that end in -ly are as well."""
_TOKEN = re.compile(r"[A-Za-z’']+|\ue000+|[.;:,()!?–—]|\d[\w.]*")
_NAME = "\ue000"


@dataclass(frozen=True, slots=True)
class Word:
    """A comparative word and its class; ``negated`` where a word before it turns it round.

    ``nobody``: that word says that nobody does, with no name between: "nobody is faster than work stealing".
    """

    kind: str
    text: str
    start: int
    end: int
    negated: bool
    nobody: bool = False


def read_words(plain: str) -> Iterator[Word]:
    """The comparative words of a text in which names and code are blanked."""
    tokens = list(_TOKEN.finditer(plain))
    words = [m[0].lower() for m in tokens]
    for i, m in enumerate(tokens):
        kind = _kind(words, i) if words[i] in _COMPARATIVE else ""
        if kind and (words[i] != "never" or _reaches_on(words, i)):
            by, across = _negator(words, i, superlative=kind in ("fastest", "slowest"))
            by = "" if words[i] == "match" and kind == "slower" else by  # of "no match for"
            first = tokens[i - 1] if kind == "place" and words[i - 1] in _ORDINAL else m
            yield Word(kind, plain[first.start() : m.end()], m.start(), m.end(), bool(by), by in NOBODY and not across)


def _reaches_on(words: Sequence[str], i: int) -> bool:
    """Whether a comparative follows that a "never" is said of; "it never waits" is another matter."""
    for k in range(i + 1, min(i + 8, len(words))):
        if _kind(words, k) not in ("", "every", "never"):
            return True
        if words[k][0] != _NAME and words[k] not in _TRANSPARENT and not words[k].endswith("ly"):
            return False
    return False


def _kind(words: Sequence[str], i: int) -> str:
    word = words[i]
    before, after = words[max(i - 1, 0) : i], words[i + 1 : i + 3]
    if word in _SUPERLATIVE and before and before[0] in _ORDINAL:
        return "place"
    if word in _SUPERLATIVE and after[:1] == ["but"] and after[1:2] in (["one"], ["two"]):
        return "place"
    if word in _SUFFERED or (word in _LOSES and after[:1] in (["to"], ["against"])):
        if after[1:] and after[1] in NOBODY:
            return "fastest"
        earlier = [w for w in words[max(i - 4, 0) : i] if not w.endswith("ly") and w not in ("not", "never", "far")]
        active = word in _SUFFERED and after[:1] != ["by"] and not (earlier and earlier[-1] in _BE)
        return ("overtakes" if word == "overtaken" else "faster") if active else "slower"
    if word in _OTHERWISE and after[:1] and after[0] in _OTHERWISE[word]:
        return ""
    if word in ("lead", "led") and not (before and before[0] in _THE):
        return "fastest"
    return _CLASS_OF.get(word, "") or _of_phrase(words, i)


def _of_phrase(words: Sequence[str], i: int) -> str:
    """The class of a word that compares only in a phrase, "takes longer than", "in less time", "as fast as".

    Beside a number it says what the number is of: "56 % less time", "longer than 5 ms", "2.3 times as fast as".
    """
    word, before, after = words[i], words[max(i - 2, 0) : i], words[i + 1 : i + 3]
    if _of_number(before) or (after[:1] == ["than"] and _of_number(after[1:])):
        return ""
    if word in ("longer", "shorter") and (after[:1] == ["than"] or (before and before[-1] in _TAKES)):
        return word
    if word == "time" and before and before[-1] in ("more", "less"):
        return "longer" if before[-1] == "more" else "shorter"
    if word == "fewer" and "than" in words[i + 1 : i + 4]:
        return "shorter"
    if word in _MATCHES:
        if before[-1:] == ["no"] and after[:1] == ["for"]:
            return "slower"
        behind = [w for w in words[i + 1 : i + 7] if w not in _SPEED_OF]
        return "equal" if behind and (behind[0][0] == _NAME or behind[0] in _THE_OTHER) else ""
    if word in ("edge", "hand") and {*words[max(i - 4, 0) : i]} & _HAVING:
        has = (word == "edge" or before[-1:] == ["upper"]) and (not after or after[0] in _BEHIND_EDGE)
        return "faster" if has else ""
    if word == "edges" and after[:1] in (["out"], ["past"]):
        return "faster"
    if (word == "equal" and after[:1] == ["to"]) or (word == "par" and before[-1:] in (["on"], ["a"])):
        return "equal"
    as_as = word in ("fast", "quick", "slow", "good") and before[-1:] == ["as"] and after[:1] == ["as"]
    return "equal" if as_as else ""


def _of_number(words: Sequence[str]) -> bool:
    return any(w[0].isdigit() or w in NUMBER_WORDS or w in _MULTIPLES for w in words)


def _negator(words: Sequence[str], i: int, *, superlative: bool = False) -> tuple[str, bool]:
    """The word before a word that turns it round, and whether a name stands between."""
    across = False
    clear = True
    for back in range(1, min(i, _LOOK_BACK) + 1):
        word = words[i - back]
        if word == "," and (aside := _before_aside(words[: i - back])):
            return aside, across
        if word in _STOPS and not (word == "but" and words[i - back - 1 : i - back] == ["anything"]):
            break
        following = words[i - back + 1] if back > 1 else ""
        if (word in _NEGATION or _NOT.fullmatch(word)) and following not in _NO_NEGATION.get(word, ()):
            return word, across
        if (word, following) in _PHRASES:
            return word, across
        if superlative and word in _ALMOST and clear:
            return word, across
        across = across or word[0] == _NAME
        if word[0] != _NAME and word not in _TRANSPARENT and not word.endswith("ly"):
            clear = False
        if not clear and back >= _NEAR:
            break
    return "", across


def _before_aside(words: Sequence[str]) -> str:
    """The "not" before a few words between commas that end here, "not, in fact, faster"."""
    commas = [k for k in range(max(len(words) - 5, 1), len(words)) if words[k] == ","]
    said = words[commas[-1] - 1] if commas else ""
    return said if said in _NEGATION or _NOT.fullmatch(said) else ""


_VERBAL = frozenset({"do", "does", "did", "is", "are", "was", "were", "will", "would", "can", "could", "has", "have"})
_DENIES = re.compile(r"n['’]t|cant|never|cannot|not|no|far|anything|fail|wrong|false|untrue", re.IGNORECASE)
"""What :func:`negated_at` looks for has one of these in it."""


def negated_at(plain: str, place: int) -> str:
    """The verb that denies the number at a place, "does not take"; empty where none does."""
    if not _DENIES.search(plain, max(place - 80, 0), place):
        return ""
    tokens = list(_TOKEN.finditer(plain, max(place - 80, 0), place))
    words = [m[0].lower() for m in tokens]
    for back in range(1, len(words) + 1):
        i = len(words) - back
        word, before = words[i], words[max(i - 1, 0) : i]
        denied = bool(_NOT.fullmatch(word)) or word in ("never", "nowhere", "cannot")
        denied = denied or (word == "not" and bool(before) and before[0] in _VERBAL | _TAKES)
        denied = denied or (word == "no" and words[i + 1 : i + 2] == ["longer"])
        denied = denied or (word, *words[i + 1 : i + 2]) in _PHRASES
        if denied and words[i + 1 : i + 2] not in (["only"], ["just"], ["merely"]):
            first = i - 1 if word == "not" else i
            return plain[tokens[first].start() : tokens[-1].end()]
        if word[0] != _NAME and word not in _TAKES | _TRANSPARENT and not word.endswith("ly"):
            break
    return ""
