"""Claims on pages: the roles ``claim`` and ``value``, the directive ``given``, and the comments of MyST pages.

Roles and directive leave neutral nodes; :class:`CheckClaims` finds them and the comments while the page is read, checks
them against the published cards, notes what the page depends on, and leaves plain text with marks that link a number
to its row. No comment survives: titles, the toctree and the search index are made after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.utils import Reporter
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from ..claims.check import SUFFIXES, check_all, strict_prose
from ..claims.forms import Found, read_role
from ..claims.model import Bound, Outcome
from ..errors import clean
from ..flags import FLAGS
from ..render.facts import flag_legend
from . import project as keys
from .claims_tree import ClaimNode, GivenNode, Page, ValueNode
from .domain import domain_of, project_of
from .links import link_of, number_url
from .marking import MARKS, MarkNode

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup_claims"]

logger = logging.getLogger("perfdocs")


def setup_claims(app: Sphinx) -> None:
    """Register roles, directive and transforms."""
    app.add_role("claim", ClaimRole())
    app.add_role("value", ValueRole())
    app.add_directive("given", GivenDirective)
    app.add_transform(CheckClaims)
    app.add_post_transform(ResolveMarks)


class ClaimRole(SphinxRole):
    """``text <expression>``: the text, with its markup, bound to the expression."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """One node around the parsed text."""
        found = read_role(self.text)
        node = ClaimNode(self.rawtext, found=found)
        self.set_source_info(node)
        if found.kind == "broken":
            node += nodes.Text(self.text)
            return [node], []
        memo = _Memo(self.inliner.document, self.inliner.reporter, self.inliner)
        children, messages = self.inliner.parse(found.text, self.lineno, memo, node)  # type: ignore[arg-type] # a struct
        node += children
        return [node], messages


class _Memo:
    """What docutils' inline parser asks of its memo."""

    def __init__(self, document: nodes.document, reporter: Reporter, inliner: Any) -> None:
        self.document, self.reporter, self.inliner, self.language = document, reporter, inliner, inliner.language


