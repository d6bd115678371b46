"""The problem as a user states it: state, parameters and stop rule by name, and nothing about how it is run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from perfdocs.measure.launch import Launch
from perfdocs.measure.packages import import_cupy

from .policy import arm, pick

STATE, PARAMETERS, STOP = ("place", "speed"), ("mu", "tolerance"), ("time",)


@lru_cache(maxsize=64)
def _plan(n: int, device: int, stream: int, mu: float, tolerance: float, time: float) -> Launch:  # noqa: ARG001 - a plan a stream: its launches share a queue
    cupy = import_cupy()
    sm_count = int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])
    defines = (f"RK78_MU={mu!r}", f"RK78_TOLERANCE={tolerance!r}", f"RK78_END={time!r}")
    plan: Launch = arm(pick(n, sm_count)).plan(n, sm_count, *defines)
    return plan


def _named(what: str, given: Mapping[str, Any], names: tuple[str, ...]) -> list[Any]:
    if set(given) != set(names):
        raise ValueError(f"{what}: {', '.join(sorted(given)) or 'nothing'} given, {', '.join(names)} expected")
    return [given[name] for name in names]


def _positive(name: str, value: Any) -> float:
    if not isinstance(value, (int, float, np.floating, np.integer)) or not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name}: {value!r} given, a positive number expected")
    return float(value)


def simulate(state: Mapping[str, Any], parameters: Mapping[str, float], stop: Mapping[str, float]) -> dict[str, Any]:
    """Integrate a batch of orbits around one centre on the current stream; return the state at the end.

    ``state`` holds ``place`` and ``speed``, CuPy arrays (3, n) of float64; ``parameters`` ``mu``, the strength of the
    pull, and ``tolerance``, relative and absolute; ``stop`` ``time``, in the units of the state. Returns ``place`` and
    ``speed`` (3, n), ``time`` (n,), less than asked for where an orbit ran out of attempts, and the steps ``accepted``
    and ``rejected`` (n,). Raises :class:`ValueError` for other names, shapes, types or numbers.

    The numbers become constants of the kernel: each set of them is compiled once, at its first call.
    """
    place, speed = _named("state", state, STATE)
    mu, tolerance = (
        _positive(*pair) for pair in zip(PARAMETERS, _named("parameters", parameters, PARAMETERS), strict=True)
    )
    time = _positive("time", *_named("stop", stop, STOP))
    cupy = import_cupy()
    if any(not isinstance(plane, cupy.ndarray) for plane in (place, speed)):
        raise ValueError("state: CuPy arrays expected")
    if any(
        plane.ndim != 2 or plane.shape != (3, place.shape[-1]) or plane.dtype != np.float64 for plane in (place, speed)
    ):
        raise ValueError("state: place and speed of shape (3, n) and float64 expected")
    n = place.shape[1]
    start = cupy.concatenate((place, speed))
    end = cupy.empty((7, n))
    accepted, rejected = cupy.empty(n, dtype=np.int32), cupy.empty(n, dtype=np.int32)
    if n:
        stream = cupy.cuda.get_current_stream().ptr
        _plan(n, place.device.id, stream, mu, tolerance, time)(start, end, accepted, rejected)
    return {"place": end[:3], "speed": end[3:6], "time": end[6], "accepted": accepted, "rejected": rejected}
