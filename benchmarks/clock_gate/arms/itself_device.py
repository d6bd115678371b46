"""One thread a sample against itself."""

from perfdocs.measure.arm import Context, Prepared

from ..gates import Gates
from ..workload import Pair


def prepare(problem: Pair, context: Context) -> Prepared:
    """Nothing yet: the first run opens both sides."""
    return Gates(problem, ("per_thread", "per_thread"), context, on_host=False)
