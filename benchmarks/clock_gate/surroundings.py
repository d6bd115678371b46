"""What surrounds a timed run: a pause or the same work before it, the work of others beside it."""

from __future__ import annotations

import time

from perfdocs.measure.arm import Prepared

from .others import Others
from .workload import Chain


class Surrounded(Prepared):
    """An arm whose every timed run follows its problem's pause and load, and has others at work beside it."""

    def __init__(self, problem: Chain) -> None:
        self.problem = problem
        self._others = Others(problem.beside) if problem.beside else None

    def before(self) -> None:
        """Pause, then load; then others begin."""
        if self.problem.pause:
            time.sleep(self.problem.pause)
        begun = time.monotonic()
        while time.monotonic() - begun < self.problem.load:
            self.run()
        if self._others:
            self._others.work()

    def close(self) -> None:
        """End the others."""
        if self._others:
            self._others.close()
