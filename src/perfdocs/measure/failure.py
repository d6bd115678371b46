"""Turn whatever an arm raises into the reason a card records."""

from __future__ import annotations

from .arm import Cannot, Reason, VerificationError
from .scrub import scrub

__all__ = ["reason_of"]


def reason_of(error: BaseException) -> tuple[Reason, str]:
    """The card's kind of reason, and one clean line."""
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
