"""One build of a site, as a process of its own, and what it took. Standard library only: see :func:`run`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Build", "BuildError", "Run", "build", "environment", "forget", "output", "run"]

_READ = re.compile(r"^reading sources\.\.\. \[ *\d+%\] (\S+)", re.MULTILINE)
_WRITTEN = re.compile(r"^writing output\.\.\. \[ *\d+%\] (\S+)", re.MULTILINE)
_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in byte


class BuildError(Exception):
    """A build did not end well; the message says which and how."""


@dataclass(frozen=True, slots=True)
class Build:
    """Seconds by the clock, seconds of processor time in user mode, peak resident bytes; documents read and written."""

    wall: float
    user: float
    peak: int
    read: tuple[str, ...]
    written: int


def output(project: Path) -> Path:
    """The folder of the pages built from a project."""
    return project.parent / f"{project.name}-html"


def _doctrees(project: Path) -> Path:
    return project.parent / f"{project.name}-doctrees"


def forget(project: Path) -> None:
    """Remove everything that earlier builds left, the sources of the devices' pages that perfdocs wrote included."""
    shutil.rmtree(output(project), ignore_errors=True)
    shutil.rmtree(_doctrees(project), ignore_errors=True)
    for path in (project / "devices").glob("*.rst"):
        path.unlink()


def environment(root: Path) -> dict[str, str]:
    """The environment of every process: modules are compiled once, as for a person; in ``root`` if not beside them."""
    found = dict(os.environ) | {"NO_COLOR": "1"}
    found.pop("FORCE_COLOR", None)  # the log is read line by line
    if found.pop("PYTHONDONTWRITEBYTECODE", ""):
        found["PYTHONPYCACHEPREFIX"] = str(root / "bytecode")
    return found


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds by the clock, of processor time in user mode and in the kernel, peak resident bytes of one process."""

    wall: float
    user: float
    system: float
    peak: int
    said: str
    """What it printed, errors included."""


def run(arguments: Sequence[str], log: Path, root: Path, folder: Path | None = None) -> Run:
    """Run a module of Python, in a folder where one is given, and measure that process and those it waited for.

    Its peak is what the kernel says of the process, and a new process begins with the peak of the one that made it:
    the caller must be smaller than any run. Raises :class:`BuildError`.
    """
    with log.open("wb") as file:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env=environment(root),
            stdout=file,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        try:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall = time.perf_counter() - began
    said = log.read_text(encoding="utf-8", errors="replace")
    if process.returncode != 0:
        raise BuildError(f"{' '.join(arguments[:3])} … ({log.stem}) ended with {process.returncode}:\n{said[-2000:]}")
    return Run(wall, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * _UNIT, said)


def build(project: Path) -> Build:
    """Build a project's pages in one process, warnings being errors, and measure it. Raises :class:`BuildError`."""
    command = ["-m", "sphinx", "-b", "html", "-W", "--keep-going", "--no-color"]
    command += ["-d", str(_doctrees(project)), str(project), str(output(project))]
    found = run(command, project.parent / f"{project.name}.log", project.parent.parent)
    read, written = _READ.findall(found.said), _WRITTEN.findall(found.said)
    return Build(found.wall, found.user, found.peak, tuple(read), len(written))
