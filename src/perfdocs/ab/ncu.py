"""Clocks held by Nsight Compute, which needs no right to set clocks, only the right to profile.

``ncu`` holds the clocks of its GPU for every process while it profiles one: an idle helper. It resets them when that
ends; one that was killed leaves them locked, so ``ncu --clock-control reset`` follows in any case.
"""

from __future__ import annotations

import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from perfdocs.measure.processes import kill_group, module_command

from .clocks import Mode, RefusedError
from .helper import READY

__all__ = ["NcuHold", "program", "reset_by_ncu"]

ANSWER = 60.0  # s; the first start of a profiler takes several
END = 20.0
POLL = 0.2


def program() -> str:
    """Where ``ncu`` is. Raises :class:`RefusedError` where it is not."""
    found = shutil.which("ncu")
    if found is None:
        raise RefusedError("ncu is not installed")
    return found


class NcuHold:
    """An idle helper under ``ncu``; made, it holds the clocks.

    Raises :class:`RefusedError` where they are not held, or ``ended`` says so before they are.
    """

    def __init__(self, mode: Mode, ended: Callable[[], bool], answer: float = ANSWER) -> None:
        words = [program(), f"--clock-control={mode}", "--cache-control=none", "--metrics=gpu__time_duration.sum"]
        self._process = subprocess.Popen(  # noqa: S603 - the profiler on the user's path, this Python and this package
            [*words, *module_command("perfdocs.ab.helper")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        try:
            self._wait(lines, ended, answer)
        except BaseException:
            self._kill()
            raise

    def _read(self, lines: queue.Queue[str | None]) -> None:
        with suppress(ValueError, OSError):  # closed while it is read
            for line in self._process.stdout or ():
                lines.put(line.strip())
        lines.put(None)

    def _wait(self, lines: queue.Queue[str | None], ended: Callable[[], bool], answer: float) -> None:
        said: list[str] = []
        until = time.monotonic() + answer
        while True:
            try:
                line = lines.get(timeout=POLL)
            except queue.Empty:
                if time.monotonic() > until or ended():
                    raise RefusedError(f"ncu did not hold the clocks within {answer:g} s") from None
                continue
            if line == READY:
                break
            if line is None or "ERR_NVGPUCTRPERM" in line:
                why = (
                    "this user may not profile (ERR_NVGPUCTRPERM)"
                    if line
                    else "; ".join(said[-2:]) or "it said nothing"
                )
                raise RefusedError(f"ncu does not hold the clocks: {why}")
            said.append(line)

    def gone(self) -> bool:
        """Whether ``ncu`` has ended by itself."""
        return self._process.poll() is not None

    def close(self) -> str | None:
        """Let the helper end, then ``ncu``, and reset the clocks; why they are not, or ``None``."""
        with suppress(OSError, subprocess.TimeoutExpired):
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait(END)
        self._kill()
        return reset_by_ncu()

    def _kill(self) -> None:
        """End ``ncu`` with all it started; what has ended may have left others behind."""
        kill_group(self._process)
        self._process.wait()


def reset_by_ncu(tries: int = 3) -> str | None:
    """``ncu --clock-control reset``, again where it fails; why the clocks are not reset, or ``None``."""
    why = ""
    for _ in range(tries):
        try:
            done = subprocess.run(  # noqa: S603 - the profiler on the user's path
                [program(), "--clock-control=reset"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=END,
                check=False,
            )
        except RefusedError as error:
            return str(error)
        except (OSError, subprocess.TimeoutExpired) as error:
            why = f"ncu --clock-control=reset: {type(error).__name__}"
            continue
        if done.returncode == 0:
            return None
        lines = (done.stdout + done.stderr).strip().splitlines()
        why = f"ncu --clock-control=reset: exit code {done.returncode}{': ' + lines[-1] if lines else ''}"
    return why
