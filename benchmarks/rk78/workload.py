"""The rk78 workload: points, draws, host reference, truth, verification and counts.

r'' = -r / |r|^3 for a batch of independent bound orbits in three dimensions (mu = 1, semi-major axis 1), by Fehlberg's
embedded pair of orders 7 and 8 in float64 with an adaptive step, from periapsis to t = 64. Lengths are in units of the
semi-major axis, times in units in which an orbit takes 2 pi.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Cannot, Context, Kind, Point, Task, VerificationError

if TYPE_CHECKING:
    Reals = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int32]

SEED = 20261002
END = 64.0
FIRST_STEP = 1.0
TOLERANCE = 1e-10
MOST_ATTEMPTS = 4000
FLOP_AN_ATTEMPT = 1106
USEFUL_BYTE = 112  # six planes of the start read; six of the end, the time and two counts of 4 byte written
MINIMUM_BYTE = 64  # six planes of state, the time and two counts of 4 byte
# An error within rounding of the tolerance may be taken by one arm and refused by another, since compilers contract and
# libraries round in ways of their own. An attempt's ratio is uncertain by some 1e-8 of itself; of the 500 attempts of
# an orbit the share whose ratio lies as near to 1 as that is some 2e-9, which makes one orbit in a million. Twenty in
# a million are no longer rounding; four are let pass however small the batch.
DIFFERENT_SHARE, DIFFERENT_LEAST = 20e-6, 4


@dataclass(frozen=True, eq=False)
class Problem:
    """Elements of ``n`` orbits (angles in radians)."""

    n: int
    eccentricity: Reals
    inclination: Reals
    node: Reals
    periapsis: Reals

    @cached_property
    def axes(self) -> tuple[Reals, Reals]:
        """Unit vectors (3, n) to periapsis and, in the plane of the orbit, a right angle ahead of it."""
        cn, sn = np.cos(self.node), np.sin(self.node)
        cp, sp = np.cos(self.periapsis), np.sin(self.periapsis)
        ci, si = np.cos(self.inclination), np.sin(self.inclination)
        ahead = np.array([cn * cp - sn * sp * ci, sn * cp + cn * sp * ci, sp * si])
        across = np.array([-cn * sp - sn * cp * ci, -sn * sp + cn * cp * ci, cp * si])
        return ahead, across

    @cached_property
    def periapsis_speed(self) -> Reals:
        """Speed at periapsis."""
        return np.sqrt((1 + self.eccentricity) / (1 - self.eccentricity))

    @cached_property
    def start(self) -> Reals:
        """Place and speed at periapsis: six planes (6, n)."""
        ahead, across = self.axes
        return np.ascontiguousarray(np.concatenate([(1 - self.eccentricity) * ahead, self.periapsis_speed * across]))


class Result(NamedTuple):
    """The end of every orbit: seven planes (7, n) of place, speed and time; steps accepted and rejected (n,)."""

    end: Reals
    accepted: Counts
    rejected: Counts


@dataclass(frozen=True, slots=True)
class Reference:
    """What arms are held against: the host's result, and the true places (3, n) at the end."""

    result: Result
    truth: Reals


def outputs(n: int) -> Result:
    """Empty planes for the end of ``n`` orbits."""
    return Result(np.zeros((7, n)), np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32))


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """Small batches first: what a slow arm takes there tells whether the larger ones are worth the wait."""
    sizes = [10**power for power in range(3, 5 if quick else 7)]
    found = [Task("main", {"n": n}) for n in sizes]
    if not quick:
        found += [Task("compile", {"start": start}, how="compile") for start in ("cold", "warm")]
        found.append(Task("memory", {"n": 10**6}, how="memory"))
        if kind == "gpu":
            found += [Task("traced", {"n": n}, how="traced") for n in (10**3, 10**5)]
    return found


def draw(n: int) -> Problem:
    """The elements by the published law."""
    rng = np.random.default_rng([SEED, n])
    eccentricity = rng.uniform(0.0, 0.9, n)
    inclination = np.arccos(rng.uniform(-1.0, 1.0, n))
    node = rng.uniform(0.0, 2 * math.pi, n)
    periapsis = rng.uniform(0.0, 2 * math.pi, n)
    eccentricity[0] = 0.9
    return Problem(n, eccentricity, inclination, node, periapsis)


def problem(at: Point) -> Problem:
    """The elements at a point; of a thousand orbits where the point does not say how many."""
    return draw(int(at.get("n", 1000)))


