"""JAX: one compiled executable; while_loop batched by vmap runs until the last orbit ends."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Kind, Prepared
from perfdocs.measure.packages import open_jax

from ..lines import lines_of_code
from ..tableau import ERROR, ROWS, WEIGHTS
from ..workload import END, FIRST_STEP, MOST_ATTEMPTS, TOLERANCE, Problem, Result

PACKAGES = ("jax",)


def _sum(coefficients: dict[int, float], slopes: list[Any], c: int) -> Any:
    """What a stage takes of a component of the slopes before it."""
    return sum(a * slopes[j][c] for j, a in coefficients.items())


def integrate_one(start: Any) -> Any:
    """One orbit (6,) to its end, written for scalars; ``vmap`` makes the batch, the compiler one loop over planes."""
    import jax.numpy as jnp
    from jax import lax

    def attempt(carry: Any) -> Any:
        state, time, step, accepted, rejected = carry
        slopes: list[Any] = []
        for row in ROWS:
            x, y, z, u, v, w = [s + step * _sum(row, slopes, c) for c, s in enumerate(state)] if row else state
            square = x * x + y * y + z * z
            pull = -1.0 / (square * jnp.sqrt(square))
            slopes.append((u, v, w, pull * x, pull * y, pull * z))
        new = tuple(s + step * _sum(WEIGHTS, slopes, c) for c, s in enumerate(state))
        ratio = jnp.zeros_like(step)
        for c in range(6):
            error = step * ERROR * (slopes[0][c] + slopes[10][c] - slopes[11][c] - slopes[12][c])
            scale = TOLERANCE + TOLERANCE * jnp.maximum(abs(new[c]), abs(state[c]))
            ratio = jnp.maximum(ratio, abs(error) / scale)
        taken = ratio < 1.0
        state = tuple(jnp.where(taken, a, b) for a, b in zip(new, state, strict=True))
        time = jnp.where(taken, time + step, time)
        # Beyond 1e-10 the limit of five holds anyway.
        power = jnp.maximum(ratio, 1e-10) ** jnp.where(taken, -1 / 9, -1 / 8)
        step = jnp.minimum(step * jnp.clip(0.9 * power, 0.2, 5.0), END - time)
        return state, time, step, accepted + taken, rejected + ~taken

    def going(carry: Any) -> Any:
        _, _, step, accepted, rejected = carry
        return (step > 0.0) & (accepted + rejected < MOST_ATTEMPTS)

    zero = np.int32(0)
    state, time, _, accepted, rejected = lax.while_loop(
        going, attempt, (tuple(start), start[0] * 0.0, start[0] * 0.0 + FIRST_STEP, zero, zero)
    )
    return jnp.stack([*state, time]), accepted, rejected


@cache
def executable(kind: Kind, n: int) -> Any:
    """The batch compiled for ``n`` orbits: planes in, planes out."""
    jax, device = open_jax(kind)
    batch = jax.vmap(integrate_one, in_axes=1, out_axes=(1, 0, 0))
    place = jax.sharding.SingleDeviceSharding(device)
    return jax.jit(batch).lower(jax.ShapeDtypeStruct((6, n), np.float64, sharding=place)).compile()


class Arm(Prepared):
    """The executable over one problem."""

    def __init__(self, problem: Problem, context: Context) -> None:
        self._jax, self._device = open_jax(context.kind)
        self._gpu = context.kind == "gpu"
        self.problem = problem
        self._start = self._jax.block_until_ready(self._upload())
        self._call = executable(context.kind, problem.n)
        self._out: Any = None

    def _upload(self) -> Any:
        return self._jax.device_put(self.problem.start, self._device)

    def run(self) -> None:
        """Call and wait."""
        self._out = self._jax.block_until_ready(self._call(self._start))

    def end_to_end(self) -> None:
        """Upload from an ordinary host array, call, download into new ones."""
        self._out = self._call(self._upload())
        self.result()

    def result(self) -> Result:
        """The outputs in host memory."""
        return Result(*(np.asarray(plane) for plane in self._out))

    def counts(self) -> dict[str, float]:
        """An iteration reads and writes six planes of state, time, step and two counts, and a mask of the running."""
        _, accepted, rejected = self._out
        loops = int((accepted + rejected).max())
        return {
            "issued_byte": (146 * loops + 112) * self.problem.n,
            "code_lines": lines_of_code("arms/jax_while.py", "tableau.py"),
        }

    def device_memory(self) -> int | None:
        """What the executable says it needs: arguments, results and temporaries."""
        if not self._gpu:
            return None
        try:
            need = self._call.memory_analysis()
            return int(need.argument_size_in_bytes + need.output_size_in_bytes + need.temp_size_in_bytes)
        except Exception:  # noqa: BLE001, RUF100 - not every version or device tells
            return None

    def close(self) -> None:
        """Drop the arrays."""
        self._start = self._out = None


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
