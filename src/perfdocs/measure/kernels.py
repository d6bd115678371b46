"""Files of kernels as one text each."""

from __future__ import annotations

import re
from pathlib import Path

from .hostcc import INCLUDE

__all__ = ["inlined"]

INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"\n]+)"|<(perfdocs/[^>\n]+)>)[^\n]*', re.MULTILINE)


def inlined(file: Path) -> str:
    """A file with what it includes as ``"…"`` or as ``<perfdocs/…>`` put in its place, each once.

    One text: a compiler needs no folder, and a cache keyed by the text is never stale.
    """
    seen: set[Path] = set()

    def text(path: Path) -> str:
        seen.add(path)
        whole = path.read_text(encoding="utf-8")
        return INCLUDED.sub(lambda found: put(INCLUDE / found[2] if found[2] else path.parent / found[1]), whole)

    def put(path: Path) -> str:
        return "" if path in seen else text(path).replace("#pragma once", "")

    return text(file)
