"""What makes the conditions of a block bad, by its record: one rule for flags, for measuring it again, and for A/B."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from .card import Block, Measurement, Spread, State
from .verdict import apart

__all__ = [
    "CLOCK_SPREAD",
    "FOREIGN_LOAD",
    "NO_THROTTLING",
    "OWN_DOING",
    "SETTINGS",
    "THROTTLING",
    "clock_moved",
    "clock_of_runs",
    "clocks_apart",
    "contamination",
    "faults",
    "moved",
    "read_after_each",
    "throttle_reasons",
    "unwatched",
]

CLOCK_SPREAD = 0.02
FOREIGN_LOAD = 0.5
"""Processors; half of one is more than what a system does on the side."""
NO_THROTTLING = frozenset({"idle", "gpu_idle"})
"""Words for a device that has nothing to do, in cards from elsewhere: the sampler leaves idleness out. Clocks that
somebody has set are a reason like any other, since the value is not what the device can do."""
THROTTLING: Mapping[str, str] = {
    "application_clocks": "clocks set for applications",
    "power_cap": "power cap",
    "hardware_slowdown": "slowdown by the hardware",
    "sync_boost": "clocks kept in step with those of another device",
    "thermal": "temperature",
    "hardware_thermal": "temperature, by the hardware",
    "power_brake": "power brake",
    "display_clocks": "clocks set for the display",
}
"""The sampler's keys of throttle reasons, in words."""
OWN_DOING = frozenset({"power_cap"})
"""Reasons that are of the arm's own load: it will be so again."""
SETTINGS = frozenset({"application_clocks", "display_clocks", "sync_boost"})
"""Reasons that somebody chose: it will be so again."""


def throttle_reasons(block: Block) -> tuple[str, ...]:
    """Reasons that held the clock down, read after the timed runs or sampled in the block's work."""
    if not block.throttle and (block.state is None or not block.state.throttle):  # as nearly always
        return ()
    found = {*block.throttle, *(block.state.throttle if block.state else ())}
    return tuple(sorted(found - NO_THROTTLING))


def contamination(state: State | None) -> tuple[str, ...]:
    """Other work that ran beside what was watched, in words."""
    if state is None:
        return ()
    found = []
    if state.foreign_processes:
        several = "es" if state.foreign_processes > 1 else ""
        found.append(f"{state.foreign_processes} foreign process{several} on the device")
    limit = FOREIGN_LOAD if state.foreign_limit is None else state.foreign_limit
    if state.foreign_load is not None and state.foreign_load > limit:
        found.append(f"foreign load of {state.foreign_load:g} processors")
    return tuple(found)


def unwatched(block: Block, sampling: bool) -> bool:
    """Whether nobody looked for other work in a block where somebody was to, or in the last try of one.

    ``sampling``: its card is from since there is a sampler, whether or not it answered.
    """
    state = block.state
    looked = state is not None and {state.foreign_load, state.foreign_processes} != {None}
    # of a device of which nothing was told, its host tells too little
    told = state is not None and (state.samples or (looked and "foreign_processes" not in state.unobserved))
    return not told and (sampling or bool(block.repeats))


def read_after_each(m: Measurement, key: str = "sm_clock") -> Spread | None:
    """The clock as it was read after each timed run, where no window of the sampler stands for it.

    So it is of an arm that brings the machine into a state before each run: what is sampled is the same work without
    that state, and its window records no clock. Cards from before that was left out have one of a ramp; in those from
    before NVML was left alone between runs, whose ramps are of curves, the readings stand for nothing.
    """
    block, read = m.block, m.values.get(key)
    state = block.state if block else None
    if block is None or state is None or not state.samples or key in state.unobserved or not isinstance(read, tuple):
        return None
    of_ramp = key != "cpu_clock" and state.window == "ramp" and block.curve is None
    if getattr(state, key) is not None and not of_ramp:
        return None
    return Spread(low=min(read), centre=statistics.median(read), high=max(read))


def clock_of_runs(m: Measurement, key: str = "sm_clock") -> Spread | None:
    """The clock at which the timed runs ran, read after each or sampled while the same work ran; in a block watched."""
    state = m.block.state if m.block else None
    if state is None:
        return None
    seen: Spread | None = getattr(state, key, None)
    return read_after_each(m, key) or seen


def clock_moved(m: Measurement) -> bool:
    """Whether the SM clock of the runs spread over more than the stated share of its middle."""
    clock = clock_of_runs(m)
    return clock is not None and moved(clock)


def moved(clock: Spread) -> bool:
    """Whether a clock spread over more than the stated share of its middle."""
    return clock.high - clock.low > CLOCK_SPREAD * clock.centre


def clocks_apart(a: float | None, b: float | None) -> float | None:
    """One SM clock over another, where they are too far apart to compare seconds; times this, a ratio is of cycles."""
    return a / b if a is not None and b is not None and apart(a, b) > CLOCK_SPREAD else None


def faults(block: Block) -> tuple[str, ...]:
    """What spoils a block and may be otherwise in another try: other work, and throttling that nobody has set."""
    return (*contamination(block.state), *(reason for reason in throttle_reasons(block) if reason not in SETTINGS))
