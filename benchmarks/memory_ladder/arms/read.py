"""Loads and nothing else: width, stride, resident warps and loads in flight as the point says."""

from perfdocs.measure.arm import Context, Point, Prepared

from ..device import Read, warps_limit
from ..ladder import Ladder


def limits(point: Point) -> str | None:
    """As many warps as an SM can hold."""
    return warps_limit(point)


def prepare(problem: Ladder, context: Context) -> Prepared:
    """Fill the buffer and compile."""
    return Read(problem, context)
