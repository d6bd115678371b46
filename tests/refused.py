"""A file system that takes no file, for tests that may run as a user who may write anywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

__all__ = ["refuse_writing"]


def refuse_writing(monkeypatch: pytest.MonkeyPatch, code: int, name: str = "", after: int = 0) -> None:
    """From the so-manieth on, no file is written whose name has ``name`` in it; ``code`` is the error's number."""
    real, opened = Path.open, [0]

    def refused(path: Path, mode: str = "r", *of: Any, **more: Any) -> Any:
        if "w" in mode and path.suffix == ".tmp" and name in path.name:
            opened[0] += 1
            if opened[0] > after:
                raise OSError(code, os.strerror(code), str(path))
        return real(path, mode, *of, **more)

    monkeypatch.setattr(Path, "open", refused)
