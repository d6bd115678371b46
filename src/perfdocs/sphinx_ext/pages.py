"""One page for each device: small sources written before Sphinx looks for documents.

Only files that carry our marker are ever changed or removed; a page an author writes under the same name stays.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..files import write_atomic
from ..library import Benchmark, Library
from ..loading import LoadedCard
from ..render.headlines import in_numbers, numbers_compared
from ..render.model import has_rows
from .content import held_tables
from .project import Project, device_names

__all__ = ["MARKER", "Part", "Source", "device_sources", "escape_title", "markdown", "rst", "write_pages"]

MARKER = "perfdocs writes this page from the cards; what is changed here is lost"
RULES = "-~"
"""What underlines headings in reStructuredText, from level 2."""


@dataclass(frozen=True, slots=True)
class Part:
    """A directive, its argument and options, under a heading of its own where there is one; the title is level 1."""

    directive: str
    argument: str = ""
    options: tuple[str, ...] = ()
    heading: str = ""
    level: int = 2


@dataclass(frozen=True, slots=True)
class Source:
    """A page: title and parts; ``index`` lists ``children`` and need not be listed itself."""

    title: str
    parts: tuple[Part, ...]
    index: bool = False
    children: tuple[str, ...] = ()


def device_sources(library: Library) -> Iterator[tuple[str, Source]]:
    """Name and source of each page: the index, and one for each device.

    A device's page has its facts, then its headlines. It has a section for each benchmark, which begins with the first
    table that its card holds; each other table, and what else the card says, is a section in it, so that the page's own
    table of contents lists them.
    """
    names = device_names(library)
    first = [Part("perf-measured-on")]
    if len(names) > 1 and any(numbers_compared(list(library.benchmarks.values()), tuple(names), names)):
        first = [Part("perf-numbers", heading="Side by side"), Part("perf-measured-on", heading="Every card")]
    yield "index", Source("Devices", tuple(first), True, tuple(names))
    for device_id, title in names.items():
        pairs = list(library.cards_of(device_id))
        parts = [Part("perf-device", device_id, (":facts:",))]
        if has_rows(in_numbers(pairs)):
            parts.append(Part("perf-numbers", device_id, heading="In numbers"))
        sections = (part for pair in pairs for part in _sections(*pair))
        yield device_id, Source(title, (*parts, *sections))


def _sections(benchmark: Benchmark, card: LoadedCard) -> Iterator[Part]:
    definition, device = benchmark.definition, card.device_id
    option = f":benchmark: {definition.id}"
    heading, level = definition.title, 2
    for table in held_tables(benchmark, card):
        yield Part(
            "perf-device", device, (option, f":table: {table}"), heading or definition.tables[table].title, level
        )
        heading, level = "", 3
    yield Part("perf-device", device, (option, ":about:"), heading or "About this card", level)


def write_pages(project: Project, source: Path, suffixes: Mapping[str, str]) -> None:
    """Bring the folder of device pages up to date. ``suffixes``: file suffix → kind of markup, as Sphinx knows them."""
    if not project.settings.device_pages:
        return
    folder = source / project.settings.device_pages
    writers = {"restructuredtext": rst, "markdown": markdown}
    known = {kind: suffix for suffix, kind in reversed(list(suffixes.items())) if kind in writers}
    kind = next((k for k in writers if k in known), None)
    taken = {p.name.removesuffix(s) for s in suffixes for p in folder.glob(f"*{s}") if not _ours(p)}
    wanted = {
        name + known[kind]: writers[kind](page)
        for name, page in device_sources(project.library)
        if kind is not None and name not in taken
    }
    _remove_stale(folder, wanted, known.values())
    for name, text in wanted.items():
        path = folder / name
        if not (path.is_file() and path.read_bytes() == text.encode()):
            folder.mkdir(parents=True, exist_ok=True)
            write_atomic(path, text.encode())


def escape_title(text: str) -> str:
    """Make a stranger's text a plain title in reStructuredText and in Markdown: no character of it is markup."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(text.split())) or "–"


def rst(page: Source) -> str:
    """A page in reStructuredText."""
    lines = [f".. {MARKER}", "", *([":orphan:", ""] if page.index else []), *_underlined(page.title, "=")]
    for part in page.parts:
        lines += _underlined(part.heading, RULES[part.level - 2]) if part.heading else []
        lines += [f".. {part.directive}:: {part.argument}".rstrip(), *(f"   {o}" for o in part.options), ""]
    if page.children:
        lines += [".. toctree::", "   :hidden:", "", *(f"   {child}" for child in page.children), ""]
    return "\n".join(lines)


def _underlined(text: str, rule: str) -> list[str]:
    shown = escape_title(text)
    return [shown, rule * max(4, 2 * len(shown)), ""]  # a character can be two columns wide


def markdown(page: Source) -> str:
    """A page in MyST Markdown."""
    lines = ["---", "orphan: true", "---", ""] if page.index else []
    lines += [f"% {MARKER}", "", f"# {escape_title(page.title)}", ""]
    for part in page.parts:
        lines += [f"{'#' * part.level} {escape_title(part.heading)}", ""] if part.heading else []
        lines += [f"```{{{part.directive}}} {part.argument}".rstrip(), *part.options, "```", ""]
    if page.children:
        lines += ["```{toctree}", ":hidden:", "", *page.children, "```", ""]
    return "\n".join(lines)


def _ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return MARKER.encode() in file.read(200)
    except OSError:
        return False


def _remove_stale(folder: Path, wanted: Mapping[str, str], suffixes: Iterable[str]) -> None:
    for suffix in suffixes:
        for path in folder.glob(f"*{suffix}"):
            if path.name not in wanted and _ours(path):
                path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # not there, or not empty
        folder.rmdir()
