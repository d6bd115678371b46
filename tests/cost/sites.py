"""Two projects of the same pages: one asks perfdocs for its tables, the other holds them as static Markdown.

Run as a program, in a process of its own: it imports Sphinx and all cards, and must not make its caller large.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx

from perfdocs.library import Library
from perfdocs.render.csv import card_csv
from perfdocs.render.markdown import escape, lines_markdown, table_markdown
from perfdocs.sphinx_ext import figures
from perfdocs.sphinx_ext.blocks import (
    Block,
    DeviceList,
    Downloads,
    Figure,
    Folded,
    Heading,
    Lines,
    Paragraph,
    Table,
    Tabs,
    within,
)
from perfdocs.sphinx_ext.content import content
from perfdocs.sphinx_ext.domain import domain_of, project_of
from perfdocs.sphinx_ext.pages import Part, Source, device_sources, markdown
from perfdocs.sphinx_ext.spec import Spec

from .cards import ARMS, BENCHMARK, write_benchmark, write_card

__all__ = ["CACHE", "EXTENSION", "STATIC", "fill_cache", "write_sites"]

EXTENSION, STATIC = "extension", "static"
CACHE = "figures"
SCHEMES: tuple[figures.Format, figures.Format] = ("light", "dark")
BENCHMARKS = "benchmarks"
_CONF = f"""\
project = "cost"
extensions = [{{extensions}}]
html_theme = "{{theme}}"
smartquotes = False
html_show_copyright = False
perfdocs_benchmarks = "../{BENCHMARKS}"
perfdocs_cache = "../{CACHE}"
"""
_STATIC_CONF = "".join(line for line in _CONF.splitlines(True) if not line.startswith("perfdocs_"))


def author_pages() -> dict[str, Source]:
    """The pages a library's author writes: a home page and one performance page."""
    parts = (
        ("measured-on", "Devices"),
        ("results", "Results"),
        ("compare", "Comparison"),
        ("arms", "Arms"),
        ("terms", "Terms"),
    )
    performance = Source("Performance", tuple(Part(f"perf-{d}", BENCHMARK, (), heading) for d, heading in parts))
    return {
        "index": Source("The cost of a site", (), False, ("performance", "devices/index")),
        "performance": performance,
    }


def _page(source: Source, bodies: Iterable[str]) -> str:
    """A page as the extension's own writer makes it, with ``bodies`` in the place of directives."""
    lines = [f"# {escape(source.title)}", ""]
    for part, body in zip(source.parts, bodies, strict=True):
        lines += [f"## {escape(part.heading)}", ""] if part.heading else []
        lines += [body, ""]
    if source.children:
        lines += ["```{toctree}", ":hidden:", "", *source.children, "```", ""]
    return "\n".join(lines)


