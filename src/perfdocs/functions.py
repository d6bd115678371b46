"""The operators and functions of expressions, on values with their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from .plateau import check_reached
from .shares import share
from .verdict import Missing, Value

__all__ = ["ARGUMENTS", "FUNCTIONS", "POINT_FUNCTIONS", "SERIES_FUNCTIONS", "combine", "of_all"]


def combine(operator: str, a: Value, b: Value) -> Value:
    """``a + b``, ``a - b``, ``a * b`` or ``a / b``. Raises :class:`Missing` where it divides by zero."""

    def over(x: float, y: float) -> float:
        if operator == "+":
            return x + y
        if operator == "-":
            return x - y
        if operator == "*":
            return x * y
        if y == 0:
            raise Missing("divided by zero")
        return x / y

    def ends(a_lo: float, a_hi: float, b_lo: float, b_hi: float) -> tuple[float, float]:
        if operator == "/" and b_lo <= 0 <= b_hi:
            return -math.inf, math.inf
        # an end that is zero stays zero, however far the other reaches (0 × ∞ is no number)
        corners = [0.0 if math.isnan(z := over(x, y)) else z for x in (a_lo, a_hi) for y in (b_lo, b_hi)]
        return min(corners), max(corners)

    lo, hi = ends(a.lo, a.hi, b.lo, b.hi)
    show_lo, show_hi = ends(a.show_lo, a.show_hi, b.show_lo, b.show_hi)
    counts = [n for n in (a.samples, b.samples) if n]
    return Value(over(a.centre, b.centre), lo, hi, show_lo, show_hi, min(counts, default=0), a.flags | b.flags)


def of_all(best: Callable[..., float]) -> Callable[..., Value]:
    """Of values what ``best`` is of numbers; it grows with each, so the ends of intervals give those of the result."""

    def call(*values: Value) -> Value:
        flags = frozenset[str]().union(*(v.flags for v in values))
        return Value(
            best(v.centre for v in values),
            best(v.lo for v in values),
            best(v.hi for v in values),
            best(v.show_lo for v in values),
            best(v.show_hi for v in values),
            min(v.samples for v in values),
            flags,
        )

    return call


FUNCTIONS: dict[str, Callable[..., Value]] = {"min": of_all(min), "max": of_all(max)}
"""Functions of values at one point that choose among them."""

POINT_FUNCTIONS: dict[str, Callable[..., Value]] = {**FUNCTIONS, "share": share}
"""Functions of values at one point."""


def _least(x: Sequence[Value], y: Sequence[Value], fraction: Sequence[Value]) -> Value:
    """The least x at which y reaches the fraction of its best; the interval spans the points y's noise allows.

    The best is that of the series only where y levels off from there on (decision 0033).
    """
    share = fraction[0].centre
    best = max(v.centre for v in y)
    points = sorted(zip(x, y, strict=True), key=lambda p: p[0].centre)
    flags = frozenset[str]().union(*(v.flags for v in (*x, *y)))

    def first(read: Callable[[Value], float]) -> float:
        return next((a.centre for a, b in points if read(b) >= share * best), points[-1][0].centre)

    centre = first(lambda v: v.centre)
    check_reached(((a.centre, b.centre) for a, b in points), centre)
    lo, hi = first(lambda v: v.hi), first(lambda v: v.lo)
    return Value(centre, lo, hi, lo, hi, min(v.samples for v in y), flags)


def _best(y: Sequence[Value]) -> Value:
    """The value of the point that surely reaches most: that whose interval begins highest (decision 0029).

    The interval ends with the highest that any point may be; the flags are those of the points that may be the highest.
    """
    first = max(y, key=lambda v: (v.lo, v.centre))
    rivals = [v for v in y if v.hi >= first.lo]
    flags = frozenset[str]().union(*(v.flags for v in rivals))
    most, samples = max(v.hi for v in rivals), min(v.samples for v in rivals)
    return Value(first.centre, first.lo, most, first.show_lo, first.show_hi, samples, flags)


def _fitted(law: str, part: Literal["bend", "amplitude", "misfit"]) -> Callable[..., Value]:
    """A number of the law fitted to the series; see :mod:`perfdocs.fits`."""

    def call(x: Sequence[Value], y: Sequence[Value]) -> Value:
        from .fits import fit  # which needs NumPy, as no other expression does

        found: Value | None = getattr(fit(law, x, y), part)
        if found is None:
            raise Missing("all points are on the plateau: where it begins is not seen")
        return found

    return call


SERIES_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "least": _least,
    "best": _best,
    "half": _fitted("hyperbola", "bend"),
    "ceiling": _fitted("hyperbola", "amplitude"),
    "misfit_hyperbola": _fitted("hyperbola", "misfit"),
    "knee": _fitted("corner", "bend"),
    "plateau": _fitted("corner", "amplitude"),
    "misfit_corner": _fitted("corner", "misfit"),
}
"""Functions of a whole series along the axis a derived quantity is ``over``; arguments are lists of values."""

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "share": ("hits", "of"),
    "least": ("x", "y", "share of the best y"),
    "best": ("y",),
    **dict.fromkeys(("half", "ceiling", "misfit_hyperbola", "knee", "plateau", "misfit_corner"), ("x", "y")),
}
"""The arguments of functions that take a fixed number of them."""
