"""Facts of a device by the names that expressions have for them: which there are, their units, their values."""

from __future__ import annotations

from functools import cache
from typing import get_args, get_type_hints

from .card import Device
from .peaks import PEAKS, peak
from .verdict import Missing, Value

__all__ = ["FACT_UNITS", "device_fact", "known_facts"]

FACT_UNITS = {
    "max_clock": "Hz",
    "max_memory_clock": "Hz",
    "memory": "byte",
    "memory_bus_width": "bit",
    "l2_cache": "byte",
    "l3_cache": "byte",
    "power_limit": "W",
    **{f"peak.{key}": unit for key, unit in PEAKS.items()},
}
"""Units of facts, by their names without ``device.``; the others are plain numbers."""


@cache
def known_facts() -> tuple[str, ...]:
    """What a device's facts are called in expressions, without ``device.``."""
    kinds = get_type_hints(Device)
    numbers = [key for key, kind in kinds.items() if {int, float} & {*get_args(kind)}]
    return (*numbers, *(f"peak.{key}" for key in PEAKS))


def device_fact(device: Device, name: str) -> Value:
    """``device.sm_count``, ``device.peak.fp64`` … as an exact value. Raises :class:`Missing`."""
    fact = name.removeprefix("device.")
    if fact.startswith("peak."):
        found = peak(device, fact.removeprefix("peak."))
        if found is None:
            raise Missing(f"the facts of this device do not give {fact}")
        return Value.exact(found.rate)
    value = getattr(device, fact, None)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise Missing(f"{fact} is not known for this device")
    return Value.exact(float(value))
