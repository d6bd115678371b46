"""Products of square matrices through CuPy, on the matrix units."""

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.matrices import Product

from ..device import fill
from ..problems import Matrix


def prepare(problem: Matrix, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Fill the matrices, multiply once."""
    return Product(problem.kind, problem.side, problem.side, problem.repeats, fill)
