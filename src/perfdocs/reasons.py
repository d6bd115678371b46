"""Why a measurement bears a flag, and at which clock it was observed or why at none: words from its record. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .card import Block, Card, Measurement, Spread
from .conditions import (
    FOREIGN_LOAD,
    THROTTLING,
    clock_moved,
    clock_of_runs,
    contamination,
    read_after_each,
    throttle_reasons,
    unwatched,
)
from .quantity import NBSP, format_value, scale_for

__all__ = ["Observed", "flag_reasons", "observed", "of_series", "spread_text", "unobserved_reasons"]

NO_SAMPLER = "the card is from before clocks were sampled"
APART = "measured in a process of its own, which is not sampled"
FEW = 2
"""Reasons that are told one by one; of more the rest is counted."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The clock that a sampler saw while the work ran, ``of`` the SMs or the processors; without one the ``reason``.

    ``each``: no sampler, but a reading after each run, where a state comes before it.
    """

    clock: Spread | None = None
    of: str = "SM"
    reason: str = ""
    each: bool = False

    @property
    def text(self) -> str:
        """``SM clock 1.98 GHz``, or that it was not observed."""
        after = ", read after each run" if self.each else ""
        return "clock not observed" if self.clock is None else f"{self.of} clock {spread_text(self.clock)}{after}"


def observed(card: Card, m: Measurement) -> Observed | None:
    """The clock while the work ran, or why it was not observed; ``None`` for what was not measured here."""
    if card.origin.kind == "imported":
        return None
    method = card.method
    if method.sample_period is None and method.sampler_reason is None and not _has_state(m):
        return Observed(reason=NO_SAMPLER)
    if m.block is None:
        return Observed(reason=APART)
    state = m.block.state
    if state is None:
        return Observed(reason=method.sampler_reason or "no sampler answered")
    for key, of in (("sm_clock", "SM"), ("cpu_clock", "processor")):
        if (clock := clock_of_runs(m, key)) is not None:
            return Observed(clock, of, each=read_after_each(m, key) is not None)
    if not state.samples:
        return Observed(reason=f"no sample fell into its {format_value(state.seconds, 's')} of work")
    if card.device.kind == "gpu" and "sm_clock" in state.unobserved:
        return Observed(reason="the machine does not tell the SM clock")
    return Observed(reason="the machine does not tell the clock of its processors")


def _has_state(m: Measurement) -> bool:
    return m.block is not None and m.block.state is not None


def unobserved_reasons(card: Card, measurements: Iterable[Measurement]) -> str:
    """Why none of these was observed, most frequent reason first; empty where one was, or none was measured here."""
    found = [observed(card, m) for m in measurements]
    if not found or not all(o is not None and o.clock is None for o in found):
        return ""
    reasons = [reason for reason, _ in Counter(o.reason for o in found if o is not None).most_common()]
    more = len(reasons) - FEW
    return "; ".join([*reasons[:FEW], *([f"and {more} more"] if more > 0 else [])])


def flag_reasons(m: Measurement) -> Mapping[str, str]:
    """By flag what the record tells of its reason, for flags that have one."""
    return {} if m.block is None else dict(_told(m, m.block))


def of_series(members: Iterable[Measurement]) -> Mapping[str, str]:
    """The same for a value of a whole series: at how many of its points, and the reasons there."""
    every = list(members)
    found = [flag_reasons(m) for m in every]
    flags = dict.fromkeys(flag for reasons in found for flag in reasons)
    return {flag: f"at {sum(flag in reasons for reasons in found)} of {len(every)} points" for flag in flags}


def _told(m: Measurement, block: Block) -> Iterator[tuple[str, str]]:
    if reasons := throttle_reasons(block):
        yield "throttled", "; ".join(_throttled(block, reason) for reason in reasons)
    if block.state is not None and (others := contamination(block.state)):
        limit = FOREIGN_LOAD if block.state.foreign_limit is None else block.state.foreign_limit
        yield (
            "contaminated",
            ", ".join(f"{o}, above {limit:g}" if o.startswith("foreign load") else o for o in others),
        )
    if block.repeats and unwatched(block, sampling=True):
        yield "not_watched", f"the try before it was thrown away: {block.repeats[-1]}"
    if (clock := clock_of_runs(m)) is not None and clock_moved(m):
        yield "clock_spread", f"SM clock {spread_text(clock)}"
    if block.gate is not None and block.gate.timed_out:
        yield "gate_timeout", f"waited {format_value(block.gate.waited, 's')}"


def _throttled(block: Block, reason: str) -> str:
    words = THROTTLING.get(reason, reason.replace("_", " "))
    state = block.state
    if state is None or reason not in state.throttle:
        return f"{words}, read after a timed run"
    samples = state.throttle_samples.get(reason)
    if samples is None:
        return f"{words}, in some of {state.samples} samples"
    return f"{words} in {samples} of {state.samples} samples"


def spread_text(clock: Spread) -> str:
    """``1.98 GHz``, or the lowest and the highest."""
    scale = scale_for([clock.centre], "Hz")
    low, high = (f"{end / scale.factor:.4g}" for end in (clock.low, clock.high))
    return f"{low}{NBSP}{scale.unit}" if low == high else f"{low} to {high}{NBSP}{scale.unit}"
