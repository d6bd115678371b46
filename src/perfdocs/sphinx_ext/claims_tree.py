"""Claims in a doctree: where they stand, what they speak for, and where their marks go when they are checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from docutils import nodes

from ..claims.forms import Found, broken_texts, comments_in, may_be_broken, read_comment
from ..claims.frames import Frames, Placed, behind, bounds_of
from ..claims.matrix import Sentence
from ..claims.model import Bound, Given, Outcome
from ..render.lineage import Entry
from .marking import TITLES, Noted, mark_text, printed, take_away, upwards

__all__ = ["ClaimNode", "GivenNode", "Page", "ValueNode"]


class _FoundNode(nodes.Element):
    @property
    def found(self) -> Found:
        """What was written."""
        found = self["found"]
        assert isinstance(found, Found)
        return found


class ClaimNode(nodes.Inline, _FoundNode):
    """A ``claim`` role until the page is checked; its children are the words."""


class ValueNode(nodes.Inline, _FoundNode):
    """A ``value`` role until the page is checked."""


class GivenNode(nodes.Invisible, _FoundNode):
    """A ``given`` directive until the page is checked."""


_CODE = (nodes.literal, nodes.math)
_SILENT = (nodes.image, nodes.footnote_reference, nodes.citation_reference, nodes.target, nodes.raw, nodes.comment)
_VERBATIM = (nodes.literal, nodes.literal_block, nodes.doctest_block, nodes.math, nodes.math_block, nodes.raw)


@dataclass(slots=True)
class _Block:
    """One block of text: its words as claims read them, and which node holds which stretch."""

    element: nodes.Element
    text: str = ""
    stretches: list[tuple[int, nodes.Text]] = field(default_factory=list)
    placed: list[tuple[nodes.Node, Placed]] = field(default_factory=list)
    start: int = 0
    """Where the words of the next comment begin."""

    def read(self, line: int) -> None:
        self._children(self.element, line)

    def _line(self, line: int) -> int:
        return line + self.text.count("\n")

    def _children(self, element: nodes.Element, line: int) -> None:
        for child in element.children:
            if isinstance(child, nodes.Text):
                for at, found in broken_texts(str(child)):
                    here = Placed(found, len(self.text) + at, len(self.text) + at, self._line(line))
                    self.placed.append((child, here))
                self.stretches.append((len(self.text), child))
                self.text += str(child)
            elif isinstance(child, ClaimNode):
                before, at = len(self.text), self._line(line)
                self._children(child, line)
                found = child.found
                if found.kind != "broken":
                    found = Found(found.kind, found.expression, self.text[before:])
                self.placed.append((child, Placed(found, before, len(self.text), at)))
                self.start = len(self.text)
            elif isinstance(child, ValueNode):
                here = Placed(child.found, len(self.text), len(self.text), self._line(line))
                self.placed.append((child, here))
                self.text += f"`{child.found.expression}`"
            elif isinstance(child, _CODE) and "kbd" not in child["classes"]:
                self.text += f"`{child.astext()}`"
            elif is_comment(child):
                self._comment(child, line)
            elif isinstance(child, nodes.Element) and not isinstance(child, _SILENT):
                self._children(child, line)

    def _comment(self, child: nodes.Node, line: int) -> None:
        found = read_comment(child.astext())
        if found is not None and found.kind not in ("strict", "loose"):
            self.placed.append((child, Placed(found, self.start, len(self.text), self._line(line))))
            self.start = len(self.text)


def is_comment(node: nodes.Node) -> bool:
    """Whether a node is a whole HTML comment."""
    text = node.astext() if isinstance(node, nodes.raw) and node.get("format") == "html" else ""
    return text.lstrip().startswith("<!--") and text.rstrip().endswith("-->") and text.count("<!--") == 1


class _Around(Frames):
    """Givens by where they stand: one holds to the end of the list item or section around it."""

    def __init__(self) -> None:
        super().__init__()
        self._known: list[tuple[nodes.Node | None, Given]] = []
        self.here: nodes.Node = nodes.Text("")

    def _chain(self) -> list[nodes.Node]:
        scopes = (nodes.section, nodes.list_item, nodes.document)
        found: list[nodes.Node] = [n for n in upwards(self.here.parent) if isinstance(n, scopes)]
        return found[::-1]

    def givens(self) -> tuple[Given, ...]:
        chain = self._chain()
        return tuple(given for scope in chain for other, given in self._known if other is scope)

    def around(self) -> tuple[str, ...]:
        """The head of the column, what leads a list in, and headings, from here outwards."""
        return tuple(said for node in upwards(self.here) for said in _over(node) if said)

    def add(self, given: Given) -> None:
        chain = self._chain()
        self._known.append((chain[-1] if chain else None, given))


class Page:
    """Every claim of a page, found once, and marked once it is checked."""

    def __init__(self, document: nodes.document, docname: str, path: str) -> None:
        self.document, self.docname, self.path = document, docname, path
        self._homes: list[tuple[Bound, nodes.Node, _Block | None, int]] = []
        self._remove: list[nodes.Node] = []
        self._anchors: dict[int, str] = {}
        self._named: dict[str, int] = {}
        self.entries: list[Entry] = []

    # --- reading -----------------------------------------------------------------------------------------------

    def bounds(self) -> list[Bound]:
        """What is bound on this page, in its order. Comments are noted for removal."""
        frames, seen = _Around(), set[int]()
        for node in list(self.document.findall(_speaks)):
            block = node if isinstance(node, (GivenNode, nodes.raw)) and not _inline(node) else _block_of(node)
            if id(block) in seen:
                continue
            seen.add(id(block))
            if isinstance(block, GivenNode):
                self._given(block, frames)
            elif isinstance(block, nodes.raw):
                self._raw(block, frames)
            else:
                self._block(block, frames)
        return [bound for bound, _, _, _ in self._homes]

    def _file(self, node: nodes.Node) -> str:
        source = next((n.source for n in upwards(node) if n.source), None) or self.path
        return re.sub(r":docstring of .*", "", source)

    def _note(
        self, node: nodes.Node, block: _Block | None, text: str, placed: Placed, frames: _Around, after: str = ""
    ) -> None:
        frames.here = node
        bound = bounds_of(self._file(node), text, placed, frames, after)
        self._homes.append((bound, node, block, placed.start))

    def _given(self, node: GivenNode, frames: _Around) -> None:
        self._note(node, None, "", Placed(node.found, 0, 0, _line(node)), frames)
        self._remove.append(node)

    def _raw(self, node: nodes.raw, frames: _Around) -> None:
        """A block of HTML: a given may stand in it; a claim would speak for nothing."""
        html, kept, last = node.astext(), "", 0
        for start, end in comments_in(html):
            found = read_comment(html[start:end])
            if found is None:
                continue
            kept, last = kept + html[last:start], end
            if found.kind in ("claim", "exempt"):
                what = "a claim at the start of a line, which would cut the paragraph in two"
                found = Found("broken", what, "write it right behind a word")
            if found.kind not in ("strict", "loose"):
                line = _line(node) + html.count("\n", 0, start)
                self._note(node, None, html[:start], Placed(found, 0, start, line), frames)
        kept += html[last:]
        for _, found in broken_texts(html[last:]):
            self._note(node, None, "", Placed(found, 0, 0, _line(node)), frames)
        if not kept.strip():
            self._remove.append(node)
        elif kept != html:
            node.children = [nodes.Text(kept)]
            node.rawsource = kept
            node.setup_child(node.children[0])

    def _block(self, element: nodes.Element, frames: _Around) -> None:
        block = _Block(element)
        block.read(_line(element))
        for (node, placed), after in zip(block.placed, behind(block.text, [p for _, p in block.placed]), strict=True):
            self._note(node, block, block.text, placed, frames, after)
        self._remove += [n for n in element.findall(nodes.raw) if is_comment(n) and read_comment(n.astext())]

    def location(self, bound: Bound) -> str | tuple[str, int]:
        """Where Sphinx shows a warning about it."""
        return (self.docname, bound.line) if bound.file == self.path else f"{bound.file}:{bound.line}"

    # --- anchors ---------------------------------------------------------------------------------------------------

    def anchored(self) -> tuple[Sentence, ...]:
        """The claims of the page, each with a place to link to: right before its words, or the title's section."""
        sentences = []
        for bound, _, block, start in self._homes:
            if bound.form == "claim" and block is not None:
                anchor = self._anchors[id(bound)] = self._anchor(bound, block, start)
                sentences.append(Sentence(bound, anchor))
        return tuple(sentences)

    def _anchor(self, bound: Bound, block: _Block, start: int) -> str:
        element = block.element
        if isinstance(element, TITLES):  # they are copied to other places
            parent = element.parent
            return parent["ids"][0] if isinstance(parent, nodes.Element) and parent["ids"] else ""
        said = "\0".join((self.docname, bound.sentence, bound.expression))
        name = f"claim-{sha256(said.encode()).hexdigest()[:10]}"
        anchor, number = name, 1
        while anchor in self.document.ids:
            number += 1
            anchor = f"{name}-{number}"
        target = nodes.target("", "", ids=[anchor])
        self.document.ids[anchor] = target
        element.insert(_place_in(block, start), target)
        return anchor

    def _noted(self, bound: Bound, outcome: Outcome | None) -> list[Noted]:
        """The marks of what holds; where a line of data is behind one, with an entry that tells of it.

        Its anchor is made from what it claims and not from the words, so that it stays when a number changes.
        """
        if outcome is None or not outcome.passes:
            return []
        given = tuple(g.expression for g in bound.given)
        said = "\0".join((*given, "", bound.expression))
        name = f"n-{sha256(said.encode()).hexdigest()[:10]}"
        noted = []
        for mark in outcome.marks:
            if mark.line is None or not (mark.line.data or mark.line.value is not None):
                noted.append(Noted(mark))
                continue
            count = self._named[name] = self._named.get(name, 0) + 1
            anchor = name if count == 1 else f"{name}-{count}"
            words = outcome.measured if bound.form == "value" else bound.text[mark.start : mark.end]
            place, sentence = self._anchors.get(id(bound), ""), "" if bound.form == "value" else bound.sentence
            line = (given, bound.expression, mark.flags, mark.line)
            self.entries.append(Entry(anchor, words.strip(), sentence, place, *line))
            noted.append(Noted(mark, anchor))
        return noted

    # --- marking -----------------------------------------------------------------------------------------------

    def finish(self, outcomes: Sequence[Outcome]) -> None:
        """Mark what holds, print values, and take away everything that was only for the check."""
        by_bound = {id(o.bound): o for o in outcomes}
        marks: dict[int, tuple[nodes.Text, list[Noted]]] = {}
        for bound, node, block, start in self._homes:
            outcome = by_bound.get(id(bound))
            noted = self._noted(bound, outcome)
            if isinstance(node, ValueNode):
                node.replace_self(printed(node, node.found.expression, outcome, noted[0] if noted else None))
            elif block is not None:
                for mark in noted:
                    for text, local in _local(block, mark, start):
                        marks.setdefault(id(text), (text, []))[1].append(local)
        for text, found in marks.values():
            mark_text(text, sorted(found, key=lambda m: m.mark.start))
        for node in list(self.document.findall(ClaimNode)):
            node.replace_self(node.children)
        for node in self._remove:
            if node.parent is not None:
                take_away(node)


