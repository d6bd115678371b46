"""Claims in Markdown source, found with the token rules MyST uses: comments, roles, and the ``given`` directive."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from .columns import Columns
from .forms import (
    LITERAL_DIRECTIVES,
    MAX_SENTENCE,
    SPOKEN_DIRECTIVES,
    SPOKEN_OPTIONS,
    SPOKEN_ROLES,
    Found,
    broken_texts,
    comments_in,
    counter_of_lines,
    misspelt_given,
    misspelt_role,
    read_comment,
    read_role,
)
from .frames import Frames, Placed, aside, behind, bounds_of, prose_of
from .model import Bound

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from .includes import Includes

__all__ = ["extract_markdown", "included_markdown", "plain_inline"]

MAX_NESTING = 20
_DIRECTIVE = re.compile(r"\{([\w:.-]+)\}\s*(.*)", re.DOTALL)
_OPTIONS = re.compile(r"(?:\s*\n)*(?::[\w-]+:.*\n?)*")
_OPTION = re.compile(r"^[ \t]*:([\w-]+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_TAG = re.compile(r"<[^<>]*>")
_APART = re.compile(r"</?(?:br|del|ins|s|strike)\b", re.IGNORECASE)
"""Tags that set words apart: "a<br>b" are two."""
_SAID = re.compile(r"\b(?:alt|title|aria-label|summary)\s*=\s*([\"'])(?P<said>.{1,1000}?)\1", re.IGNORECASE | re.DOTALL)
"""Attributes whose value a reader sees, or hears."""
_NO_PROSE = ("<pre", "<script", "<style")


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.colon_fence import colon_fence_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin
    from mdit_py_plugins.myst_blocks import myst_block_plugin
    from mdit_py_plugins.myst_role import myst_role_plugin

    md = MarkdownIt("commonmark").enable("table")
    for plugin in (front_matter_plugin, myst_block_plugin, myst_role_plugin, footnote_plugin):
        md.use(plugin)
    return md.use(colon_fence_plugin).use(deflist_plugin)


def extract_markdown(text: str, file: str, includes: Includes | None = None) -> tuple[Bound, ...]:
    """Every bound expression of a Markdown document, in its order; lines count from 1.

    With ``includes`` those of the files that it includes as well.
    """
    frames = Frames(includes)
    bounds = tuple(_blocks(text, 1, file, frames, 0))
    return bounds if frames.strict else tuple(b for b in bounds if b.form != "prose")


def included_markdown(text: str, first_line: int, file: str, frames: Frames) -> tuple[Bound, ...]:
    """The same of a file that a page of the other markup includes: its headings open no section there."""
    return tuple(_blocks(text, first_line, file, frames, 1))


def _blocks(text: str, first_line: int, file: str, frames: Frames, depth: int, options: int = 0) -> Iterator[Bound]:
    """What a piece of Markdown says, whose first lines may be the ``options`` of a directive."""
    if depth > MAX_NESTING:
        found = Found("broken", f"directives nested more than {MAX_NESTING} deep, which are not read", "nest them less")
        yield bounds_of(file, "", Placed(found, 0, 0, first_line), frames)
        return
    columns, leads, last, titled = Columns(), list[str](), "", False
    for token in _markdown().parse(text):
        line = first_line + (token.map[0] if token.map else 0)
        columns.see(token)
        if token.type == "heading_open" and token.level == 0 and depth == 0:
            frames.section(int(token.tag[1:]))
            titled = True
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            leads.append(last)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            leads.pop()
        elif token.type == "list_item_open":
            frames.enter(leads[-1])
        elif token.type == "list_item_close":
            frames.leave()
        elif token.type == "inline":
            if columns.in_head:
                columns.head(token.content)
            frames.column = columns.above
            yield from _inline(token.children or (), line, file, frames, first_line + options - line, columns.unit)
            said = "".join(map(_text_of, token.children or ()))
            last = said if said.rstrip().endswith(":") else ""
            if titled:
                frames.title(said)
                titled = False
        elif token.type == "html_block":
            yield from _html_block(token.content, line, file, frames)
        elif token.type in ("fence", "colon_fence"):
            last = last if token.info.strip().startswith("{given}") else ""
            yield from _fence(token, line, file, frames, depth)


def _fence(token: Token, line: int, file: str, frames: Frames, depth: int) -> Iterator[Bound]:
    m = _DIRECTIVE.match(token.info.strip())
    if m is None:
        return
    name, argument = m[1], m[2].strip()
    if name == "given":
        found = Found("given", argument)
        if not argument:
            found = Found("broken", "the directive `given` without an argument", "write it behind `{given}`")
        yield bounds_of(file, "", Placed(found, 0, 0, line), frames)
    elif (wrong := misspelt_given(name)) is not None:
        yield bounds_of(file, "", Placed(wrong, 0, 0, line), frames)
    elif name == "eval-rst":
        from .extract_rst import extract_rst

        yield from extract_rst(token.content, file, line + 1, frames)
    elif name == "include":
        yield from _include(token, argument, line, file, frames, depth)
    else:
        literal = name in LITERAL_DIRECTIVES
        if name in SPOKEN_DIRECTIVES and argument:
            yield from _blocks(argument, line, file, frames, depth + 1)
        head = _OPTIONS.match(token.content)
        options = head[0].count("\n") if head else 0
        for m in _OPTION.finditer(head[0] if head else ""):
            if m[1] in SPOKEN_OPTIONS and m[2]:
                at = line + 1 + token.content.count("\n", 0, m.start(1))
                said = _blocks(m[2], at, file, frames, depth + 1)
                yield from (b for b in said if literal or b.form == "prose")
        if literal:
            return
        yield from _blocks(token.content, line + 1, file, frames, depth + 1, options)


def _include(token: Token, argument: str, line: int, file: str, frames: Frames, depth: int) -> Iterator[Bound]:
    """What another file says, under what is given here."""
    if frames.includes is None:
        return
    options = {m[1]: m[2] for m in _OPTION.finditer(token.content)}
    found = frames.includes.read(file, argument, options, rst=False)
    if isinstance(found, Found):
        yield bounds_of(file, "", Placed(found, 0, 0, line), frames)
    elif found is not None:
        with frames.included():
            if found.rst:
                from .extract_rst import extract_rst

                bounds: Iterable[Bound] = extract_rst(found.text, found.file, found.first_line, frames)
            else:
                bounds = _blocks(found.text, found.first_line, found.file, frames, depth)
            yield from (b for b in bounds if b.form != "prose")


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _html_block(content: str, line: int, file: str, frames: Frames) -> Iterator[Bound]:
    end, lines, shown = 0, counter_of_lines(content), list[str]()
    for start, stop in comments_in(content):
        shown += (content[end:start], _blank(content[start:stop]))
        end = stop
        found = read_comment(content[start:stop])
        if found is None:
            continue
        if found.kind in ("strict", "loose"):
            frames.mark(found)
            continue
        at = line + lines(start)
        if found.kind in ("claim", "exempt"):
            what = "a claim at the start of a line, which would cut the paragraph in two"
            found = Found("broken", what, "write it right behind a word")
        told = min(start, MAX_SENTENCE)  # no more of it is shown
        yield bounds_of(file, content[:told], Placed(found, 0, told, at), frames)
    for start, found in broken_texts(content[end:]):
        yield bounds_of(file, "", Placed(found, 0, 0, line + lines(end + start)), frames)
    words = "".join((*shown, content[end:]))
    if not words.lstrip().lower().startswith(_NO_PROSE):
        for said, at in _heard(words):
            yield from prose_of(file, said, line + words.count("\n", 0, at), (), frames)
        words = _TAG.sub(lambda m: _blank(m[0]), words)
        yield from prose_of(file, words, line, (), frames)


def _heard(html: str) -> Iterator[tuple[str, int]]:
    """What tags say to a reader who points at them or hears them, and where."""
    for tag in _TAG.finditer(html):
        for m in _SAID.finditer(tag[0]):
            yield m["said"], tag.start() + m.start()


def _inline(
    children: Sequence[Token], line: int, file: str, frames: Frames, options: int = 0, unit: str = ""
) -> Iterator[Bound]:
    """One block of text: a comment speaks for the text since the one before it, or since the block's start.

    Its first lines may be ``options`` of a directive, which are no prose. ``unit`` is that of a table's column.
    """
    block, start, first, apart = "", 0, line, False
    placed: list[Placed] = []
    pictures: list[tuple[str, int, int]] = []
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            block += "\n"
            line += 1
        elif child.type == "html_inline":
            found = read_comment(child.content) if child.content.startswith("<!--") else None
            if found is not None and found.kind in ("strict", "loose"):
                frames.mark(found)
            elif found is not None:
                placed.append(Placed(found, start, len(block), line))
                start = len(block)
            else:
                pictures += ((said, len(block), line) for said, _ in _heard(child.content))
            apart = apart or _APART.match(child.content) is not None
            line += child.content.count("\n")
        elif child.type == "myst_role":
            name = str(child.meta.get("name"))
            role = read_role(child.content) if name == "claim" else None
            before = len(block)
            if name == "value":
                placed.append(Placed(Found("value", child.content.strip()), before, before, line))
            elif (wrong := misspelt_role(name, child.content)) is not None:
                placed.append(Placed(wrong, before, before, line))
            if role is not None:
                text = plain_inline(role.text) if role.kind != "broken" else role.text
                block += text if role.kind != "broken" else ""
                placed.append(Placed(Found(role.kind, role.expression, text), before, len(block), line))
                start = len(block)
            else:
                block += _role_text(name, child.content)
            line += child.content.count("\n")
        else:
            if child.type == "text":
                placed += [Placed(f, len(block) + i, len(block) + i, line) for i, f in broken_texts(child.content)]
            if child.type == "image":
                pictures.append((child.content, len(block), line))
            if child.attrs.get("title"):
                pictures.append((str(child.attrs["title"]), len(block), line))
            words = _text_of(child)
            block += " " if apart and block[-1:].isalnum() and words[:1].isalnum() else ""
            block, apart = block + words, False
    for item, after in zip(placed, behind(block, placed), strict=True):
        yield bounds_of(file, block, item, frames, after)
    hidden = len("".join(block.splitlines(keepends=True)[: max(options, 0)]))
    yield from prose_of(file, block, first, placed, frames, hidden, unit)
    for words, at, its in pictures:
        yield from aside(file, words, at, its, placed, frames)


def _text_of(child: Token) -> str:
    if child.type == "code_inline":
        return f"`{child.content}`"
    return child.content if child.type in ("text", "text_special") else ""


def _role_text(name: str | None, content: str) -> str:
    """What a role shows, as far as that can be told without Sphinx; the others count as code."""
    if name in SPOKEN_ROLES and name != "abbr":
        return content
    if name in ("abbr", "any", "doc", "download", "numref", "ref", "term"):
        return content.partition("<")[0].partition("(")[0].strip()
    return f"`{content}`"


def plain_inline(text: str) -> str:
    """The words of a stretch of Markdown: markup gone, code kept between backticks."""
    tokens = _markdown().parseInline(text)
    children = tokens[0].children or [] if tokens else []
    return "".join("\n" if c.type in ("softbreak", "hardbreak") else _text_of(c) for c in children)
