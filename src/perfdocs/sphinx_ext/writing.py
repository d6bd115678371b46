"""The late half: requests become HTML in HTML builders, docutils nodes everywhere else, and files in the output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..render.csv import card_csv
from .blocks import Block, Downloads, Figure, within
from .content import content
from .domain import domain_of, project_of
from .expand import expand
from .figures import FigureCache, alt_text, file_name, stem
from .html import Page, html
from .links import FOLDER, device_url, folder_url
from .outputs import File
from .project import RENDERER, Project, card, definition
from .spec import PerfNode

if TYPE_CHECKING:
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment
    from sphinx.writers.html5 import HTML5Translator

__all__ = ["FOLDER", "Expand", "depart_html", "figures_in_use", "files_in_use", "visit_html"]


def visit_html(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write the HTML of a request."""
    builder = cast("Any", translator.builder)
    docname: str = builder.current_docname
    spec = cast("PerfNode", node).spec
    project = project_of(builder.env)
    folder, paged = folder_url(builder, docname), builder.name == "epub"
    prefix = f"perfdocs-{nodes.make_id(node.get('docname', docname))}-{spec.serial}"

    def image(figure: Figure, dark: bool) -> str:
        return f"{folder}/figures/{file_name(stem(figure), 'dark' if dark else 'light')}"

    def download(block: Downloads, suffix: str) -> str:
        return f"{folder}/{download_name(block, suffix)}"

    page = Page(device_url(builder, docname, project), image, alt_text, None if paged else download, paged, prefix)
    blocks = content(spec, project.library)
    for figure in within(blocks):
        if isinstance(figure, Figure):  # here, where several processes share the work
            FigureCache(project.settings.cache).path(figure, "light")
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
            blocks = content(node.spec, project.library)
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


def known_to_latex(expanded: Iterable[nodes.Node]) -> None:
    """Replace the narrow no-break space, which pdfTeX does not know, by the wide one."""
    for text in [t for node in expanded for t in node.findall(nodes.Text) if "\u202f" in t]:
        text.parent.replace(text, nodes.Text(text.replace("\u202f", "\u00a0")))


def download_name(block: Downloads, suffix: str) -> str:
    """Path of a download in our folder: made of ids, so it can lead nowhere else."""
    return f"cards/{block.benchmark.definition.id}/{block.card.device_id}.{suffix}"


def _in_use(env: BuildEnvironment) -> Iterator[Block]:
    """Every block of every page, those of the same request once."""
    domain, library = domain_of(env), project_of(env).library
    wanted = {replace(s, serial=0) for d, specs in domain.specs.items() if d in env.found_docs for s in specs}
    for spec in wanted:
        yield from within(content(spec, library))


def figures_in_use(env: BuildEnvironment) -> set[str]:
    """Stems of the figures that pages show."""
    return {stem(block) for block in _in_use(env) if isinstance(block, Figure)}


def files_in_use(env: BuildEnvironment, *, downloads: bool) -> dict[str, File]:
    """Every figure and download that pages name, by path in our folder."""
    project, files = project_of(env), dict[str, File]()
    cache = FigureCache(project.settings.cache)
    for block in _in_use(env):
        if isinstance(block, Figure):
            files.update(_figure_files(cache, block))
        elif isinstance(block, Downloads) and downloads:
            files.update(_download_files(project, block))
    return dict(sorted(files.items()))


def _figure_files(cache: FigureCache, figure: Figure) -> Iterator[tuple[str, File]]:
    name = stem(figure)
    yield f"figures/{file_name(name, 'light')}", File(name, lambda: cache.path(figure, "light").read_bytes())
    yield f"figures/{file_name(name, 'dark')}", File(name, lambda: cache.path(figure, "dark").read_bytes())


def _download_files(project: Project, block: Downloads) -> Iterator[tuple[str, File]]:
    benchmark, loaded = block.benchmark, block.card
    digest = project.digest(card(benchmark.definition.id, loaded.device_id))
    yield download_name(block, "json"), File(digest, loaded.path.read_bytes)
    table = digest + project.digest(definition(benchmark.definition.id)) + project.digest(RENDERER)
    yield download_name(block, "csv"), File(table, lambda: card_csv(benchmark, loaded).encode())
