"""The sampled state of device and host in a few rows: what was seen, what was not, what was measured again and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..card import Block, Card, Measurement, Spread, State
from ..conditions import clock_of_runs, read_after_each, throttle_reasons
from ..quantity import NBSP, format_percent, format_value, number_text

__all__ = ["state_rows"]

BEFORE = "never: the card is from before there was a sampler, so whether other work ran beside it is unknown too"
SPREADS = (
    ("SM clock, observed", "sm_clock", "Hz"),
    ("memory clock, observed", "memory_clock", "Hz"),
    ("processor clock, observed", "cpu_clock", "Hz"),
    ("power, observed", "power", "W"),
)
WINDOWS = {
    "timed": "in the timed runs",
    "ramp": "in the ramp",
    "window": "in work of its own after the timed runs",
    "rotation": "of the host in the whole rotation",
}


def state_rows(card: Card) -> Iterator[tuple[str, str, bool]]:
    """Name, value, and whether the value is text from the card; one line for cards from before there was a sampler."""
    method = card.method
    if method.sampler_reason:
        yield "sampler", method.sampler_reason, True
    watched = [m for m in card.measurements if m.block is not None and m.block.state is not None]
    blocks = [m.block for m in card.measurements if m.block is not None]
    states = [block.state for block in blocks if block.state is not None and block.state.samples]
    if method.sample_period is None and not states:
        if card.origin.kind != "imported" and not method.sampler_reason:
            yield "state sampled", BEFORE, False
        return
    period = "" if method.sample_period is None else f"each {format_value(method.sample_period, 's')}, "
    yield "state sampled", f"{period}{_windows(states)}", False
    if len(states) < len(blocks):
        yield "state not observed", _of(len(blocks) - len(states), len(blocks)), False
    for label, key, unit in SPREADS:
        if spreads := [s for m in watched if (s := _seen(m, key)) is not None]:
            yield label, _range(spreads, unit), False
    if each := sum(read_after_each(m) is not None for m in watched):
        yield "SM clock read after each run", f"{_of(each, len(blocks))}, where a state comes before it", False
    yield from _extremes(states)
    if hidden := sorted({key for state in states for key in state.unobserved}):
        yield "state not observable here", ", ".join(key.replace("_", " ") for key in hidden), True
    if reasons := Counter(reason for block in blocks for reason in throttle_reasons(block)):
        yield "throttle reasons", _counted(reasons, len(blocks)), True
    yield from _repeated(blocks)


def _seen(m: Measurement, key: str) -> Spread | None:
    """What was seen of a clock or of power in a block that was watched."""
    if key.endswith("_clock"):
        return clock_of_runs(m, key)
    found: Spread | None = getattr(m.block.state, key) if m.block else None
    return found


def _windows(states: Sequence[State]) -> str:
    kinds = Counter[str](state.window for state in states)
    return ", ".join(f"{words} ({kinds[key]})" for key, words in WINDOWS.items() if kinds[key]) or "never"


def _range(spreads: Sequence[Spread], unit: str) -> str:
    low, high = (format_value(end, unit) for end in (min(s.low for s in spreads), max(s.high for s in spreads)))
    return low if low == high else f"{low} to {high}"


def _extremes(states: Sequence[State]) -> Iterator[tuple[str, str, bool]]:
    if p_states := sorted({p for s in states for p in s.p_states}):
        yield "P-states, observed", ", ".join(f"P{p}" for p in p_states), False
    if shares := [s.utilisation for s in states if s.utilisation is not None]:
        yield "utilisation, lowest", format_percent(min(shares)), False
    if temperatures := [s.temperature for s in states if s.temperature is not None]:
        yield "temperature, highest", f"{max(temperatures):g}{NBSP}°C", False
    if loads := [s.foreign_load for s in states if s.foreign_load is not None]:
        yield "foreign load, highest", f"{number_text(max(loads))} processors", False
    if queues := [s.run_queue for s in states if s.run_queue is not None]:
        yield "run queue of the host, longest", str(max(queues)), False
    if processes := [s.foreign_processes for s in states if s.foreign_processes is not None]:
        yield "foreign processes on the device, most", str(max(processes)), False


def _of(count: int, whole: int) -> str:
    return f"{count} of {whole} measurements"


def _counted(found: Counter[str], whole: int) -> str:
    return ", ".join(f"{name.replace('_', ' ')} ({_of(count, whole)})" for name, count in sorted(found.items()))


def _repeated(blocks: Sequence[Block]) -> Iterator[tuple[str, str, bool]]:
    again = [block for block in blocks if block.repeats]
    if again:
        why = sorted({reason for block in again for reason in block.repeats})
        more = f" and {len(why) - 3} more" if len(why) > 3 else ""
        yield "measured again", f"{_of(len(again), len(blocks))}: {'; '.join(why[:3])}{more}", True
