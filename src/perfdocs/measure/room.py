"""A full disk: known by what an error says, or by how little is left where an arm failed; never a card's reason."""

from __future__ import annotations

import errno
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .arm import Reason

__all__ = ["NO_SPACE", "disk_full", "refuse_full", "says_full"]

NO_SPACE = "no space left on the disk"
LEAST = 16 * 2**20  # byte; with less, a compiler that failed may have failed for that
EXPLAINED: tuple[Reason, ...] = ("error", "unsupported")
"""Reasons that a full disk may be behind."""
CODES = (errno.ENOSPC, errno.EDQUOT)
WORDS = re.compile("no space left|disk quota exceeded", re.IGNORECASE)


def says_full(text: str) -> bool:
    """Whether a message tells of a full disk."""
    return WORDS.search(text) is not None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that it was raised for."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        yield error
        seen.append(error)
        error = error.__cause__ or error.__context__


def disk_full(error: BaseException) -> bool:
    """Whether an error, or one that it was raised for, tells of a full disk."""
    return any((isinstance(e, OSError) and e.errno in CODES) or says_full(str(e)) for e in _chain(error))


def _little_left(folder: Path) -> bool:
    """Whether hardly anything can be written to ``folder``, which may be yet to be made."""
    there = next(place for place in (folder.resolve(), *folder.resolve().parents) if place.exists())
    return shutil.disk_usage(there).free < LEAST


def refuse_full(kind: Reason, reason: str, build: Path) -> None:
    """Raise the :class:`OSError` of a full disk where that is, or may be, why an arm failed.

    ``build`` is the folder of what is compiled; a compiler writes to the one of temporary files as well, and often
    does not say why it failed.
    """
    little = kind in EXPLAINED and any(map(_little_left, (build, Path(tempfile.gettempdir()))))
    if little or says_full(reason):
        raise OSError(errno.ENOSPC, NO_SPACE)
