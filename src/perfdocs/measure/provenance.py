"""Where the numbers come from: hashes of the sources, the commit, versions of what was used."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from perfdocs.card import Source
from perfdocs.files import digest

from .edges import GpuFacts
from .hostcc import compiler_version
from .scrub import scrub
from .trace import profiler_version

__all__ = ["software", "source"]

WORDS = {".toml", ".md"}
"""What lies beside the sources and computes nothing."""
PACKAGES = {
    "numpy": ("numpy",),
    "numba": ("numba",),
    "cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy"),
    "jax": ("jax",),
    "torch": ("torch",),
    "cuda-bindings": ("cuda-bindings",),
    "nvidia-ml-py": ("nvidia-ml-py",),
    "numba-cuda": ("numba-cuda",),
    "triton": ("triton",),
    "warp": ("warp-lang",),
    "nvbench": ("cuda-bench",),
}


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    try:
        command = [git, "-C", str(folder), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)  # noqa: S603 - git
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def source(folder: Path, arms: Iterable[str], known: str | None = None) -> Source:
    """sha256 of every source file of the benchmark that computes, and of the arms in question.

    The definition is not among them: its words may change without changing what was measured.

    ``known`` is the commit where there is no repository to ask; what is dirty is then unknown.
    """
    chosen = {folder / "arms" / f"{arm}.py" for arm in arms}
    files = [p for p in folder.iterdir() if p.is_file() and not p.name.startswith(".") and p.suffix not in WORDS]
    files += [p for p in chosen if p.is_file()]
    hashes = {p.relative_to(folder).as_posix(): digest(p.read_bytes()) for p in sorted(files)}
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None and known:
        return Source(files=hashes, commit=known)
    changes = ("status", "--porcelain", "--untracked-files=normal", "--", ".", ":(exclude)cards", ":(exclude)repeats")
    dirty = _git(folder, *changes) if commit else None
    return Source(
        files=hashes,
        commit=commit if commit and re.fullmatch("[0-9a-f]{7,64}", commit) else None,
        dirty=None if dirty is None else bool(dirty),
    )


def software(
    gpu: GpuFacts | None, traced: bool = False, programs: Callable[[], Mapping[str, str]] = dict
) -> dict[str, str]:
    """Versions of what can shape a number, by name; with ``traced`` that of the profiler.

    ``programs`` is what the workload tells of programs that its arms run; what it raises leaves them out.
    """
    versions = {"python": platform.python_version()}
    for name, candidates in PACKAGES.items():
        for package in candidates:
            try:
                versions[name] = metadata.version(package)[:80]
            except metadata.PackageNotFoundError:
                continue
            break
    try:
        versions["perfdocs"] = metadata.version("perfdocs")
    except metadata.PackageNotFoundError:
        from perfdocs import __version__

        versions["perfdocs"] = __version__
    if found := compiler_version():
        versions["c++"] = re.sub(r"\s+", " ", found)
    if gpu is not None:
        if gpu.runtime:
            versions["cuda-runtime"] = gpu.runtime
        if gpu.driver:
            versions["cuda-driver"] = gpu.driver
        if traced and (profiler := profiler_version()):
            versions["profiler"] = profiler
    with suppress(Exception):
        versions |= {name: scrub(version, 80) for name, version in programs().items()}
    return dict(sorted(versions.items()))
