"""Pascal, by Free Pascal."""

from __future__ import annotations

import shutil
import subprocess

from perfdocs.measure.arm import Cannot, Context, Prepared

from ..host import HERE, ProgramArm
from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile the program."""
    compiler = shutil.which("fpc")
    if compiler is None:
        raise Cannot("not_installed", "Free Pascal (fpc) is not installed")
    context.build.mkdir(parents=True, exist_ok=True)
    made = context.build / "search-pascal"
    command = [compiler, "-O3", f"-FU{context.build}", f"-o{made}", str(HERE / "search.pas")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - the user's own compiler
    if done.returncode:
        raise Cannot("unsupported", "Free Pascal refused search.pas")
    return ProgramArm(problem, [str(made)])
