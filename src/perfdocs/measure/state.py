"""From samples and the windows of busy work to the record of a card. Pure."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from perfdocs.card import Spread, State

from .sampler import Sample

__all__ = ["Kind", "Window", "energy_of_a_run", "foreign_load", "state_of"]

Kind = Literal["timed", "ramp", "window", "rotation"]
LEAST_STRETCH = 0.2  # s; the host counts in steps of a hundredth, on every processor
IDLE = 0.05  # utilisation up to this is that of an idle device
ENERGY_WITHIN = 0.2  # an uncertainty above this share is no measurement of energy

HOST = {"foreign_load": ("busy", "own"), "run_queue": ("run_queue",), "cpu_clock": ("cpu_clock",)}
PROCESSOR = HOST | {"energy": ("cpu_energy",)}
DEVICE = {
    "sm_clock": ("sm_clock",),
    "memory_clock": ("memory_clock",),
    "power": ("power",),
    "temperature": ("temperature",),
    "utilisation": ("utilisation",),
    "p_states": ("p_state",),
    "throttle": ("throttle",),
    "foreign_processes": ("foreign_processes",),
    "energy": ("energy",),
}
"""Keys of the record, and the parts of a sample that tell them."""


@dataclass(slots=True)
class Window:
    """A stretch of busy work of one arm, s of the monotonic clock, and how many runs it was."""

    start: float
    end: float = float("inf")
    runs: int = 0


def _number(value: float) -> float:
    """Five significant digits: finer than any counter here."""
    return float(f"{value:.5g}")


def _spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    return Spread(low=_number(min(values)), centre=_number(statistics.median(values)), high=_number(max(values)))


def _told(samples: Iterable[Sample], key: str) -> list[float]:
    return [value for sample in samples if (value := getattr(sample, key)) is not None]


def foreign_load(samples: Sequence[Sample]) -> float | None:
    """Most processors that work which is not ours kept busy, over stretches that are long enough to tell."""
    found = [
        (later.busy - later.own - earlier.busy + earlier.own) / (later.time - earlier.time)
        for earlier, later in pairwise(_stretches(samples))
        if later.own >= earlier.own  # else the time of one of ours that ended is in no count any more
    ]
    return max(0.0, *found) if found else None


class _Stretch(NamedTuple):
    """Where a stretch ends: seconds of the clock, that processors were busy, and that ours ran."""

    time: float
    busy: float
    own: float


def _stretches(samples: Iterable[Sample]) -> list[_Stretch]:
    """Ends of stretches that are long enough, after the begin of the first."""
    ends: list[_Stretch] = []
    for s in samples:
        if s.busy is not None and s.own is not None and (not ends or s.time - ends[-1].time >= LEAST_STRETCH):
            ends.append(_Stretch(s.time, s.busy, s.own))
    return ends


def energy_of_a_run(samples: Sequence[Sample], windows: Sequence[Window], key: str) -> tuple[float, float] | None:
    """Joules of a run and what the counter's step leaves open of them; ``None`` where that is too much.

    The counter moves in steps, and each reading is at most one step late.
    """
    joules = step = runs = 0.0
    for window in windows:
        told = [s for s in _inside(samples, [window]) if getattr(s, key) is not None]
        readings = [float(getattr(s, key)) for s in told]
        if len(told) > 1:
            joules += readings[-1] - readings[0]
            step += max(later - earlier for earlier, later in pairwise(readings))
            runs += window.runs * (told[-1].time - told[0].time) / (window.end - window.start)
    if joules <= 0 or not runs or step > ENERGY_WITHIN * joules:
        return None
    return joules / runs, step / runs


def _inside(samples: Iterable[Sample], windows: Sequence[Window]) -> Iterator[Sample]:
    """Samples that were read as a whole while the work ran."""
    return (s for s in samples if any(w.start <= s.time and (s.end or s.time) <= w.end for w in windows))


def state_of(
    samples: Sequence[Sample],
    windows: Sequence[Window],
    kind: Kind,
    *,
    device: bool,
    foreign_limit: float,
    only_busy: bool = False,
) -> State:
    """The record of one measurement.

    ``samples`` are all that were taken while its block or rotation ran: they tell of the host's load, less our own.
    Clocks and whatever else is of the device come from inside the ``windows`` only; where those hold other work too,
    from samples that tell of a busy device (``only_busy``).
    """
    busy = list(_inside(samples, windows))
    read = [s for s in busy if s.device]
    of_device = [s for s in read if (s.utilisation or 0.0) > IDLE] if only_busy else read
    energy = energy_of_a_run(busy, windows, "energy" if device else "cpu_energy")
    load, utilisation = foreign_load(samples), _told(of_device, "utilisation")
    reasons = Counter(reason for s in of_device for reason in s.throttle or ())
    return State(
        window=kind,
        seconds=_number(sum(w.end - w.start for w in windows)),
        samples=len(of_device if device else busy),
        sm_clock=_spread(_told(of_device, "sm_clock")),
        memory_clock=_spread(_told(of_device, "memory_clock")),
        cpu_clock=_spread(_told(busy, "cpu_clock")),
        power=_spread(_told(of_device, "power")),
        temperature=max(_told(of_device, "temperature"), default=None),
        utilisation=_number(statistics.median(utilisation)) if utilisation else None,
        p_states=tuple(sorted({s.p_state for s in of_device if s.p_state is not None})),
        throttle=tuple(sorted(reasons)),
        throttle_samples=dict(sorted(reasons.items())),
        foreign_processes=_most(read, "foreign_processes"),
        foreign_load=None if load is None else round(load, 2),
        foreign_limit=None if load is None else foreign_limit,
        run_queue=_most(samples, "run_queue"),
        energy=_number(energy[0]) if energy else None,
        energy_error=_number(energy[1]) if energy else None,
        unobserved=(
            *_hidden(samples, HOST if device else PROCESSOR, load),
            *(DEVICE if device and busy and not read else _hidden(read, DEVICE)),  # NVML told nothing at all
        ),
    )


def _most(samples: Iterable[Sample], key: str) -> int | None:
    found = _told(samples, key)
    return int(max(found)) if found else None


def _hidden(samples: Sequence[Sample], parts: Mapping[str, Sequence[str]], load: float | None = None) -> Iterator[str]:
    """Keys that no sample tells, although some were taken; a load also where no stretch was long enough to tell it."""
    for key, needed in parts.items():
        too_short = key == "foreign_load" and load is None
        if samples and (too_short or not all(_told(samples, part) for part in needed)):
            yield key
