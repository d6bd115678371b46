"""The nbody workload: the acceleration of every body by every other, softened, in FP32 or FP64.

a_i = sum over j of m_j (r_j - r_i) / (|r_j - r_i|^2 + SOFTENING)^(3/2). Bodies are drawn in a cube of side 2, the
masses sum to about 1, and the constant of gravitation is 1. A body does not pull itself, since its distance is zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Context, Kind, Point, Task, VerificationError

Reals = npt.NDArray[Any]

SEED = 20261003
SOFTENING = 1e-4
FLOP_AN_INTERACTION = 20
TYPES: dict[str, type[np.floating[Any]]] = {"fp32": np.float32, "fp64": np.float64}
CHECKED = 2**22  # interactions that the reference computes at most
AT_A_TIME = 2**20


@dataclass(frozen=True, eq=False)
class Problem:
    """Bodies (n, 4) of the type under test: place and mass."""

    type: str
    bodies: Reals

    @property
    def n(self) -> int:
        """How many."""
        return len(self.bodies)


@dataclass(frozen=True, slots=True)
class Reference:
    """Of some bodies, all where they are few: which, accelerations (3, k), and the sums of the pulls' sizes (k,)."""

    which: npt.NDArray[np.intp]
    acceleration: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """Small numbers first: they tell how long the larger ones will take."""
    most = {"gpu": {"fp32": 18, "fp64": 16}, "cpu": {"fp32": 15, "fp64": 15}}[kind]
    powers = {name: (12,) if quick else range(10, most[name] + 1) for name in TYPES}
    return [Task("main", {"type": name, "bodies": 2**power}) for name in TYPES for power in powers[name]]


def draw(n: int, name: str) -> Problem:
    """So many bodies, drawn in FP64 and rounded to the type ``name``."""
    rng = np.random.default_rng([SEED, n])
    bodies = np.empty((n, 4))
    bodies[:, :3] = rng.uniform(-1.0, 1.0, (n, 3))
    bodies[:, 3] = rng.uniform(0.5, 1.5, n) / n
    return Problem(name, bodies.astype(TYPES[name]))


def problem(at: Point) -> Problem:
    """The bodies at a point."""
    return draw(int(at["bodies"]), str(at["type"]))


def reference(problem: Problem, context: Context) -> Reference:  # noqa: ARG001 - the shape of every workload
    """The accelerations in FP64 by NumPy, of as many bodies as is quick."""
    n, bodies = problem.n, problem.bodies.astype(np.float64)
    few = min(n, CHECKED // n)
    which = np.sort(np.random.default_rng(n).choice(n, few, replace=False))
    acceleration, scale = np.empty((3, few)), np.empty(few)
    rows = max(1, AT_A_TIME // n)
    for first in range(0, few, rows):
        part = slice(first, min(first + rows, few))
        apart = bodies[None, :, :3] - bodies[which[part], None, :3]
        squared = (apart**2).sum(axis=2)
        pull = bodies[:, 3] * (squared + SOFTENING) ** -1.5
        acceleration[:, part] = np.einsum("ij,ijk->ki", pull, apart)
        scale[part] = (pull * np.sqrt(squared)).sum(axis=1)
    return Reference(which, acceleration, scale)


def tolerance(problem: Problem) -> float:
    """What rounding may do to a sum of so many pulls, over the sum of their sizes; less than one body in 1024 does."""
    return float(4 * np.finfo(TYPES[problem.type]).epsneg * (math.sqrt(problem.n) + 8))


def verify(problem: Problem, reference: Reference, result: Reals) -> Mapping[str, float]:
    """The accelerations (3, n) are the reference's where it has them, and all forces together cancel."""
    n, kind = problem.n, TYPES[problem.type]
    if result.shape != (3, n) or result.dtype != kind:
        raise VerificationError(f"accelerations {result.shape} of type {result.dtype} for {n} bodies of {problem.type}")
    error = np.abs(result[:, reference.which].astype(np.float64) - reference.acceleration).max(axis=0) / reference.scale
    worst, allowed = int(error.argmax()), tolerance(problem)
    if not error[worst] <= allowed:
        raise VerificationError(
            f"the acceleration of body {reference.which[worst]} is wrong by {error[worst]:.3g} of the sizes of its "
            f"pulls, more than {allowed:.3g}"
        )
    # Pulls cancel in pairs: what is left, over all bodies, tells of those that the reference leaves out.
    force = problem.bodies[:, 3].astype(np.float64) * result
    left = float(np.abs(force.sum(axis=1)).max() / np.abs(force).sum())
    if not left <= 16 * np.finfo(kind).eps:
        raise VerificationError(f"the forces on all bodies do not cancel: {left:.3g} of them is left")
    return {"max_error": float(error[worst]), "force_left": left}


def counts(problem: Problem) -> Mapping[str, float]:  # noqa: ARG001 - the shape of every workload
    """Nothing is the same for every arm: each says how often it evaluates in a run."""
    return {}


def flop(problem: Problem, evaluations: int) -> dict[str, float]:
    """What an arm that evaluates all accelerations so many times in a run counts."""
    useful = float(FLOP_AN_INTERACTION * problem.n**2 * evaluations)
    return {"evaluations": evaluations, **{f"{name}_flop": useful * (name == problem.type) for name in TYPES}}


def work(at: Point) -> float:
    """The interactions."""
    return float(at["bodies"]) ** 2
