"""JAX on the GPU: a loop over the batch whose iteration makes 16 masked steps, which XLA fuses into one kernel.

What ``vmap`` makes of a loop reads and writes the state at every step and asks at every step whether anybody runs;
here both happen once in 16 steps, at the price of up to 15 idle ones at the end.
"""

from __future__ import annotations

from typing import Any

from perfdocs.measure.arm import Context, Prepared

from ..jax_step import JaxArm, step
from ..workload import Problem

PACKAGES = ("jax",)
STEPS = 16


def fused(omega: Any, zeta: Any, x0: Any, v0: Any, nstop: Any) -> Any:
    """The batch to the end of its longest sample."""
    import jax.numpy as jnp
    from jax import lax

    c, k = -2.0 * zeta * omega, -omega * omega

    def iterate(state: Any) -> Any:
        x, v, count = state
        for _ in range(STEPS):
            running = count < nstop
            next_x, next_v = step(c, k, x, v)
            x, v = jnp.where(running, next_x, x), jnp.where(running, next_v, v)
            count = count + running
        return x, v, count

    return lax.while_loop(lambda state: jnp.any(state[2] < nstop), iterate, (x0, v0, jnp.zeros_like(nstop)))


class Arm(JaxArm):
    """The executable over one problem."""

    steps = STEPS

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context, fused)


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and compile."""
    return Arm(problem, context)
