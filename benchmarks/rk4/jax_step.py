"""What the JAX arms share: the step, compiled executables, and an arm around one of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Kind, Prepared
from perfdocs.measure.packages import open_jax

from .workload import STEP, Problem, Result


def step(c: Any, k: Any, x: Any, v: Any) -> tuple[Any, Any]:
    """Place and speed one step later, for arrays of any shape. ``c`` is -2 zeta omega, ``k`` -omega^2."""
    h = STEP
    a1 = c * v + k * x
    v2 = v + h / 2 * a1
    a2 = c * v2 + k * (x + h / 2 * v)
    v3 = v + h / 2 * a2
    a3 = c * v3 + k * (x + h / 2 * v2)
    v4 = v + h * a3
    a4 = c * v4 + k * (x + h * v3)
    return x + h / 6 * (v + 2.0 * (v2 + v3) + v4), v + h / 6 * (a1 + 2.0 * (a2 + a3) + a4)


def integrate_one(omega: Any, zeta: Any, x0: Any, v0: Any, nstop: Any) -> Any:
    """One sample to its end, written for a scalar; ``vmap`` makes the batch."""
    from jax import lax

    c, k = -2.0 * zeta * omega, -omega * omega

    def advance(state: Any) -> Any:
        x, v, count = state
        return *step(c, k, x, v), count + 1

    return lax.while_loop(lambda state: state[2] < nstop, advance, (x0, v0, np.int64(0)))


def vmapped(*planes: Any) -> Any:
    """The batch: ``vmap`` makes of the scalar loop one that runs until the last sample ends."""
    import jax

    return jax.vmap(integrate_one)(*planes)


@cache
def executable(kind: Kind, batch: Callable[..., Any], n: int, real: str) -> Any:
    """``batch`` compiled for ``n`` samples; one for all problems of that size."""
    jax, device = open_jax(kind)
    place = jax.sharding.SingleDeviceSharding(device)
    planes = [jax.ShapeDtypeStruct((n,), np.dtype(dtype), sharding=place) for dtype in (*[real] * 4, "int64")]
    return jax.jit(batch).lower(*planes).compile()


class JaxArm(Prepared):
    """An executable over one problem.

    Nothing is donated: a run must leave its inputs as they are, so that donated ones would be copied before each.
    """

    steps = 1
    """Masked steps of one iteration of the loop over the batch."""

    def __init__(self, problem: Problem, context: Context, batch: Callable[..., Any] = vmapped) -> None:
        self._jax, self._device = open_jax(context.kind)
        self.problem = problem
        self._host = problem.planes
        self._inputs = self._jax.block_until_ready(self._upload())
        self._call = executable(context.kind, batch, problem.n, problem.real)
        self._out: Any = None

    def _upload(self) -> Any:
        return [self._jax.device_put(plane, self._device) for plane in self._host]

    def run(self) -> None:
        """Call and wait."""
        self._out = self._jax.block_until_ready(self._call(*self._inputs))

    def end_to_end(self) -> None:
        """Upload from ordinary host arrays, call, download into new ones."""
        self._out = self._call(*self._upload())
        self.result()

    def result(self) -> Result:
        """The outputs in host memory."""
        return Result(*(np.asarray(plane) for plane in self._out))

    @property
    def iterations(self) -> int:
        """Of the loop over the batch: until its longest sample has ended."""
        return -(-self.problem.longest // self.steps)

    def counts(self) -> dict[str, float]:
        """An iteration reads six planes and writes three, and its condition, asked once more than that, reads two.

        In float64 that is 88 byte a sample and iteration. Once: the factors made of two planes, place and speed
        copied, the counts cleared.
        """
        size = self.problem.real_size
        return {
            "issued_byte": ((6 * size + 40) * self.iterations + 16 + 8 * size + 8) * self.problem.n,
            "issued_steps": self.problem.n * self.iterations * self.steps,
        }

    def device_memory(self) -> int | None:
        """What the executable needs by its own account: arguments, outputs, temporaries."""
        need = self._call.memory_analysis()
        if need is None:
            return None
        parts = (need.argument_size_in_bytes, need.output_size_in_bytes, need.temp_size_in_bytes)
        return int(sum(parts) - need.alias_size_in_bytes)

    def close(self) -> None:
        """Drop the arrays."""
        self._inputs = self._out = None
