"""A policy picks the arm from the size of the batch and the device; which one it picked is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perfdocs.measure.arm import Context, Prepared

from ..device import import_cupy
from ..policy import arm, pick
from ..workload import Problem


class Arm(Prepared):
    """The arm picked, under this one's name."""

    def __init__(self, problem: Problem, context: Context) -> None:
        import_cupy()
        self.picked = pick(problem.n, context.sm_count or 1)
        self._arm: Prepared = arm(self.picked).prepare(problem, context)
        self.run, self.end_to_end = self._arm.run, self._arm.end_to_end  # type: ignore[method-assign] # nothing between

    def result(self) -> Any:
        """The picked arm's."""
        return self._arm.result()

    def counts(self) -> Mapping[str, float]:
        """The picked arm's."""
        return self._arm.counts()

    def choices(self) -> Mapping[str, str]:
        """The picked arm's name."""
        return {"picked": self.picked}

    def device_memory(self) -> int | None:
        """The picked arm's."""
        return self._arm.device_memory()

    def close(self) -> None:
        """The picked arm's."""
        self._arm.close()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Pick, and prepare what was picked."""
    return Arm(problem, context)
