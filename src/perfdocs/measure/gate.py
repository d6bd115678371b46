"""The gate before a block: wait until the GPU is cool and idle, within a limit a block and a budget a card."""

from __future__ import annotations

from dataclasses import dataclass

from perfdocs.card import Gate

from .edges import Clock, Nvml

__all__ = ["GateKeeper"]

POLL = 0.1
IDLE = 0.05  # share of the last sampling period


@dataclass(slots=True)
class GateKeeper:
    """Waits, and keeps count of what is left of the budget. Seconds and °C."""

    clock: Clock
    idle_temperature: float
    within: float
    most: float
    budget: float
    spent: float = 0.0

    def wait(self, nvml: Nvml) -> Gate:
        """Wait before one block. Raises :class:`.edges.NvmlError` where NVML stops answering."""
        start = self.clock.monotonic()
        allowed = min(self.most, self.budget - self.spent)
        while True:
            temperature = nvml.temperature()
            ready = temperature <= self.idle_temperature + self.within and nvml.utilisation() <= IDLE
            waited = max(0.0, self.clock.monotonic() - start)
            if ready or waited >= allowed:
                self.spent += waited
                if not ready and allowed < self.most:
                    return Gate(
                        waited=waited,
                        timed_out=True,
                        temperature=temperature,
                        skipped="the card's budget for waiting is spent",
                    )
                return Gate(waited=waited, timed_out=not ready, temperature=temperature)
            self.clock.sleep(POLL)
