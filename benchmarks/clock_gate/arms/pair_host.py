"""Vectors against C++, on one thread."""

from perfdocs.measure.arm import Context, Prepared

from ..gates import Gates
from ..workload import Pair


def prepare(problem: Pair, context: Context) -> Prepared:
    """Nothing yet: the first run opens both sides."""
    return Gates(problem, ("cpu_openmp_1", "cpu_simd_1"), context, on_host=True)
