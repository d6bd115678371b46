"""One build of a site, as a process of its own, and what it took. Standard library only: see :func:`build`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Build", "BuildError", "build", "environment", "forget", "output"]

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


def build(project: Path) -> Build:
    """Build a project's pages in one process, warnings being errors, and measure that process.

    Its peak is what the kernel says of the process, and a new process begins with the peak of the one that made it:
    the caller must be smaller than any build. Raises :class:`BuildError`.
    """
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "--no-color"]
    command += ["-d", str(_doctrees(project)), str(project), str(output(project))]
    log = project.parent / f"{project.name}.log"
    with log.open("wb") as file:
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=environment(project.parent.parent),
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
        raise BuildError(f"building {project.name} ended with {process.returncode}:\n{said[-2000:]}")
    read, written = _READ.findall(said), _WRITTEN.findall(said)
    return Build(wall, usage.ru_utime, usage.ru_maxrss * _UNIT, tuple(read), len(written))
