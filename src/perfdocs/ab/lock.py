"""The parent's end of a lock: a keeper process that holds the clocks for as long as its pipe is open."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from perfdocs.measure.processes import kill_group, module_command

from .claim import KEEPER
from .clocks import Mode
from .keeper import FORCED, LOST, NCU, NVML, RESET

__all__ = ["Hold", "Locker", "Reset", "ask_reset", "reset_clocks"]

ANSWER = 90.0  # s; longer than a keeper waits for ncu
END = 100.0  # s; a keeper tries its resets again
GRACE = 10.0  # s; for one that has hung already


def _started(words: Sequence[str]) -> subprocess.Popen[str]:
    """A keeper in a session of its own: an interrupt of the terminal is for its parent, which then closes the pipe."""
    return subprocess.Popen(  # noqa: S603 - this Python and this package
        module_command(KEEPER, *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def _line(process: subprocess.Popen[str], seconds: float) -> dict[str, Any] | str:
    """What a keeper says in its next line, or why that is nothing."""
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        with suppress(ValueError, OSError):
            lines.put(process.stdout.readline() if process.stdout else "")

    threading.Thread(target=read, daemon=True).start()
    try:
        line = lines.get(timeout=seconds)
        found = json.loads(line) if line else None
    except queue.Empty:
        return f"no answer within {seconds:g} s"
    except ValueError:
        return "what it answered cannot be read"
    if isinstance(found, dict):
        return found
    with suppress(subprocess.TimeoutExpired):
        return f"it ended (code {process.wait(GRACE)})"
    return "it said nothing"


def _end(process: subprocess.Popen[str]) -> None:
    """End a keeper that has not ended, and close both pipes."""
    if process.poll() is None:
        kill_group(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


@dataclass(frozen=True, slots=True)
class Reset:
    """What became of a reset: why not, by way, ``None`` where the clocks are reset; or why nothing was done.

    ``held``: a comparison holds the clocks now, with its process where that is known. ``locked``: some process has
    locked the file of who holds them, the ``stranger``, which is no comparison, or nobody can tell which. ``foreign``:
    none of perfdocs is known to have left a lock. ``unknown``: nobody can tell.
    """

    ways: Mapping[str, str | None] = field(default_factory=dict)
    held: bool = False
    process: int | None = None
    foreign: bool = False
    locked: bool = False
    stranger: int | None = None
    unknown: str | None = None


def ask_reset(bus: str | None = None, seconds: float = END, *, force: bool = False) -> Reset:
    """Reset by every way there is what was left locked, with ``force`` by whomever. Safe at any time."""
    if os.name != "posix":
        return Reset(foreign=True)
    process = _started([FORCED if force else RESET, *([bus] if bus else [])])
    try:
        found = _line(process, seconds)
    finally:
        _end(process)
    if isinstance(found, str):
        return Reset(dict.fromkeys((NVML, NCU), found))
    ways, held, refused = found.get("reset"), found.get("held"), found.get("refused")
    if isinstance(ways, dict):
        return Reset({str(way): None if why is None else str(why) for way, why in ways.items()})
    if "stranger" in found:
        stranger = found["stranger"]
        return Reset(locked=True, stranger=stranger if isinstance(stranger, int) else None)
    if "held" in found:
        return Reset(held=True, process=held if isinstance(held, int) else None)
    if "foreign" in found:
        return Reset(foreign=True)
    if isinstance(refused, str):
        return Reset(unknown=refused)
    return Reset(dict.fromkeys((NVML, NCU), "what it answered is no answer"))


def reset_clocks(bus: str | None = None, seconds: float = END) -> Mapping[str, str | None]:
    """Reset what this process has locked, whose keeper is gone; why not, by way. Nothing where another holds them."""
    return ask_reset(bus, seconds, force=True).ways


class Hold:
    """Locked clocks, for as long as this is open.

    ``how`` says what holds them, ``clocks`` are SM and memory clock in hertz as far as they are known.
    """

    def __init__(
        self,
        process: subprocess.Popen[str],
        way: str,
        bus: str | None,
        how: str = "",
        clocks: tuple[float | None, float | None] = (None, None),
    ) -> None:
        self._process, self._way, self._bus, self.how, self.clocks = process, way, bus, how, clocks

    def lost(self) -> str | None:
        """Why the clocks are no longer held, or ``None``."""
        code = self._process.poll()
        if code is None:
            return None
        return f"{self.how} ended by itself" if code == LOST else f"the process that kept the clocks ended ({code})"

    def close(self, seconds: float = END) -> bool:
        """Reset the clocks and say whether they are. Where the keeper is gone or hangs, another process resets them."""
        try:
            with suppress(OSError):
                if self._process.stdin is not None:
                    self._process.stdin.close()
            code: int | None = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        _end(self._process)
        if code in (0, LOST):
            return True
        return reset_clocks(self._bus, seconds).get(NCU if self._way == "ncu" else NVML, "not tried") is None


class Locker:
    """Locks through NVML, and where that is refused through ``ncu``."""

    def __init__(self, mode: Mode, bus: str | None = None, answer: float = ANSWER) -> None:
        self._mode, self._bus, self._answer = mode, bus, answer

    def open(self) -> Hold | str:
        """A lock, or why there is none."""
        if os.name != "posix":
            return "clocks are locked on Linux only"
        reasons = []
        for way in ("nvml", "ncu"):
            held = self._try(way)
            if isinstance(held, Hold):
                return held
            reasons.append(held)
        return "; ".join(dict.fromkeys(reasons))

    def _try(self, way: str) -> Hold | str:
        words = [way, self._mode, *([self._bus] if self._bus and way == "nvml" else [])]
        process = _started(words)
        try:
            found = _line(process, self._answer)
        except BaseException:  # an interrupt: the pipe closes and the keeper resets what it may have locked
            Hold(process, way, self._bus).close()
            raise
        if isinstance(found, dict) and isinstance(how := found.get("how"), str):
            sm, memory = found["clocks"]
            return Hold(process, way, self._bus, how, (sm, memory))
        if isinstance(found, dict) and isinstance(why := found.get("refused"), str):
            _end(process)
            return why
        # It hangs or died: nobody knows what it has locked, so its pipe is closed and all is reset.
        restored = Hold(process, way, self._bus).close(GRACE)
        why = found if isinstance(found, str) else "what it answered is no answer"
        return f"{way}: {why}" + ("" if restored else "; the clocks may be locked still")