def write_extension(folder: Path, theme: str) -> None:
    """Write the sources of the project that uses perfdocs; the pages of devices are the extension's own work."""
    folder.mkdir()
    conf = _CONF.format(extensions='"myst_parser", "perfdocs"', theme=theme)
    (folder / "conf.py").write_text(conf, encoding="utf-8")
    for name, source in author_pages().items():
        (folder / f"{name}.md").write_text(markdown(source), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the extension noted while it read its project: the library, and what each document shows."""

    library: Library
    specs: dict[str, list[Spec]]
    figures: figures.FigureCache


def read(extension: Path) -> Reading:
    """Let Sphinx read the project that uses perfdocs, and write nothing of it."""
    work = extension.parent / "reading"
    app = Sphinx(extension, extension, work / "out", work / "doctrees", "dummy", status=None)
    app.builder.read()  # no more: writing with this builder would make every table of docutils nodes
    domain, project = domain_of(app.env), project_of(app.env)
    shutil.rmtree(work)
    return Reading(project.library, dict(domain.specs), figures.FigureCache(project.settings.cache))


def fill_cache(reading: Reading) -> None:
    """Give every figure its files without drawing each: one is drawn, the others are copies under their own names."""
    folder = reading.figures.folder
    folder.mkdir(exist_ok=True)
    drawn = {form: path.read_bytes() for form in SCHEMES for path in folder.glob(figures.file_name("*", form))}
    for block in within(b for specs in reading.specs.values() for s in specs for b in content(s, reading.library)):
        if isinstance(block, Figure):
            name = figures.stem(block)
            for form in SCHEMES:
                path = folder / figures.file_name(name, form)
                if not path.is_file():
                    drawn[form] = drawn.get(form) or reading.figures.path(block, form).read_bytes()
                    path.write_bytes(drawn[form])


def write_static(folder: Path, reading: Reading, theme: str) -> None:
    """Write the same pages with everything they show as Markdown; figures and downloads are files beside them."""
    (folder / "devices").mkdir(parents=True)
    conf = _STATIC_CONF.format(extensions='"myst_parser"', theme=theme)
    (folder / "conf.py").write_text(conf, encoding="utf-8")
    shutil.copytree(reading.figures.folder, folder / "figures")
    devices = {f"devices/{name}": source for name, source in device_sources(reading.library)}
    for name, source in (author_pages() | devices).items():
        up = "../" * name.count("/")
        bodies = (_markdown(content(spec, reading.library), folder, up, name) for spec in reading.specs.get(name, []))
        (folder / f"{name}.md").write_text(_page(source, bodies), encoding="utf-8")


def _markdown(blocks: Iterable[Block], folder: Path, up: str, name: str) -> str:
    return "\n".join(_block(block, folder, up, name) for block in blocks)


def _block(block: Block, folder: Path, up: str, name: str) -> str:
    match block:
        case Paragraph(text) | Heading(text):
            return f"{escape(text)}\n"
        case Table(otherwise=otherwise):
            model = block.model()
            if model is None:
                return f"{escape(otherwise)}\n" if otherwise else ""
            return table_markdown(model, lambda device: _device_link(device, up, name))
        case Lines(make):
            return lines_markdown(make())
        case Figure(caption=caption):
            alt, stem = escape(figures.alt_text(block)), figures.stem(block)
            images = (f"![{alt}]({up}figures/{figures.file_name(stem, form)})" for form in SCHEMES)
            return f"{' '.join(images)}\n\n{escape(caption)}\n"
        case Downloads():
            return _downloads(block, folder, up)
        case DeviceList(lead, devices):
            return f"{lead}: {', '.join(f'[{escape(text)}]({_device_link(i, up, name)})' for i, text in devices)}.\n"
        case Folded(summary, inner):
            return f"{escape(summary)}\n\n{_markdown(inner, folder, up, name)}"
        case Tabs(_, parts):
            return "\n".join(f"{escape(label)}\n\n{_markdown(inner, folder, up, name)}" for label, inner in parts)


def _device_link(device: str, up: str, name: str) -> str | None:
    return None if name == f"devices/{device}" else f"{up}devices/{device}.md"


def _downloads(block: Downloads, folder: Path, up: str) -> str:
    files = folder / "files"
    files.mkdir(exist_ok=True)
    device = block.card.device_id
    if not (files / f"{device}.json").is_file():
        shutil.copyfile(block.card.path, files / f"{device}.json")
        (files / f"{device}.csv").write_text(card_csv(block.benchmark, block.card), encoding="utf-8")
    links = (f"{{download}}`{text} <{up}files/{device}.{s}>`" for s, text in (("json", "card"), ("csv", "values")))
    return f"Download {' · '.join(links)}\n"


def write_sites(folder: Path, count: int, arms: int, theme: str, *, static: bool) -> None:
    """Write ``count`` cards, the project that uses perfdocs, its figures, and beside them the static project."""
    write_benchmark(folder / BENCHMARKS / BENCHMARK, arms)
    for number in range(count):
        write_card(folder / BENCHMARKS / BENCHMARK / "cards", number, arms=arms)
    write_extension(folder / EXTENSION, theme)
    reading = read(folder / EXTENSION)
    fill_cache(reading)
    if static:
        write_static(folder / STATIC, reading, theme)


def main() -> None:
    """Write both projects, or after a card has changed the files of its figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int)
    parser.add_argument("--arms", type=int, default=len(ARMS))
    parser.add_argument("--theme", default="basic")
    parser.add_argument("--no-static", action="store_true")
    options = parser.parse_args()
    if options.count is None:
        fill_cache(read(options.folder / EXTENSION))
    else:
        write_sites(options.folder, options.count, options.arms, options.theme, static=not options.no_static)


if __name__ == "__main__":
    main()