def _words(element: nodes.Element) -> str:
    block = _Block(element)
    block.read(0)
    return block.text


def _over(node: nodes.Node) -> Iterator[str]:
    """What stands over all that a node holds: the head of a cell, what leads a list in, a heading."""
    parent = node.parent
    if parent is None or isinstance(node, nodes.title):
        return
    if isinstance(node, (nodes.bullet_list, nodes.enumerated_list)):
        seen = [n for n in parent[: parent.index(node)] if not isinstance(n, (nodes.Invisible, nodes.raw))]
        before = _words(seen[-1]) if seen and isinstance(seen[-1], nodes.paragraph) else ""
        if before.rstrip().endswith(":"):
            yield before
    elif isinstance(node, nodes.entry) and isinstance(parent.parent, nodes.tbody):
        heads, at = next(parent.parent.parent.findall(nodes.thead), None), parent.index(node)
        if heads is not None and at < len(heads[-1]):
            yield "".join(map(_words, heads[-1][at]))
    if isinstance(parent, nodes.section) and isinstance(parent[0], nodes.title):
        yield _words(parent[0])


def _line(node: nodes.Node) -> int:
    return next((n.line for n in upwards(node) if n.line), 1)


def _inline(node: nodes.Node) -> bool:
    return isinstance(node.parent, (nodes.TextElement, nodes.Inline))


