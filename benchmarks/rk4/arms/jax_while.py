"""JAX: one compiled executable; while_loop batched by vmap runs until the last sample ends."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from perfdocs.measure.arm import Cannot, Context, Prepared

from ..workload import STEP, Problem, Result


@cache
def compiled() -> tuple[Any, Any, Any]:
    """JAX, its GPU and the batched integration. Raises :class:`Cannot` where there is no JAX or no GPU for it."""
    # Without this JAX takes three quarters of the device's memory at its first use, and starves the other arms.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
        from jax import lax
    except ImportError:
        raise Cannot("not_installed", "JAX is not installed") from None
    jax.config.update("jax_enable_x64", True)
    try:
        gpu = jax.devices("gpu")[0]
    except RuntimeError:
        raise Cannot("unsupported", "JAX sees no GPU") from None
    h = STEP

    def integrate(omega: Any, zeta: Any, x0: Any, v0: Any, nstop: Any) -> Any:
        c, k = -2.0 * zeta * omega, -omega * omega

        def step(state: Any) -> Any:
            x, v, count = state
            a1 = c * v + k * x
            v2 = v + h / 2 * a1
            a2 = c * v2 + k * (x + h / 2 * v)
            v3 = v + h / 2 * a2
            a3 = c * v3 + k * (x + h / 2 * v2)
            v4 = v + h * a3
            a4 = c * v4 + k * (x + h * v3)
            return (x + h / 6 * (v + 2.0 * (v2 + v3) + v4), v + h / 6 * (a1 + 2.0 * (a2 + a3) + a4), count + 1)

        return lax.while_loop(lambda state: state[2] < nstop, step, (x0, v0, np.int64(0)))

    return jax, gpu, jax.jit(jax.vmap(integrate))


class Arm(Prepared):
    """The executable over one problem."""

    def __init__(self, problem: Problem) -> None:
        self._jax, self._gpu, self._call = compiled()
        self._problem = problem
        self._host = problem.planes
        self._before = self._in_use()
        self._inputs = self._upload()
        self._out: Any = None

    def _upload(self) -> Any:
        return self._jax.block_until_ready([self._jax.device_put(plane, self._gpu) for plane in self._host])

    def _in_use(self) -> int | None:
        stats = self._gpu.memory_stats() or {}
        return stats.get("bytes_in_use")

    def run(self) -> None:
        """Call and wait."""
        self._out = self._jax.block_until_ready(self._call(*self._inputs))

    def end_to_end(self) -> None:
        """Upload from ordinary host arrays, call, download into new ones."""
        self._out = self._call(*[self._jax.device_put(plane, self._gpu) for plane in self._host])
        self.result()

    def result(self) -> Result:
        """The outputs in host memory."""
        return Result(*(np.asarray(plane) for plane in self._out))

    def counts(self) -> dict[str, float]:
        """88 byte a sample and iteration, 32 once."""
        return {"issued_byte": (88 * self._problem.longest + 32) * self._problem.n}

    def device_memory(self) -> int | None:
        """What JAX's allocator holds for inputs and outputs; temporaries of the executable are not told apart."""
        now = self._in_use()
        return None if now is None or self._before is None else max(0, now - self._before)

    def close(self) -> None:
        """Drop the arrays."""
        self._inputs = self._out = None


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Upload; the first warm-up run compiles."""
    return Arm(problem)
