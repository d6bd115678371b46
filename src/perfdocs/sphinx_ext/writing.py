"""The late half: requests become HTML in HTML builders, docutils nodes everywhere else, and files in the output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..claims.matrix import Page as ClaimsOf
from .blocks import Block, Downloads, Figure, within
from .content import content
from .domain import domain_of, project_of
from .downloads import TableCache, download_name, table_digest
from .expand import expand
from .figures import FigureCache, alt_text, file_name, stem
from .html import Page, html
from .links import FOLDER, folder_url, in_reading_order, link_of
from .outputs import File
from .project import Project
from .spec import PerfNode, Spec

if TYPE_CHECKING:
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment
    from sphinx.writers.html5 import HTML5Translator

__all__ = ["FOLDER", "Expand", "claimed", "depart_html", "files_in_use", "prune_cache", "visit_html"]


def visit_html(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write the HTML of a request."""
    builder = cast("Any", translator.builder)
    docname: str = builder.current_docname
    spec = cast("PerfNode", node).spec
    project = project_of(builder.env)
    folder, paged = folder_url(builder, docname), builder.name == "epub"
    prefix = f"perfdocs-{nodes.make_id(node['home'])}-{spec.serial}"

    def image(figure: Figure, dark: bool) -> str:
        return f"{folder}/figures/{file_name(stem(figure), 'dark' if dark else 'light')}"

    def download(block: Downloads, suffix: str) -> str:
        return f"{folder}/{download_name(block, suffix)}"

    page = Page(link_of(builder, docname, project), image, alt_text, None if paged else download, paged, prefix)
    blocks = _blocks(builder.env, spec)
    for block in within(blocks):  # files are made here, where several processes share the work
        if isinstance(block, Figure):
            FigureCache(project.settings.cache).path(block, "light")
        elif isinstance(block, Downloads) and not paged:
            TableCache(project).path(block)
    translator.body.append(html(blocks, page))
    raise nodes.SkipNode


def depart_html(translator: HTML5Translator, node: nodes.Element) -> None:
    """Nothing is left to write."""


class Expand(SphinxPostTransform):
    """Replace requests by docutils nodes for builders of any other format."""

    default_priority = 5  # before images and references are resolved

    def run(self, **kwargs: Any) -> None:  # noqa: ARG002 – the signature of docutils
        """Expand every request of the document."""
        builder = domain_of(self.env).builder
        if builder is None or builder.format == "html":
            return
        project = project_of(self.env)
        for node in list(self.document.findall(PerfNode)):
            blocks = _blocks(self.env, node.spec)
            expanded = expand(blocks, lambda figure: self.draw(builder, project, figure), alt_text)
            if builder.format == "latex":
                known_to_latex(expanded)
            node.replace_self(expanded)

    def draw(self, builder: Builder, project: Project, figure: Figure) -> nodes.Node | None:
        """An image for LaTeX; other formats show the description."""
        if builder.format != "latex":
            return None
        path = str(FigureCache(project.settings.cache).path(figure, "pdf"))
        builder.images[path] = f"perfdocs-{Path(path).name}"
        return nodes.image("", uri=path, candidates={"*": path}, alt=alt_text(figure), width="100%")


_KNOWN_TO_LATEX = str.maketrans({"\u202f": "\u00a0", "✗": "×", "≠": "/="})
"""The narrow no-break space and signs that pdfTeX does not know, and what stands for them."""


def known_to_latex(expanded: Iterable[nodes.Node]) -> None:
    """Replace what pdfTeX does not know."""
    for text in [t for node in expanded for t in node.findall(nodes.Text)]:
        if (known := text.translate(_KNOWN_TO_LATEX)) != text:
            text.parent.replace(text, nodes.Text(known))


def claimed(env: BuildEnvironment) -> tuple[ClaimsOf, ...]:
    """The pages with claims, in the order a reader meets them; those in no toctree last."""
    claims = domain_of(env).claims
    order = in_reading_order(env)
    order += sorted(claims.keys() - set(order))
    return tuple(ClaimsOf(d, env.titles[d].astext(), claims[d]) for d in order if claims.get(d) and d in env.titles)


def _blocks(env: BuildEnvironment, spec: Spec) -> tuple[Block, ...]:
    pages = claimed(env) if spec.kind == "claims" else ()
    return content(spec, project_of(env).library, pages)


def _in_use(env: BuildEnvironment) -> Iterator[Block]:
    """Every block with a file of its own of every page, those of the same request once."""
    domain = domain_of(env)
    wanted = {replace(s, serial=0) for d, specs in domain.specs.items() if d in env.found_docs for s in specs}
    for spec in wanted:
        if spec.kind != "claims":  # they have no files, and asking them takes long
            yield from within(_blocks(env, spec))


def files_in_use(env: BuildEnvironment, *, downloads: bool) -> dict[str, File]:
    """Every figure and download that pages name, by path in our folder."""
    project, files = project_of(env), dict[str, File]()
    figures, tables = FigureCache(project.settings.cache), TableCache(project)
    for block in _in_use(env):
        if isinstance(block, Figure):
            files.update(_figure_files(figures, block))
        elif isinstance(block, Downloads) and downloads:
            files.update(_download_files(tables, block))
    return dict(sorted(files.items()))


def _figure_files(cache: FigureCache, figure: Figure) -> Iterator[tuple[str, File]]:
    name = stem(figure)
    yield f"figures/{file_name(name, 'light')}", File(name, lambda: cache.path(figure, "light").read_bytes())
    yield f"figures/{file_name(name, 'dark')}", File(name, lambda: cache.path(figure, "dark").read_bytes())


def _download_files(cache: TableCache, block: Downloads) -> Iterator[tuple[str, File]]:
    yield download_name(block, "json"), File(block.card.digest, block.card.path.read_bytes)
    yield download_name(block, "csv"), File(table_digest(cache.project, block), lambda: cache.path(block).read_bytes())


def prune_cache(env: BuildEnvironment) -> None:
    """Keep only what pages show, in whatever format, in the cache."""
    project, blocks = project_of(env), list(_in_use(env))
    FigureCache(project.settings.cache).keep({stem(block) for block in blocks if isinstance(block, Figure)})
    TableCache(project).keep(block for block in blocks if isinstance(block, Downloads))
