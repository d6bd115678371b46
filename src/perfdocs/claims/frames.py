"""What stands around a thing found in a document: its sentence, the givens that hold, whether it is strict."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .forms import BLANK, Found, sentence_around, sentence_end
from .model import Bound, Form, Given

if TYPE_CHECKING:
    from .includes import Includes

__all__ = ["Frames", "Placed", "aside", "behind", "bounds_of", "prose_of"]


@dataclass(frozen=True, slots=True)
class Placed:
    """Something found in a block: the stretch of the block's text it speaks for, and its line."""

    found: Found
    start: int
    end: int
    line: int


def behind(block: str, placed: Sequence[Placed]) -> Iterator[str]:
    """Of each thing found what follows it in its sentence, up to what something else is bound to.

    Of an exemption the next words, whatever they are bound to.
    """
    starts = sorted(one.start for one in placed if one.found.kind != "given")
    for one in placed:
        if one.found.kind != "claim":
            yield block[one.end : one.end + NEXT_WORDS] if one.found.kind == "exempt" else ""
            continue
        at = bisect_left(starts, max(one.end, one.start + 1))
        end = starts[at] if at < len(starts) else len(block)
        yield block[one.end : min(end, sentence_end(block, one.end))]


def bounds_of(file: str, block: str, placed: Placed, frames: Frames, after: str = "") -> Bound:
    """The record of one thing found; a ``given`` joins the frames. ``after`` is what follows it."""
    found = placed.found
    givens = frames.givens()
    if found.kind == "given":
        frames.add(Given(placed.line, found.expression))
        return Bound(file, placed.line, "", "", found.expression, givens, "given")
    if found.kind == "broken":
        text = sentence_around(block, placed.start, placed.end)
        return Bound(file, placed.line, text, "", found.expression, givens, "broken", found.text)
    text = found.text or block[placed.start : placed.end]
    sentence = sentence_around(block, placed.start, placed.end)
    form: Form = "exempt" if found.kind == "exempt" else "value" if found.kind == "value" else "claim"
    return Bound(file, placed.line, sentence, text, found.expression, givens, form, after=after, around=frames.around())


def aside(file: str, text: str, at: int, line: int, placed: Sequence[Placed], frames: Frames) -> Iterator[Bound]:
    """Words for the check of strict pages that stand at a place of a block and are none of its own: of a picture."""
    bound = any(p.start <= at <= p.end for p in placed if p.found.kind in ("claim", "exempt"))
    if not bound:
        yield from prose_of(file, text, line, (), frames)


def prose_of(
    file: str, block: str, line: int, placed: Sequence[Placed], frames: Frames, hidden: int = 0, unit: str = ""
) -> Iterator[Bound]:
    """A block for the check of strict pages; ``line`` is its first. What is bound is blank, and what is ``hidden``.

    ``unit`` is that of a table's column.
    """
    if frames.loose:
        return
    parts, last = [BLANK * hidden], hidden
    for one in placed:
        if one.found.kind in ("claim", "exempt", "broken") and one.end > last:
            start = max(one.start, last)
            parts += (block[last:start], BLANK * (one.end - start))
            last = one.end
    text = "".join((*parts, block[last:]))
    if not text.isspace() and text.strip(BLANK):
        yield Bound(file, line, block, text, "", (), "prose", unit)


NEXT_WORDS = 60


class Frames:
    """Which givens hold: those of the section and of the list items around, outermost first.

    ``strict`` is set where the page is marked; ``loosen`` takes the rest of a list item or section out. ``includes``
    reads what the page includes, where that is followed.
    """

    def __init__(self, includes: Includes | None = None) -> None:
        self.includes = includes
        self._frames: list[tuple[int | None, list[Given], str]] = [(0, [], "")]
        self.column = ""
        """The head of the column that is being read."""
        self._loose: set[int] = set()
        self.strict = False

    def mark(self, found: Found) -> None:
        """What a mark says, of the page or from here on."""
        if found.kind == "strict":
            self.strict = True
        else:
            self.loosen()

    @contextmanager
    def included(self) -> Iterator[None]:
        """What is read meanwhile is of another file: what is given holds, its marks do not."""
        strict, loose = self.strict, set(self._loose)
        if self.includes is not None:
            self.includes.depth += 1
        yield
        self.strict, self._loose = strict, loose & set(range(len(self._frames)))
        if self.includes is not None:
            self.includes.depth -= 1

    def loosen(self) -> None:
        """What follows in this list item or section is not checked as strict."""
        self._loose.add(len(self._frames) - 1)

    @property
    def loose(self) -> bool:
        """Whether a mark takes this place out."""
        return bool(self._loose)

    def _pop(self) -> None:
        self._frames.pop()
        self._loose.discard(len(self._frames))

    def givens(self) -> tuple[Given, ...]:
        """All that hold here."""
        return tuple(given for _, found, _ in self._frames for given in found)

    def around(self) -> tuple[str, ...]:
        """What stands over this place, the nearest first."""
        said = (self.column, *(said for _, _, said in reversed(self._frames)))
        return tuple(filter(None, said))

    def title(self, text: str) -> None:
        """What the heading of this section says."""
        level, given, _ = self._frames[-1]
        self._frames[-1] = (level, given, text)

    def add(self, given: Given) -> None:
        """One more, in the innermost frame."""
        self._frames[-1][1].append(given)

    def section(self, level: int) -> None:
        """A section begins; those of its level and below end."""
        while len(self._frames) > 1 and (self._frames[-1][0] is None or (self._frames[-1][0] or 0) >= level):
            self._pop()
        self._frames.append((level, [], ""))

    def enter(self, lead: str = "") -> None:
        """A list item begins; ``lead`` leads its list in."""
        self._frames.append((None, [], lead))

    def leave(self) -> None:
        """A list item ends."""
        if len(self._frames) > 1:
            self._pop()
