"""A synthetic GPU for processes of their own: nvidia-ml-py and ncu are stand-ins that fail as they are told to."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from perfdocs.cli import main

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
SIGNALS = (signal.SIGINT, signal.SIGTERM)
PATIENCE = 60.0  # s until a test gives up on what happens in another process


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


def in_this_process(folder: Path, *words: str) -> Done:
    """Run `perfdocs ab` there, over the stand-ins, as if it had a process of its own; that is spared."""
    out, said = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    others = {name: module for name, module in sys.modules.items() if name.partition(".")[0] not in ("cupy", "pynvml")}
    stand_in = [str(HERE / "stand_in")] if "FAKE_GPU" in os.environ else []
    handlers = [signal.getsignal(number) for number in SIGNALS]
    with (
        mock.patch.dict(sys.modules, others, clear=True),
        mock.patch.object(sys, "path", [*stand_in, *sys.path]),
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(said),
    ):
        code = main(["ab", *words], standalone_mode=False)
    assert [signal.getsignal(number) for number in SIGNALS] == handlers
    return Done(code, *(stream.buffer.getvalue().decode() for stream in (out, said)))


@dataclass(frozen=True, slots=True)
class FakeDevice:
    """The folder that both stand-ins read and write."""

    folder: Path

    def fail(self, *faults: str) -> None:
        (self.folder / "faults").write_text(" ".join(faults))

    @property
    def locked(self) -> bool:
        return (self.folder / "locked").exists()

    @property
    def log(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []

    def hung(self) -> bool:
        """Whether a process that hung is there still."""
        path = self.folder / "hung"
        return path.exists() and Path(f"/proc/{path.read_text()}").exists()

    def wait(self, found: Callable[[], bool]) -> None:
        """Until another process has brought something about."""
        until = time.monotonic() + PATIENCE
        while not found():
            assert time.monotonic() < until, self.log
            time.sleep(0.02)

    def wait_reset(self) -> None:
        """Until the clocks are no longer locked."""
        self.wait(lambda: not self.locked)

    def wait_for(self, name: str) -> None:
        """Until there is such a file."""
        self.wait((self.folder / name).exists)


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    """A GPU whose clocks NVML may lock, and ncu; what this machine has of either is never asked."""
    folder = tmp_path / "gpu"
    folder.mkdir()
    monkeypatch.setenv("FAKE_GPU", str(folder))
    monkeypatch.setenv("PERFDOCS_CLOCKS", str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE / "stand_in"), str(SOURCE)]))
    monkeypatch.setenv("PATH", str(HERE / "bin"), prepend=os.pathsep)
    return FakeDevice(folder)
