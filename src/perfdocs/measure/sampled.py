"""The measuring side of the sampler: its process, one question and one answer at a time."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from . import sampler
from .cuda import bus_id
from .edges import Sampler, SamplerError, Watched
from .sampler import Sample, decoded

__all__ = ["SamplerProcess", "open_sampler"]

PATIENCE = 10.0  # s for one answer: the first comes after NVML has started
ENDING = 2.0  # s for it to end by itself


class SamplerProcess:
    """A sampler in a process of its own; one that does not answer in time is ended."""

    def __init__(self, command: Sequence[str], patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process = subprocess.Popen(  # noqa: S603 - our own file, with this interpreter
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def watch(self, what: Watched) -> tuple[Sample, ...]:
        """Say what to watch and return what was sampled before. Raises :class:`SamplerError`."""
        source, sink = self._process.stdin, self._process.stdout
        if source is None or sink is None or source.closed:
            raise SamplerError("the sampler has ended")
        try:
            source.write(f"{what}\n".encode())
            return decoded(self._answer(sink.fileno()))
        except (OSError, ValueError, TypeError) as error:
            self.close()
            raise SamplerError(f"the sampler does not answer ({type(error).__name__})") from None

    def _answer(self, descriptor: int) -> bytes:
        parts: list[bytes] = []
        until = time.monotonic() + self._patience
        while not (parts and parts[-1].endswith(b"\n")):
            if not select.select([descriptor], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError
            data = os.read(descriptor, 1 << 16)
            if not data:
                raise BrokenPipeError
            parts.append(data)
        return b"".join(parts)

    def close(self) -> None:
        """End the process, also one that hangs."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(ENDING)


def open_sampler(gpu: bool) -> Sampler | str:
    """Start the sampler for this process, of the host and, where wanted, of the current CUDA device."""
    if not hasattr(os, "sched_getaffinity"):
        return "this system does not tell which processors a process may use"
    # by its path, so without our packages, and -P, so that no module beside it stands in for one of Python's
    command = [sys.executable, "-P", str(sampler.__file__), "--owner", str(os.getpid())]
    bus = bus_id() if gpu else None
    command += (["--device"] if gpu else []) + (["--bus", bus] if bus else [])
    try:
        started = SamplerProcess(command)
        started.watch("nothing")
    except (OSError, SamplerError) as error:
        return f"the sampler does not start ({type(error).__name__})"
    return started
