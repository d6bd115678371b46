"""C++ over vectors, on every allowed processor."""

from perfdocs.measure.arm import Context, Prepared

from ..host import HostArm
from ..workload import Chains


def prepare(problem: Chains, context: Context) -> Prepared:
    """Fill the buffer, compile where needed."""
    return HostArm(problem, context, context.threads)
