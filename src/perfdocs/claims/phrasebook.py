"""Many words and phrases looked for in a text at once: the time grows with the text, not with how many there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Generic, TypeVar

__all__ = ["Entry", "Phrasebook"]

T = TypeVar("T")
_RUN = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Entry(Generic[T]):
    """A phrase and what it stands for; ``exact``: capitals count. A space of it is any white space of a text."""

    phrase: str
    exact: bool
    meaning: T

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The phrase as whole words; a hyphen joins two words to one."""
        words = re.escape(self.phrase).replace(r"\ ", r"\s+")
        return re.compile(rf"(?<![\w-]){words}(?![\w-])", 0 if self.exact else re.IGNORECASE)

    @cached_property
    def first(self) -> str:
        """The run of letters, digits and hyphens that a match begins with; empty where it begins otherwise."""
        begins = _RUN.match(self.phrase)
        return begins[0] if begins else ""

    @cached_property
    def alone(self) -> bool:
        """Whether the phrase is one run: it is found where a run of the text is the same."""
        return self.phrase == self.first and self.phrase.isascii()

    @cached_property
    def second(self) -> str:
        """The run behind it; empty where there is none."""
        return next((run[0] for run in _RUN.finditer(self.phrase, len(self.first))), "")


class Phrasebook(Generic[T]):
    """Entries by the run that they begin with.

    A match begins where a run of the text does, and with that whole run; where the phrase has a second one, it is the
    next of the text. Without ASCII, one letter may be found for several (K is also the sign of kelvin), but always one
    for one: such runs are looked up by their length.
    """

    def __init__(self, entries: Iterable[Entry[T]]) -> None:
        self._entries = tuple(entries)
        self._plain: dict[str, list[int]] = {}
        self._foreign: dict[int, list[int]] = {}
        self._lengths: dict[int, list[int]] = {}
        self._others: list[int] = []
        self._seconds = [e.second.lower() if e.second.isascii() else "" for e in self._entries]
        for i, entry in enumerate(self._entries):
            first = entry.first
            if not first:
                self._others.append(i)
                continue
            self._lengths.setdefault(len(first), []).append(i)
            if first.isascii():
                self._plain.setdefault(first.lower(), []).append(i)
            else:
                self._foreign.setdefault(len(first), []).append(i)

    def _candidates(self, run: str) -> list[int]:
        if not run.isascii():
            return self._lengths.get(len(run), [])
        found = self._plain.get(run.lower(), [])
        return found + self._foreign[len(run)] if len(run) in self._foreign else found

    def _goes_on(self, number: int, then: re.Match[str] | None) -> bool:
        """Whether the next run of a text may be the second one of an entry."""
        second = self._seconds[number]
        return not second or (then is not None and (then[0].lower() == second or not then[0].isascii()))

    def find(self, text: str) -> Iterator[tuple[T, int, int]]:
        """What stands where: meaning, start, end, in the order of the entries; those of one entry do not overlap."""
        if not self._entries:
            return
        spans = [(i, *m.span()) for i in self._others for m in self._entries[i].pattern.finditer(text)]
        ends: dict[int, int] = {}
        runs = list(_RUN.finditer(text))
        for run, then in zip_longest(runs, runs[1:]):
            for i in self._candidates(run[0]):
                if not self._goes_on(i, then):
                    continue
                entry = self._entries[i]
                if entry.alone and run[0].isascii():  # a pattern for each of a thousand devices takes its time
                    m = run if run[0] == entry.phrase or not entry.exact else None
                else:
                    m = entry.pattern.match(text, run.start())
                if m is not None and m.start() >= ends.get(i, 0):
                    ends[i] = m.end()
                    spans.append((i, *m.span()))
        spans.sort()
        for i, start, end in spans:
            yield self._entries[i].meaning, start, end
