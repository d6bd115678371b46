"""The problem as a user states it: state, parameters and stop rule by name, and nothing about how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from perfdocs.measure.launch import Launch
from perfdocs.measure.packages import import_cupy

from .device import REALS
from .policy import arm, pick

STATE, PARAMETERS, STOP = ("x", "v"), ("omega", "zeta"), ("steps",)
END = (*STATE, *STOP)


@lru_cache(maxsize=256)
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
    number of steps of each sample: CuPy arrays of one length, the reals float64 or float32, the steps int64, from 0 to
    2**24; beyond that range the nearer end is taken. Returns ``x``, ``v`` and ``steps``, the steps taken. Raises
    :class:`ValueError` for other names, shapes or types.
    """
    x, v = _planes("state", state, STATE)
    omega, zeta = _planes("parameters", parameters, PARAMETERS)
    (steps,) = _planes("stop", stop, STOP)
    cupy, inputs = import_cupy(), (omega, zeta, x, v, steps)
    if any(not isinstance(plane, cupy.ndarray) for plane in inputs):
        raise ValueError("CuPy arrays expected")
    n, real = x.size, x.dtype
    if (
        real.name not in REALS
        or omega.dtype != real
        or zeta.dtype != real
        or v.dtype != real
        or steps.dtype != np.int64
    ):
        raise ValueError("planes of one real type, float64 or float32, and steps of int64 expected")
    if any(plane.shape != (n,) or not plane.flags.c_contiguous for plane in inputs):
        raise ValueError("contiguous planes of one length expected")
    end = (cupy.empty(n, real), cupy.empty(n, real), cupy.empty(n, np.int64))
    if n:
        _plan(n, x.device.id, real.name)(*inputs, *end)
    return dict(zip(END, end, strict=True))
