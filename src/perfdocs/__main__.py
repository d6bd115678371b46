"""``python -m perfdocs`` and its script: the command line, which an interrupt ends in one line while it is loaded."""

from __future__ import annotations

import gc
import sys

__all__ = ["run"]


def run() -> None:
    """Load the command line, which takes a moment, and run it."""
    try:
        from .cli import main
    except KeyboardInterrupt:
        sys.stderr.write("perfdocs: interrupted\n")
        sys.exit(130)
    try:
        main(prog_name="perfdocs")
    finally:
        gc.freeze()  # or Python looks for cycles among all cards once more, only to leave


if __name__ == "__main__":
    run()
