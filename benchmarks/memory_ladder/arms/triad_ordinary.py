"""z = x + s y with ordinary stores, before which the caches read what is to be overwritten."""

from perfdocs.measure.arm import Context, Prepared

from ..host import Stream
from ..streams import Streams


def prepare(problem: Streams, context: Context) -> Prepared:
    """Fill the arrays and compile."""
    return Stream("triad", problem, context, stored="triad_ordinary")
