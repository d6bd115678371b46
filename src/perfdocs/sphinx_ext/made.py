"""Pages that are no documents: every value of each card, and where the numbers of each page come from.

They are made when all else is written, by builders whose output is pages of HTML of their own; no search finds them and
no table of contents lists them. Each number and cell of the site links to its place on one of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .. import __version__
from ..claims.model import Datum
from ..render.lineage import entries_html
from ..render.rows import CardLinks, rows_html
from .domain import domain_of, project_of
from .links import has_made, link_of, relative
from .project import Project, device_names
from .writing import FOLDER

if TYPE_CHECKING:
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

__all__ = ["digest_of_rows", "is_there", "made_digests", "made_pages"]

Page = tuple[str, dict[str, Any], str]
"""Name, context and template, as Sphinx takes them."""


def made_digests(builder: Builder) -> dict[str, str]:
    """The pages there are to make, each with a digest of what it shows.

    Where an author has a document of that name, that stays.
    """
    if not has_made(builder):
        return {}
    env = builder.env
    project = project_of(env)
    around = _around(env)  # a theme names other documents on any page
    found: dict[str, str] = {}
    for key, card in _cards(project):
        if (name := project.row_document(key, card.device_id)) is not None:
            device = project.device_document(card.device_id) in env.found_docs
            found[name] = _digest(around, *_of_card(project, key, card.device_id), card.card.device.name, device)
    for docname in sorted(_numbered(env)):
        if (name := project.number_document(docname)) is not None:
            entries = domain_of(env).numbers[docname]
            cards = sorted({(d.benchmark, d.device) for entry in entries for d in entry.line.data})
            found[name] = _digest(around, entries, [_of_card(project, *card) for card in cards])
    return {name: digest for name, digest in found.items() if name not in env.found_docs}


def _digest(*parts: object) -> str:
    return sha256(repr((__version__, parts)).encode()).hexdigest()[:32]


def _around(env: BuildEnvironment) -> str:
    """What the pages of a theme may say of documents: their titles, and which are listed where."""
    titles = {docname: title.astext() for docname, title in env.titles.items()}
    return _digest(sorted(titles.items()), sorted(env.toctree_includes.items()))


def _of_card(project: Project, benchmark: str, device_id: str) -> tuple[str, ...]:
    """The digests of a card and its definition."""
    found = project.library.benchmarks.get(benchmark)
    card = found.card_of(device_id) if found else None
    return (found.digest, card.digest) if found is not None and card is not None else ("",)


def is_there(builder: Builder, name: str) -> bool:
    """Whether the output holds a page."""
    return Path(cast("Any", builder).get_outfilename(name)).is_file()


def _cards(project: Project) -> Iterator[tuple[str, Any]]:
    for key, benchmark in sorted(project.library.benchmarks.items()):
        for card in benchmark.cards:
            yield key, card


def _numbered(env: BuildEnvironment) -> list[str]:
    """Documents with numbers that claims answer for."""
    return [docname for docname, entries in domain_of(env).numbers.items() if entries and docname in env.titles]


def digest_of_rows(project: Project) -> str:
    """A digest of all cards that have a page of their own."""
    if not project.settings.device_pages:
        return ""
    found = [(key, project.library.benchmarks[key].digest, c.device_id, c.digest) for key, c in _cards(project)]
    return sha256(repr(found).encode()).hexdigest()


def made_pages(builder: Builder, wanted: Collection[str]) -> Iterable[Page]:
    """Those of the pages that are wanted."""
    env = builder.env
    project = project_of(env)
    names = device_names(project.library)
    for key, card in _cards(project):
        name = project.row_document(key, card.device_id)
        if name in wanted:
            assert name is not None
            benchmark = project.library.benchmarks[key]
            document = project.device_document(card.device_id) or ""
            folder = f"{relative_to_root(builder, name)}{FOLDER}/cards/{key}/{card.device_id}"
            files = (f"{folder}.json", f"{folder}.csv") if document in env.found_docs else ("", "")
            links = CardLinks(relative(builder, name, document) if document in env.found_docs else "", *files)
            title = f"{benchmark.definition.title} on {names[card.device_id]}: every value"
            yield _page(name, title, rows_html(benchmark, card, links))
    for docname in sorted(_numbered(env)):
        name = project.number_document(docname)
        if name in wanted:
            assert name is not None
            yield _numbers(builder, project, docname, name)


def _numbers(builder: Builder, project: Project, docname: str, name: str) -> Page:
    link = link_of(builder, name, project)

    def place(datum: Datum) -> str | None:
        if datum.anchor == "card":
            document = project.row_document(datum.benchmark, datum.device)
            return relative(builder, name, document) if document and has_made(builder) else link(datum.device)
        return link(f"{datum.device}#{datum.anchor}" if datum.anchor else datum.device)

    env = builder.env
    entries = domain_of(env).numbers[docname]
    title = f"{env.titles[docname].astext()}: where the numbers come from"
    return _page(name, title, entries_html(entries, project.library, relative(builder, name, docname), place))


def _page(name: str, title: str, body: str) -> Page:
    shown = escape(title)
    return name, {"title": shown, "body": f"<h1>{shown}</h1>\n{body}", "parents": []}, "page.html"


def relative_to_root(builder: Builder, name: str) -> str:
    """The way from a page to the folder of the site: ``../`` so often as it is deep."""
    return "../" * builder.get_target_uri(name).count("/")
