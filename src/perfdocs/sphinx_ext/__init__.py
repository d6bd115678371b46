"""The Sphinx extension: requests are noted while pages are read, and written late, each builder in its own way.

Events, in order: ``config-inited`` adds the style sheet; ``builder-inited`` reads the library, reports its problems and
writes the sources of device pages; ``env-get-outdated`` names the pages to read again; ``env-get-updated`` those to
write again; ``build-finished`` puts figures and downloads in place and removes what is gone.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from sphinx.errors import ConfigError

from .. import __version__
from ..errors import Problem
from ..library import load_library
from ..store import CardStore
from .directives import DIRECTIVES
from .domain import PerfdocsDomain, domain_of, project_of
from .made import digest_of_rows, is_there, made_digests, made_pages
from .outputs import Written, read_written, remove_pages, sync, tidy_search_index, write_written
from .pages import write_pages
from .project import Project, Settings
from .report import warn
from .spec import PerfNode
from .writing import FOLDER, Expand, claimed, depart_html, files_in_use, prune_cache, visit_html

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment

STATIC = Path(__file__).parent / "static"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything with Sphinx."""
    app.add_config_value("perfdocs_benchmarks", "../benchmarks", "env", (str,), "folder with a folder per benchmark")
    app.add_config_value("perfdocs_cards", "cards", "env", (str,), "name of the folder of cards in each benchmark")
    app.add_config_value("perfdocs_local", None, "env", (str, type(None)), "folder of this machine's unpublished cards")
    app.add_config_value("perfdocs_device_pages", "devices", "env", (str,), "folder of the devices' pages")
    app.add_config_value("perfdocs_number_pages", "numbers", "env", (str,), "folder of where numbers come from")
    app.add_config_value("perfdocs_cache", None, "", (str, type(None)), "folder that keeps figures once drawn")
    app.add_domain(PerfdocsDomain)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.add_node(PerfNode, html=(visit_html, depart_html))
    app.add_post_transform(Expand)
    app.add_css_file("perfdocs.css")
    app.connect("config-inited", add_static)
    app.connect("builder-inited", load)
    app.connect("env-get-outdated", outdated)
    app.connect("env-get-updated", to_write)
    app.connect("doctree-resolved", note_written)
    app.connect("html-collect-pages", put_files)
    app.connect("build-finished", finish)
    if importlib.util.find_spec(f"{__name__}.claims"):
        importlib.import_module(f"{__name__}.claims").setup_claims(app)
    return {"version": __version__, "env_version": 5, "parallel_read_safe": True, "parallel_write_safe": True}


def add_static(app: Sphinx, config: Config) -> None:
    """Let the style sheet be copied beside the project's own."""
    del app
    config.html_static_path = [*config.html_static_path, str(STATIC)]


def settings(app: Sphinx) -> Settings:
    """Absolute paths from the configuration. Raises Sphinx's error for a value that cannot be meant."""
    config = app.config

    def place(path: str) -> Path:
        return Path(os.path.normpath(app.srcdir / path))  # no ".." in messages; Sphinx has resolved links already

    for name in ("benchmarks", "cards", "device_pages", "number_pages"):
        value = config[f"perfdocs_{name}"]
        if not isinstance(value, str):
            raise ConfigError(f"perfdocs_{name}: found {value!r}, expected the name of a folder")
    pages, numbers = PurePosixPath(config.perfdocs_device_pages), PurePosixPath(config.perfdocs_number_pages)
    for name, folder in (("device_pages", pages), ("number_pages", numbers)):
        if folder.is_absolute() or ".." in folder.parts:
            raise ConfigError(f"perfdocs_{name}: expected a folder inside the documentation's sources")
    return Settings(
        benchmarks=place(config.perfdocs_benchmarks),
        cards=config.perfdocs_cards,
        local=place(config.perfdocs_local) if config.perfdocs_local else None,
        device_pages="" if pages == PurePosixPath() else pages.as_posix(),
        cache=place(config.perfdocs_cache) if config.perfdocs_cache else Path(app.doctreedir) / "perfdocs",
        number_pages="" if numbers == PurePosixPath() else numbers.as_posix(),
    )


