"""Where everything is written, and programs of this folder that run in processes of their own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .builds import BuildError, environment

__all__ = ["program", "workplace"]


def program(root: Path, module: str, *arguments: str) -> str:
    """What a module of this folder prints, run in a process of its own. Raises :class:`BuildError`."""
    command = [sys.executable, "-m", f"{__package__}.{module}", *arguments]
    done = subprocess.run(command, env=environment(root), capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(done.stderr.strip()[-2000:])
    return done.stdout


@contextmanager
def workplace(kept: Path | None) -> Iterator[Path]:
    """A folder for everything: the one given, which stays, or a temporary one."""
    if kept is not None:
        kept.mkdir(parents=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="perfdocs-cost-") as folder:
        yield Path(folder).resolve()
