"""The marks of a page: numbers and words that the data answer for, put into its doctree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docutils import nodes
from sphinx import addnodes

from ..claims.model import Mark, Outcome

__all__ = ["MARKS", "TITLES", "MarkNode", "Noted", "mark_text", "printed", "take_away", "upwards"]


class MarkNode(nodes.Inline, nodes.TextElement):
    """Words that the data answer for: attributes ``about``, ``row``, ``entry``, ``flags``, ``linked``.

    ``row`` is the link to the row as cells have it, ``entry`` the anchor of the place that says where it comes from.
    """


MARKS = "perfdocs_marks"
"""Attribute of a title: the words of each number in it, its ``entry``, ``row`` and ``about``, in order."""

TITLES = (nodes.title, nodes.rubric, nodes.caption)
"""Their words are copied to places that know no marks."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A mark and the anchor of its entry; empty where it has none."""

    mark: Mark
    entry: str = ""

    @property
    def row(self) -> str:
        """The link to its row, as cells have it; empty where it has none."""
        datum = self.mark.datum
        return f"{datum.device}#{datum.anchor}" if datum is not None else ""


def upwards(node: nodes.Node | None) -> Iterator[nodes.Node]:
    """The node and all around it, from the inside."""
    while node is not None:
        yield node
        node = node.parent


def mark_text(text: nodes.Text, marks: Sequence[Noted]) -> None:
    """Replace a text node by its pieces, marked ones among them.

    A title is copied to places that know no marks: it gets them when the page is written, as :data:`MARKS`.
    """
    around = list(upwards(text.parent))
    title = next((n for n in around if isinstance(n, TITLES)), None)
    if title is not None:
        told = [(str(text)[n.mark.start : n.mark.end], n.entry, n.row, n.mark.about) for n in marks]
        title[MARKS] = [*title.get(MARKS, []), *told]
        return
    linked = not any(isinstance(n, (nodes.reference, addnodes.pending_xref)) for n in around)
    words, pieces, last = str(text), list[nodes.Node](), 0
    for noted in marks:
        mark = noted.mark
        if mark.start < last:
            continue
        if mark.start > last:
            pieces.append(nodes.Text(words[last : mark.start]))
        pieces.append(_marked(words[mark.start : mark.end], noted, linked=linked))
        last = mark.end
    if last < len(words):
        pieces.append(nodes.Text(words[last:]))
    text.parent.replace(text, pieces)


def _marked(words: str, noted: Noted, *, linked: bool) -> MarkNode:
    mark = noted.mark
    return MarkNode(
        "", words, about=mark.about, row=noted.row, entry=noted.entry, flags=list(mark.flags), linked=linked
    )


def printed(node: nodes.Element, expression: str, outcome: Outcome | None, noted: Noted | None) -> nodes.Node:
    """The number of a value role at its node; its expression where there is none, which a warning has said."""
    if outcome is None or not outcome.passes or noted is None:
        return nodes.literal("", expression)
    around = list(upwards(node.parent))
    title = next((n for n in around if isinstance(n, TITLES)), None)
    if title is not None:
        title[MARKS] = [*title.get(MARKS, []), (outcome.measured, noted.entry, noted.row, noted.mark.about)]
        return nodes.Text(outcome.measured)
    linked = not any(isinstance(n, (nodes.reference, addnodes.pending_xref)) for n in around)
    return _marked(outcome.measured, noted, linked=linked)


def take_away(node: nodes.Node) -> None:
    """Remove a node, and one of the spaces where it leaves two."""
    parent = node.parent
    assert parent is not None
    at = parent.index(node)
    before = next((n for n in reversed(parent[:at]) if not isinstance(n, nodes.target)), None)
    after = next((n for n in parent[at + 1 :] if not isinstance(n, nodes.target)), None)
    parent.remove(node)
    open_before = before is None or before.astext()[-1:].isspace()
    if isinstance(after, nodes.Text) and open_before and isinstance(parent, nodes.TextElement) and after[:1] == " ":
        parent.replace(after, nodes.Text(after[1:]))
