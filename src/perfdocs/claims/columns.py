"""Tables that were written by hand: which cells have their unit in the head of their column."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..quantity import UNITS

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["Columns"]

_UNIT = rf"(?!samples?\b|bits?\b)(?:{UNITS}|%|×|percent|seconds?|[mµn]sec|fps|°C)"
_COMMENT = re.compile(r"<!--.*?-->")
_EXEMPT = re.compile(r"[<-]\s*exempt\s*:")
_IN_HEAD = re.compile(
    rf"[(\[]\s*(?:in\s+)?(?P<bracket>{_UNIT})(?:/\w+)?\s*[)\]]|(?:^|,|/|\bin)\s*(?P<last>{_UNIT})\s*$"
)


@dataclass(slots=True)
class Columns:
    """The heads of the table that is being read, and the column that the next cell is of."""

    units: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    column: int = -1
    inside: bool = False
    """Whether a cell of the body is open."""
    in_head: bool = False
    """Whether one of the head is."""

    def see(self, token: Token) -> None:
        """Follow one token."""
        if token.type == "table_open":
            self.units.clear()
            self.heads.clear()
        elif token.type == "tr_open":
            self.column = -1
        elif token.type in ("th_open", "td_open"):
            self.column += 1
            self.inside, self.in_head = token.type == "td_open", token.type == "th_open"
        elif token.type in ("th_close", "td_close"):
            self.inside = self.in_head = False

    def head(self, text: str) -> None:
        """Note what a cell of the head says. An exemption in it is one of the column."""
        m = None if _EXEMPT.search(text) else _IN_HEAD.search(text)
        self.units.append((m["bracket"] or m["last"]) if m else "")
        self.heads.append(_COMMENT.sub("", text))

    @property
    def above(self) -> str:
        """The head over the cell that is open."""
        return self.heads[self.column] if self.inside and self.column < len(self.heads) else ""

    @property
    def unit(self) -> str:
        """The unit of the cell that is open; empty outside tables."""
        return self.units[self.column] if self.inside and self.column < len(self.units) else ""