class ValueRole(SphinxRole):
    """A number from the data; printed once the givens around it are known."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """One node without text."""
        node = ValueNode(self.rawtext, found=Found("value", self.text.strip()))
        self.set_source_info(node)
        return [node], []


class GivenDirective(SphinxDirective):
    """What the claims after it speak of, to the end of its list item or section."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """One node that is gone once the page is read."""
        argument = self.arguments[0].strip() if self.arguments else ""
        found = Found("given", argument)
        if not argument:
            found = Found("broken", "the directive `given` without an argument", "write it behind `given`")
        node = GivenNode("", found=found)
        self.set_source_info(node)
        return [node]


class CheckClaims(SphinxTransform):
    """Check every claim of a page as it is read."""

    default_priority = 320  # substitutions are in place; titles are not yet collected, quotes not yet curled

    def apply(self, **kwargs: Any) -> None:  # noqa: ARG002 - the signature of docutils
        """Check, note dependencies, warn, and leave text with marks."""
        page = Page(self.document, self.env.docname, str(self.env.doc2path(self.env.docname)))
        bounds, prose = page.bounds(), _strict_prose(Path(page.path))
        outcomes = check_all([*bounds, *prose], project_of(self.env).published)
        if bounds:
            domain_of(self.env).note(self.env.docname, sorted(set(_dependencies(outcomes))))
        if prose:
            domain_of(self.env).note(self.env.docname, [keys.WORDS])
        sentences = page.anchored()
        if sentences:
            domain_of(self.env).claims[self.env.docname] = sentences
        failing = [outcome for outcome in outcomes if not outcome.passes]
        for outcome in failing:
            _warn(outcome, page)
        if failing:
            domain_of(self.env).note_failing(self.env.docname)
        page.finish(outcomes)
        if page.entries:
            domain_of(self.env).numbers[self.env.docname] = tuple(page.entries)


def _strict_prose(path: Path) -> tuple[Bound, ...]:
    """What a strict page says, from its source: the same text that the command line reads, before any directive."""
    if path.suffix not in SUFFIXES or not path.is_file():
        return ()
    return strict_prose(path.read_bytes().decode("utf-8", "replace"), str(path))


def _dependencies(outcomes: tuple[Outcome, ...]) -> Iterator[keys.Key]:
    yield keys.RENDERER
    yield keys.BENCHMARKS
    for outcome in outcomes:
        for benchmark, device in outcome.uses:
            yield keys.definition(benchmark)
            yield keys.devices(benchmark) if device is None else keys.card(benchmark, device)


def _warn(outcome: Outcome, page: Page) -> None:
    assert outcome.problem is not None
    logger.warning(
        "%s",
        clean(outcome.message, 1200),
        type="perfdocs",
        subtype=outcome.problem.code,
        location=page.location(outcome.bound),
    )


class ResolveMarks(SphinxPostTransform):
    """Turn marks into links to where they come from where the builder makes pages; elsewhere into plain text."""

    default_priority = 6

    def run(self, **kwargs: Any) -> None:  # noqa: ARG002 - the signature of docutils
        """Resolve every mark of the page being written, those of its titles too; flags are explained at its end."""
        marks = list(self.document.findall(MarkNode))
        if flags := {flag for node in marks for flag in node["flags"]}:
            _end_of(self.document).append(_legend(flags))
        for node in marks:
            link = self._link(node["entry"], node["row"], node["about"])
            if link is not None and node["linked"]:
                link += node.children
                node.replace_self([link, *_flags(node)])
                continue
            inner = nodes.inline("", "", *node.children, classes=["perfdocs-claim"])
            around = _link_around(node)
            if link is not None and around is not None:  # a link can't hold another: it stands right behind
                link += nodes.Text(BESIDE)
                around.parent.insert(around.parent.index(around) + 1, nodes.superscript("", "", link))
            node.replace_self([inner, *_flags(node)])
        for title in self.document.findall(nodes.Element):
            if title.hasattr(MARKS):
                self._title(title)

    def _link(self, entry: str, row: str, about: str) -> nodes.reference | None:
        """A link without words to where a number comes from: what tells of it, or its row where nothing does."""
        builder = domain_of(self.env).builder
        if builder is None or builder.format != "html":
            return None
        docname, project = self.env.docname, project_of(self.env)
        url = number_url(builder, docname, project, entry) if entry else None
        url = url or (link_of(builder, docname, project)(row) if row else None)
        if url is None:
            return None
        made = nodes.reference("", "", internal=True, refuri=url, classes=["perfdocs-claim"])
        made["reftitle"] = about
        return made

    def _title(self, title: nodes.Element) -> None:
        """Link the numbers of a title: it was copied to where titles are listed before this."""
        marks = title[MARKS]
        del title[MARKS]
        for words, entry, row, about in marks:
            link = self._link(entry, row, about)
            texts = [t for t in title.findall(nodes.Text) if words in t and _link_around(t) is None]
            if link is None or not texts:
                continue
            text = texts[0]
            before, _, after = str(text).partition(words)
            link += nodes.Text(words)
            pieces = [nodes.Text(before), link, nodes.Text(after)]
            text.parent.replace(text, [p for p in pieces if not isinstance(p, nodes.Text) or p])


BESIDE = "\N{DAGGER}"
"""What leads to where a number comes from, if the number itself is in a link to somewhere else."""


def _link_around(node: nodes.Node) -> nodes.Element | None:
    """The outermost link that a node is in."""
    found, here = None, node.parent
    while here is not None:
        if isinstance(here, (nodes.reference, addnodes.pending_xref)):
            found = here
        here = here.parent
    return found


def _end_of(document: nodes.document) -> nodes.Element:
    """Where the last words of a page stand."""
    last = document.children[-1]
    return last if isinstance(last, nodes.section) else document


def _legend(flags: Iterable[str]) -> nodes.Element:
    """What the flags of numbers in the text mean, as below a table: not everyone has a mouse to ask a title with."""
    lines = [
        nodes.list_item("", nodes.paragraph("", "", nodes.superscript("", line.lead), nodes.Text(f" {line.text}")))
        for line in flag_legend(flags)
    ]
    lead = nodes.paragraph("", "Marks behind numbers of the text:", classes=["perfdocs-notes"])
    listed = nodes.bullet_list("", *lines, bullet="*", classes=["perfdocs-flags"])
    return nodes.container("", lead, listed, classes=["perfdocs"])


def _flags(node: MarkNode) -> Iterator[nodes.Node]:
    """The flags of a number, as in tables."""
    shown = "".join(FLAGS[flag].mark for flag in node["flags"] if flag in FLAGS)
    if shown:
        yield nodes.superscript("", shown, classes=["perfdocs-claim-flags"])
