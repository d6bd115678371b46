"""Files at the edge: read only what may be read, write all or nothing, know a content by its hash."""

from __future__ import annotations

import errno
import os
import stat
from hashlib import sha256
from pathlib import Path

from .errors import PerfdocsError, place

__all__ = ["MAX_BYTES", "digest", "read_bytes", "write_atomic"]

MAX_BYTES = 16 * 1024 * 1024


def read_bytes(path: Path, root: Path, prefix: str = "card") -> bytes:
    """Read a plain file of bounded size that lies inside ``root``, links followed.

    Raises :class:`PerfdocsError` with a code that starts with ``prefix``.
    """
    try:
        lies_there = path.parent == root and stat.S_ISREG(path.lstat().st_mode)  # as nearly all do
        real = path if lies_there else _followed(path, root, prefix)
        with real.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise PerfdocsError(
                f"{prefix}-size",
                place(path),
                f"{real.stat().st_size / 1e6:.0f} MB",
                f"at most {MAX_BYTES / 1e6:.0f} MB",
                "remove the file: it cannot be what its name says",
            )
        return data
    except OSError as error:
        raise PerfdocsError(
            f"{prefix}-unreadable",
            place(path),
            (error.strerror or "an error").lower(),
            "a readable file",
            "check the file and its permissions",
        ) from None
    except RuntimeError:  # Python before 3.13 says so of a loop of links
        raise PerfdocsError(
            f"{prefix}-unreadable", place(path), "a link that leads to itself", "a plain file", "remove the link"
        ) from None


def _followed(path: Path, root: Path, prefix: str) -> Path:
    """The plain file that a path leads to inside ``root``. Raises as above."""
    real = path.resolve(strict=True)
    if not real.is_relative_to(root.resolve()):
        raise PerfdocsError(
            f"{prefix}-outside",
            place(path),
            "a link that leads out of its folder",
            "a plain file",
            "copy the file here instead of linking to it",
        )
    if not real.is_file():
        raise PerfdocsError(
            f"{prefix}-unreadable",
            place(path),
            "a folder" if real.is_dir() else "a device or pipe",
            "a plain file",
            "remove it",
        )
    return real


def write_atomic(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` or leave it as it was; never half of it, also when killed or out of disk.

    A file that was there keeps its permissions. Raises :class:`OSError`, also where there is a device or a pipe.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a plain file", str(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def digest(data: bytes) -> str:
    """Hex sha256, the identity of a file's content everywhere in perfdocs."""
    return sha256(data).hexdigest()
