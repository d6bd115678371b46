"""One page for each device: small sources written before Sphinx looks for documents.

Only files that begin with our marker are ever changed or removed; a page an author writes under the same name stays.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..card import write_atomic
from ..library import Library
from .project import Project, device_names

__all__ = ["MARKER", "device_documents", "escape_title", "write_pages"]

MARKER = "perfdocs writes this page from the cards; what is changed here is lost"


def write_pages(project: Project, source: Path, suffixes: Mapping[str, str]) -> None:
    """Bring the folder of device pages up to date. ``suffixes``: file suffix → kind of markup, as Sphinx knows them."""
    if not project.settings.device_pages:
        return
    folder = source / project.settings.device_pages
    rst = next((s for s, kind in suffixes.items() if kind == "restructuredtext"), None)
    markdown = next((s for s, kind in suffixes.items() if kind == "markdown"), None)
    suffix = rst or markdown
    if suffix is None:
        return
    make = _rst if rst else _markdown
    wanted = {name: make(*parts) for name, parts in device_documents(project.library)}
    _remove_stale(folder, {name + suffix for name in wanted}, [s for s in (rst, markdown) if s])
    taken = {path.name.removesuffix(s) for s in suffixes for path in folder.glob(f"*{s}") if not _ours(path)}
    for name, text in wanted.items():
        path = folder / (name + suffix)
        if name in taken or (path.is_file() and path.read_bytes() == text.encode()):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode())


def device_documents(library: Library) -> Iterator[tuple[str, tuple[str, list[tuple[str, str]], bool]]]:
    """Each page: its name, and its title, parts (heading, directive) and whether it is the index."""
    yield "index", ("Devices", [("", "perf-measured-on")], True)
    for device_id, title in device_names(library).items():
        parts = [("", f"perf-device {device_id}")]
        parts += [
            (benchmark.definition.title, f"perf-device {device_id} {benchmark.definition.id}")
            for benchmark, _ in library.cards_of(device_id)
        ]
        yield device_id, (title, parts, False)


def escape_title(text: str) -> str:
    """Make a stranger's text a plain title in reStructuredText and in Markdown: no character of it is markup."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(text.split())) or "–"


def _rst(title: str, parts: list[tuple[str, str]], index: bool) -> str:
    lines = [f".. {MARKER}", ""]
    if index:
        lines += [":orphan:", ""]  # an author need not list it; where it is listed this does nothing
    lines += _rst_heading(title, "=")
    for heading, directive in parts:
        name, *words = directive.split()
        lines += _rst_heading(heading, "-") if heading else []
        lines += [f".. {name}:: {' '.join(words[:1])}".rstrip()]
        lines += [f"   :benchmark: {words[1]}"] if words[1:] else ["   :facts:"] if words else []
        lines += [""]
    if index:
        lines += [".. toctree::", "   :glob:", "   :hidden:", "", "   *", ""]
    return "\n".join(lines)


def _rst_heading(text: str, rule: str) -> list[str]:
    shown = escape_title(text)
    return [shown, rule * max(4, 2 * len(shown)), ""]


def _markdown(title: str, parts: list[tuple[str, str]], index: bool) -> str:
    lines = ["---", "orphan: true", "---", ""] if index else []
    lines += [f"% {MARKER}", "", f"# {escape_title(title)}", ""]
    for heading, directive in parts:
        name, *words = directive.split()
        lines += [f"## {escape_title(heading)}", ""] if heading else []
        lines += [f"```{{{name}}} {' '.join(words[:1])}".rstrip()]
        lines += [f":benchmark: {words[1]}"] if words[1:] else [":facts:"] if words else []
        lines += ["```", ""]
    if index:
        lines += ["```{toctree}", ":glob:", ":hidden:", "", "*", "```", ""]
    return "\n".join(lines)


def _ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return MARKER.encode() in file.read(200)
    except OSError:
        return False


def _remove_stale(folder: Path, wanted: set[str], suffixes: list[str]) -> None:
    for suffix in suffixes:
        for path in folder.glob(f"*{suffix}"):
            if path.name not in wanted and _ours(path):
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()
    with contextlib.suppress(OSError):  # not there, or not empty
        folder.rmdir()
