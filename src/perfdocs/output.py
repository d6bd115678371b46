"""What becomes of a stream that cannot be written: closed, a full disk, a pipe whose reader has left."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

__all__ = ["give_up", "show"]


def show(text: str) -> OSError | None:
    """Say it on standard output; why that could not be done."""
    try:
        if sys.stdout is None:
            return OSError("it is closed")
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        give_up(sys.stdout)
        return error
    return None


def give_up(stream: TextIO | None) -> None:
    """Nothing more can be said there, and Python must not try when it ends."""
    with suppress(OSError, ValueError):  # it may be no file
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
