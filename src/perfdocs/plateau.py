"""Whether a rising series was followed to where its rise ends (decision 0033): without that, its end is not known."""

from __future__ import annotations

from collections.abc import Iterable

from .verdict import Missing

__all__ = ["NotReached", "check_reached"]


class NotReached(Missing):
    """What the end of a rise would tell, of a series that was not followed so far."""


def check_reached(points: Iterable[tuple[float, float]], since: float) -> None:
    """Raise :class:`NotReached` where points (x, y) give no sign that y stays what it is from ``since`` on.

    On logarithmic scales proportion has the slope 1 and a plateau the slope 0. From the first point at or beyond
    ``since`` to the last, the slope has to be nearer to 0: y grows by less than the square root of what x grows by. A
    point alone has no slope.
    """
    beyond = sorted((x, y) for x, y in points if x >= since)
    if len(beyond) < 2:
        raise NotReached("not reached: the points end before a plateau could be seen")
    (x, y), (last_x, last_y) = beyond[0], beyond[-1]
    if last_y**2 * x >= y**2 * last_x:  # multiplied out, since x may be 0
        raise NotReached("not reached: y still rises where the points end")