def _speaks(node: nodes.Node) -> bool:
    """Whether a node has to do with claims."""
    if isinstance(node, (ClaimNode, ValueNode, GivenNode)):
        return True
    if isinstance(node, nodes.raw):
        return node.get("format") == "html" and "<!--" in node.astext()
    if isinstance(node, nodes.Text) and may_be_broken(node):
        verbatim = any(isinstance(n, _VERBATIM) for n in upwards(node.parent))
        return not verbatim and next(broken_texts(str(node)), None) is not None
    return False


def _block_of(node: nodes.Node) -> nodes.Element:
    """The block of text around an inline node."""
    return next(n for n in upwards(node.parent) if isinstance(n, nodes.Element) and not isinstance(n, nodes.Inline))


def _place_in(block: _Block, start: int) -> int:
    """Which child of a block holds the text at ``start``; the first where none does."""
    text = next((text for at, text in block.stretches if start < at + len(text)), None)
    chain = list(upwards(text))
    child = next((n for n in chain if n.parent is block.element), None)
    return block.element.index(child) if child is not None else 0


def _local(block: _Block, noted: Noted, offset: int) -> Iterable[tuple[nodes.Text, Noted]]:
    """The mark within the one text node in which it begins."""
    start, end = noted.mark.start + offset, noted.mark.end + offset
    for at, text in block.stretches:
        if at <= start < at + len(text):
            stop = min(end, at + len(text))
            return [(text, Noted(replace(noted.mark, start=start - at, end=stop - at), noted.entry))]
    return []
