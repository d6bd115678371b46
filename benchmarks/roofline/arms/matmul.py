"""Products of a tall matrix with a square one through CuPy, on the matrix units."""

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.matrices import Product

from ..device import fill
from ..workload import Tall


def prepare(problem: Tall, context: Context) -> Prepared:  # noqa: ARG001
    """Fill the matrices, multiply once."""
    return Product(problem.kind, problem.rows, problem.chain, 1, fill)
