"""The rk4 workload: points, draws, host reference, verification and counts.

x'' + 2 zeta omega x' + omega^2 x = 0 for a batch of independent oscillators, by the classical Runge-Kutta method of
order 4 in float64 with a fixed step of 0.01 s; each sample stops after its own number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Cannot, Context, Kind, Point, Task, VerificationError

if TYPE_CHECKING:
    Reals = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

SEED = 20261001
STEP = 0.01
TOLERANCE = 1e-11
CONFIGURATIONS = {"spread-100": (100, True), "spread-1000": (1000, True), "uniform-1000": (1000, False)}
FIXED = {"uniform-100": (100, False)}  # of the table of the fixed overhead
FLOP_A_STEP = 44
FIXED_N = 64
CADENCES = (8, 16, 32)
CADENCE_SIZES = (10**5, 10**6)
CADENCE_CONFIG = "spread-1000"
FP32_CONFIGS = ("spread-1000", "uniform-1000")
FP32_SIZES = (10**4, 10**5, 10**6)
TOLERANCES = {"float64": TOLERANCE, "float32": 1e-4}


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The inputs: planes of ``n`` samples (1/s, 1, m, m/s, steps).

    ``real`` is the precision to compute in: the planes are kept in float64, which the reference computes in.
    ``every`` is the number of steps between two looks at who has finished, where a table varies it.
    """

    config: str
    n: int
    omega: Reals
    zeta: Reals
    x0: Reals
    v0: Reals
    nstop: Integers
    real: str = "float64"
    every: int | None = None

    @property
    def planes(self) -> tuple[npt.NDArray[Any], ...]:
        """omega, zeta, x0, v0 in the precision to compute in, and nstop."""
        reals = (self.omega, self.zeta, self.x0, self.v0)
        return (*(plane.astype(self.real, copy=False) for plane in reals), self.nstop)

    @property
    def real_size(self) -> int:
        """Bytes of a real."""
        return np.dtype(self.real).itemsize

    @property
    def useful_byte(self) -> int:
        """Four planes of reals and the stop steps read once, two planes of reals and the step counts written once."""
        return (6 * self.real_size + 16) * self.n

    @property
    def minimum_byte(self) -> int:
        """The planes the problem needs."""
        return (4 * self.real_size + 8) * self.n

    @property
    def longest(self) -> int:
        """Steps of the longest sample."""
        return int(self.nstop.max(initial=0))

    @property
    def sample_steps(self) -> int:
        """Steps of all samples together."""
        return int(self.nstop.sum())

    @property
    def damping(self) -> Reals:
        """-2 zeta omega, the factor of the speed in the acceleration."""
        return -2.0 * self.zeta * self.omega

    @property
    def stiffness(self) -> Reals:
        """-omega^2, the factor of the place in the acceleration."""
        return -self.omega * self.omega


class Result(NamedTuple):
    """The end of every sample: place, speed, steps taken."""

    x: Reals
    v: Reals
    steps: Integers


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """Small batches first: what a slow arm takes there tells whether the larger ones are worth the wait."""
    top = {("gpu", False): 7, ("cpu", False): 6, ("gpu", True): 6, ("cpu", True): 5}[kind, quick]
    found = [
        Task("main", {"config": config, "n": 10**power}) for power in range(3, top + 1) for config in CONFIGURATIONS
    ]
    if kind == "gpu":
        found += [Task("overhead", {"config": config, "n": FIXED_N}) for config in FIXED]
    if kind == "gpu" and not quick:
        found += [Task("cadence", {"k": k, "n": n}) for n in CADENCE_SIZES for k in CADENCES]
    if not quick:
        found += other_tasks(kind)
    return found


def other_tasks(kind: Kind) -> list[Task]:
    """Single precision, then what fresh processes tell: start-up, memory, traces."""
    if kind == "gpu":
        found = [
            Task("fp32", {"config": config, "n": n, "real": "float32"}) for n in FP32_SIZES for config in FP32_CONFIGS
        ]
    else:
        found = []
    found += [Task("compile", {"start": start}, how="compile") for start in ("cold", "warm")]
    found += [Task("memory", {"config": "spread-1000", "n": 10**6}, how="memory")]
    if kind == "gpu":
        found += [
            Task("traced", {"config": config, "n": n}, how="traced")
            for config in ("spread-1000",)
            for n in (10**3, 10**6)
        ]
    return found


