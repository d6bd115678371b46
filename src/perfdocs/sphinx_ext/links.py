"""Where pages, rows and files are, seen from the page being written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .project import Project

if TYPE_CHECKING:
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

__all__ = ["FOLDER", "device_url", "folder_url", "row_url"]


def device_url(builder: Builder, docname: str, project: Project) -> Callable[[str], str | None]:
    """A function from a device's id to the URL of its page (``""``: this page; ``None``: there is no such page)."""
    env = builder.env
    single = builder.name == "singlehtml"
    inside = _reachable(env) if single else env.found_docs

    def url(device_id: str) -> str | None:
        target = project.device_document(device_id)
        if target is None or target not in inside:
            return None
        return "" if single or target == docname else builder.get_relative_uri(docname, target)

    return url


def row_url(builder: Builder, docname: str, project: Project, device_id: str, anchor: str) -> str | None:
    """URL of a row on its device's page, or ``None``."""
    url = device_url(builder, docname, project)(device_id)
    return None if url is None else f"{url}#{anchor}"


def folder_url(builder: Builder, docname: str) -> str:
    """URL of the folder of figures and downloads, without a slash at its end."""
    if builder.name == "singlehtml":
        return FOLDER
    depth = builder.get_target_uri(docname).count("/")
    return "../" * depth + FOLDER


FOLDER = "_perfdocs"
"""Folder of figures and downloads in the output; everything in it is ours."""


def _reachable(env: BuildEnvironment) -> set[str]:
    """Documents that the root document's toctrees include, at any depth."""
    found, todo = set[str](), [env.config.root_doc]
    while todo:
        docname = todo.pop()
        if docname not in found:
            found.add(docname)
            todo.extend(env.toctree_includes.get(docname, ()))
    return found
