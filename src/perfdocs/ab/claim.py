"""Who holds the clocks of this machine: one file that a keeper has locked as long as it lives, with a note of its ways.

The system takes the lock off when the keeper ends, however it ends; a note that is there without a lock is that of a
keeper that could not reset what it had locked. There is one file for the machine and not one for each GPU, because
``ncu --clock-control=reset`` resets them all. The folder is ``/tmp``, or that of the variable :data:`VARIABLE`: what
shares it knows of each other, a container with a folder of its own does not.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from .clocks import RefusedError

__all__ = ["KEEPER", "VARIABLE", "Claim", "HeldError", "claim"]

VARIABLE = "PERFDOCS_CLOCKS"
NAME = "perfdocs-clocks"
KEEPER = "perfdocs.ab.keeper"
"""The module of a keeper, by which its process is known."""
MOST = 4096  # bytes of a note


class HeldError(RefusedError):
    """The file is locked, as by a keeper that lives; ``process`` is the id of who started it, where it said so.

    Any user may lock the file. ``holder`` is who has, where that is seen, and ``keeper`` whether it is seen to be one.
    """

    def __init__(self, process: int | None, holder: int | None, *, keeper: bool) -> None:
        self.process, self.holder, self.keeper = process, holder, keeper
        file = "has locked the file of who holds the clocks"
        super().__init__(
            "another comparison of perfdocs holds the clocks of this machine"
            if keeper
            else f"some process, which may be a comparison of perfdocs, {file}"
            if holder is None
            else f"process {holder}, which is no comparison of perfdocs, {file}"
        )


class Claim:
    """The right to lock and reset clocks, until the process ends. ``left``: ways of locks that were left behind."""

    def __init__(self, descriptor: int, left: Iterable[str]) -> None:
        self._descriptor, self._left = descriptor, tuple(left)
        self._write(self._left)

    @property
    def left(self) -> tuple[str, ...]:
        """By which ways clocks were locked here and not reset."""
        return self._left

    def note(self, way: str) -> None:
        """Clocks may be locked by this way from now on. Raises :class:`RefusedError` where that cannot be noted."""
        self._left = tuple(dict.fromkeys((*self._left, way)))
        self._write(self._left)

    def forget(self, *ways: str) -> None:
        """The clocks are as they were, as far as these ways go."""
        self._left = tuple(way for way in self._left if way not in ways)
        self._write(self._left)

    def _write(self, ways: tuple[str, ...]) -> None:
        text = json.dumps({"process": os.getppid(), "boot": _boot(), "ways": ways}).encode()
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text, 0)
        except OSError as error:
            raise _unknown(error) from None


def claim() -> Claim:
    """Claim the clocks for this process, at once.

    Raises :class:`HeldError` where another holds them, :class:`RefusedError` where nobody can tell.
    """
    import fcntl

    path = Path(os.environ.get(VARIABLE) or "/tmp") / NAME  # noqa: S108 - all users have to meet there
    try:
        descriptor = _opened(path)
    except OSError as error:
        raise _unknown(error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise RefusedError("nobody can tell whether the clocks are held: what should be a file is none")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        process, _ = _noted(descriptor)
        holder, keeper = _holder(descriptor)
        raise HeldError(process, holder, keeper=keeper) from None
    except OSError as error:
        raise _unknown(error) from None
    return Claim(descriptor, _noted(descriptor)[1])


def _holder(descriptor: int) -> tuple[int | None, bool]:
    """Who has locked the file, as far as the system tells, and whether it is seen to be a keeper."""
    file = os.fstat(descriptor)
    place = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    with suppress(OSError, ValueError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            _, kind, _, _, process, locked, *_ = [*line.split(), *[""] * 6]
            if kind == "FLOCK" and locked == place and int(process) > 0:
                words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
                return int(process), KEEPER.encode() in words
    return None, False


def _unknown(error: OSError) -> RefusedError:
    return RefusedError(f"nobody can tell whether the clocks are held: {(error.strerror or 'an error').lower()}")


def _opened(path: Path) -> int:
    """The file, made where it is not there; any user may read and write it."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    with suppress(FileNotFoundError):  # to create what another user owns is refused in such a folder
        return os.open(path, flags)
    try:
        made = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:  # another was quicker
        return os.open(path, flags)
    os.fchmod(made, 0o666)
    return made


def _noted(descriptor: int) -> tuple[int | None, tuple[str, ...]]:
    """Who wrote the note, and ways that are locked; none by a note of before the machine was started."""
    try:
        note = json.loads(os.pread(descriptor, MOST, 0) or b"{}")
        process, ways = note.get("process"), note.get("ways", ())
        known = note.get("boot") == _boot() and isinstance(ways, list)
        return process if isinstance(process, int) else None, tuple(map(str, ways)) if known else ()
    except (OSError, ValueError, AttributeError):
        return None, ()


def _boot() -> str | None:
    """What tells one start of the machine from another."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return None
