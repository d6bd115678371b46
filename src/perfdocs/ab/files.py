"""The files that a command names: what a later reader needs to know which program ran, without its paths."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from perfdocs.measure.scrub import scrub

from .record import FileFacts, Role

__all__ = ["changed_files", "files_of"]

MOST = 1 << 30
"""Bytes of a file from which on it is not read: an input of that size is told by its name and size."""
DEEPEST = 4  # scripts whose interpreter is a script
FIRST_LINE = 256  # bytes, which is as far as Linux reads


def files_of(words: Sequence[str]) -> tuple[FileFacts, ...]:
    """The program, found as the system finds it; the interpreters of a script; every argument that is a file."""
    found = dict.fromkeys((*_programs(words[0]), *(("argument", path) for word in words[1:] for path in _named(word))))
    return tuple(_facts(role, path) for role, path in found)


def changed_files(words: Sequence[str], before: Sequence[FileFacts]) -> tuple[str, ...]:
    """Names of files that are no longer what they were."""
    now = files_of(words)
    gone = {*before} ^ {*now}
    return tuple(dict.fromkeys(file.name for file in (*before, *now) if file in gone))


def _programs(word: str) -> Iterator[tuple[Role, Path]]:
    """The file that runs, then what its first line says that it is run by."""
    role: Role = "program"
    wanted = [word]
    for _ in range(DEEPEST):
        place = shutil.which(wanted[0])
        if place is None:
            return
        yield role, Path(place)
        role, wanted = "interpreter", _interpreter(Path(place))
        if not wanted:
            return
        if Path(wanted[0]).name == "env":  # which finds the interpreter, and is one itself
            if (place := shutil.which(wanted[0])) is not None:
                yield role, Path(place)
            wanted = [part for part in wanted[1:] if not part.startswith("-") and "=" not in part]
            if not wanted:
                return


def _interpreter(path: Path) -> list[str]:
    """The words after ``#!``, none where the file is no script."""
    with suppress(OSError):
        if not stat.S_ISREG(path.stat().st_mode):  # whoever opens a pipe waits for its other end
            return []
        with path.open("rb") as file:
            line = file.read(FIRST_LINE).partition(b"\n")[0]
        if line.startswith(b"#!"):
            return line[2:].decode(errors="replace").split()
    return []


def _named(word: str) -> Iterator[Path]:
    """The files that a word may name: all of it, or what follows the ``=`` of an option."""
    option, equals, value = word.partition("=")
    for part in (word, value if equals and option.startswith("-") else ""):
        with suppress(OSError, ValueError):
            if part and stat.S_ISREG(Path(part).stat().st_mode):
                yield Path(part)


def _facts(role: Role, path: Path) -> FileFacts:
    name = scrub(path.name, 120)
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            return FileFacts(role=role, name=name, why="not read: no plain file")
        size = found.st_size
        if size > MOST:
            return FileFacts(role=role, name=name, size=size, why="too large to be read")
        digest = sha256()
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    except OSError as error:
        return FileFacts(role=role, name=name, why=f"not read: {(error.strerror or 'an error').lower()}")
    return FileFacts(role=role, name=name, size=size, sha256=digest.hexdigest())
