"""The problem as a user states it: state, parameters and stop rule by name, and nothing about how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from .device import Launch, import_cupy
from .policy import arm, pick

STATE, PARAMETERS, STOP = ("x", "v"), ("omega", "zeta"), ("steps",)


@cache
def _plan(n: int, device: int, real: str) -> Launch:
    cupy = import_cupy()
    sm_count = int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])
    plan: Launch = arm(pick(n, sm_count)).plan(n, sm_count, real)
    return plan


def _planes(what: str, given: Mapping[str, Any], names: tuple[str, ...]) -> list[Any]:
    if set(given) != set(names):
        raise ValueError(f"{what}: {', '.join(sorted(given)) or 'nothing'} given, {', '.join(names)} expected")
    return [given[name] for name in names]


def simulate(state: Mapping[str, Any], parameters: Mapping[str, Any], stop: Mapping[str, Any]) -> dict[str, Any]:
    """Integrate a batch of damped oscillators on the current stream; return the state at each sample's end.

    ``state`` holds ``x`` (m) and ``v`` (m/s), ``parameters`` ``omega`` (1/s) and ``zeta``, ``stop`` ``steps``, the
    number of steps of each sample: CuPy arrays of one length, the reals float64 or float32, the steps int64. Returns
    ``x``, ``v`` and ``steps``, the steps taken. Raises :class:`ValueError` for other names, shapes or types.
    """
    x, v = _planes("state", state, STATE)
    omega, zeta = _planes("parameters", parameters, PARAMETERS)
    (steps,) = _planes("stop", stop, STOP)
    n, real = x.size, x.dtype.name
    reals = (omega, zeta, x, v)
    if real not in ("float64", "float32") or any(plane.dtype != x.dtype for plane in reals) or steps.dtype != np.int64:
        raise ValueError("planes of one real type, float64 or float32, and steps of int64 expected")
    if any(plane.shape != (n,) or not plane.flags.c_contiguous for plane in (*reals, steps)):
        raise ValueError("contiguous planes of one length expected")
    out = {"x": import_cupy().empty_like(x), "v": import_cupy().empty_like(v), "steps": import_cupy().empty_like(steps)}
    if n:
        _plan(n, x.device.id, real)((omega, zeta, x, v, steps), tuple(out.values()))
    return out
