"""An arm that runs another one, which a policy picked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .arm import Prepared

__all__ = ["Picked"]


class Picked(Prepared):
    """The arm ``name``, made ready, under this one's name; which it was is recorded as the choice ``picked``."""

    def __init__(self, name: str, arm: Prepared) -> None:
        self.picked, self._arm = name, arm
        self.run, self.end_to_end = arm.run, arm.end_to_end  # type: ignore[method-assign] # nothing between
        self.on_host = arm.on_host

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

    def least_kernels(self) -> int | None:
        """The picked arm's."""
        return self._arm.least_kernels()

    def close(self) -> None:
        """The picked arm's."""
        self._arm.close()
