"""Claims in reStructuredText source: the role and the ``given`` directive, found line by line.

docutils is not asked, because it drops what stands inside directives it does not know, and a project's own are many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .forms import (
    LITERAL_DIRECTIVES,
    SPOKEN_DIRECTIVES,
    SPOKEN_OPTIONS,
    SPOKEN_ROLES,
    Found,
    broken_texts,
    counter_of_lines,
    misspelt_given,
    misspelt_role,
    read_mark,
    read_role,
)
from .frames import Frames, Placed, behind, bounds_of, prose_of
from .model import Bound

if TYPE_CHECKING:
    from .includes import Includes

__all__ = ["extract_rst"]

_DIRECTIVE = re.compile(r"(\s*)\.\.\s+([\w:.+-]+)::\s*(.*)")
_COMMENT = re.compile(r"(\s*)\.\.(?:\s|$)")
_FOOTNOTE = re.compile(r"\s*\.\.\s+\[[^\]]{1,80}\]\s")
_OPTION = re.compile(r"\s+:([\w-]+):(?:\s+|$)")
_SUBSTITUTION = re.compile(r"\s*\.\.\s+\|[^|]{1,80}\|\s+replace::\s*")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\(?(?:\d+|[a-zA-Z]|#)[.)])\s+\S")
_ADORNMENT = re.compile(r"([!-/:-@[-`{-~])\1{1,}\s*$")
_CODE = re.compile(r"``(.{1,1000}?)``(?!`)", re.DOTALL)
_CODE_OR_ROLE = re.compile(
    r"``.{1,1000}?``(?!`)|:(claim|value):`((?:[^`\\]|\\.)+)`|:(?P<other>[A-Za-z]{3,8}):`(?P<words>(?:[^`\\]|\\.){1,1000})`",
    re.DOTALL,
)
_OTHER_ROLE = re.compile(r":([\w:.+-]{1,60}):`((?:[^`\\]|\\.){0,1000})`", re.DOTALL)
_MARKUP = re.compile(r"\*\*(.{1,1000}?)\*\*|\*(.{1,1000}?)\*|`([^`<]{1,1000})(?:<[^`]{0,1000}>)?`_{0,2}", re.DOTALL)


def extract_rst(
    text: str, file: str, first_line: int = 1, outer: Frames | None = None, includes: Includes | None = None
) -> tuple[Bound, ...]:
    """Every bound expression of a reStructuredText document, in its order; lines count from ``first_line``.

    ``outer`` is the page around it, where it stands in another: what is given there holds here, and the reverse.
    With ``includes`` the files that it includes are read too.
    """
    walk = _Walk(text.splitlines(), first_line, file, outer or Frames(includes), nested=outer is not None)
    bounds = tuple(walk.bounds())
    walk.close()
    return bounds if outer is not None or walk.frames.strict else tuple(b for b in bounds if b.form != "prose")


def _words_of_role(m: re.Match[str]) -> str:
    """The words of a claim, and of anything else what it is."""
    return m[2].rpartition("<")[0] if m[1] == "claim" else m[0]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(slots=True)
class _Walk:
    lines: list[str]
    first_line: int
    file: str
    frames: Frames = field(default_factory=Frames)
    items: list[int] = field(default_factory=list)
    """Columns of the text of the list items around."""
    levels: list[str] = field(default_factory=list)
    lead: str = ""
    """The paragraph before, where it leads a list in."""
    nested: bool = False
    """Whether it stands in another page, whose sections are not known here."""

    def close(self) -> None:
        """Leave the list items that are open at the end."""
        self._close_items(-1)

    def bounds(self) -> Iterator[Bound]:
        i = 0
        while i < len(self.lines):
            line = self.lines[i]
            if not line.strip():
                i += 1
                continue
            self._close_items(_indent(line))
            directive = _DIRECTIVE.match(line)
            if directive is not None:
                yield from self._given(directive, i)
                if directive[2] == "include":
                    yield from self._include(directive, i)
                if directive[2] in LITERAL_DIRECTIVES:
                    yield from self._head(directive, i)
                    i = self._past(i, len(directive[1]))
                else:
                    yield from self._head(directive, i)
                    i = self._past_options(i)
            elif (substitution := _SUBSTITUTION.match(line)) is not None:
                end = self._paragraph_end(i)
                yield from self._text(i, end, substitution.end())
                i = end
            elif _FOOTNOTE.match(line):
                end = self._paragraph_end(i)
                yield from self._text(i, end)
                i = end
            elif _COMMENT.match(line):
                end = self._past(i, _indent(line))
                yield from self._comment(i, end)
                i = end
            elif self._title(i):
                yield from self._text(i, i + 1)
                if not self.nested:
                    self.frames.title(self._plain(_CODE_OR_ROLE.sub(_words_of_role, self.lines[i])))
                i += 2
            else:
                end = self._paragraph_end(i)
                yield from self._paragraph(i, end)
                i = end
                if self.lines[end - 1].rstrip().endswith("::"):
                    i = self._past(end - 1, _indent(self.lines[end - 1]))

    def _past(self, i: int, indent: int) -> int:
        """The first line behind the block that hangs under line ``i``."""
        i += 1
        while i < len(self.lines) and (not self.lines[i].strip() or _indent(self.lines[i]) > indent):
            i += 1
        return i

    def _past_options(self, i: int) -> int:
        """The first line behind a directive's first line and its options."""
        i += 1
        while i < len(self.lines) and _OPTION.match(self.lines[i]):
            i += 1
        return i

    def _include(self, directive: re.Match[str], i: int) -> Iterator[Bound]:
        """What another file says, under what is given here."""
        if self.frames.includes is None:
            return
        lines = self.lines[i + 1 : self._past_options(i)]
        options = {name: value.strip() for _, name, value in (line.split(":", 2) for line in lines)}
        found = self.frames.includes.read(self.file, directive[3].strip(), options, rst=True)
        if isinstance(found, Found):
            yield bounds_of(self.file, "", Placed(found, 0, 0, self.first_line + i), self.frames)
        elif found is not None:
            with self.frames.included():
                if found.rst:
                    walk = _Walk(found.text.splitlines(), found.first_line, found.file, self.frames)
                    walk.levels, walk.nested = self.levels, self.nested
                    bounds = tuple(walk.bounds())
                    walk.close()
                else:
                    from .extract import included_markdown

                    bounds = included_markdown(found.text, found.first_line, found.file, self.frames)
                yield from (b for b in bounds if b.form != "prose")

    def _head(self, directive: re.Match[str], i: int) -> Iterator[Bound]:
        """The argument of a directive, where a reader sees it, and what its options are bound to."""
        if directive[2] in SPOKEN_DIRECTIVES and directive[3]:
            yield from self._text(i, i + 1, directive.start(3))
        literal = directive[2] in LITERAL_DIRECTIVES
        for at in range(i + 1, self._past_options(i)):
            option = _OPTION.match(self.lines[at])
            if option is not None and option[1] in SPOKEN_OPTIONS:
                yield from self._text(at, at + 1, option.end())
            elif not literal:
                yield from (b for b in self._text(at, at + 1) if b.form != "prose")

    def _comment(self, i: int, end: int) -> Iterator[Bound]:
        """A comment, which may mark the page or what follows in the section."""
        text = "\n".join(self.lines[i:end]).strip().removeprefix("..")
        found = read_mark(text)
        if found is not None and found.kind == "broken":
            yield bounds_of(self.file, "", Placed(found, 0, 0, self.first_line + i), self.frames)
        elif found is not None:
            self.frames.mark(found)

    def _close_items(self, indent: int) -> None:
        while self.items and indent < self.items[-1]:
            self.items.pop()
            self.frames.leave()

    def _title(self, i: int) -> bool:
        """Whether line ``i`` is a title with the adornment under it; an overline is a line of its own before."""
        if i + 1 >= len(self.lines) or _indent(self.lines[i]):
            return False
        under = _ADORNMENT.match(self.lines[i + 1])
        if (
            under is None
            or _ADORNMENT.match(self.lines[i])
            or len(self.lines[i + 1].strip()) < len(self.lines[i].strip())
        ):
            return False
        over = i > 0 and self.lines[i - 1].rstrip() == self.lines[i + 1].rstrip()
        style = under[1] + ("^" if over else "")
        if style not in self.levels:
            self.levels.append(style)
        if self.nested:
            self.close()
        else:
            self.frames.section(self.levels.index(style) + 1)
            self.items.clear()
        return True

    def _paragraph_end(self, i: int) -> int:
        end = i + 1
        while end < len(self.lines) and self.lines[end].strip():
            if _ITEM.match(self.lines[end]) and _indent(self.lines[end]) <= _indent(self.lines[i]):
                break
            end += 1
        return end

    def _given(self, directive: re.Match[str], i: int) -> Iterator[Bound]:
        wrong = misspelt_given(directive[2])
        if directive[2] != "given" and wrong is None:
            return
        found = wrong or Found("given", directive[3].strip())
        if not found.expression:
            found = Found("broken", "the directive `given` without an argument", "write it behind `given::`")
        yield bounds_of(self.file, "", Placed(found, 0, 0, self.first_line + i), self.frames)

    def _paragraph(self, begin: int, end: int) -> Iterator[Bound]:
        item = _ITEM.match(self.lines[begin])
        if item is not None:
            self.frames.enter(self.lead)
            self.items.append(item.end() - 1)
        yield from self._text(begin, end)
        raw = "\n".join(self.lines[begin:end])
        if raw.rstrip().endswith(":") and not raw.rstrip().endswith("::"):
            self.lead = self._plain(_CODE_OR_ROLE.sub(_words_of_role, raw))
        elif item is None:
            self.lead = ""

    def _text(self, begin: int, end: int, column: int = 0) -> Iterator[Bound]:
        """One block of text: these lines, the first of them from a column on."""
        raw = "\n".join(self.lines[begin:end])[column:]
        block, last, first = "", 0, self.first_line + begin
        placed: list[Placed] = []
        misspelt: list[Placed] = []
        lines = counter_of_lines(raw)
        for m in _CODE_OR_ROLE.finditer(raw):
            if m["other"] and (wrong := misspelt_role(m["other"], m["words"])) is not None:
                misspelt.append(Placed(wrong, 0, 0, first + lines(m.start())))
            if m[1] is None:
                continue
            block += self._plain(raw[last : m.start()])
            line = first + lines(m.start())
            content = re.sub(r"\\(.)", r"\1", m[2])
            role = read_role(content) if m[1] == "claim" else Found("value", content.strip())
            before = len(block)
            if role.kind == "value":
                placed.append(Placed(role, before, before, line))
                block += f"`{content}`"
            elif role.kind == "broken":
                placed.append(Placed(role, before, before, line))
            else:
                text = self._plain(role.text)
                block += text
                placed.append(Placed(Found(role.kind, role.expression, text), before, len(block), line))
            last = m.end()
        rest, rest_lines = self._plain(raw[last:]), counter_of_lines(raw)
        for start, found in broken_texts(re.sub(_CODE, lambda m: " " * len(m[0]), raw[last:])):
            placed.append(Placed(found, len(block), len(block), first + rest_lines(last + start)))
        block += rest
        for one, after in zip(placed, behind(block, placed), strict=True):
            yield bounds_of(self.file, block, one, self.frames, after)
        for one in misspelt:
            yield bounds_of(self.file, block, one, self.frames)
        if not raw.lstrip().startswith(">>> "):
            yield from prose_of(self.file, block, self.first_line + begin, placed, self.frames)

    @staticmethod
    def _plain(raw: str) -> str:
        """Words without markup, code between single backticks."""
        kept: list[str] = []

        def keep(m: re.Match[str]) -> str:
            kept.append(m[1])
            return f"\x00{len(kept) - 1}\x00"

        def words(m: re.Match[str]) -> str:
            if m[1] in SPOKEN_ROLES:
                return m[2].partition(" (")[0] if m[1] == "abbr" else m[2]
            kept.append(m[2])
            return f"\x00{len(kept) - 1}\x00"

        text = _OTHER_ROLE.sub(words, _CODE.sub(keep, raw))
        text = _MARKUP.sub(lambda m: m[1] or m[2] or m[3] or "", text).replace("\\ ", "")
        return re.sub(r"\x00(\d+)\x00", lambda m: f"`{kept[int(m[1])]}`", text)
