"""What the NumPy arms share: a masked step as array expressions into buffers made once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .workload import STEP

Array = npt.NDArray[Any]

# Planes read and written by the array expressions of one step, 8 byte an element each, and 5 boolean ones.
BYTE_A_STEP = 8 * 106 + 5


class MaskedStep:
    """The step of up to ``n`` samples, in place."""

    def __init__(self, n: int) -> None:
        self._buffers: list[Array] = [np.empty(n) for _ in range(9)]

    def __call__(self, c: Array, k: Array, x: Array, v: Array, running: Array) -> None:
        """Advance the running samples. ``c`` is -2 zeta omega, ``k`` -omega^2; all planes of one length."""
        a1, a2, a3, a4, v2, v3, v4, place, spare = (buffer[: len(x)] for buffer in self._buffers)

        def accelerate(x: Array, v: Array, out: Array) -> None:
            np.multiply(c, v, out=out)
            np.multiply(k, x, out=spare)
            np.add(out, spare, out=out)

        def shift(base: Array, factor: float, slope: Array, out: Array) -> None:
            np.multiply(slope, factor, out=out)
            np.add(base, out, out=out)

        def total(base: Array, k1: Array, k2: Array, k3: Array, k4: Array) -> Array:
            np.add(k2, k3, out=spare)
            np.multiply(spare, 2.0, out=spare)
            np.add(spare, k1, out=spare)
            np.add(spare, k4, out=spare)
            np.multiply(spare, STEP / 6, out=spare)
            np.add(spare, base, out=spare)
            return spare

        accelerate(x, v, a1)
        shift(v, STEP / 2, a1, v2)
        shift(x, STEP / 2, v, place)
        accelerate(place, v2, a2)
        shift(v, STEP / 2, a2, v3)
        shift(x, STEP / 2, v2, place)
        accelerate(place, v3, a3)
        shift(v, STEP, a3, v4)
        shift(x, STEP, v3, place)
        accelerate(place, v4, a4)
        np.copyto(x, total(x, v, v2, v3, v4), where=running)
        np.copyto(v, total(v, a1, a2, a3, a4), where=running)
