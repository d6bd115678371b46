"""Words between the host's memory and the device's: by the copy engines, or by a kernel that uses the host's memory."""

from __future__ import annotations

from threading import Thread
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared

from ..device import BATCH, THREADS, DeviceArm, fill, memory_kernel, pinned, room
from ..problems import FLOAT, Moved, Transfer, stretches

BLOCKS = 4  # an SM
VECTOR = 4  # words
DIRECTIONS = {"up": ("up",), "down": ("down",), "both": ("up", "down")}


class Transfers(DeviceArm):
    """Memory on both sides; a subclass moves words of it.

    ``words`` are moved a way; ``given`` and ``got`` are the host's memory, ``sent`` and ``arrived`` the device's.
    """

    def __init__(self, problem: Transfer, context: Context, words: int, *, page_locked: bool) -> None:
        super().__init__(context)
        self.words, self.directions = words, DIRECTIONS[problem.direction]
        whole = room(3 * problem.words)
        self.sent, self.arrived = whole[:words], whole[problem.words :][:words]
        self.given, self.got = (pinned(words, i) if page_locked else np.empty(words, np.uint32) for i in range(2))
        fill(self.sent, FLOAT)
        self.sent.get(out=self.given)
        self.arrived.fill(0)
        self.got[...] = 0

    def result(self) -> Moved:
        """Stretches of what arrived."""
        sides = {"up": self.arrived, "down": self.got}
        return Moved(tuple(stretches(sides[way]) for way in self.directions), self.words)

    def counts(self) -> dict[str, float]:
        """Bytes of both ways."""
        return {"transferred_byte": 4.0 * self.words * len(self.directions)}

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self.sent = self.arrived = self.given = self.got = none


class Copies(Transfers):
    """Copies by the driver. Both ways at once are on streams of their own, those of pageable memory in threads too."""

    def __init__(self, problem: Transfer, context: Context) -> None:
        self._pageable = problem.memory == "pageable"
        super().__init__(problem, context, problem.words, page_locked=not self._pageable)
        self._other = self.cupy.cuda.Stream()

    def _up(self) -> None:
        self.arrived.set(self.given, stream=self.stream)

    def _down(self) -> None:
        self.sent.get(out=self.got, stream=self._other)

    def run(self) -> None:
        """Start every copy, then wait."""
        if self._pageable and len(self.directions) == 2:  # each waits in the driver
            thread = Thread(target=self._up)
            thread.start()
            self._down()
            thread.join()
        else:
            for way in self.directions:
                (self._up if way == "up" else self._down)()
        self.stream.synchronize()


class Mapped(Transfers):
    """The copying kernel, given host memory on one side or on both."""

    def __init__(self, problem: Transfer, context: Context, *, blocks: int = BLOCKS) -> None:
        self._grid = (context.sm_count or 1) * blocks
        round_ = BATCH * THREADS * self._grid  # words
        self._rounds = max(1, problem.words // round_)
        super().__init__(problem, context, self._rounds * round_, page_locked=True)
        self._from = self.sent if problem.direction == "down" else np.uint64(self.given.ctypes.data)
        self._to = self.arrived if problem.direction == "up" else np.uint64(self.got.ctypes.data)
        if problem.direction == "both":
            self.directions = ("down",) * 2  # read there and written there: it arrives once, and moves twice
        self._kernel = memory_kernel("copy", VECTOR)

    def launch(self) -> None:
        """One kernel."""
        arguments = (self._from, self._to, np.uint32(self._rounds))
        self._kernel((self._grid,), (THREADS,), arguments)


def prepare(problem: Transfer, context: Context) -> Prepared:
    """Fill both sides."""
    return (Mapped if problem.memory == "mapped" else Copies)(problem, context)
