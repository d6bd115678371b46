"""An arm against itself while the sampler reads: what its readings cost, short work and long."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from perfdocs.ab.order import orders
from perfdocs.ab.statistics import LEAST_ROUNDS
from perfdocs.measure.arm import Cannot, Prepared
from perfdocs.measure.edges import Clock, Sampler, SamplerError, SystemClock, Watched
from perfdocs.measure.protocol import Timer
from perfdocs.measure.sampled import open_sampler

from .gates import told

REGION = 0.12
"""Seconds of a side, back to back: three periods of the sampler, so that every B has some samples in it."""

RAMPED = 4  # regions before the first round: clocks rise within half a second of load


@dataclass(slots=True)
class Sampled(Prepared):
    """Rounds of one arm: A while nothing is read, B while a sampler reads all that it reads of a card.

    They are run where the arm's counts are asked for: there the sampler of the card itself reads nothing. ``device``:
    the GPU is read too.
    """

    arm: Prepared
    device: bool
    start: Callable[[bool], Sampler | str] = open_sampler
    clock: Clock | None = None

    @property
    def on_host(self) -> bool:  # type: ignore[override] # a word of the class where an arm is always the same
        """As its arm."""
        return self.arm.on_host

    def run(self) -> None:
        """The work, once."""
        self.arm.run()

    def result(self) -> Any:
        """Of the work."""
        return self.arm.result()

    def counts(self) -> Mapping[str, float]:
        """What the rounds found, and how many samples were taken. Raises :class:`Cannot` where nothing samples."""
        sampler = self.start(self.device)
        if isinstance(sampler, str):
            raise Cannot("unsupported", sampler)
        try:
            return self._rounds(sampler)
        except SamplerError as error:
            raise Cannot("error", str(error)) from None
        finally:
            sampler.close()

    def _rounds(self, sampler: Sampler) -> Mapping[str, float]:
        timer = Timer(self.clock or SystemClock(), 0.0, REGION)
        runs = timer.inner(min(timer.time(self.arm.run) for _ in range(3)))
        for _ in range(RAMPED):
            timer.time(self.arm.run, runs)
        watched: Watched = "device" if self.device else "host"
        a: list[float] = []
        b: list[float] = []
        samples = of_device = 0
        for order in orders(LEAST_ROUNDS):
            for reads in (side == "B" for side in order):
                sampler.watch(watched if reads else "nothing")
                (b if reads else a).append(timer.time(self.arm.run, runs))
                taken = sampler.watch("nothing")
                samples += len(taken)
                of_device += sum(sample.device for sample in taken)
        if not (of_device if self.device else samples):
            raise Cannot("unsupported", f"the sampler told nothing of the {watched}")
        return {**told(a, b), "samples": float(samples)}

    def close(self) -> None:
        """The arm."""
        self.arm.close()