def truth(problem: Problem, time: float = END) -> Reals:
    """Places (3, n) at a time after periapsis, by Newton's method on Kepler's equation."""
    e = problem.eccentricity
    mean = math.fmod(time, 2 * math.pi)
    anomaly = mean + e * math.sin(mean)
    for _ in range(20):
        anomaly = anomaly - (anomaly - e * np.sin(anomaly) - mean) / (1 - e * np.cos(anomaly))
    ahead, across = problem.axes
    return (np.cos(anomaly) - e) * ahead + np.sqrt(1 - e * e) * np.sin(anomaly) * across


def bound(problem: Problem, accepted: Counts) -> Reals:
    """The largest error of the place that the tolerance allows an orbit that took so many steps (n,)."""
    speed, orbits = problem.periapsis_speed, END / (2 * math.pi)
    return accepted * TOLERANCE * (1 + speed) * (1 + 6 * math.pi * orbits * speed)


def reference(problem: Problem, context: Context) -> Reference:
    """The compiled host step where there is a compiler, else the same scheme in NumPy; with the truth."""
    from . import host

    try:
        run = host.runner(context)
    except Cannot:
        result = numpy_reference(problem)
    else:
        result = outputs(problem.n)
        run(problem, result, context.threads)
    return Reference(result, truth(problem))


def numpy_reference(problem: Problem) -> Result:
    """The scheme in NumPy, in pieces that fit a cache."""
    from .masked import Loop

    out, piece = outputs(problem.n), 2048
    for first in range(0, problem.n, piece):
        part = slice(first, min(first + piece, problem.n))
        loop = Loop(np, np.ascontiguousarray(problem.start[:, part]))
        loop.run()
        out.end[:, part], out.accepted[part], out.rejected[part] = loop.end, loop.accepted, loop.rejected
    return out


def verify(problem: Problem, reference: Reference, result: Result) -> Mapping[str, float]:
    """Every orbit reached the end of time, near enough to the truth; nearly all by the reference's path."""
    n, end = problem.n, np.asarray(result.end)
    if end.shape != (7, n) or np.shape(result.accepted) != (n,) or np.shape(result.rejected) != (n,):
        raise VerificationError(f"planes of {end.shape} for {n} orbits")
    short = np.flatnonzero(~(end[6] == END))
    if short.size:
        raise VerificationError(
            f"{short.size} of {n} orbits did not reach t = {END:g}; orbit {short[0]} is at {end[6, short[0]]:.6g}"
        )
    error = np.sqrt(((end[:3] - reference.truth) ** 2).sum(axis=0))
    share = error / bound(problem, reference.result.accepted)
    bad = np.flatnonzero(~(share <= 1))  # also where it is not a number
    if bad.size:
        i = int(bad[0])
        raise VerificationError(
            f"the place of orbit {i} is {error[i]:.3g} from the truth, {share[i]:.3g} times what the tolerance allows"
        )
    other = (result.accepted != reference.result.accepted) | (result.rejected != reference.result.rejected)
    different, allowed = int(other.sum()), max(DIFFERENT_LEAST, int(DIFFERENT_SHARE * n))
    if different > allowed:
        i = int(np.flatnonzero(other)[0])
        raise VerificationError(
            f"{different} of {n} orbits took other steps than the reference's, more than {allowed}; orbit {i} took "
            f"{int(result.accepted[i])} and refused {int(result.rejected[i])}, the reference "
            f"{int(reference.result.accepted[i])} and {int(reference.result.rejected[i])}"
        )
    accepted, rejected = int(result.accepted.sum(dtype=np.int64)), int(result.rejected.sum(dtype=np.int64))
    return {
        "accepted": accepted,
        "rejected": rejected,
        "attempts": accepted + rejected,
        "useful_flop": FLOP_AN_ATTEMPT * (accepted + rejected),
        "different_path": different,
        "max_error": float(error.max(initial=0.0)),
        "worst_share": float(share.max(initial=0.0)),
        "max_difference": float(np.abs(end - reference.result.end).max(initial=0.0)),
    }


def counts(problem: Problem) -> Mapping[str, float]:
    """Facts of the problem, the same for every arm."""
    return {"useful_byte": USEFUL_BYTE * problem.n, "minimum_byte": MINIMUM_BYTE * problem.n}


def work(at: Point) -> float:
    """The batch: every arm's time grows with it at most in proportion."""
    return float(at.get("n", 1000))
