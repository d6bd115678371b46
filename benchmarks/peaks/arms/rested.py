"""Products after a rest: what the matrix units do before the limit of power lowers their clock."""

import time

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.matrices import Product

from ..device import fill
from ..problems import Matrix

REST = 0.5  # s


class Rested(Product):
    """Every timed run follows a rest."""

    def before(self) -> None:
        """Rest."""
        time.sleep(REST)


def prepare(problem: Matrix, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Fill the matrices, multiply once."""
    return Rested(problem.kind, problem.side, problem.side, problem.repeats, fill)
