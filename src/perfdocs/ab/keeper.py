"""The process that locks the clocks and resets them when its standard input closes, however its parent ends.

``python -m perfdocs.ab.keeper nvml|ncu base|boost [BUS]`` answers with one line of JSON and then waits:
``{"how": …, "clocks": […]}`` once the clocks are locked (hertz, null where only ``ncu`` knows), or ``{"refused": …}``.
``… reset [BUS]`` resets what a keeper left locked and answers ``{"reset": {way: why not}}``, ``{"held": process}``
where one holds the clocks now, ``{"stranger": process}`` where a process that is no keeper has locked its file (null:
one that may be a keeper), and ``{"foreign": true}`` where none is known to have left a lock; ``… force-reset [BUS]``
resets in the last two cases too, but for null. A lock is put on and taken off here, nowhere else, and only by who has
claimed the clocks.
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

from .claim import Claim, HeldError, claim
from .clocks import ClockControl, Mode, RefusedError, StillLockedError, lock_through, open_control, reset_through
from .ncu import NcuHold, program, reset_by_ncu

__all__ = ["FORCED", "LOST", "NCU", "NVML", "RESET"]

NVML, NCU = "NVML", "ncu"
"""Ways to lock and to reset, as they are noted and told."""
RESET, FORCED = "reset", "force-reset"

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
    mine = claim()
    mine.note(NVML)  # before the lock: whoever is killed in between has left one behind
    try:
        locked = lock_through(control, mode)
    except StillLockedError:
        raise
    except RefusedError:
        mine.forget(NVML)
        raise
    try:
        _say(how="NVML", clocks=[clock and clock * 1e6 for clock in locked])
        while not parent.ended():
            pass
    finally:
        failed = _reset(control) is not None
        if not failed:
            mine.forget(NVML)
    return NOT_RESET if failed else 0


def by_ncu(mode: Mode, parent: _Parent) -> int:
    """Let ``ncu`` hold the clocks until the parent ends, or it ends by itself."""
    program()
    mine = claim()
    mine.note(NCU)
    try:
        hold = NcuHold(mode, parent.ended)
    except RefusedError:
        if reset_by_ncu() is None:  # it may have locked before it failed
            mine.forget(NCU)
        raise
    lost = False
    try:
        _say(how=f"ncu --clock-control={mode}", clocks=[None, None])
        while not lost and not parent.ended():
            lost = hold.gone()
    finally:
        failed = hold.close() is not None
        if not failed:
            mine.forget(NCU)
    return NOT_RESET if failed else LOST if lost else 0


def reset(bus: str | None, *, force: bool) -> int:
    """Reset by every way there is what a keeper left locked; with ``force`` also what nobody here is known to have.

    Never what a keeper that lives holds.
    """
    mine: Claim | None = None
    try:
        mine = claim()
    except HeldError as error:
        if error.keeper:
            _say(held=error.process)
            return 0
        if not force or error.holder is None:
            _say(stranger=error.holder)
            return 0
    except RefusedError:
        if not force:
            raise
    if not force and not (mine and mine.left):
        _say(foreign=True)
        return 0
    control = open_control(bus)
    nvml = control if isinstance(control, str) else _reset(control)
    found = {NVML: nvml, NCU: reset_by_ncu()}
    if mine:
        mine.forget(*(way for way, why in found.items() if why is None))
    _say(reset={way: why if why is None else scrub(why) for way, why in found.items()})
    return 0


def main(words: list[str]) -> int:
    """Lock and wait, or reset; the exit code."""
    parent = _Parent()
    way, *rest = words
    try:
        if way in (RESET, FORCED):
            return reset(rest[0] if rest else None, force=way == FORCED)
        mode: Mode = "boost" if rest[0] == "boost" else "base"
        return by_ncu(mode, parent) if way == "ncu" else by_nvml(mode, rest[1] if len(rest) > 1 else None, parent)
    except RefusedError as error:
        _say(refused=scrub(str(error)))
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
