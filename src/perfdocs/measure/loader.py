"""Import a benchmark's own modules, each benchmark in a package namespace of its own; ``sys.path`` is left alone."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import cast

from perfdocs.card import KEY_PATTERN
from perfdocs.errors import PerfdocsError, clean, place

from .arm import ArmModule, Point, Workload

__all__ = ["PACKAGE_PREFIX", "arm_path", "beyond_limits", "load_arm", "load_workload"]


PACKAGE_PREFIX = "_perfdocs_"
"""Names of the packages that stand for folders begin so."""


def _package(folder: Path) -> str:
    """Name of the package that stands for ``folder``; two folders never share one."""
    real = folder.resolve()
    readable = re.sub("[^a-z0-9]", "_", real.name.lower())
    name = f"{PACKAGE_PREFIX}{readable}_{sha256(str(real).encode()).hexdigest()[:12]}"
    if name not in sys.modules:
        package = ModuleType(name, f"The benchmark {real.name}.")
        package.__path__ = [str(real)]
        package.__spec__ = importlib.util.spec_from_loader(name, None, is_package=True)
        sys.modules[name] = package
    return name


def _import(folder: Path, module: str, path: Path) -> ModuleType:
    name = f"{_package(folder)}.{module}"
    try:
        return importlib.import_module(name)
    except SyntaxError as error:
        raise PerfdocsError(
            "benchmark-syntax", place(path, f"line {error.lineno}"), clean(error.msg), "Python", "correct the line"
        ) from None


def load_workload(folder: Path) -> Workload:
    """The module ``workload.py`` of a benchmark. Raises :class:`PerfdocsError` where it is absent or incomplete."""
    path = folder / "workload.py"
    if not path.is_file():
        raise PerfdocsError(
            "benchmark-workload",
            place(path),
            "nothing",
            "the benchmark's workload",
            "write it, or name a benchmark's folder",
        )
    module = _import(folder, "workload", path)
    for name in ("tasks", "problem", "reference", "verify", "counts", "work"):
        if not callable(getattr(module, name, None)):
            raise PerfdocsError(
                "benchmark-workload",
                place(path),
                f"no function {name}",
                "the functions of a workload",
                "add it: see perfdocs.measure.arm.Workload",
            )
    return cast("Workload", module)


def arm_path(folder: Path, arm: str) -> Path:
    """The one file of an arm."""
    return folder / "arms" / f"{arm}.py"


def load_arm(folder: Path, arm: str) -> ArmModule:
    """The module of an arm. Raises whatever its import raises, :class:`PerfdocsError` where it has no file."""
    path = arm_path(folder, arm)
    if not re.fullmatch(KEY_PATTERN, arm) or not path.is_file():
        raise PerfdocsError(
            "benchmark-arm",
            place(path),
            "nothing",
            f'the code of the arm "{clean(arm, 64)}"',
            "write it, or remove the arm from benchmark.toml",
        )
    return cast("ArmModule", _import(folder, f"arms.{arm}", path))


def beyond_limits(module: ArmModule, at: Point) -> str | None:
    """Why the arm cannot run at the point, by what it says itself; ``None`` where it can. Raises what that raises."""
    limits = getattr(module, "limits", None)
    return limits(at) if limits is not None else None
