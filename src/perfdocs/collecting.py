"""Python's search for cycles of objects, put off while many objects are made that all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["put_off"]


@contextmanager
def put_off() -> Iterator[None]:
    """Without searching: it looks at every object again and again while their number grows, and finds nothing.

    Nor does the first search after it look at what was made: that is among the old objects then.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.freeze()
            gc.unfreeze()  # puts all that was frozen among the oldest
            gc.enable()
