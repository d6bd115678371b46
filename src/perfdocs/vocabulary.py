"""The words of a project: ``words.toml`` in the folder of benchmarks, where the site and the command line both look."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from .errors import PerfdocsError, clean, place
from .files import read_bytes
from .tree import check_tree, convert

__all__ = ["WORDS_FILE", "Vocabulary", "read_vocabulary"]

WORDS_FILE = "words.toml"

Word = Annotated[str, Meta(pattern=r"^[^\W\d_]+(?:[ '’-][^\W\d_]+)*$", max_length=60)]


class Vocabulary(Struct, frozen=True, forbid_unknown_fields=True):
    """What ``words.toml`` may hold. ``comparative``: more words that a strict page may not say without a claim."""

    comparative: tuple[Word, ...] = ()


def read_vocabulary(root: Path) -> Vocabulary:
    """The words of a folder of benchmarks; none where it has no such file. Raises :class:`PerfdocsError`."""
    path = root / WORDS_FILE
    if not os.path.lexists(path):
        return Vocabulary()
    try:
        tree = tomllib.loads(read_bytes(path, root, "words").decode("utf-8").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        found = "entries nested without end" if isinstance(error, RecursionError) else clean(str(error), 120)
        raise PerfdocsError("words-syntax", place(path), found, "TOML in UTF-8", "correct the line") from None

    def where(at: str) -> str:
        return place(path, at)

    check_tree(tree, where, "words")
    return convert(tree, Vocabulary, "$", where, "words")
