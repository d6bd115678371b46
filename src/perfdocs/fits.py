"""Two laws fitted to a series of points: a hyperbola and a straight line with a corner, both rising to a ceiling.

Least squares of relative residuals, since the noise of a measured rate is relative. A law is an amplitude times a shape
that one number, the bend, decides: for a given bend the best amplitude is a quotient of sums, and the best bend is
searched on a grid that zooms in. Intervals are those of decision 0015: the law is fitted again to points drawn around
it. Every draw is of a fixed seed, so that the same points give the same numbers everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from .plateau import check_reached
from .verdict import Missing, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["LAWS", "Fit", "Law", "fit"]

LEAST_POINTS = 4
"""Points at different x: two parameters, and two more to tell how well they fit."""
DRAWS = 400
COVERED = 0.95
COARSE, FINE, ZOOMS = 128, 21, 5
FAR = 3.0
"""The farthest that a point is drawn from the law, in natural logarithm: a factor of twenty."""


@dataclass(frozen=True, slots=True)
class Law:
    """``y = amplitude · shape(x, bend)``, with a shape between 0 and 1 that broadcasts its arguments.

    The bend is sought from the least x divided by ``beyond`` to the most times it.
    """

    shape: Callable[[Floats, Floats], Floats]
    beyond: float


LAWS = {
    "hyperbola": Law(lambda x, half: x / (x + half), 100.0),
    "corner": Law(lambda x, knee: np.minimum(x / knee, 1.0), 1.0),
}
"""``hyperbola``: ceiling · x / (x + half). ``corner``: the lesser of plateau · x / knee and plateau."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A law's parameters with their intervals: ``bend`` in x's unit, ``amplitude`` in y's, ``misfit`` a plain number.

    ``bend`` is the half or the knee, ``amplitude`` the ceiling or the plateau, ``misfit`` the root mean square of the
    relative residuals. A ``bend`` of ``None``: all points are on the plateau.
    """

    bend: Value | None
    amplitude: Value
    misfit: Value


def fit(law: str, x: Sequence[Value], y: Sequence[Value]) -> Fit:
    """Fit one of :data:`LAWS` to points; x counts by its centres. Raises :class:`Missing` where the points do not do.

    Flags and the number of samples are those of all points together.
    """
    points = tuple(sorted((a.centre, b.centre, (b.hi - b.lo) / 2) for a, b in zip(x, y, strict=True)))
    bend, amplitude, misfit = _fit(law, points)
    flags, samples = frozenset[str]().union(*(v.flags for v in (*x, *y))), min(v.samples for v in y)

    def value(of: _Interval) -> Value:
        centre, lo, hi = of
        return Value(centre, lo, hi, lo, hi, samples, flags)

    return Fit(value(bend) if bend else None, value(amplitude), value(misfit))


_Interval = tuple[float, float, float]
"""Centre, lower and upper end."""


@lru_cache(maxsize=1024)
def _fit(law: str, points: tuple[tuple[float, float, float], ...]) -> tuple[_Interval | None, _Interval, _Interval]:
    """Bend, amplitude and misfit of points (x, y, half the range of y), each with its interval."""
    x, y, spread = np.array(points).T
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (x > 0).all() and (y > 0).all()):
        raise Missing("a law is fitted to numbers above 0 only, and a point has another")
    if len(np.unique(x)) < LEAST_POINTS:
        raise Missing(f"a law is fitted to {LEAST_POINTS} points or more, here are {len(np.unique(x))}")
    low, high = x[0] / LAWS[law].beyond, x[-1] * LAWS[law].beyond
    (bend,), (amplitude,), (misfit,) = _solve(LAWS[law], x, y[None])
    if bend >= high:
        raise Missing("not reached: the points do not bend, they rise in proportion to the last")
    curve = amplitude * LAWS[law].shape(x, bend)
    bends, amplitudes, misfits = _solve(LAWS[law], x, _drawn(curve, misfit, spread / y))
    # where the rise has no end, nothing limits the parameters from above; where there is none, the bend from below
    amplitudes = np.where(bends >= high, np.inf, amplitudes)
    limits = np.where(bends >= high, np.inf, np.where(bends <= low, 0.0, bends))
    around = None if bend <= low else _interval(bend, limits)
    if law == "corner":  # from where even the widest of its knees has been passed
        check_reached(zip(x.tolist(), y.tolist(), strict=True), around[2] if around else low)
    return around, _interval(amplitude, amplitudes), _interval(misfit, misfits)


def _drawn(curve: Floats, misfit: float, spread: Floats) -> Floats:
    """Series drawn around a law, one a row.

    A point's relative standard deviation is the larger of what all residuals say and half of the range of its own runs.
    The residuals are few: that they may have come out small by chance is drawn too, as in Student's distribution.
    """
    count = len(curve)
    free = count - 2
    sigma = np.maximum(misfit * np.sqrt(count / free), spread)
    source = np.random.RandomState(20261130)  # its stream is frozen: the same numbers with every NumPy
    half = source.standard_normal((DRAWS // 2, count))
    wider = np.sqrt(free / source.chisquare(free, (DRAWS // 2, 1)))
    steps = np.concatenate([half, -half]) * np.concatenate([wider, wider]) * sigma
    return np.asarray(curve * np.exp(np.clip(steps, -FAR, FAR)))


def _solve(law: Law, x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Bend, amplitude and misfit of each row of y."""
    low, high = x[0] / law.beyond, x[-1] * law.beyond
    grid = np.geomspace(low, high, COARSE)
    shapes = law.shape(x, grid[:, None])
    # the sum of (amplitude · shape / y − 1)² at the best amplitude, for every row and bend at once
    squares = len(x) - ((1 / y) @ shapes.T) ** 2 / ((1 / y**2) @ (shapes**2).T)
    bends = grid[np.argmin(squares, axis=1)]
    step = grid[1] / grid[0]
    for _ in range(ZOOMS):
        near = np.clip(bends[:, None] * step ** np.linspace(-1, 1, FINE), low, high)
        relative = law.shape(x, near[:, :, None]) / y[:, None, :]
        sums = relative.sum(axis=2)
        squares = len(x) - sums**2 / (relative**2).sum(axis=2)
        bends = np.take_along_axis(near, np.argmin(squares, axis=1)[:, None], axis=1)[:, 0]
        step = step ** (2 / (FINE - 1))
    relative = law.shape(x, bends[:, None]) / y
    amplitudes = relative.sum(axis=1) / (relative**2).sum(axis=1)
    residuals = amplitudes[:, None] * relative - 1
    return bends, amplitudes, np.sqrt((residuals**2).mean(axis=1))


def _interval(centre: float, drawn: Floats) -> _Interval:
    """The centre, and the ends of the middle :data:`COVERED` of what was drawn; the centre is never outside."""
    ordered = np.sort(drawn)
    cut = round(len(ordered) * (1 - COVERED) / 2)
    return float(centre), float(min(ordered[cut], centre)), float(max(ordered[-1 - cut], centre))
