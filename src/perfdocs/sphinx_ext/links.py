"""Where pages, rows and files are, seen from the page being written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..render.rows import row_id
from .project import Project

if TYPE_CHECKING:
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

__all__ = ["FOLDER", "folder_url", "has_made", "in_reading_order", "link_of", "number_url", "relative"]


def has_made(builder: Builder) -> bool:
    """Whether a builder writes pages that are no documents: one page of all, and a book, have none."""
    return builder.format == "html" and builder.name not in ("singlehtml", "epub")


def relative(builder: Builder, docname: str, target: str) -> str:
    """The URL of a page, document or not, from another."""
    return builder.get_relative_uri(docname, target)


def link_of(builder: Builder, docname: str, project: Project) -> Callable[[str], str | None]:
    """A function from a link of a cell to its URL: ``device``, ``device#anchor`` of a row, or ``/document#anchor``.

    A row is on the page of its card, where there are such pages, and else on that of its device. ``""``: this page;
    ``None``: there is no such page.
    """
    env = builder.env
    single, made = builder.name == "singlehtml", has_made(builder)
    inside = set(in_reading_order(env)) if single else env.found_docs
    known: dict[tuple[str, str], str | None] = {}

    def page(place: str) -> str | None:
        target = place[1:] if place.startswith("/") else project.device_document(place)
        if target is None or target not in inside:
            return None
        return "" if single or target == docname else relative(builder, docname, target)

    def card(benchmark: str, device: str) -> str | None:
        if (benchmark, device) not in known:
            target = project.row_document(benchmark, device)
            there = target is not None and target not in env.found_docs
            known[benchmark, device] = relative(builder, docname, target) if there and target else None
        return known[benchmark, device]

    def url(link: str) -> str | None:
        place, _, anchor = link.partition("#")
        if made and anchor.startswith("perf-"):
            benchmark = anchor.removeprefix("perf-").partition(".")[0]
            if (found := card(benchmark, place)) is not None:
                return f"{found}#{row_id(anchor)}"
        found = page(place)
        return found if found is None or not anchor else f"{found}#{anchor}"

    return url


def number_url(builder: Builder, docname: str, project: Project, anchor: str) -> str | None:
    """URL of the place that says where a number of a page comes from, or ``None``."""
    target = project.number_document(docname)
    if target is None or not has_made(builder) or target in builder.env.found_docs:
        return None
    return f"{relative(builder, docname, target)}#{anchor}"


def folder_url(builder: Builder, docname: str) -> str:
    """URL of the folder of figures and downloads, without a slash at its end."""
    if builder.name == "singlehtml":
        return FOLDER
    depth = builder.get_target_uri(docname).count("/")
    return "../" * depth + FOLDER


FOLDER = "_perfdocs"
"""Folder of figures and downloads in the output; everything in it is ours."""


def in_reading_order(env: BuildEnvironment) -> list[str]:
    """Documents that the root document's toctrees include, at any depth, each before those that it includes."""
    found, todo = dict[str, None](), [env.config.root_doc]
    while todo:
        docname = todo.pop()
        if docname not in found:
            found[docname] = None
            todo.extend(reversed(env.toctree_includes.get(docname, ())))
    return list(found)
