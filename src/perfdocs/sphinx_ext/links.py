"""Where pages, rows and files are, seen from the page being written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .project import Project

if TYPE_CHECKING:
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

__all__ = ["FOLDER", "folder_url", "in_reading_order", "place_url", "row_url"]


def place_url(builder: Builder, docname: str, project: Project) -> Callable[[str], str | None]:
    """A function from a device's id, or ``/document``, to the URL of its page.

    ``""``: this page; ``None``: there is no such page.
    """
    env = builder.env
    single = builder.name == "singlehtml"
    inside = set(in_reading_order(env)) if single else env.found_docs

    def url(place: str) -> str | None:
        target = place[1:] if place.startswith("/") else project.device_document(place)
        if target is None or target not in inside:
            return None
        return "" if single or target == docname else builder.get_relative_uri(docname, target)

    return url


def row_url(builder: Builder, docname: str, project: Project, device_id: str, anchor: str) -> str | None:
    """URL of a row on its device's page, or ``None``."""
    url = place_url(builder, docname, project)(device_id)
    return None if url is None else f"{url}#{anchor}"


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
