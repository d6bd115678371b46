"""Compile C++ for the host and load it with ctypes, once for each source, flag, compiler and processor."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from .arm import Cannot
from .machine import cpu_name

__all__ = ["FLAGS", "INCLUDE", "compiler", "compiler_version", "load"]

FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-shared", "-fPIC", "-fopenmp")
"""Contraction is off because the sources say where a fused multiply-add is meant."""
INCLUDE = Path(__file__).parent / "include"
"""Headers for every benchmark: ``#include <perfdocs/pin.hpp>``."""
INCLUDED = re.compile(rb'^\s*#\s*include\s+"([^"\n]+)"', re.MULTILINE)


def compiler() -> str | None:
    """The path of the host's C++ compiler: ``$CXX``, else ``c++``, ``g++`` or ``clang++``."""
    for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        if name and (found := shutil.which(name)):
            return found
    return None


def compiler_version() -> str | None:
    """First line of the compiler's ``--version``."""
    path = compiler()
    return None if path is None else _version(path)


@cache
def _version(path: str) -> str | None:
    """Asked once in a process: every library that is looked for is named for it."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 - the user's own compiler
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.splitlines()
    return lines[0].strip()[:80] if lines else None


def texts(source: Path, folders: Sequence[Path] = ()) -> Iterator[bytes]:
    """``source`` and every file that it includes by a quoted name, from beside it or from one of ``folders``."""
    waiting, seen = [source.resolve()], set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        text = file.read_bytes()
        yield text
        for name in INCLUDED.findall(text):
            places = [folder / name.decode() for folder in (file.parent, *folders)]
            waiting += [place.resolve() for place in places if place.is_file()][:1]


def load(source: Path, build: Path, flags: Sequence[str] = FLAGS) -> ctypes.CDLL:
    """Compile ``source`` into ``build`` unless that exact library is there, and load it.

    Raises :class:`Cannot` where there is no compiler or it refuses.
    """
    path = compiler()
    if path is None:
        raise Cannot("not_installed", "no C++ compiler is installed")
    key = sha256()
    for part in (*flags, compiler_version() or "", cpu_name() or ""):
        key.update(part.encode() + b"\0")
    folders = [Path(flag.removeprefix("-I")) for flag in flags if flag.startswith("-I")]
    for text in (*texts(source, folders), *(file.read_bytes() for file in sorted(INCLUDE.rglob("*.hpp")))):
        key.update(text + b"\0")
    library = build / f"{source.stem}-{key.hexdigest()[:24]}.so"
    if not library.exists():
        build.mkdir(parents=True, exist_ok=True)
        made = library.with_suffix(f".{os.getpid()}.tmp")
        command = [path, *flags, f"-I{INCLUDE}", "-o", str(made), str(source)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603 - the user's own compiler
            if done.returncode:
                first = next((line for line in done.stderr.splitlines() if "error" in line), "no message")
                raise Cannot("unsupported", f"the C++ compiler refused {source.name}: {first.strip()}")
            made.replace(library)
        except (OSError, subprocess.SubprocessError) as error:
            raise Cannot("unsupported", f"the C++ compiler did not run: {type(error).__name__}") from None
        finally:
            made.unlink(missing_ok=True)
    return ctypes.CDLL(str(library))
