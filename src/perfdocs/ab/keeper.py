"""The process that locks the clocks and resets them when its standard input closes, however its parent ends.

``python -m perfdocs.ab.keeper nvml|ncu base|boost [BUS]`` answers with one line of JSON and then waits:
``{"how": …, "clocks": […]}`` once the clocks are locked (hertz, null where only ``ncu`` knows), or ``{"refused": …}``.
``… reset [BUS]`` resets and answers ``{"reset": {way: why not}}``. A lock is put on and taken off here, nowhere else.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from types import FrameType

from perfdocs.measure.scrub import scrub

from .clocks import ClockControl, Mode, RefusedError, lock_through, open_control, reset_through
from .ncu import NcuHold, reset_by_ncu

__all__ = ["LOST"]

NOT_RESET, LOST = 5, 6
"""Exit codes: the clocks may still be locked; what held them ended by itself, and they are reset."""
POLL = 0.2  # s


def _say(**words: object) -> None:
    print(json.dumps(words), flush=True)


class _Parent:
    """Whoever holds the other end of standard input; a signal ends the lock as its closing does."""

    def __init__(self) -> None:
        self._signalled = False
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._signalled = True  # no exception: it could fall between a lock and the place that resets it

    def ended(self) -> bool:
        """Whether to reset; waits a moment."""
        ready, _, _ = select.select([0], [], [], POLL)
        return self._signalled or (bool(ready) and not os.read(0, 4096))


def _reset(control: ClockControl) -> str | None:
    return reset_through(control, pause=lambda: time.sleep(POLL))


def by_nvml(mode: Mode, bus: str | None, parent: _Parent) -> int:
    """Lock through NVML until the parent ends."""
    control = open_control(bus)
    if isinstance(control, str):
        raise RefusedError(control)
    locked = lock_through(control, mode)
    try:
        _say(how="NVML", clocks=[clock and clock * 1e6 for clock in locked])
        while not parent.ended():
            pass
    finally:
        failed = _reset(control) is not None
    return NOT_RESET if failed else 0


def by_ncu(mode: Mode, parent: _Parent) -> int:
    """Let ``ncu`` hold the clocks until the parent ends, or it ends by itself."""
    try:
        hold = NcuHold(mode, parent.ended)
    except RefusedError:
        reset_by_ncu()  # it may have locked before it failed
        raise
    lost = False
    try:
        _say(how=f"ncu --clock-control={mode}", clocks=[None, None])
        while not lost and not parent.ended():
            lost = hold.gone()
    finally:
        failed = hold.close() is not None
    return NOT_RESET if failed else LOST if lost else 0


def reset(bus: str | None) -> int:
    """Reset by every way there is."""
    control = open_control(bus)
    nvml = control if isinstance(control, str) else _reset(control)
    _say(reset={way: why if why is None else scrub(why) for way, why in (("NVML", nvml), ("ncu", reset_by_ncu()))})
    return 0


def main(words: list[str]) -> int:
    """Lock and wait, or reset; the exit code."""
    parent = _Parent()
    way, *rest = words
    try:
        if way == "reset":
            return reset(rest[0] if rest else None)
        mode: Mode = "boost" if rest[0] == "boost" else "base"
        return by_ncu(mode, parent) if way == "ncu" else by_nvml(mode, rest[1] if len(rest) > 1 else None, parent)
    except RefusedError as error:
        _say(refused=scrub(str(error)))
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