def load(app: Sphinx) -> None:
    """Read the library once, say what is wrong with it, and write the sources of device pages."""
    chosen = settings(app)
    store = CardStore(Path(app.doctreedir) / "perfdocs-cards")
    project = Project(chosen, load_library(chosen.benchmarks, chosen.cards, chosen.local, store))
    store.tidy()
    domain = domain_of(app.env)
    domain.project, domain.builder, domain.written = project, app.builder, set()
    for problem in project.library.problems:
        warn(problem)
    try:
        write_pages(project, Path(app.srcdir), app.config.source_suffix)
    except OSError as error:
        found = (error.strerror or "an error").lower()
        where = f"{chosen.device_pages}:1"
        do = "make it writable, or set `perfdocs_device_pages`"
        warn(Problem("pages-unwritable", where, found, "a folder to write the devices' pages to", do))


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> Iterable[str]:
    """Documents to read again: those that depend on something that is different now."""
    del app, added, changed
    found = domain_of(env).outdated()
    # A removed page alone would leave the environment, and the search index with it, as it was.
    return found or ([env.config.root_doc] if removed else [])


def to_write(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """Documents to write again though unchanged.

    Those that another builder, sharing the doctrees, has read since this one wrote; and every one where devices come,
    go or change their names, as sidebars and the links to the next page name them.
    """
    written, now = read_written(app.builder), _written(app)
    if written.pages != now.pages:
        return sorted(env.found_docs)
    return sorted(d for d, digest in now.documents.items() if written.documents.get(d) != digest)


def _written(app: Sphinx) -> Written:
    env = app.env
    pages = {d: t for d, t in project_of(env).device_pages() if d in env.found_docs}
    domain = domain_of(env)
    # A page that shows the claims of others depends on what they say now, whenever it was read itself.
    shown = {d for d, specs in domain.specs.items() if any(spec.kind == "claims" for spec in specs)}
    said = repr(claimed(env)) if shown else ""
    documents = {
        d: sha256(repr((sorted(uses.items()), said if d in shown else "")).encode()).hexdigest()[:32]
        for d, uses in sorted(domain.uses.items())
    }
    root = env.config.root_doc  # a card of which no document shows anything has a page all the same
    documents[root] = sha256((documents.get(root, "") + digest_of_rows(project_of(env))).encode()).hexdigest()[:32]
    return Written(pages, documents)


def put_files(app: Sphinx) -> Iterable[tuple[str, dict[str, Any], str]]:
    """Put figures and downloads in place: after the pages are written, before a book is made of them.

    What it returns are the pages that are no documents, which Sphinx writes then.
    """
    builder, before = app.builder, read_written(app.builder)
    files = files_in_use(builder.env, downloads=builder.name != "epub")
    kept = sync(Path(builder.outdir) / FOLDER, files, before.files)
    made = made_digests(builder)
    remove_pages(builder, sorted(before.made.keys() - made.keys() - app.env.found_docs))
    write_written(builder, replace(before, files=kept, made=made))
    anew = domain_of(app.env).written >= app.env.found_docs  # as where the theme is another
    same = {n for n, d in made.items() if before.made.get(n) == d and not anew and is_there(builder, n)}
    return made_pages(builder, made.keys() - same)


def note_written(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Note that this build writes a document."""
    del doctree
    domain_of(app.env).written.add(docname)


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Remove the remains of what is gone, and record what is there."""
    if exception is not None:
        return
    builder, before, now = app.builder, read_written(app.builder), _written(app)
    remove_pages(builder, sorted(set(before.pages) - set(now.pages) - app.env.found_docs))
    tidy_search_index(Path(builder.outdir) / "searchindex.js")
    write_written(builder, replace(now, files=before.files, made=before.made))
    if app.config.perfdocs_cache is None:  # a folder of one's own may serve other projects too
        prune_cache(app.env)
