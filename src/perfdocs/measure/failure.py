"""How a run fails: the reason a card records for whatever an arm raises, and the end of a run before its card."""

from __future__ import annotations

from .arm import Cannot, Reason, VerificationError
from .room import NO_SPACE, disk_full
from .scrub import scrub

__all__ = ["Stopped", "reason_of"]


class Stopped(Exception):  # noqa: N818 - a stop is not always an error
    """The run ended before its card was whole; the message is one line for the user, ``exit_code`` the process's."""

    def __init__(self, message: str, exit_code: int) -> None:
        self.exit_code = exit_code
        super().__init__(message)


def reason_of(error: BaseException) -> tuple[Reason, str]:
    """The card's kind of reason, and one clean line; for a full disk, which no card records, that of :mod:`.room`."""
    if disk_full(error):
        return "error", NO_SPACE
    if isinstance(error, Cannot):
        return error.kind, scrub(str(error))
    if isinstance(error, VerificationError):
        return "failed_verification", scrub(str(error))
    name = type(error).__name__
    text = str(error)
    if (
        isinstance(error, MemoryError)
        or "OutOfMemory" in name
        or "out of memory" in text.lower()
        or "RESOURCE_EXHAUSTED" in text
    ):
        return "out_of_memory", f"not enough memory ({name})"
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("_perfdocs"):
        return "not_installed", f"{scrub(error.name.partition('.')[0], 60)} is not installed"
    return "error", scrub(f"{name}: {text}")