def draw(
    n: int, longest: int, spread: bool, config: str = "", *, real: str = "float64", every: int | None = None
) -> Problem:
    """The inputs by the published law; the same bits on every machine."""
    rng = np.random.default_rng([SEED, n, longest, int(spread)])
    omega = rng.uniform(1.0, 10.0, n)
    zeta = rng.uniform(0.01, 0.2, n)
    x0 = rng.uniform(-1.0, 1.0, n)
    v0 = rng.uniform(-1.0, 1.0, n)
    if spread:
        steps = np.ceil(np.exp(rng.uniform(math.log(longest / 100), math.log(longest), n)))
        nstop = np.clip(steps, max(1, longest // 100), longest).astype(np.int64)
    else:
        nstop = np.full(n, longest, dtype=np.int64)
    nstop[0] = longest
    return Problem(config, n, omega, zeta, x0, v0, nstop, real, every)


def configuration(at: Point) -> str:
    """The configuration at a point; where it is open, that of the sweep of cadences or else a short one."""
    return str(at.get("config", CADENCE_CONFIG if "k" in at else "spread-100"))


def problem(at: Point) -> Problem:
    """The inputs at a point; what a table's axes leave open is small: spread-100 with 1000 samples in float64."""
    config = configuration(at)
    longest, spread = {**CONFIGURATIONS, **FIXED}[config]
    every = int(at["k"]) if "k" in at else None
    return draw(int(at.get("n", 1000)), longest, spread, config, real=str(at.get("real", "float64")), every=every)


def reference(problem: Problem, context: Context) -> Result:
    """The compiled host step where there is a compiler, else the same scheme in NumPy."""
    from . import host

    try:
        run = host.runner(context)
    except Cannot:
        return numpy_reference(problem)
    out = host.outputs(problem.n)
    run(problem, out, context.threads)
    return out


def numpy_reference(problem: Problem) -> Result:
    """The scheme in NumPy, samples ordered by length so that the finished ones drop off the end."""
    order = np.argsort(-problem.nstop, kind="stable")
    damping, stiffness = problem.damping[order], problem.stiffness[order]
    x, v, nstop = problem.x0[order], problem.v0[order], problem.nstop[order]
    h = STEP
    for done in range(int(nstop[0]) if problem.n else 0):
        m = int(np.searchsorted(-nstop, -done, side="left"))  # samples with more than `done` steps
        c, k, xm, vm = damping[:m], stiffness[:m], x[:m], v[:m]
        a1 = c * vm + k * xm
        v2 = vm + h / 2 * a1
        a2 = c * v2 + k * (xm + h / 2 * vm)
        v3 = vm + h / 2 * a2
        a3 = c * v3 + k * (xm + h / 2 * v2)
        v4 = vm + h * a3
        a4 = c * v4 + k * (xm + h * v3)
        x[:m] += h / 6 * (vm + 2 * (v2 + v3) + v4)
        v[:m] += h / 6 * (a1 + 2 * (a2 + a3) + a4)
    out = Result(np.empty_like(x), np.empty_like(v), problem.nstop.copy())
    out.x[order], out.v[order] = x, v
    return out


def verify(problem: Problem, reference: Result, result: Result) -> Mapping[str, float]:
    """Every sample took exactly its steps and ended where the reference did, to 1e-11 (1e-4 in float32)."""
    tolerance = TOLERANCES[problem.real]
    steps = np.asarray(result.steps)
    if steps.shape != (problem.n,):
        raise VerificationError(f"{steps.shape} step counts for {problem.n} samples")
    wrong = np.flatnonzero(steps != problem.nstop)
    if wrong.size:
        i = int(wrong[0])
        raise VerificationError(
            f"{wrong.size} of {problem.n} samples took other steps than theirs; sample {i} took "
            f"{int(steps[i])} for {int(problem.nstop[i])}"
        )
    largest = 0.0
    for name, got, wanted in (("x", result.x, reference.x), ("v", result.v, reference.v)):
        difference = np.abs(np.asarray(got) - wanted)
        i = int(np.argmax(difference)) if problem.n else 0
        if not (difference <= tolerance).all():  # also where it is not a number
            bad = int(np.flatnonzero(~(difference <= tolerance))[0])
            raise VerificationError(
                f"{name} of sample {bad} differs from the reference by "
                f"{float(difference[bad]):.3g}, more than {tolerance:g}"
            )
        largest = max(largest, float(difference[i]))
    return {"max_difference": largest}


def counts(problem: Problem) -> Mapping[str, float]:
    """Facts of the problem, the same for every arm."""
    steps = problem.sample_steps
    return {
        "sample_steps": steps,
        "useful_flop": FLOP_A_STEP * steps,
        "useful_byte": problem.useful_byte,
        "minimum_byte": problem.minimum_byte,
    }


def warp_steps(nstop: Integers, order: Integers | None = None, lanes: int = 32) -> int:
    """Lanes times steps issued where a thread runs a sample to its end: a warp steps until its longest sample ends.

    ``order`` is the order in which the samples are dealt to the threads, where that is not their own.
    """
    dealt = nstop if order is None else nstop[order]
    padded = np.zeros(-(-len(dealt) // lanes) * lanes, dtype=np.int64)
    padded[: len(dealt)] = dealt
    return lanes * int(padded.reshape(-1, lanes).max(axis=1, initial=0).sum())


def work(at: Point) -> float:
    """Longest sample times the batch: what the masked arms pay, and the most the others can."""
    return depth(at) * float(at.get("n", 1000))


def depth(at: Point) -> float:
    """Steps of the longest sample, which no arm can take but one after the other."""
    return float({**CONFIGURATIONS, **FIXED}[configuration(at)][0])
