"""Folders that go with the process that made them, or, where that was killed, when the next run begins.

A folder in use is locked. The system lets go of the lock however the process ends: a folder whose lock can be had is
nobody's. Where folders cannot be locked, as on Windows and on some network file systems, none is taken for nobody's.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["sweep", "temporary_folder"]


def _lock(folder: Path, *, wait: bool) -> int | None:
    """A handle that holds the folder's lock until it is closed; ``None`` where the lock cannot be had."""
    if fcntl is None:
        return None
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        return None
    return handle


def _unlock(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _make(parent: Path, name: str) -> tuple[Path, int | None]:
    """A new folder and what holds its lock; made again where a sweep took it before it was locked."""
    parent.mkdir(parents=True, exist_ok=True)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
        handle = _lock(folder, wait=True)
        if folder.exists():
            return folder, handle
        _unlock(handle)


@contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """An empty folder in ``parent`` whose name begins with ``name``, gone afterwards."""
    folder, handle = _make(parent, name)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _unlock(handle)


def sweep(parent: Path) -> None:
    """Remove the folders in ``parent`` that processes left behind which are no more."""
    for folder in parent.glob("*"):
        handle = _lock(folder, wait=False) if folder.is_dir() and not folder.is_symlink() else None
        if handle is not None:
            shutil.rmtree(folder, ignore_errors=True)
            _unlock(handle)
