"""What comes before a timed run: a pause, or the same work for a while."""

from __future__ import annotations

import time

from perfdocs.measure.arm import Prepared

from .workload import Chain


class AfterState(Prepared):
    """An arm whose every timed run follows its problem's pause and load."""

    def __init__(self, problem: Chain) -> None:
        self.problem = problem

    def before(self) -> None:
        """Pause, then load."""
        if self.problem.pause:
            time.sleep(self.problem.pause)
        begun = time.monotonic()
        while time.monotonic() - begun < self.problem.load:
            self.run()
