"""PyTorch, compiled: Inductor fuses 16 masked steps, a CUDA graph replays the kernels, the host checks between replays.

The options are those of the mode ``max-autotune-no-cudagraphs``, and fusion of as many operations as a replay has: by
default Inductor would cut it in two. That mode leaves the graph to us; the one of ``reduce-overhead`` would copy a
state that changes in place. Shapes are fixed, and what is compiled is kept for the next problem of the same size.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from perfdocs.measure.arm import Context, Kind, Prepared
from perfdocs.measure.packages import import_torch

from ..torch_step import GraphArm
from ..workload import STEP, Problem

PACKAGES = ("torch",)
STEPS = 16
OPTIONS = {"max_autotune": True, "coordinate_descent_tuning": True, "max_fusion_size": 256}
SHAPES = 64  # that one process may compile for: every table has its own sizes and precisions


def block(c: Any, k: Any, x: Any, v: Any, steps: Any, nstop: Any) -> Any:
    """16 masked steps in place; whether anybody runs then.

    A mask comes from the steps left at the start, not from a count carried along: the compiler expands what it
    fuses, and a chain of counts would double with every step.
    """
    h = STEP
    left = nstop - steps
    place, speed = x, v
    for i in range(STEPS):
        running = left > i
        a1 = c * speed + k * place
        v2 = speed + h / 2 * a1
        a2 = c * v2 + k * (place + h / 2 * speed)
        v3 = speed + h / 2 * a2
        a3 = c * v3 + k * (place + h / 2 * v2)
        v4 = speed + h * a3
        a4 = c * v4 + k * (place + h * v3)
        next_place = place + h / 6 * (speed + 2.0 * (v2 + v3) + v4)
        next_speed = speed + h / 6 * (a1 + 2.0 * (a2 + a3) + a4)
        place, speed = next_place.where(running, place), next_speed.where(running, speed)
    x.copy_(place)
    v.copy_(speed)
    steps.add_(left.clamp(0, STEPS))
    return (left > STEPS).any()


@cache
def compiled(kind: Kind) -> Any:
    """The steps as compiled kernels, made at the first call for each shape and precision."""
    torch = import_torch(kind)
    settings: Any = import_module("torch._dynamo").config
    settings.recompile_limit = max(SHAPES, settings.recompile_limit)
    options = OPTIONS if kind == "gpu" else None
    return torch.compile(block, options=options, dynamic=False, fullgraph=True)


class Arm(GraphArm):
    """Compiled kernels, replayed."""

    block = STEPS

    def __init__(self, problem: Problem, context: Context) -> None:
        self._compiled = compiled(context.kind)
        super().__init__(problem, context)

    def advance(self) -> Any:
        """Fused kernels over every sample."""
        return self._compiled(self.c, self.k, self.x, self.v, self.steps, self.inputs[4])

    def counts(self) -> dict[str, float]:
        """A replay reads six planes and writes three, and the look at who runs reads two: 88 byte in float64."""
        moved = (6 * self.problem.real_size + 40) * self.problem.n * self.replays
        return {"issued_byte": moved, "issued_steps": self.issued_steps}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload, compile and capture."""
    return Arm(problem, context)
