"""Work stealing against one thread a sample."""

from perfdocs.measure.arm import Context, Prepared

from ..gates import Gates
from ..workload import Pair


def prepare(problem: Pair, context: Context) -> Prepared:
    """Nothing yet: the first run opens both sides."""
    return Gates(problem, ("per_thread", "persistent"), context, on_host=False)
