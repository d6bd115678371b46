"""The sum of x y."""

from perfdocs.measure.arm import Context, Prepared

from ..either import stream
from ..streams import Streams


def prepare(problem: Streams, context: Context) -> Prepared:
    """Fill the arrays and compile."""
    return stream("dot", problem, context)
