"""Make a message from an arm fit for a card: no paths, names of machines or users, addresses or control characters."""

from __future__ import annotations

import getpass
import platform
import re
from contextlib import suppress

__all__ = ["scrub"]

_PATTERNS = (
    (re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE), "an address"),
    (re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"), "an identifier"),
    (re.compile(r"\b0x[0-9a-fA-F]{6,}\b"), "an address"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"), "an address"),
    (re.compile(r"\b[A-Za-z]:\\[^\s'\"]*[\\/]?"), "a path"),
    (re.compile(r"(?<![\w.])~?(?:/[\w.+@-]+){2,}/?"), "a path"),
    (re.compile(r"(?<![\w.])/(?:home|root|Users|tmp|usr|var|opt|mnt|work|etc)\b\S*"), "a path"),
)


def _private() -> list[str]:
    names = [platform.node()]
    with suppress(OSError, KeyError, ImportError):
        names.append(getpass.getuser())
    return [name for name in names if len(name) > 2 and name not in ("localhost", "root")]


def scrub(text: str, limit: int = 300) -> str:
    """One line of at most ``limit`` characters without what identifies a machine or a person."""
    line = next((part for part in text.splitlines() if part.strip()), "")
    for pattern, word in _PATTERNS:
        line = pattern.sub(word, line)
    for name in _private():
        line = re.sub(rf"\b{re.escape(name)}\b", "this machine", line, flags=re.IGNORECASE)
    line = "".join(c if c.isprintable() else " " for c in line)
    line = re.sub(r"\s+", " ", line).strip() or "no message"
    return line if len(line) <= limit else line[: limit - 1] + "…"
