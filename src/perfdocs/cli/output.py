"""What becomes of standard output that cannot be written: closed, a full disk, a pipe whose reader has left."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

__all__ = ["give_up", "show"]


def show(text: str) -> OSError | None:
    """Say it on standard output; why that could not be done."""
    try:
        if sys.stdout is None:
            return OSError("it is closed")
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        give_up()
        return error
    return None


def give_up() -> None:
    """Nothing more can be said on standard output, and Python must not try when it ends."""
    with suppress(OSError, ValueError, AttributeError):  # there may be none
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
