"""Files beside the pages: figures, downloads, and no remains of devices that are gone."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import write_atomic

if TYPE_CHECKING:
    from sphinx.builders import Builder

__all__ = ["File", "Written", "read_written", "remove_pages", "sync", "tidy_search_index", "write_written"]


@dataclass(frozen=True, slots=True)
class File:
    """A file to be in the output: a digest of what makes it, and its content when asked."""

    digest: str
    content: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Written:
    """What the last build of a builder wrote.

    ``pages``: document and title of each device's page; ``documents``: a digest of what each document depended on;
    ``files``: a digest of each file in our folder; ``made``: a digest of each page that is no
    document.
    """

    pages: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)


PARTS = ("pages", "documents", "files", "made")


def _written_file(builder: Builder) -> Path:
    # Builders may share a folder of doctrees; each output folder has a record of its own.
    place = sha256(str(builder.outdir).encode()).hexdigest()[:12]
    return Path(builder.doctreedir) / f"perfdocs-{builder.name}-{place}.json"


def read_written(builder: Builder) -> Written:
    """What the last build wrote; nothing where that is not known."""
    try:
        data = json.loads(_written_file(builder).read_bytes())
        parts = [{str(k): str(v) for k, v in data[part].items()} for part in PARTS]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Written()
    return Written(*parts)


def write_written(builder: Builder, written: Written) -> None:
    """Record what this build wrote."""
    data = {part: dict(getattr(written, part)) for part in PARTS}
    write_atomic(_written_file(builder), json.dumps(data).encode())


def sync(folder: Path, files: Mapping[str, File], known: Mapping[str, str]) -> dict[str, str]:
    """Make ``folder`` hold exactly these files (path within it → file); return their digests.

    ``known``: digests of the files that the last build left; where one is the same, the file is left alone.
    """
    for name, file in files.items():
        target = folder / name
        if known.get(name) != file.digest or not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content())
    wanted = {folder / name for name in files}
    for path in sorted(folder.rglob("*"), reverse=True) if folder.is_dir() else ():
        if path.is_dir():
            with contextlib.suppress(OSError):  # not empty
                path.rmdir()
        elif path not in wanted:
            path.unlink()
    if not files:
        with contextlib.suppress(OSError):  # not there
            folder.rmdir()
    return {name: file.digest for name, file in files.items()}


def tidy_search_index(path: Path) -> None:
    """Drop words that no page has any more: Sphinx keeps them, with an empty list of pages, when a page goes."""
    if not path.is_file():
        return
    text = path.read_text(encoding="utf-8")
    head, tail = "Search.setIndex(", ")"
    if ":[]" not in text or not text.startswith(head):
        return
    index = json.loads(text[len(head) : -len(tail)])
    if _search_text(index) != text[len(head) : -len(tail)]:  # written in a way not known here
        return
    for part in ("terms", "titleterms"):
        index[part] = {word: pages for word, pages in index[part].items() if pages != []}
    path.write_text(head + _search_text(index) + tail, encoding="utf-8")


def _search_text(index: object) -> str:
    return json.dumps(index, separators=(",", ":"), sort_keys=True)


def remove_pages(builder: Builder, docnames: Iterable[str]) -> None:
    """Remove what earlier builds wrote for documents that are gone."""
    out, suffix = Path(builder.outdir), str(getattr(builder, "out_suffix", ""))
    for docname in docnames:
        stale = [out / f"{docname}{suffix}"] if suffix else []
        if builder.name == "dirhtml":
            stale = [out / docname / f"index{suffix}"]
        stale += (out / "_sources").glob(f"{docname}.*")
        stale += [Path(builder.doctreedir) / f"{docname}.doctree"]
        for path in stale:
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # not empty
                path.parent.rmdir()
                path.parent.parent.rmdir()
